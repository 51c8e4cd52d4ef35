"""The event stream of source design 002 section 9, event by event."""

from typing import Any
from uuid import UUID

from contracts.cognitive import CognitiveOutput, FlowAdvanced, FlowStage, Intent, Route
from contracts.decisions import DecisionRequested
from contracts.errors import Code, ErrorInfo
from contracts.execution import TodoDispatched, TodoFailed, TodoSucceeded
from contracts.gateway import MessageReceived
from contracts.planning import Plan, PlanningOutput, TodoItem
from contracts.response import ResponseOutput, RunCompleted, RunFailed, UiHint
from contracts.shape import Event
from contracts.timers import ReminderDue
from services.gateway.domain.agentstream import AgentStream
from tests.unit.services.gateway.facts import AT as NOW

RUN = UUID(int=7)
LABELS = {
    "stream.intent": "의도 파악 중",
    "stream.slot": "정보 추출 중",
    "stream.slot_done": "정보 추출 완료",
    "stream.execute": "{title} 실행 중",
    "stream.plan": "계획 세우는 중",
}
UNDERSTOOD = CognitiveOutput(text="", language="ko", intent=Intent(domain="TRANSFER", confidence=0.9), route=Route.FLOW)
MOTHER: dict[str, Any] = {"target": "엄마", "amount": 10000}
FRIEND: dict[str, Any] = {"target": "용걸이", "amount": 50000}


def stream() -> AgentStream:
    return AgentStream(lambda _, key, **values: LABELS[key].format(**values), lambda _: "ko")


def told(stream_: AgentStream, *events: Event) -> list[tuple[str, dict[str, Any]]]:
    seen = [one for event in events for one in stream_.tell(event, RUN)]
    return [(one.name, {name: value for name, value in one.data.items() if name != "run_id"}) for one in seen]


def turn(stage: FlowStage, slots: dict[str, Any], index: int, message: str = "", **more: Any) -> FlowAdvanced:
    action = {FlowStage.READY: "CONFIRM", FlowStage.EXECUTED: "DONE"}.get(stage)
    return FlowAdvanced(
        flow="transfer", stage=stage, slots=slots, task_index=index, task_total=2, message=message,
        next_action=action if message else None, **more,
    )  # fmt: skip


def spoken(text: str, action: str, *buttons: str) -> ResponseOutput:
    hint = UiHint(buttons=buttons, next_action=action)
    return ResponseOutput(format="text", text=text, language="ko", ui_hint=hint)


def paying(todo_id: str = "t1") -> TodoDispatched:
    todo = TodoItem(id=todo_id, title="이체", tool="transfer.send", executor="payments")
    return TodoDispatched(plan_id=RUN, todo=todo, attempt=1, language="ko", requested_at=NOW)


def test_002_section_9_turn_1_asks_for_the_first_of_two() -> None:
    asked = "총 2건이 요청됐어요. 먼저 엄마에게 1만원 보낼까요? (1/2)"
    seen = told(
        stream(),
        MessageReceived(text="엄마한테 만원 용걸이한테 5만원"),
        UNDERSTOOD,
        turn(FlowStage.READY, MOTHER, 1, asked, queue=(FRIEND,)),
        spoken(asked, "CONFIRM", "확인", "취소"),
        RunCompleted(),
    )
    meta = {
        "batch_total": 2, "batch_progress": 0, "batch_executed": 0, "task_queue": [FRIEND], "slot_errors": {},
        "last_cancelled": False,
    }  # fmt: skip
    assert seen == [
        ("AGENT_START", {"agent": "intent", "label": "의도 파악 중"}),
        ("AGENT_DONE", {"agent": "intent", "result": "TRANSFER", "success": True}),
        ("AGENT_START", {"agent": "slot", "label": "정보 추출 중"}),
        ("AGENT_DONE", {"agent": "slot", "label": "정보 추출 완료", "stage": "READY"}),
        (
            "DONE",
            {
                "message": asked,
                "next_action": "CONFIRM",
                "ui_hint": {"buttons": ["확인", "취소"]},
                "state_snapshot": {"stage": "READY", "slots": MOTHER, "missing_required": [], "meta": meta},
            },
        ),
    ]


