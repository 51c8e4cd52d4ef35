"""CloudEvents 1.0 in binary mode: what goes into headers comes out of them, and nothing else does."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts import subjects
from contracts.envelope import EnvelopeError, Message, from_headers, to_headers
from contracts.registry import EVENTS

ID = UUID("0197a1f0-0000-7000-8000-000000000009")
MESSAGE = Message(
    event_id=ID,
    session_id=UUID("0197a1f0-0000-7000-8000-000000000010"),
    version=7,
    type="TodoDispatched",
    schema_version=1,
    producer="execution",
    run_id=UUID("0197a1f0-0000-7000-8000-000000000011"),
    correlation_id=UUID("0197a1f0-0000-7000-8000-000000000011"),
    causation_id=UUID("0197a1f0-0000-7000-8000-000000000012"),
    traceparent="00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    recorded_at=datetime(2026, 1, 1, 12, 0, 0, 123456, UTC),
    data=b"{}",
    route="data",
)

YEARS = (datetime(1970, 1, 1), datetime(2200, 1, 1))  # noqa: DTZ001  # hypothesis adds the zone

messages = st.builds(
    Message,
    event_id=st.uuids(),
    session_id=st.uuids(),
    version=st.integers(1, 2**31 - 1),
    type=st.sampled_from(sorted(EVENTS)),
    schema_version=st.integers(1, 2**15 - 1),
    producer=st.sampled_from(["gateway", "cognitive", "planning", "execution", "response", "timers"]),
    run_id=st.none() | st.uuids(),
    correlation_id=st.uuids(),
    causation_id=st.none() | st.uuids(),
    traceparent=st.none() | st.from_regex(r"\A00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]\Z"),
    recorded_at=st.datetimes(*YEARS, timezones=st.sampled_from([UTC, timezone(timedelta(hours=9))])),
    data=st.binary(max_size=64),
    route=st.just("") | st.from_regex(r"\A[a-z][a-z0-9_]{0,31}\Z"),
)


def _subject(message: Message) -> str:
    return subjects.event(message.session_id, message.producer, message.type, message.route)


@given(messages)
def test_an_envelope_survives_the_bus(message: Message) -> None:
    assert from_headers(to_headers(message), _subject(message), message.data) == message


@given(messages)
def test_headers_are_plain_text_on_one_line(message: Message) -> None:
    for name, value in to_headers(message).items():
        assert value
        assert (name + value).isascii()
        assert "\r" not in value
        assert "\n" not in value


def test_the_run_stands_for_the_correlation_when_they_are_the_same() -> None:
    assert "ce-correlationid" not in to_headers(MESSAGE)
    assert from_headers(to_headers(MESSAGE), _subject(MESSAGE), b"{}").correlation_id == MESSAGE.run_id


def test_an_event_without_a_run_is_its_own_correlation() -> None:
    headers = to_headers(replace(MESSAGE, run_id=None))
    del headers["ce-correlationid"]
    assert from_headers(headers, _subject(MESSAGE), b"{}").correlation_id == ID


def test_the_attributes_are_those_of_cloudevents() -> None:
    headers = to_headers(MESSAGE)
    assert headers["ce-specversion"] == "1.0"
    assert headers["ce-id"] == str(ID)
    assert headers["ce-source"] == "/dream/execution"
    assert headers["ce-type"] == "TodoDispatched"
    assert headers["ce-time"] == "2026-01-01T12:00:00.123456Z"
    assert headers["content-type"] == "application/json"


NEEDED = [
    "ce-specversion",
    "ce-id",
    "ce-source",
    "ce-type",
    "ce-subject",
    "ce-time",
    "ce-dataversion",
    "ce-streamversion",
]


@pytest.mark.parametrize("name", NEEDED)
def test_a_missing_attribute_is_named(name: str) -> None:
    headers = to_headers(MESSAGE)
    del headers[name]
    with pytest.raises(EnvelopeError, match=name):
        from_headers(headers, _subject(MESSAGE), b"{}")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ce-specversion", "0.3"),
        ("ce-id", "seven"),
        ("ce-subject", ""),
        ("ce-time", "yesterday"),
        ("ce-streamversion", "1.5"),
        ("ce-dataversion", "one"),
        ("ce-runid", "r1"),
        ("ce-causationid", "c1"),
        ("ce-correlationid", "x"),
    ],
)
def test_a_malformed_attribute_is_refused(name: str, value: str) -> None:
    with pytest.raises(EnvelopeError):
        from_headers({**to_headers(MESSAGE), name: value}, _subject(MESSAGE), b"{}")


@pytest.mark.parametrize("headers", [None, {}])
def test_a_message_without_headers_is_refused(headers: dict[str, str] | None) -> None:
    with pytest.raises(EnvelopeError, match="no headers"):
        from_headers(headers, _subject(MESSAGE), b"{}")


@pytest.mark.parametrize("change", [{"type": "TodoStarted"}, {"producer": "planning"}, {"session_id": ID}])
def test_headers_that_contradict_the_subject_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(subjects.SubjectError):
        from_headers(to_headers(replace(MESSAGE, **change)), _subject(MESSAGE), b"{}")  # type: ignore[arg-type]


def test_the_contract_is_read_when_it_is_asked_for() -> None:
    message = replace(MESSAGE, type="RunCompleted", data=b'{"partial":true}')
    assert message.event == EVENTS["RunCompleted"].model_validate({"partial": True})
