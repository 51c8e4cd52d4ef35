"""What stands in a row of the ledger: the event up to 64 KiB, and beyond that a reference to it."""

import json
from hashlib import sha256

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from backbone.ledger.port import NotRecordable
from backbone.ledger.rows import row_data
from contracts.dataref import INLINE_BYTES, REFERENCE_BYTES, Dataref, dataref
from contracts.decisions import DecisionAnswered
from contracts.gateway import TEXT_LIMIT, MessageReceived
from contracts.registry import EVENTS, render
from contracts.shape import Event
from tests.conformance.facts import note

FRAME = len(render(note("a"))) - 1
FILE = {"artifact_id": "0" * 64, "name": "리뷰.csv", "media_type": "text/csv", "size": 1, "type": "marketing.reviews"}


@given(st.integers(-8, 8), st.sampled_from('a가😀\n"'))
@example(0, "a")
@example(1, "a")
def test_up_to_64_kib_of_json_stand_in_the_row_and_a_byte_more_does_not(over: int, character: str) -> None:
    width = len(json.dumps(character, ensure_ascii=False)[1:-1].encode())
    count, rest = divmod(INLINE_BYTES - FRAME + over, width)
    event = note(character * count + "b" * rest)
    data = render(event).encode()
    assert len(data) == INLINE_BYTES + over
    missing: dict[str, bytes] = {}
    stands = row_data(event, set(), missing).encode()
    if over <= 0:
        assert (stands, missing, dataref(stands)) == (data, {}, None)
    else:
        digest = sha256(data).hexdigest()
        assert missing == {digest: data}
        assert dataref(stands) == Dataref(digest, len(data))
        assert len(stands) < REFERENCE_BYTES
        again: dict[str, bytes] = {}
        assert row_data(event, {digest}, again).encode() == stands
        assert again == {}


def test_with_nowhere_to_put_them_large_data_stay_in_the_row() -> None:
    event = note("x" * 100_000)
    assert row_data(event, None, {}) == render(event)


@pytest.mark.parametrize(
    "data",
    [
        "",
        "{}",
        '{"comment": "dataref"}',
        '["dataref"]',
        '{"a": {"dataref": "sha256:%s", "size": 1}}' % ("0" * 64),
        '{"dataref": "sha256:x", "size": 1}',
        '{"dataref": "sha256:%s"}' % ("0" * 64),
        '{"dataref"',
    ],
)
def test_data_that_only_look_like_a_reference_are_data(data: str) -> None:
    assert dataref(data.encode()) is None


def test_no_contract_has_a_field_by_which_a_reference_is_known() -> None:
    assert [name for name, contract in EVENTS.items() if "dataref" in contract.model_fields] == []


def _with_files(*files: object) -> Event:
    return MessageReceived.model_validate({"text": "😀" * TEXT_LIMIT, "attachments": files})


def _answered(text: str, files: object) -> Event:
    answer = {"attachments": files, "text": text}
    return DecisionAnswered.model_validate({**DecisionAnswered.example, "answer": answer})


def test_the_index_of_files_finds_references_too() -> None:
    long = "가" * 40_000
    events = [
        (_with_files(FILE), {"attachments": [{}]}),
        (_with_files(), {}),
        (_answered(long, [FILE]), {"answer": {"attachments": [{}]}}),
        (_answered(long, "no list"), {}),
        (_answered(long, [1, None, "x", [{}]]), {}),
    ]
    for event, expected in events:
        stands = json.loads(row_data(event, set(), {}))
        del stands["dataref"], stands["size"]
        assert stands == expected


@pytest.mark.parametrize(("text", "refused"), [("\0", True), ("\\\0", True), ("\\u0000", False), ("\\\\u0000", False)])
def test_a_nul_is_refused_elsewhere_as_it_is_in_a_row(text: str, refused: bool) -> None:
    event = note(text + "x" * INLINE_BYTES)
    missing: dict[str, bytes] = {}
    if refused:
        with pytest.raises(NotRecordable, match="NUL"):
            row_data(event, set(), missing)
    else:
        row_data(event, set(), missing)
        assert len(missing) == 1
