"""What of the tasks that a flow has carried out still stands when another flow has undone some, and which question is
before the person when two flows have spoken."""

from datetime import UTC, datetime, timedelta

from contracts.cognitive import FlowAdvanced, FlowStage, Profile
from contracts.shape import JsonObject
from services.cognitive.person import Speaking
from services.cognitive.undoing import that_stands, with_days_of_what_is_booked
from tests.unit.packs.transfer.dialogues import flow_called

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
BOOKED: JsonObject = {"target": "엄마", "amount": 70_000, "date": "2026-12-01"}
FLOWS = (flow_called("transfer"), flow_called("unbook"))


def after(*moves: tuple[str, FlowStage, JsonObject]) -> Speaking:
    told = [FlowAdvanced(flow=flow, stage=stage, slots=slots) for flow, stage, slots in moves]
    return Speaking("me", Profile(), NOW, [(NOW + timedelta(seconds=at), move) for at, move in enumerate(told)])


def test_what_was_undone_stands_no_more_and_each_undoing_takes_one() -> None:
    sent: JsonObject = {"target": "아빠", "amount": 70_000}
    memo: JsonObject = {**BOOKED, "memo": "회비"}
    done = [("transfer", FlowStage.EXECUTED, one) for one in (BOOKED, sent, memo)]
    assert that_stands(FLOWS[0], FLOWS, after(*done)) == [BOOKED, sent, memo]
    undone = ("unbook", FlowStage.EXECUTED, BOOKED)
    assert that_stands(FLOWS[0], FLOWS, after(*done, undone)) == [sent, memo]
    assert that_stands(FLOWS[0], FLOWS, after(*done, undone, undone)) == [sent]
    kept = ("unbook", FlowStage.CANCELLED, BOOKED)
    assert that_stands(FLOWS[0], FLOWS, after(*done, kept)) == [BOOKED, sent, memo]


def test_a_question_is_not_before_the_person_once_another_flow_has_spoken() -> None:
    ready = ("transfer", FlowStage.READY, BOOKED)
    who = after(ready)
    assert who.flow is not None and not who.has_spoken_since(who.flow)
    who = after(ready, ("unbook", FlowStage.EXECUTED, BOOKED))
    assert who.flow is not None and who.flow.flow == "transfer" and who.has_spoken_since(who.flow)
    who = after(ready, ("unbook", FlowStage.EXECUTED, BOOKED), ready)
    assert who.flow is not None and not who.has_spoken_since(who.flow)


def test_only_of_what_is_booked_the_day_is_kept() -> None:
    sent: JsonObject = {"target": "아빠", "amount": 70_000, "date": "2026-11-20"}
    at_once = FlowAdvanced(flow="transfer", stage=FlowStage.EXECUTED, slots=sent, result={"booked": False})
    later = FlowAdvanced(flow="transfer", stage=FlowStage.EXECUTED, slots=BOOKED, result={"booked": True})
    who = Speaking("me", Profile(), NOW, [(NOW, at_once), (NOW, later)])
    assert with_days_of_what_is_booked(FLOWS[0], FLOWS, who) == [{"target": "아빠", "amount": 70_000}, BOOKED]


def test_what_was_changed_stands_as_it_is_now_and_can_be_undone_then() -> None:
    new: JsonObject = {"target": "엄마", "amount": 50_000, "date": "2026-12-03"}
    flows = (*FLOWS, flow_called("rebook"))
    changed = ("rebook", FlowStage.EXECUTED, {**BOOKED, "to_amount": 50_000, "to_date": "2026-12-03"})
    done = ("transfer", FlowStage.EXECUTED, BOOKED)
    assert that_stands(FLOWS[0], flows, after(done, changed)) == [new]
    assert with_days_of_what_is_booked(FLOWS[0], flows, after(done, changed)) == [new]
    assert that_stands(FLOWS[0], flows, after(done, changed, ("unbook", FlowStage.EXECUTED, new))) == []
