"""Laws of flows, over stories that nobody thought of: any reading, in any order, from readers that lie."""

from copy import deepcopy
from typing import Any
from uuid import UUID, uuid4

from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.cognitive import FlowAct, FlowAdvanced, FlowReading, FlowStage
from contracts.errors import Code
from contracts.gateway import MessageReceived
from contracts.response import RunCancelled
from contracts.shape import JsonObject
from tests.unit.services.cognitive.dialogue import DESK, RULES, TODAY, fault, output, recorded, understood
from tests.unit.services.given import Given, In

VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 5), st.integers(10**18, 10**30), st.text(max_size=5),
    st.sampled_from(["엄마", "2026-03-05", "2020-13-01", "CONFIRMED"]), st.lists(st.integers(), max_size=2),
)  # fmt: skip
NAMES = st.sampled_from(["target", "amount", "date", "stage", "act", "approval", "confirmed", "turn"])
TASKS = st.lists(st.dictionaries(NAMES, VALUES, max_size=4), max_size=3).map(tuple)
SEEN = st.sampled_from(["now", "before", "never"])
WHOLE: JsonObject = {"target": "엄마", "amount": 3}
HALF: JsonObject = {"target": "용걸이"}
TURNS = st.one_of(
    st.tuples(st.just(FlowAct.FILL), st.just("now"), st.sampled_from([(WHOLE,), (WHOLE, HALF), (HALF, WHOLE)])),
    st.tuples(st.just(FlowAct.CONFIRM), SEEN, st.just(())),
    st.tuples(st.sampled_from(FlowAct), SEEN, TASKS),
)
ENDS = st.sampled_from(
    [
        output(), output("failed", fault(slot="amount")), output("failed", fault(code=Code.TOOL_OUTCOME_UNKNOWN)),
        output("cancelled"), RunCancelled(reason="requested"),
    ]
)  # fmt: skip
STORIES = st.lists(TURNS | ENDS, min_size=4, max_size=14)


def tell(story: list[Any]) -> tuple[Given, list[tuple[Any, FlowAdvanced]]]:
    """The session after a story, and every move with the turn or end that made it."""
    told, moves = Given(DESK), []
    current: FlowAdvanced | None = None
    working: UUID | None = None
    for number, one in enumerate(story):
        if isinstance(one, tuple):
            act, seen, tasks = one
            is_open = current is not None and current.is_open
            turn = current.turn if current and (is_open or act is not FlowAct.FILL) else 0
            turn = {"now": turn, "before": max(turn - 1, 0), "never": 0}[seen]
            run = UUID(int=number + 1)
            told.when(In(run, MessageReceived(text="x")))
            reading = FlowReading(flow="pay", act=act, turn=turn, tasks=tasks, today=TODAY)
            happened = told.when(In(run, understood(reading)))
            said = [move for move in happened.events if isinstance(move, FlowAdvanced)]
            assert [bool(move.message) != bool(move.approval) for move in said].count(True) == 1, "one answer, or work"
            assert said[-1].message or said[-1].approval
        elif working is None:
            continue
        else:
            run, happened = working, told.when(In(working, one))
        for move in happened.events:
            assert isinstance(move, FlowAdvanced)
            moves.append((one, move))
            current = move
            working = run if move.approval else working
    return told, moves


@settings(max_examples=40)
@given(STORIES)
def test_only_the_word_to_the_open_question_lets_anything_be_done_whatever_a_reader_claims(story: list[Any]) -> None:
    asked: FlowAdvanced | None = None
    for one, move in tell(story)[1]:
        if move.approval is not None:
            act, seen, _ = one
            assert (act, seen) == (FlowAct.CONFIRM, "now")
            assert asked is not None
            assert (asked.stage, asked.slots) == (FlowStage.READY, move.approval.params)
            assert move.approval.params["amount"] >= 1  # type: ignore[operator]  # a validated amount
            assert set(move.approval.params) <= {"target", "amount", "date"}
            assert move.approval.arguments_hash == RULES.arguments_hash(move.approval.params)
        if move.stage is not FlowStage.CONFIRMED or move.approval:
            asked = move


@settings(max_examples=40)
@given(STORIES)
def test_every_turn_is_answered_once_or_makes_work_and_a_repetition_makes_nothing(story: list[Any]) -> None:
    told, _ = tell(story)
    for one in list(told.story):
        if type(one.event).__name__ == "CognitiveOutput":
            assert DESK.decide(told.state, one).emits == ()


@settings(max_examples=25)
@given(STORIES)
def test_folding_all_at_once_is_folding_step_by_step(story: list[Any]) -> None:
    told, _ = tell(story)
    once = DESK.initial()
    for one in told.story:
        once = DESK.evolve(once, one)
    assert once == told.state
    half = DESK.initial()
    for number, one in enumerate(told.story):
        half = DESK.evolve(deepcopy(half) if number % 3 == 0 else half, one)
    assert half == once


def test_work_of_another_run_says_nothing_about_a_flow() -> None:
    told, _ = tell([(FlowAct.FILL, "now", ({"target": "엄마", "amount": 3},)), (FlowAct.CONFIRM, "now", ())])
    assert DESK.decide(told.state, recorded(output(), uuid4())).emits == ()
