"""Which packs are loaded: without one that has to be left out, whatever it is told by; and a name of none is said."""

import pytest

from backbone import packs


@pytest.mark.parametrize(
    "told", [("transfer", "minimal"), ("packs.transfer", "minimal"), ()], ids=["name", "module", "all"]
)
def test_what_is_left_out_is_not_loaded_and_all_else_is(told: tuple[str, ...]) -> None:
    before = packs.load(told)
    after = packs.load(packs.names_without(told, {"transfer"}))
    assert "transfer" in before.packs
    assert after.packs.keys() == before.packs.keys() - {"transfer"}
    assert after.failures == before.failures


def test_a_name_of_no_pack_is_told_as_that_and_stays_told() -> None:
    for names in (("minimal", "nowhere"), packs.names_without(("minimal", "nowhere", "transfer"), {"transfer"})):
        loaded = packs.load(names)
        assert "minimal" in loaded.packs
        assert loaded.failures["nowhere"].startswith("there is no pack 'nowhere': it is neither installed nor in ")
