"""The state machine of a flow: slots, questions, several tasks, and the words that let money go."""

from uuid import uuid4

import pytest

from contracts.cognitive import FlowAct, FlowReading, FlowStage
from contracts.errors import Code
from contracts.gateway import MessageReceived
from contracts.response import RunCancelled, RunCompleted, RunFailed
from contracts.shape import JsonObject
from tests.unit.services.cognitive.dialogue import RULES, Dialogue, fault, output, understood
from tests.unit.services.given import In

MUM: JsonObject = {"target": "엄마", "amount": 10_000}
KID: JsonObject = {"target": "용걸이", "amount": 50_000}
UNCLEAR = "그 말씀은 이해하지 못해서 바뀐 것이 없어요."
EARLIER = "방금 하신 말씀은 앞의 질문에 하신 것이라 반영하지 않았어요."


def begun(*tasks: JsonObject) -> Dialogue:
    dialogue = Dialogue()
    dialogue.says(*tasks)
    return dialogue


def test_all_that_is_needed_is_ready_and_needs_the_persons_word():
    dialogue = Dialogue()
    assert dialogue.says(MUM) == "엄마에게 10000원을 보낼까요?"
    state = dialogue.state
    assert (state.stage, state.next_action, state.buttons) == (FlowStage.READY, "CONFIRM", ("확인", "취소"))
    assert state.approval is None


def test_who_has_also_said_what_need_not_be_said_is_not_asked_for_more():
    dialogue = Dialogue()
    assert dialogue.says(MUM) == "엄마에게 10000원을 보낼까요?"
    assert Dialogue().says({**MUM, "date": "2026-11-23"}) == "엄마에게 10000원을 보낼까요?2026-11-23 (다시)"


def test_a_confirmed_task_carries_the_approval_of_exactly_its_slots_and_is_told_when_it_is_done():
    dialogue = begun(MUM)
    assert dialogue.confirms() == ""
    approval = dialogue.state.approval
    assert approval is not None
    assert (dialogue.state.stage, approval.tool, approval.params) == (FlowStage.CONFIRMED, "test.pay", MUM)
    assert approval.arguments_hash == RULES.arguments_hash(MUM)
    assert dialogue.hears(output(balance=1)) == "완료됐어요."
    assert (dialogue.state.stage, dialogue.state.result) == (FlowStage.EXECUTED, {"balance": 1})
    assert dialogue.state.next_action == "DONE"
    assert dialogue.says({"target": "아빠"}) == "아빠에게 얼마를 보낼까요?"  # begins anew
    assert dialogue.state.executed == 0


def test_what_is_missing_is_asked_for_until_it_is_there():
    dialogue = Dialogue()
    assert dialogue.says({}) == "누구에게 보낼까요?"
    assert dialogue.state.missing == ("target", "amount")
    assert dialogue.says({"target": "엄마"}) == "엄마에게 얼마를 보낼까요?"
    assert (dialogue.state.stage, dialogue.state.next_action) == (FlowStage.FILLING, "FILL")
    assert dialogue.says({"amount": 30_000}) == "엄마에게 30000원을 보낼까요? (다시)"
    assert dialogue.state.stage is FlowStage.READY


def test_a_refused_value_leaves_the_slot_as_it_was_and_says_why():
    dialogue = begun({"target": "엄마"})
    assert dialogue.says({"amount": -1000}) == "1원 이상이어야 해요."
    assert (dialogue.state.stage, dialogue.slots()) == (FlowStage.FILLING, {"target": "엄마"})
    assert dialogue.state.slot_errors == {"amount": "1원 이상이어야 해요."}
    dialogue = begun(MUM)
    dialogue.says({"amount": 0})
    assert (dialogue.state.stage, dialogue.slots()) == (FlowStage.FILLING, MUM)
    assert dialogue.confirms() == "엄마에게 10000원을 보낼까요? (다시)"  # nothing is paid that was just doubted
    assert dialogue.state.stage is FlowStage.READY


@pytest.mark.parametrize(
    "value", [True, "10000", 1.5, 10**30, [1], {"a": 1}, float("nan")], ids=lambda value: repr(value)[:20]
)
def test_a_value_of_another_kind_never_reaches_the_pack(value):
    dialogue = begun({"target": "엄마"})
    assert "쓸 수 없는 값" in dialogue.says({"amount": value})
    assert "amount" not in dialogue.slots()


