"""Every event has one subject, and a consumer's pattern finds exactly the events it asks for."""

import re
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts import subjects
from contracts.registry import EVENTS

SESSION = UUID("0197a1f0-0000-7000-8000-000000000010")


def _matches(pattern: str, subject: str) -> bool:
    """NATS: `*` is one token, `>` is one or more at the end."""
    expression = re.escape(pattern).replace(r"\*", r"[^.]+").replace(r">", r".+")
    return re.fullmatch(expression, subject) is not None


@given(st.uuids())
def test_a_session_has_one_partition(session: UUID) -> None:
    assert 0 <= subjects.partition(session) < subjects.PARTITIONS
    assert subjects.event(session, "gateway", "SessionOpened").split(".")[1] == str(subjects.partition(session))


def test_the_partition_does_not_move() -> None:
    # a change here would send the sessions of running consumers elsewhere
    assert subjects.partition(SESSION) == 13


@pytest.mark.parametrize("event", EVENTS.values(), ids=lambda event: event.__name__)
@pytest.mark.parametrize("route", ["", "data"])
def test_the_pattern_of_a_type_finds_its_events_and_no_others(event: type, route: str) -> None:
    for producer in event.producers:  # type: ignore[attr-defined]
        subject = subjects.event(SESSION, producer, event.__name__, route)
        assert _matches(subjects.EVENTS, subject)
        found = {
            other.__name__
            for other in EVENTS.values()
            for by in other.producers
            if _matches(subjects.pattern(by, other.__name__, route), subject)
        }
        assert found == {event.__name__}


def test_a_route_finds_its_own_todos_only() -> None:
    subject = subjects.event(SESSION, "execution", "TodoDispatched", "data")
    assert _matches(subjects.pattern("execution", "TodoDispatched", "data"), subject)
    assert not _matches(subjects.pattern("execution", "TodoDispatched", "insight"), subject)
    assert not _matches(subjects.pattern("execution", "TodoDispatched"), subject)


@pytest.mark.parametrize("subject", ["", "evt", "evt.1.x.gateway", "evt.1.2.3.4", "live.1"])
def test_a_subject_that_is_not_that_of_the_event_is_refused(subject: str) -> None:
    with pytest.raises(subjects.SubjectError, match="SessionOpened"):
        subjects.check(subject, SESSION, "gateway", "SessionOpened")


def test_no_type_and_no_producer_breaks_a_subject() -> None:
    for name, event in EVENTS.items():
        assert re.fullmatch(r"[A-Za-z]+", name)
        assert all(re.fullmatch(r"[a-z]+", producer) for producer in event.producers)


def test_a_live_subject_is_of_one_session_and_no_event() -> None:
    subject = subjects.live(SESSION)
    assert subjects.live_session(subject) == str(SESSION)
    assert _matches(subjects.LIVE, subject)
    assert not _matches(subjects.EVENTS, subject)