def test_002_section_9_turn_2_executes_the_first_and_asks_for_the_second() -> None:
    asked = "완료! 다음으로 용걸이에게 5만원 보낼까요? (2/2)"
    seen = told(
        stream(),
        MessageReceived(text="확인"),
        UNDERSTOOD,
        turn(FlowStage.CONFIRMED, MOTHER, 1),
        paying(),
        TodoSucceeded(todo_id="t1", attempt=1, started_at=NOW, seconds=0.1),
        turn(FlowStage.EXECUTED, MOTHER, 1),
        turn(FlowStage.READY, FRIEND, 2, asked, executed=1),
        spoken(asked, "CONFIRM", "확인", "취소"),
        RunCompleted(),
    )
    assert [name for name, _ in seen] == [
        "AGENT_START", "AGENT_DONE", "AGENT_START", "AGENT_DONE", "TASK_PROGRESS", "AGENT_START", "AGENT_DONE", "DONE",
    ]  # fmt: skip
    assert seen[3][1]["stage"] == "CONFIRMED"
    assert seen[4][1] == {"index": 1, "total": 2, "slots": MOTHER}
    assert seen[5][1] == {"agent": "execute", "label": "이체 실행 중"}
    assert seen[6][1] == {"agent": "execute", "success": True}
    done = seen[7][1]
    assert (done["message"], done["next_action"]) == (asked, "CONFIRM")
    assert done["state_snapshot"]["meta"]["batch_progress"] == 1


def test_002_section_9_turn_3_is_done() -> None:
    end = "2건 이체가 모두 완료됐어요."
    seen = told(
        stream(),
        MessageReceived(text="확인"),
        UNDERSTOOD,
        turn(FlowStage.CONFIRMED, FRIEND, 2),
        paying(),
        turn(FlowStage.EXECUTED, FRIEND, 2, end, executed=2),
        spoken(end, "DONE"),
        RunCompleted(),
    )
    assert ("TASK_PROGRESS", {"index": 2, "total": 2, "slots": FRIEND}) in seen
    assert seen[-1][1]["message"] == end
    assert seen[-1][1]["next_action"] == "DONE"


def test_a_plan_is_told_todo_by_todo_and_a_question_ends_the_turn() -> None:
    todo = TodoItem(id="t1", title="리뷰 읽기", tool="marketing.collector", executor="data")
    plan = Plan(plan_id=RUN, todos=(todo,), estimate={"total_seconds": 1, "critical_path_seconds": 1})
    question = DecisionRequested(
        decision_id=RUN, kind="plan", question="이대로 할까요?", language="ko", answer_schema={}, deadline=NOW,
        options=({"value": "approve", "label": "승인"},),
    )  # fmt: skip
    dispatched = TodoDispatched(plan_id=RUN, todo=todo, attempt=1, language="ko", requested_at=NOW)
    failure = TodoFailed(todo_id="t1", attempt=1, error=ErrorInfo(code=Code.TOOL_FAILED, message="열이 없어요"))
    planned = UNDERSTOOD.model_copy(update={"route": Route.PLAN})
    one = stream()
    seen = told(one, MessageReceived(text="리뷰 분석"), planned, PlanningOutput(plan=plan, language="ko"), question)
    assert seen[-1][1]["next_action"] == "ANSWER"
    assert seen[-1][1]["ui_hint"] == {"buttons": ["승인"]}
    seen = told(one, dispatched, failure, RunFailed(error=failure.error))
    assert seen[0] == ("TASK_PROGRESS", {"index": 1, "total": 1, "title": "리뷰 읽기"})
    assert (seen[1][1]["agent"], seen[1][1]["todo"]) == (todo.tool, "t1")
    assert seen[2] == ("AGENT_DONE", {"agent": todo.tool, "todo": "t1", "success": False, "message": "열이 없어요"})
    assert seen[3][1]["error"]["code"] == Code.TOOL_FAILED
    assert seen[3][1]["state_snapshot"] == {"stage": "FAILED"}


def test_a_reminder_belongs_to_no_run() -> None:
    due = ReminderDue(reminder_id=RUN, text="치과 예약", due_at=NOW)
    assert [one.name for one in stream().tell(due, None)] == ["REMINDER"]
