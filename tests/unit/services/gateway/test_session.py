"""The fold of a session's stream."""

from collections.abc import Sequence

import pytest
from pydantic import ValidationError

from contracts.errors import Code, ErrorInfo
from contracts.gateway import RunControl, RunControlRequested
from contracts.registry import UnknownVersion
from contracts.response import RunCancelled, RunCompleted, RunFailed
from contracts.shape import Event
from services.gateway.domain.session import DecisionState, RunStatus, Session, evolve
from services.gateway.views.history import fold_in
from tests.unit.services.gateway.facts import (
    ANSWER,
    ANSWERED,
    ASKED,
    DECISION,
    EXPIRED,
    OTHER_RUN,
    RUN,
    SAID,
    message,
    stream,
)

FAILED = RunFailed(error=ErrorInfo(code=Code.TABLE_EMPTY, message="비었습니다."))
PAUSE, RESUME, INTERRUPT, CANCEL = (RunControlRequested(control=one) for one in RunControl)


def folded(*events: Event) -> Session:
    session = Session()
    for one in stream(*events):
        evolve(session, one)
    return session


@pytest.mark.parametrize(
    ("events", "status", "version"),
    [
        ([SAID], "running", 1),
        ([SAID, ANSWER], "running", 1),
        ([SAID, ASKED], "waiting", 2),
        ([SAID, ASKED, ANSWERED], "running", 3),
        ([SAID, ASKED, EXPIRED], "running", 3),
        ([SAID, PAUSE], "paused", 2),
        ([SAID, INTERRUPT], "paused", 2),
        ([SAID, PAUSE, RESUME], "running", 3),
        ([SAID, PAUSE, ASKED], "paused", 3),
        ([SAID, ASKED, PAUSE], "paused", 3),
        ([SAID, ASKED, PAUSE, RESUME], "waiting", 4),
        ([SAID, PAUSE, CANCEL], "running", 3),
        ([SAID, PAUSE, FAILED], "failed", 3),
        ([SAID, PAUSE, ANSWER, RunCompleted()], "completed", 4),
        ([SAID, ANSWER, RunCompleted()], "completed", 3),
        ([SAID, ANSWER, RunCompleted(partial=True)], "partial", 3),
        ([SAID, FAILED], "failed", 2),
        ([SAID, ASKED, RunCancelled(reason="rejected")], "rejected", 3),
        ([SAID, ASKED, RunCancelled(reason="expired")], "expired", 3),
        ([SAID, RunCancelled(reason="requested")], "cancelled", 2),
        ([SAID, RunCompleted(), FAILED], "completed", 2),
        ([SAID, RunCompleted(), ASKED], "completed", 2),
    ],
)
def test_a_run_stands_where_its_events_say(events: Sequence[Event], status: str, version: int) -> None:
    run = folded(*events).runs[RUN]
    assert (run.status, run.version) == (status, version)


def test_a_run_keeps_its_text_its_answer_and_its_error() -> None:
    run = folded(SAID, ANSWER, FAILED).runs[RUN]
    assert (run.text, run.response, run.error) == ("안녕", ANSWER, FAILED.error)


def test_an_expired_run_says_so_as_an_error() -> None:
    error = folded(SAID, RunCancelled(reason="expired", message="늦었습니다.")).runs[RUN].error
    assert error == ErrorInfo(code=Code.DECISION_EXPIRED, message="늦었습니다.")


@pytest.mark.parametrize(
    ("events", "standing"),
    [
        ([SAID, ASKED], DecisionState.OPEN),
        ([SAID, ASKED, ASKED], DecisionState.OPEN),
        ([SAID, ASKED, ANSWERED], DecisionState.ANSWERED),
        ([SAID, ASKED, ANSWERED, EXPIRED], DecisionState.ANSWERED),
        ([SAID, ASKED, EXPIRED, ANSWERED], DecisionState.EXPIRED),
        ([SAID, ASKED, RunCompleted()], DecisionState.RUN_ENDED),
        ([SAID, RunCompleted(), ASKED], DecisionState.RUN_ENDED),
    ],
)
def test_a_decision_is_closed_by_what_comes_first(events: Sequence[Event], standing: DecisionState) -> None:
    session = folded(*events)
    assert session.asked[DECISION].standing is standing
    assert bool(session.open) == (standing is DecisionState.OPEN)


def test_the_end_of_one_run_leaves_the_decisions_of_another_open() -> None:
    session = folded(SAID, ASKED)
    evolve(session, message(RunCompleted(), 3, run=OTHER_RUN))
    assert session.open_for(RUN)
    assert session.runs[RUN].status is RunStatus.WAITING


def test_decisions_are_known_without_the_rest_of_the_stream() -> None:
    session = folded(ASKED, RunCompleted())
    assert (session.open, session.runs) == ({}, {})


def test_folding_step_by_step_is_folding_at_once() -> None:
    events = [SAID, ASKED, ANSWERED, ANSWER, RunCompleted()]
    whole = folded(*events)
    again = Session()
    for one in stream(*events):
        evolve(again, one)
        assert again.version == one.version
    assert again == whole


def test_what_is_no_part_of_the_picture_moves_the_version_alone() -> None:
    session = evolve(Session(), message(SAID, 7, type="TodoStarted"))
    assert session == Session(version=7)


def test_an_event_that_cannot_be_read_is_left_out_and_the_rest_is_shown() -> None:
    newer = message(ANSWER, 2, schema_version=9)
    with pytest.raises(UnknownVersion):
        evolve(Session(), newer)
    broken = message(ANSWER, 3, data=b"{}")
    with pytest.raises(ValidationError):
        evolve(Session(), broken)
    session = Session()
    for one in (message(SAID, 1), newer, broken, message(RunCompleted(), 4)):
        fold_in(session, one)
    assert (session.version, session.runs[RUN].status) == (4, "completed")
