"""A move of a flow that says something is the answer of its run."""

from typing import Any

import pytest

from contracts.cognitive import FlowAdvanced, FlowReading, Intent, Task, beside
from contracts.decisions import DecisionKind, DecisionRequested
from contracts.errors import Code, ErrorInfo
from contracts.response import NextAction, ResponseOutput, RunCancelled, RunCompleted, RunFailed
from services.response.domain.flows import LONGEST_LABEL, left_out
from tests.unit.services.given import NOW, RUN
from tests.unit.services.plans import SAID, planned, todo
from tests.unit.services.response.test_responder import ending, output, understood

FAILED = ErrorInfo(code=Code.TOOL_FAILED, message="안 됐어요.")
STOPPED = ErrorInfo(code=Code.TOOL_CANCELLED, message="멈췄어요.", detail={"control": "cancel"})


def moved(**fields: Any) -> FlowAdvanced:
    return FlowAdvanced(**{"flow": "pay", "stage": "READY", "message": "보낼까요?", "language": "ko"} | fields)


async def test_the_answer_shows_the_buttons_and_the_state():
    move = moved(
        slots={"target": "엄마"},
        buttons=("확인", "취소"),
        next_action="CONFIRM",
        task_index=2,
        task_total=3,
        executed=1,
    )
    happened = (await ending(move)).then_types(ResponseOutput, RunCompleted)
    answer = happened.only(ResponseOutput)
    assert (answer.text, answer.ui_hint.buttons, answer.ui_hint.next_action) == (
        "보낼까요?", ("확인", "취소"), "CONFIRM",
    )  # fmt: skip
    assert answer.data["stage"] == "READY"
    assert answer.data["slots"] == {"target": "엄마"}
    assert answer.data["meta"]["batch_total"] == 3
    assert answer.data["meta"]["batch_progress"] == 1


@pytest.mark.parametrize(
    ("fields", "end"),
    [
        ({}, RunCompleted()),
        ({"stage": "CANCELLED"}, RunCompleted()),
        ({"stage": "EXECUTED"}, RunCompleted()),
        ({"stage": "FILLING", "error": FAILED}, RunCompleted(partial=True)),
        ({"stage": "CANCELLED", "error": FAILED}, RunFailed(error=FAILED)),
        ({"stage": "CANCELLED", "error": STOPPED}, RunCancelled(reason="requested", message="보낼까요?")),
    ],
)
async def test_a_run_ends_as_its_flow_went(fields, end):
    happened = await ending(moved(**fields))
    assert happened.events[-1] == end


async def test_a_move_that_says_nothing_and_one_after_the_end_of_its_run_are_no_answers():
    (await ending(moved(stage="CONFIRMED", message=""))).then_nothing()
    (await ending(moved(), SAID, understood(route="flow"), RunCancelled(reason="requested"))).then_nothing()


PAY, DIARY = Task(intent="PAY", text="엄마한테 만원"), Task(intent="DIARY.add", text="일정 넣어줘")
READING = FlowReading(flow="pay", beside=("일정 넣어줘",))


async def test_what_a_flow_cannot_do_along_with_its_own_is_named_and_offered_when_it_is_over():
    begun = await ending(moved(beside=READING.beside), SAID, understood(route="flow", flow=READING))
    said = "보낼까요?\n‘일정 넣어줘’은(는) 이 일이 끝나면 바로 이어서 할 수 있게 보여 드릴게요."
    answer = begun.only(ResponseOutput)
    assert (answer.text, answer.next_actions, answer.ui_hint.buttons) == (said, (), ())
    over = moved(stage="EXECUTED", message="됐어요.", beside=READING.beside)
    answer = (await ending(over, SAID, understood(route="flow"))).only(ResponseOutput)
    assert answer.text == "됐어요.\n‘일정 넣어줘’은(는) 아직 하지 않았어요. 아래에서 고르면 이어서 할게요."
    assert answer.next_actions == (NextAction(label="일정 넣어줘", text="일정 넣어줘"),)
    assert answer.ui_hint.buttons == ("일정 넣어줘",)
    alone = await ending(moved(stage="EXECUTED"), SAID, understood(route="flow"))
    assert alone.only(ResponseOutput).text == "보낼까요?"


async def test_a_sentence_too_long_for_a_button_can_be_chosen_all_the_same():
    said = "일정 넣어줘 " * 50
    over = moved(stage="EXECUTED", beside=(said,))
    answer = (await ending(over, SAID, understood(route="flow"))).only(ResponseOutput)
    assert [one.text for one in answer.next_actions] == [said]
    assert len(answer.next_actions[0].label) == LONGEST_LABEL
    assert answer.ui_hint.buttons == ()


