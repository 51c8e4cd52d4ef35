"""Ids that follow from others are those that uuid5 makes of them."""

from uuid import UUID, uuid5

from hypothesis import given
from hypothesis import strategies as st

from backbone.ledger.ids import derived


@given(st.uuids(), st.text(max_size=50))
def test_an_id_that_follows_from_another_is_its_uuid5(cause: UUID, name: str) -> None:
    expected = uuid5(cause, name)
    made = derived(cause, name)
    assert (made, str(made), made.bytes, made.version, hash(made)) == (
        expected, str(expected), expected.bytes, 5, hash(expected),
    )  # fmt: skip
    assert isinstance(made, UUID)
    assert derived(made, name) == uuid5(expected, name)