@pytest.mark.parametrize("value", ["2026-02-30", "내일", "20260101", 5])
def test_a_day_that_does_not_exist_is_refused(value):
    dialogue = begun(MUM | {"date": value})
    assert dialogue.state.stage is FlowStage.FILLING
    assert "date" not in dialogue.slots()


def test_a_correction_replaces_and_is_confirmed_anew():
    dialogue = begun({"target": "엄마", "amount": 50_000})
    seen = dialogue.state.turn
    assert dialogue.says({"amount": 30_000}) == "엄마에게 30000원을 보낼까요? (다시)"
    assert (
        dialogue.confirms(turn=seen) == f"{EARLIER} 엄마에게 30000원을 보낼까요? (다시)"
    )  # yes, but to the old question
    assert dialogue.state.stage is FlowStage.READY
    dialogue.confirms()
    assert dialogue.state.approval is not None
    assert dialogue.state.approval.params["amount"] == 30_000


def test_too_many_turns_that_fill_nothing_end_it():
    dialogue = begun({"target": "엄마"})
    assert dialogue.says() == f"{UNCLEAR} 엄마에게 얼마를 보낼까요?"
    assert dialogue.says({"amount": 0}) == "1원 이상이어야 해요."
    assert dialogue.state.fill_turns == 2
    assert dialogue.says({"target": "엄마"}) == "여기서 그만할게요."
    assert (dialogue.state.stage, dialogue.state.queue) == (FlowStage.UNSUPPORTED, ())
    assert dialogue.confirms() == "확인할 것이 없어요."


def test_several_tasks_go_one_after_the_other_each_with_a_word_of_its_own():
    dialogue = Dialogue()
    assert dialogue.says(MUM, KID) == "총 2건이에요. 먼저 엄마에게 10000원을 보낼까요? (1/2) 그다음: 용걸이 50000."
    assert dialogue.state.queue == (KID,)
    dialogue.confirms()
    assert dialogue.hears(output()) == "완료! 다음으로 용걸이에게 50000원을 보낼까요? (2/2)"
    done, ready = dialogue.moves
    assert (done.stage, done.slots, done.message) == (FlowStage.EXECUTED, MUM, "")
    assert (ready.stage, ready.slots, ready.executed) == (FlowStage.READY, KID, 1)
    dialogue.confirms()
    assert dialogue.hears(output()) == "2건이 모두 완료됐어요."
    assert dialogue.state.executed == 2


def test_a_task_that_waits_is_asked_about_when_its_turn_comes():
    dialogue = begun(MUM, {"target": "용걸이"})
    dialogue.confirms()
    assert dialogue.hears(output()) == "완료됐어요. 용걸이에게 얼마를 보낼까요? (2/2)"
    assert dialogue.says({"amount": 30_000}) == "용걸이에게 30000원을 보낼까요? (2/2)"


def test_a_cancelled_task_leaves_the_next_one():
    dialogue = begun(MUM, KID)
    assert dialogue.cancels() == "취소됐어요. 용걸이에게 50000원을 보낼까요? (2/2)"
    assert (dialogue.state.last_cancelled, dialogue.moves[0].stage) == (True, FlowStage.CANCELLED)
    dialogue.confirms()
    assert dialogue.hears(output()) == "2건 중 1건이 완료됐어요."
    dialogue = begun(MUM, {"target": "용걸이"})
    assert dialogue.cancels() == "취소됐어요. 용걸이에게 얼마를 보낼까요? (2/2)"
    assert dialogue.cancels() == "취소됐어요."
    assert dialogue.state.stage is FlowStage.CANCELLED


def test_more_tasks_join_the_queue_of_an_open_one():
    dialogue = begun({"target": "엄마"})
    assert (
        dialogue.says({"amount": 10_000}, KID)
        == "총 2건이에요. 먼저 엄마에게 10000원을 보낼까요? (1/2) 그다음: 용걸이 50000."
    )
    # said before the person could see that one was open
    late: JsonObject = {"target": "민수", "amount": 1}
    assert dialogue.turn(FlowAct.FILL, late, turn=0).endswith("(1/3) 그다음: 용걸이 50000, 민수 1.")
    assert dialogue.state.queue == (KID, late)
    before = dialogue.state
    dialogue.turn(FlowAct.FILL, {"amount": 7}, turn=0)  # but half a task is nobody's
    assert (dialogue.slots(), dialogue.state.queue) == (before.slots, before.queue)


