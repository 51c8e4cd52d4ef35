"""One word for every open task: only where all of them were shown, and each is told of when the work has ended."""

from typing import Any

import pytest

from contracts.cognitive import FlowAct, FlowStage
from contracts.errors import Code, ErrorInfo
from contracts.execution import ExecutionOutput, ExecutionResult, ExecutionStatus, TodoStatus
from contracts.shape import JsonObject
from services.cognitive import hearing
from services.cognitive.domain.slots import ValidationContext
from services.cognitive.flows import Flow
from tests.unit.services.cognitive.dialogue import RULES, TODAY, Dialogue, fault
from tests.unit.services.given import named

FLOW = Flow("test", "PAY", RULES, lambda _: (), (), ())
ON = ValidationContext("en", {}, TODAY)
MUM: JsonObject = {"target": "엄마", "amount": 10_000}
KID: JsonObject = {"target": "용걸이", "amount": 50_000}
AUNT: JsonObject = {"target": "이모", "amount": 7}


def ended(*results: bool | ErrorInfo | None, status: str = "succeeded") -> ExecutionOutput:
    """The end of the work: per task whether it was done, or why not; None for one that was not tried."""

    def result(number: int, one: bool | ErrorInfo) -> ExecutionResult:
        done = TodoStatus.SUCCEEDED if one is True else TodoStatus.FAILED
        error = one if isinstance(one, ErrorInfo) else None
        return ExecutionResult(todo_id=f"t{number}", status=done, error=error)

    told = tuple(result(number, one) for number, one in enumerate(results, 1) if one is not None)
    return ExecutionOutput(plan_id=named("plan"), plan_version=1, status=ExecutionStatus(status), results=told)


def confirmed(*tasks: JsonObject, **how: Any) -> Dialogue:
    dialogue = Dialogue()
    dialogue.says(*tasks)
    dialogue.turn(FlowAct.CONFIRM, every=True, **how)
    return dialogue


def test_a_word_for_all_of_them_approves_each():
    dialogue = confirmed(MUM, KID, AUNT)
    assert dialogue.state.stage is FlowStage.CONFIRMED
    assert dialogue.state.approval is not None
    assert [one.params for one in (dialogue.state.approval, *dialogue.state.also)] == [MUM, KID, AUNT]
    assert dialogue.hears(ended(True, True, True)) == "모두 완료됐어요."
    assert [move.slots for move in dialogue.moves] == [MUM, KID, AUNT]
    assert {move.stage for move in dialogue.moves} == {FlowStage.EXECUTED}
    assert (dialogue.state.executed, dialogue.state.queue) == (3, ())


def test_what_waits_and_was_not_shown_is_shown_first():
    dialogue = Dialogue()
    dialogue.says(MUM, {"target": "용걸이"})
    assert dialogue.turn(FlowAct.CONFIRM, every=True).startswith(
        "한 번에 모두 진행할 수는 없어서 하나씩 여쭤볼게요. 엄마에게 10000원을 보낼까요?"
    )
    assert dialogue.state.stage is FlowStage.READY


def test_two_alike_need_a_word_each():
    assert confirmed(MUM, MUM).state.stage is FlowStage.READY


def test_what_cannot_be_done_is_asked_about_and_the_rest_told():
    dialogue = confirmed(MUM, KID, AUNT)
    heard = dialogue.hears(ended(True, fault("너무 많아요.", slot="amount"), True, status="failed"))
    assert heard == "모두 완료됐어요. 너무 많아요. (3/3)"
    assert (dialogue.state.stage, dialogue.state.slots, dialogue.state.missing) == (
        FlowStage.FILLING,
        {"target": "용걸이"},
        ("amount",),
    )


def test_an_unknown_outcome_is_told_and_never_repeated():
    dialogue = confirmed(MUM, KID)
    heard = dialogue.hears(ended(True, fault(code=Code.TOOL_OUTCOME_UNKNOWN), status="failed"))
    assert heard == "완료됐어요. 보냈는지 알 수 없어요."
    assert (dialogue.state.stage, dialogue.state.slots, dialogue.state.queue) == (FlowStage.EXECUTED, MUM, ())


def test_what_a_stop_has_left_undone_is_named():
    dialogue = confirmed(MUM, KID)
    assert "용걸이 50000" in dialogue.hears(ended(True, None, status="cancelled"))
    assert (dialogue.state.stage, dialogue.state.slots) == (FlowStage.EXECUTED, MUM)
    dialogue = confirmed(MUM, KID)
    dialogue.hears(ended(None, None, status="cancelled"))
    assert dialogue.state.stage is FlowStage.CANCELLED


@pytest.mark.parametrize(
    ("before", "names", "meant"),
    [
        ("dinner with Mom", ["Mom", "Mum"], {"target": "Mom"}),
        ("momentum review", ["Mom"], {}),
        ("Mom and Dad come by", ["Mom", "Dad"], {}),
        ("母校の集まり", ["母"], {}),
    ],
)
def test_a_pronoun_means_the_one_name_that_the_request_before_had(before, names, meant):
    found = hearing.named_in(FLOW, before, {"target": names})
    assert hearing.meant_by_all(FLOW, hearing.words_in(before, found), ON) == meant
