"""Whose turn it is, until when, and what is stuck (invariant I7)."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backbone.ledger.port import Append, Fact, RunPlace
from backbone.liveness.fold import RunState
from backbone.liveness.healing import Step, again, step
from backbone.liveness.reading import Folded
from backbone.liveness.turns import within
from backbone.liveness.view import State
from contracts.cognitive import FlowAdvanced, FlowStage, Route
from contracts.gateway import FeedbackGiven, RunControl
from contracts.response import RunCompleted
from contracts.shape import Event
from tests.fakes.ledger import MemoryLedger
from tests.unit.backbone.runs_told import (
    APPROVED,
    BROKEN,
    EDITED,
    OUTPUT,
    REFUSED,
    SAID,
    STARTED,
    T0,
    UNDERSTOOD,
    answered,
    asked,
    at,
    busy,
    control,
    dispatched,
    expired,
    failed,
    fired,
    folded,
    leased,
    planned,
    rejected,
    seen,
    started,
    succeeded,
    told,
)  # fmt: skip

AT_WORK: tuple[Event, ...] = (SAID, UNDERSTOOD, planned(), APPROVED, STARTED)
CLARIFY = UNDERSTOOD.model_copy(update={"requires_clarification": True})
LED = UNDERSTOOD.model_copy(update={"route": Route.FLOW})
SKIP = {"action": "skip"}
SERVICE = 30.0


def moved(stage: str, message: str = "") -> FlowAdvanced:
    return FlowAdvanced(flow="pay", stage=FlowStage(stage), message=message)


@pytest.mark.parametrize(
    ("events", "actor", "what", "deadline"),
    [
        ((SAID,), "cognitive", "understand", SERVICE),
        ((SAID, CLARIFY, asked("clarify"), answered("clarify")), "cognitive", "decision:clarify", 3 + SERVICE),
        ((SAID, UNDERSTOOD), "planning", "plan", 1 + SERVICE),
        ((SAID, UNDERSTOOD.model_copy(update={"route": Route.ANSWER})), "response", "answer", 1 + SERVICE),
        ((SAID, UNDERSTOOD.model_copy(update={"error": BROKEN})), "response", "answer", 1 + SERVICE),
        ((SAID, UNDERSTOOD, planned(), asked(), answered()), "planning", "decision:plan", 4 + SERVICE),
        ((SAID, UNDERSTOOD, planned(), asked(), expired()), "response", "decision:plan", 4 + SERVICE),
        ((SAID, UNDERSTOOD, planned(), asked(), expired(default=SKIP)), "planning", "decision:plan", 4 + SERVICE),
        ((SAID, UNDERSTOOD, rejected(final=True)), "response", "answer", 2 + SERVICE),
        ((SAID, UNDERSTOOD, planned(), rejected(final=False)), "planning", "revise", 3 + SERVICE),
        ((SAID, UNDERSTOOD, planned(), APPROVED), "execution", "dispatch", 3 + SERVICE),
        ((*AT_WORK, dispatched()), "executor:data", "todo:t1", 5 + 60 + 30),
        ((*AT_WORK, dispatched(), started()), "executor:data", "todo:t1", 6 + 60 + 30),
        ((*AT_WORK, dispatched(), dispatched("t2"), succeeded()), "executor:data", "todo:t2", 6 + 60 + 30),
        ((*AT_WORK, dispatched(), succeeded()), "execution", "dispatch", 6 + SERVICE),
        ((*AT_WORK, dispatched(), failed()), "execution", "dispatch", 6 + SERVICE),
        ((*AT_WORK, dispatched(), failed(again=20)), "timers", "retry:t1", 20),
        ((*AT_WORK, dispatched(), failed(again=20), fired()), "execution", "dispatch", 7 + SERVICE),
        ((*AT_WORK, dispatched(), busy()), "toolbox", "line:t1", 6 + 3600),
        ((*AT_WORK, dispatched(), busy(), leased()), "execution", "dispatch", 7 + SERVICE),
        ((*AT_WORK, dispatched(), leased()), "executor:data", "todo:t1", 6 + 60 + 30),
        ((*AT_WORK, dispatched(), asked("tool", "t1")), "person", "decision:tool", 3600),
        ((*AT_WORK, dispatched(), asked("error", "t1"), answered("error")), "execution", "decision:error", 7 + SERVICE),
        ((*AT_WORK, asked("budget"), expired("budget", SKIP)), "execution", "decision:budget", 6 + SERVICE),
        ((*AT_WORK, dispatched(), succeeded(), OUTPUT), "response", "answer", 7 + SERVICE),
        ((*AT_WORK, EDITED), "planning", "edit", 5 + SERVICE),
        ((*AT_WORK, EDITED, REFUSED), "execution", "dispatch", 6 + SERVICE),
        ((*AT_WORK, control(RunControl.CANCEL)), "execution", "cancel", 5 + SERVICE),
        ((SAID, control(RunControl.CANCEL)), "response", "cancel", 1 + SERVICE),
        ((SAID, LED), "cognitive", "flow", 1 + SERVICE),
        ((SAID, LED, moved("READY", "보낼까요?")), "response", "answer", 2 + SERVICE),
        ((SAID, LED, moved("CONFIRMED")), "planning", "plan", 2 + SERVICE),
        ((SAID, LED, moved("CONFIRMED"), planned(), APPROVED, STARTED, OUTPUT), "cognitive", "flow", 6 + SERVICE),
        ((SAID, LED, moved("EXECUTED"), moved("READY", "다음은요?")), "response", "answer", 3 + SERVICE),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_after_each_event_somebody_is_next_until_a_deadline(
    events: Sequence[Event], actor: str, what: str, deadline: float
) -> None:
    turn = seen(*events).next
    assert turn is not None
    assert (turn.actor, turn.what, turn.deadline) == (actor, what, at(deadline))


def test_a_service_that_does_not_come_within_its_margin_makes_the_run_stuck() -> None:
    assert seen(SAID, now=30).state is State.MOVING
    assert seen(SAID, now=31).state is State.STUCK


def test_a_retry_is_late_only_after_the_timers_margin() -> None:
    events = (*AT_WORK, dispatched(), failed(again=20))
    assert [seen(*events, now=now).state for now in (50, 51)] == [State.MOVING, State.STUCK]


def test_a_run_that_waits_for_a_person_is_not_stuck_until_the_timers_miss_the_deadline() -> None:
    asking = (SAID, UNDERSTOOD, planned(), asked(deadline=3600))
    assert seen(*asking, now=3630).state is State.WAITING
    late = seen(*asking, now=3631)
    assert (late.state, late.next and late.next.actor) == (State.STUCK, "timers")


def test_an_open_question_protects_a_run_whose_other_todo_is_overdue() -> None:
    both = (*AT_WORK, dispatched("t1"), dispatched("t2"), asked("tool", "t2"))
    assert seen(*both, now=1000).state is State.WAITING
    assert [turn.actor for turn in seen(*both, now=1000).turns] == ["executor:data", "person"]


def test_a_paused_run_waits_for_its_person_without_a_deadline_whatever_else_is_late() -> None:
    paused = seen(*AT_WORK, dispatched(), control(RunControl.PAUSE), now=100_000)
    assert paused.state is State.PAUSED
    assert paused.next is not None
    assert (paused.next.actor, paused.next.what, paused.next.deadline) == ("person", "paused", None)


def test_deadlines_move_by_as_long_as_a_pause_has_lasted() -> None:
    a_second = FeedbackGiven(about="answer")
    pause = (control(RunControl.PAUSE), a_second, a_second, control(RunControl.RESUME))
    resumed = seen(*AT_WORK, dispatched(), *pause)
    assert resumed.state is State.MOVING
    assert resumed.next is not None
    assert resumed.next.deadline == at(5 + 60 + 30 + 3)


def test_a_retry_that_is_set_in_a_pause_moves_by_what_is_left_of_it() -> None:
    a_second = FeedbackGiven(about="answer")
    begun = (*AT_WORK, dispatched(), control(RunControl.PAUSE), a_second, failed(again=20))
    resumed = seen(*begun, a_second, a_second, control(RunControl.RESUME))
    set_at, resumed_at = len(begun) - 1, len(begun) + 2
    retry = next(turn for turn in resumed.turns if turn.actor == "timers")
    assert retry.deadline == at(20 + resumed_at - set_at)


def test_the_most_urgent_of_several_actors_is_next() -> None:
    both = seen(*AT_WORK, dispatched("t1"), dispatched("t2"), failed("t2", again=20))
    assert [(turn.actor, turn.what) for turn in both.turns] == [("timers", "retry:t2"), ("executor:data", "todo:t1")]


def test_a_late_word_of_an_earlier_attempt_takes_nothing_off_its_executor() -> None:
    turn = seen(*AT_WORK, dispatched(attempt=2), succeeded(attempt=1)).next
    assert turn is not None
    assert turn.actor == "executor:data"


def test_a_run_that_has_ended_is_nobodys_turn_and_late_results_change_nothing() -> None:
    over = seen(*AT_WORK, dispatched(), RunCompleted(), succeeded(), now=10**6)
    assert (over.state, over.turns, over.last) == (State.ENDED, (), "RunCompleted")


def test_the_turn_names_the_event_that_its_actor_has_to_handle() -> None:
    assert [turn.version for turn in seen(*AT_WORK, dispatched()).turns] == [6]
    assert [turn.version for turn in seen(*AT_WORK, dispatched(), failed(again=9)).turns] == [0]


def test_a_stuck_run_is_helped_three_times_with_growing_waits_and_then_parked() -> None:
    turn = within("planning", "plan", T0, SERVICE, 2)
    tried, now, seen_ = None, SERVICE + 1, []
    while (due := step(turn, tried, at(now))) is not Step.PARK:
        if due is Step.RESEND:
            seen_.append(now)
            tried = again(turn, tried, at(now))
        now += 1
    assert (seen_, now) == ([31, 61, 181], 781)


def test_a_process_that_finds_a_run_long_overdue_gives_it_one_more_chance_and_time_for_it() -> None:
    turn = within("planning", "plan", T0, SERVICE, 2)
    tried = again(turn, None, at(90_000))
    assert step(turn, tried, at(90_599)) is Step.WAIT
    assert step(turn, tried, at(90_600)) is Step.PARK


def test_what_was_tried_for_an_earlier_turn_does_not_count() -> None:
    tried = replace(again(within("planning", "plan", T0, SERVICE), None, at(31)), times=3)
    assert step(within("execution", "dispatch", at(40), SERVICE), tried, at(9_999)) is Step.RESEND


STEPS: tuple[Event, ...] = (
    CLARIFY, UNDERSTOOD, planned(), APPROVED, STARTED, OUTPUT, EDITED, REFUSED, asked(), asked("clarify"),
    asked("tool", "t1"), asked("budget"), answered(), answered("tool"), answered("clarify"), expired(),
    expired("budget", SKIP), rejected(final=True), rejected(final=False), dispatched(), dispatched("t2"),
    dispatched(attempt=2), started(), succeeded(), succeeded("t2"), failed(), failed(again=50), busy(), leased(),
    fired(), fired("t2"), *map(control, RunControl), FeedbackGiven(about="answer"),
)  # fmt: skip


@settings(max_examples=150)
@given(st.lists(st.sampled_from(STEPS), max_size=25))
def test_whatever_happens_to_an_open_run_somebody_is_next(events: list[Event]) -> None:
    view = seen(SAID, *events)
    assert view.next is not None
    assert view.state is not State.ENDED


@settings(max_examples=60)
@given(st.lists(st.sampled_from((*STEPS, RunCompleted())), max_size=25), st.data())
def test_folding_step_by_step_equals_folding_at_once(events: list[Event], data: st.DataObject) -> None:
    messages = told([SAID, *events])
    cut = data.draw(st.integers(0, len(messages)))
    before = folded(messages[:cut])
    assert folded(messages[cut:], deepcopy(before)) == folded(messages)


async def test_reading_on_from_the_ledger_equals_reading_it_whole() -> None:
    ledger, session, run = MemoryLedger(), uuid4(), uuid4()
    reader = Folded(ledger)
    state: RunState | None = None
    place: RunPlace | None = None
    for event in (*AT_WORK, dispatched(), failed(again=9), fired(), FeedbackGiven(about="answer"), dispatched()):
        facts = (Fact(event, uuid4(), run, run, None), Fact(event, uuid4(), uuid4(), run, None))
        await ledger.append("x", "test", [Append(session, uuid4(), facts)])  # the other run is not ours
        place = await ledger.run(run)
        assert place is not None
        (state,) = await reader.of([place])
    assert place is not None
    assert [state] == await Folded(ledger).of([place])
    assert state is not None
    assert [turn.actor for turn in state.turns()] == ["executor:data"]