@pytest.mark.parametrize("fields", [{"stage": "INIT"}, {"stage": "CONFIRMED"}, {"beside": ("30분 전에 알려줘",)}])
async def test_what_a_flow_does_not_keep_is_not_promised_for_later_but_offered_at_once(fields):
    answer = (await ending(moved(**fields), SAID, understood(route="flow", flow=READING))).only(ResponseOutput)
    assert answer.text == "보낼까요?\n‘일정 넣어줘’은(는) 아직 하지 않았어요. 아래에서 고르면 이어서 할게요."
    assert answer.next_actions == (NextAction(label="일정 넣어줘", text="일정 넣어줘"),)


def test_a_plan_leaves_out_what_a_flow_would_lead():
    planned = understood(intent=Intent(domain="DIARY", category="add", confidence=1), tasks=(DIARY, PAY))
    assert left_out(planned, {"PAY"}) == ("엄마한테 만원",)
    assert left_out(planned, ()) == ()


def test_what_waits_is_one_sentence_for_each_dialogue_and_one_for_all_that_can_be_planned():
    call = Task(intent="CALL.place", text="30분 전에 알려줘")
    tasks = (DIARY, PAY, call, DIARY, Task(intent="CALL.place"))
    assert beside(tasks, {"PAY"}) == ("일정 넣어줘 30분 전에 알려줘", "엄마한테 만원")
    assert beside((), {"PAY"}) == ()


async def test_what_a_flow_waits_for_is_put_again_behind_the_answer_to_another_question():
    aside = understood(route="answer", answer="잔액은 3만원이에요.", still_asked="보낼까요?")
    answer = (await ending(aside, SAID, moved())).only(ResponseOutput)
    assert answer.text == "잔액은 3만원이에요.\n보낼까요?"
    answer = (await ending(understood(route="answer", answer="네."), SAID, moved())).only(ResponseOutput)
    assert answer.text == "네."


async def test_what_became_of_a_plan_is_told_behind_an_answer_unless_the_question_about_a_plan_has_said_it():
    aside = understood(
        route="answer", answer="잔액은 3만원이에요.", left_plan="앞의 계획은 그대로예요.", still_asked="보낼까요?"
    )
    answer = (await ending(aside, SAID)).only(ResponseOutput)
    assert answer.text == "잔액은 3만원이에요.\n앞의 계획은 그대로예요.\n보낼까요?"
    asked = DecisionRequested(
        decision_id=RUN, kind=DecisionKind.PLAN, question="?", language="ko", answer_schema={}, deadline=NOW
    )
    done = await ending(output("succeeded"), SAID, understood(left_plan="앞의 계획."), planned(todo("a")), asked)
    assert "앞의 계획" not in done.only(ResponseOutput).text


BESIDE = (SAID, understood(route="flow", flow=FlowReading(flow="pay")), understood())
PLANNED = planned(todo("a", title="일정"), todo("b", title="알림"))


async def test_work_and_a_dialogue_in_one_run_are_told_in_one_answer_whichever_ends_last():
    shown, done = moved(buttons=("확인", "취소")), output("succeeded")
    for last, before in ((done, (PLANNED, shown)), (shown, (PLANNED, done))):
        happened = (await ending(last, *BESIDE, *before)).then_types(ResponseOutput, RunCompleted)
        answer = happened.only(ResponseOutput)
        assert (answer.text, answer.ui_hint.buttons) == ("긍정이 61 %입니다.\n보낼까요?", ("확인", "취소"))


async def test_of_two_that_answer_together_the_first_says_nothing_alone():
    (await ending(output("succeeded"), *BESIDE, PLANNED)).then_nothing()
    (await ending(moved(), *BESIDE, PLANNED)).then_nothing()


async def test_work_that_fails_beside_a_dialogue_does_not_end_the_dialogue():
    happened = await ending(output("failed"), *BESIDE, PLANNED, moved())
    answer = happened.only(ResponseOutput)
    assert answer.text.endswith("\n보낼까요?")
    assert happened.events[-1] == RunCompleted()


async def test_a_question_that_was_answered_before_the_dialogue_began_is_no_work_beside_it():
    asked = understood(requires_clarification=True)
    await_flow = understood(route="flow", flow=FlowReading(flow="pay"))
    assert (await ending(moved(), SAID, asked, await_flow)).only(ResponseOutput).text == "보낼까요?"
