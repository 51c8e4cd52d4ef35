"""Several events in one message of the bus: what may go together, and that each comes out as it went in."""

from dataclasses import replace
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backbone.bus.bundles import BYTES, LENGTHS, MOST, BundleError, bundled, parts, rendered
from backbone.bus.direct import parse_headers
from contracts import subjects
from contracts.envelope import Message, from_headers
from tests.conformance.facts import message

SESSION = uuid4()
FIRST = replace(message("0", session=SESSION), apart=False)


def _note(number: int, **changes: object) -> Message:
    text = message(str(number), session=SESSION, version=number)
    same = {"recorded_at": FIRST.recorded_at, "correlation_id": FIRST.correlation_id, "apart": False}
    return replace(text, **{**same, **changes})  # type: ignore[arg-type]  # a field each


def _sent(bundle: list[Message]) -> tuple[str, dict[str, str], bytes]:
    """Subject, headers and body of a command as a client reads them."""
    head, rest = rendered(bundle, "reply").split(b"\r\n", 1)
    _, subject, reply, header_size, size = head.decode().split(" ")
    assert reply == "reply"
    assert len(rest) == int(size) + 2
    return subject, parse_headers(rest[: int(header_size)]), rest[int(header_size) : -2]


def _read(bundle: list[Message]) -> list[Message]:
    subject, headers, body = _sent(bundle)
    return [from_headers(own, subject, text) for own, text in parts(headers, body)]


@given(causes=st.lists(st.none() | st.uuids(), min_size=1, max_size=MOST))
def test_each_event_comes_out_as_it_went_in(causes: list[UUID | None]) -> None:
    notes = [_note(number, causation_id=cause) for number, cause in enumerate(causes, 1)]
    (bundle,) = bundled(notes)
    assert bundle == notes
    assert _read(bundle) == notes


def test_one_event_is_a_message_as_it_always_was() -> None:
    subject, headers, body = _sent([FIRST])
    assert LENGTHS not in headers
    assert headers["Nats-Msg-Id"] == str(FIRST.event_id)
    assert subject == subjects.event(SESSION, FIRST.producer, FIRST.type)
    assert from_headers(headers, subject, body) == FIRST


def test_a_bundle_is_no_repetition_of_one_of_its_events() -> None:
    """The relay publishes one by one: the bus must not take the bundle for the first of them."""
    both = _sent([_note(1), _note(2)])[1]["Nats-Msg-Id"]
    assert both not in {_sent([one])[1]["Nats-Msg-Id"] for one in (_note(1), _note(2))}


@pytest.mark.parametrize(
    "changes",
    [
        {"run_id": uuid4()}, {"type": "RunCompleted"}, {"route": "data"}, {"session_id": uuid4()}, {"traceparent": "00-1"},
        {"schema_version": 2}, {"producer": "planning"}, {"correlation_id": uuid4()}, {"apart": True},
        {"reference": b"{}"},
    ],
)  # fmt: skip
def test_what_differs_in_what_a_bundle_says_once_is_a_message_of_its_own(changes: dict[str, object]) -> None:
    one, other, third = _note(1), _note(2, **changes), _note(3)
    assert bundled([one, other, third]) == [[one, third], [other]]


def test_a_bundle_has_an_end() -> None:
    many = [_note(number) for number in range(1, 2 * MOST + 2)]
    assert [len(bundle) for bundle in bundled(many)] == [MOST, MOST, 1]
    large = [_note(number, data=b'"' + b"x" * (BYTES // 2) + b'"') for number in range(3)]
    assert [len(bundle) for bundle in bundled(large)] == [1, 1, 1]


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        (LENGTHS, "1 x", "expected numbers"),
        (LENGTHS, "1 2", "add up to 3 bytes"),
        (LENGTHS, "-1 -1", "add up to -2"),
        ("ce-id", "1", "ce-id has 1 words for 2 events"),
        ("ce-streamversion", "1 2 3", "ce-streamversion has 3 words for 2 events"),
    ],
)
def test_a_bundle_that_does_not_add_up_is_none(name: str, value: str, says: str) -> None:
    _, headers, body = _sent([_note(1), _note(2)])
    with pytest.raises(BundleError, match=says):
        parts({**headers, name: value}, body)
    del headers[name]
    if name != LENGTHS:
        with pytest.raises(BundleError, match="1 words for 2"):
            parts(headers, body)


def test_what_is_read_from_the_ledger_goes_by_itself() -> None:
    assert message("a").apart
