"""The settings of a pack are its own."""

from services.execution.tools.resources import Resources

SET = {"DREAM_PACK_BANK_LIMIT": "5", "DREAM_PACK_BANK_OF_MINSU_TOKEN": "secret", "DREAM_PACK_OTHER_X": "1"}


def test_a_pack_does_not_see_the_settings_of_one_whose_name_begins_with_its_own():
    resources = Resources(environment=SET, packs=("bank", "bank_of_minsu", "other"))
    assert resources.config("bank") == {"LIMIT": "5"}
    assert resources.config("bank_of_minsu") == {"TOKEN": "secret"}
    assert Resources(environment=SET, packs=("bank",)).config("bank")["OF_MINSU_TOKEN"] == "secret"