def test_two_clicks_pay_once():
    dialogue = begun(MUM)
    seen = dialogue.state.turn
    dialogue.confirms(turn=seen)
    paying = dialogue.run_id
    assert dialogue.confirms(turn=seen) == "보내고 있어요."
    assert (dialogue.state.stage, dialogue.state.approval) == (FlowStage.CONFIRMED, None)
    assert dialogue.hears(output(), paying) == "완료됐어요."
    assert dialogue.confirms(turn=seen) == "확인할 것이 없어요."
    assert dialogue.hears(output(), paying) == ""


def test_two_clicks_in_one_drain_pay_once():
    dialogue = begun(MUM)
    click = understood(FlowReading(flow="pay", act=FlowAct.CONFIRM, turn=dialogue.state.turn))
    runs = [uuid4(), uuid4()]
    story = [In(run, MessageReceived(text="확인")) for run in runs]
    story += [In(run, click) for run in runs]
    dialogue.told.when(*story)
    approvals = [one.event.approval for one in dialogue.told.story if getattr(one.event, "approval", None)]
    assert len(approvals) == 1


def test_a_second_click_does_not_confirm_the_next_task():
    dialogue = begun(MUM, KID)
    seen = dialogue.state.turn
    dialogue.confirms(turn=seen)
    dialogue.hears(output())
    assert dialogue.confirms(turn=seen) == f"{EARLIER} 용걸이에게 50000원을 보낼까요? (2/2)"
    assert dialogue.cancels(turn=seen) == f"{EARLIER} 용걸이에게 50000원을 보낼까요? (2/2)"
    assert (dialogue.state.stage, dialogue.slots()) == (FlowStage.READY, KID)


def test_while_it_is_done_nothing_changes_it():
    dialogue = begun(MUM, KID)
    dialogue.confirms()
    paying = dialogue.run_id
    assert dialogue.cancels() == "보내고 있어요."
    assert dialogue.says({"amount": 1}) == "방금 말씀하신 것은 반영하지 않았어요. 보내고 있어요."
    assert dialogue.hears(output(), paying).startswith("완료! 다음으로 용걸이에게 50000원")


def test_a_tool_that_names_a_slot_gets_another_value_for_it():
    dialogue = begun(MUM)
    dialogue.confirms()
    assert dialogue.hears(output("failed", fault("잔액이 부족해요.", slot="amount"))) == "잔액이 부족해요."
    assert (dialogue.state.stage, dialogue.state.missing) == (FlowStage.FILLING, ("amount",))
    assert dialogue.says({"amount": 1}) == "엄마에게 1원을 보낼까요? (다시)"


def test_a_failure_is_told_and_the_next_task_goes_on():
    dialogue = begun(MUM)
    dialogue.confirms()
    assert dialogue.hears(output("failed", fault(slot="no such slot"))) == "안 됐어요. 보내지 못했어요."
    assert (dialogue.state.stage, dialogue.state.error) == (FlowStage.CANCELLED, fault(slot="no such slot"))
    dialogue = begun(MUM, KID)
    dialogue.confirms()
    assert dialogue.hears(output("failed", fault())) == "안 됐어요. 용걸이에게 50000원을 보낼까요? (2/2)"
    dialogue = begun(MUM, {"target": "용걸이"})
    dialogue.confirms()
    assert dialogue.hears(output("failed", fault())) == "안 됐어요. 용걸이에게 얼마를 보낼까요? (2/2)"


def test_an_unknown_outcome_is_said_to_be_unknown_and_never_repeated():
    unknown = fault("몰라요.", Code.TOOL_OUTCOME_UNKNOWN, slot="amount")
    dialogue = begun(MUM)
    dialogue.confirms()
    assert dialogue.hears(output("failed", unknown)) == "보냈는지 알 수 없어요."
    assert dialogue.confirms() == "확인할 것이 없어요."
    dialogue = begun(MUM, KID)
    dialogue.confirms()
    assert dialogue.hears(output("failed", unknown)) == ("보냈는지 알 수 없어요. 용걸이에게 50000원을 보낼까요? (2/2)")


@pytest.mark.parametrize("end", [RunCancelled(reason="requested"), RunFailed(error=fault())])
def test_a_run_that_ends_without_its_work_leaves_no_flow_confirmed(end):
    dialogue = begun(MUM, KID)
    dialogue.confirms()
    dialogue.hears(end)
    assert (dialogue.state.stage, dialogue.state.queue, dialogue.state.message) == (FlowStage.CANCELLED, (), "")
    assert dialogue.says(KID) == "이 건은 하지 않을게요: 용걸이 50000. 용걸이에게 50000원을 보낼까요?"


