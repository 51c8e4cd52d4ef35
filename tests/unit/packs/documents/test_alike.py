"""Words for one thing: whoever asks with one is answered by another, in any of the three languages."""

import pytest

from packs.documents.alike import any_of, groups, groups_in, said


@pytest.mark.parametrize(
    ("asked", "there", "alike"),
    [
        ("엘베 고장났나", "승강기는 점검 중이다.", True),
        ("반년이면 얼마", "6개월 90,000원", True),
        ("when is the lift back", "The elevator is closed.", True),
        ("うちの犬は泊まれる？", "ペットの同伴はご遠慮ください。", True),
        ("what is the rent", "월 차임은 300,000원", True),
        ("is there a cap on it", "The liability is limited to 250,000 pounds.", True),
        ("parkour lessons", "Parking is free.", False),
        ("유치원은 어디야", "값은 5천원이다.", False),
    ],
)
def test_words_are_found_by_those_for_the_same_thing(asked: str, there: str, alike: bool):  # a table
    assert any_of(said(there), groups_in(said(asked))) is alike


def test_every_group_has_words_that_differ():
    assert [words for words in groups() if len(set(words)) < 2] == []
