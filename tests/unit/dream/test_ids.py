"""Ids as people type them."""

from dream.ids import SHORT, beginnings


def test_each_beginning_is_that_of_one_id_alone_and_no_longer_than_it_has_to_be() -> None:
    ids = ["01a22b80-91a2-7000-8000-000000000001", "01a22b80-91a9-7000-8000-000000000002", "0299ffff-0000-7000-8000-0"]
    found = beginnings(ids)
    assert found == {ids[0]: "01a22b80-91a2", ids[1]: "01a22b80-91a9", ids[2]: "0299ffff"}
    for one, short in found.items():
        assert [other for other in ids if other.startswith(short)] == [one]


def test_an_id_that_another_one_begins_with_is_told_whole() -> None:
    assert beginnings(["01a22b80", "01a22b8011"])["01a22b80"] == "01a22b80"
    assert beginnings([]) == {}
    assert len(beginnings(["01a22b80-91a2"])["01a22b80-91a2"]) == SHORT