def test_a_cancel_that_stops_the_work_is_told_one_that_is_too_late_changes_no_fact():
    dialogue = begun(MUM, KID)
    dialogue.confirms()
    assert dialogue.hears(output("cancelled")) == "취소됐어요. 이 건은 하지 않을게요: 용걸이 50000."
    assert dialogue.state.error is not None
    assert dialogue.state.error.detail == {"control": "cancel"}
    dialogue = begun(MUM, KID)
    dialogue.confirms()
    late = output().model_copy(update={"status": output("cancelled").status})
    assert dialogue.hears(late) == "2건 중 1건이 완료됐어요. 이 건은 하지 않을게요: 용걸이 50000."
    assert dialogue.state.stage is FlowStage.EXECUTED


def test_a_confirmation_of_a_run_that_was_cancelled_first_does_nothing():
    dialogue = begun(MUM)
    reading = FlowReading(flow="pay", act=FlowAct.CONFIRM, turn=dialogue.state.turn)
    run = uuid4()
    dialogue.told.when(In(run, MessageReceived(text="확인")))
    dialogue.told.when(In(run, RunCancelled(reason="requested")))
    dialogue.told.when(In(run, understood(reading))).then_nothing()


def test_what_was_looked_up_serves_the_tasks_that_wait():
    people: JsonObject = {"people": {"엄마": True, "모르는 이": False}}
    dialogue = Dialogue()
    dialogue.says(MUM, KID, facts=people)
    dialogue.says({}, {"target": "모르는 이", "amount": 1})
    dialogue.confirms()
    dialogue.hears(output())
    dialogue.confirms()
    assert dialogue.hears(output()) == "완료됐어요. 모르는 이은(는) 몰라요. (3/3)"
    assert dialogue.state.missing == ("target",)


def test_whom_a_task_is_for_is_asked_before_any_is_shown():
    dialogue = Dialogue()
    unclear: JsonObject = {"target": "모르는 이", "amount": 1}
    assert (
        dialogue.says(MUM, unclear, facts={"people": {"엄마": True, "모르는 이": False}})
        == "모르는 이은(는) 몰라요. (1/2)"
    )
    assert dialogue.state.queue == (MUM,)
    shown = dialogue.says({"target": "용걸이"})
    assert shown == "용걸이에게 1원을 보낼까요? (1/2) 그다음: 엄마 10000."


def test_what_was_confirmed_is_judged_once_more():
    dialogue = begun(MUM)
    dialogue.turn(FlowAct.CONFIRM, facts={"people": {"엄마": False}})
    assert (dialogue.state.stage, dialogue.state.message) == (FlowStage.FILLING, "엄마은(는) 몰라요.")


def test_a_session_lets_go_of_what_its_runs_held():
    dialogue = begun(MUM)
    dialogue.told.when(In(dialogue.run_id, RunCompleted()))
    dialogue.confirms()
    dialogue.hears(output())
    session = dialogue.session
    assert (session.open, session.readings) == (set(), {})
    assert session.flows["pay"].facts == {}


def test_a_yes_behind_a_change_that_was_lost_is_asked_for_once_more():
    dialogue = begun(MUM)
    assert dialogue.says(lost=True).startswith(UNCLEAR)
    asked = dialogue.confirms()
    assert asked.endswith("엄마에게 10000원을 보낼까요? (다시)") and "이해하지 못해서" in asked
    stages = [dialogue.state.stage]
    dialogue.confirms()
    assert [*stages, dialogue.state.stage] == [FlowStage.READY, FlowStage.CONFIRMED]


def test_what_is_understood_afterwards_makes_up_for_a_change_that_was_lost():
    dialogue = begun(MUM)
    dialogue.says(lost=True)
    dialogue.says({"amount": 20_000}, corrects=True)
    dialogue.confirms()
    assert dialogue.state.stage is FlowStage.CONFIRMED


def test_a_name_of_several_that_is_the_one_shown_begins_nothing():
    unclear: JsonObject = {"people": {"민수": False}}
    chosen: JsonObject = {"target": "민수 (한빛은행)", "amount": 10_000}
    dialogue = begun(chosen)
    dialogue.says({"target": "민수"}, facts=unclear)
    assert (dialogue.state.stage, dialogue.state.queue, dialogue.slots()) == (FlowStage.READY, (), chosen)
    dialogue.says({"target": "민수", "amount": 20_000}, facts=unclear)
    assert "민수" in dialogue.state.message and dialogue.state.approval is None
