"""The event stream of source design 002 section 9, projected from a session's events. Pure: texts come in."""

from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import UUID

from contracts.cognitive import CognitiveOutput, FlowAdvanced, FlowStage, Route
from contracts.decisions import DecisionRequested
from contracts.execution import TodoDispatched, TodoFailed, TodoProgressed, TodoSkipped, TodoSucceeded
from contracts.gateway import MessageReceived
from contracts.planning import PlanningOutput
from contracts.response import ResponseOutput, RunCancelled, RunCompleted, RunFailed
from contracts.shape import Event, JsonObject, JsonValue
from contracts.timers import ReminderDue

Say = Callable[..., str]
"""Catalogue.say: language, text key, values."""
START, DONE_BY, PROGRESS, DONE, REMINDER = "AGENT_START", "AGENT_DONE", "TASK_PROGRESS", "DONE", "REMINDER"


@dataclass(frozen=True, slots=True)
class AgentEvent:
    """One event of the stream: its name and its data."""

    name: str
    data: JsonObject


@dataclass(slots=True)
class _Turn:
    """One run, as far as the stream has told of it."""

    language: str = "ko"
    flow: FlowAdvanced | None = None
    in_flow: bool = False
    todos: dict[str, tuple[int, str]] = field(default_factory=dict)
    tools: dict[str, str] = field(default_factory=dict)
    """Of the todos that were dispatched."""
    response: ResponseOutput | None = None


class AgentStream:
    """Folds a session's events, in order, and says what each of them is in the stream's words."""

    def __init__(self, say: Say, detect: Callable[[str], str]) -> None:
        self._say = say
        self._detect = detect
        self._turns: dict[UUID, _Turn] = {}

    def tell(self, event: Event, run_id: UUID | None) -> list[AgentEvent]:
        """The events of the stream that a recorded event stands for; none for most."""
        if isinstance(event, ReminderDue):
            due = event.due_at.isoformat()
            return [AgentEvent(REMINDER, {"reminder_id": str(event.reminder_id), "text": event.text, "due_at": due})]
        if run_id is None:
            return []
        turn = self._turns.setdefault(run_id, _Turn())
        told = self._told(turn, event)
        if isinstance(event, RunCompleted | RunFailed | RunCancelled):
            del self._turns[run_id]
        return [AgentEvent(one.name, {"run_id": str(run_id), **one.data}) for one in told]

    def _told(self, turn: _Turn, event: Event) -> list[AgentEvent]:  # noqa: PLR0911  # a table
        match event:
            case MessageReceived():
                turn.language = event.language or self._detect(event.text)
                return [self._start(turn, "intent")]
            case CognitiveOutput():
                return self._understood(turn, event)
            case FlowAdvanced():
                return self._advanced(turn, event)
            case PlanningOutput():
                turn.todos = {todo.id: (place, todo.title) for place, todo in enumerate(event.plan.todos, 1)}
                planned: JsonObject = {"agent": "plan", "success": True, "todos": len(turn.todos)}
                return [] if turn.in_flow else [AgentEvent(DONE_BY, planned)]
            case DecisionRequested():
                return [self._asked(event)]
            case ResponseOutput():
                turn.response = event
                return []
            case RunCompleted() | RunFailed() | RunCancelled():
                return [self._done(turn, event)]
            case _:
                return self._worked(turn, event)

    def _understood(self, turn: _Turn, event: CognitiveOutput) -> list[AgentEvent]:
        turn.language, turn.in_flow = event.language, event.route is Route.FLOW
        done = AgentEvent(DONE_BY, {"agent": "intent", "result": event.intent.name, "success": event.error is None})
        if event.error is not None or event.requires_clarification:
            return [done]
        after = {Route.FLOW: "slot", Route.PLAN: "plan", Route.ANSWER: ""}[event.route]
        return [done, self._start(turn, after)] if after else [done]

    def _advanced(self, turn: _Turn, event: FlowAdvanced) -> list[AgentEvent]:
        executed = event.stage is FlowStage.EXECUTED
        first = turn.flow is None
        turn.flow = event
        told: list[AgentEvent] = []
        if first:
            label = self._say(turn.language, "stream.slot_done")
            told.append(AgentEvent(DONE_BY, {"agent": "slot", "label": label, "stage": event.stage.value}))
        if event.stage is FlowStage.CONFIRMED:
            place: JsonObject = {"index": event.task_index, "total": event.task_total, "slots": event.slots}
            told.append(AgentEvent(PROGRESS, place))
        if executed or event.error is not None:
            told.append(AgentEvent(DONE_BY, {"agent": "execute", "success": executed and event.error is None}))
        return told

    def _worked(self, turn: _Turn, event: Event) -> list[AgentEvent]:
        match event:
            case TodoDispatched(attempt=1):
                title = event.todo.title
                label = self._say(turn.language, "stream.execute", title=title)
                turn.tools[event.todo.id] = event.todo.tool
                agent: JsonObject = {"agent": event.todo.tool, "todo": event.todo.id}
                start = AgentEvent(START, {**({"agent": "execute"} if turn.in_flow else agent), "label": label})
                place: JsonObject = {
                    "index": self._place(turn, event.todo.id),
                    "total": len(turn.todos),
                    "title": title,
                }
                return [start] if turn.in_flow else [AgentEvent(PROGRESS, place), start]
            case TodoProgressed():
                place = {"index": self._place(turn, event.todo_id), "total": len(turn.todos)}
                title = event.title or turn.todos.get(event.todo_id, (0, ""))[1]
                told: JsonObject = {"title": title, "message": event.message, "fraction": event.fraction}
                return [AgentEvent(PROGRESS, {**place, **told})]
            case TodoSucceeded() | TodoSkipped() | TodoFailed(will_retry_at=None) if not turn.in_flow:
                by = turn.tools.get(event.todo_id, event.todo_id)  # what was skipped never began
                done: JsonObject = {"agent": by, "todo": event.todo_id, "success": isinstance(event, TodoSucceeded)}
                if isinstance(event, TodoFailed):
                    done["message"] = event.error.message
                return [AgentEvent(DONE_BY, done)]
            case _:
                return []

    def _asked(self, event: DecisionRequested) -> AgentEvent:
        return AgentEvent(
            DONE,
            {
                "message": event.question,
                "next_action": "ANSWER",
                "decision_id": str(event.decision_id),
                "ui_hint": {"buttons": [option.label for option in event.options]},
                "state_snapshot": {"stage": "WAITING"},
            },
        )

    def _done(self, turn: _Turn, event: RunCompleted | RunFailed | RunCancelled) -> AgentEvent:
        response, flow = turn.response, turn.flow
        message = response.text if response else ""
        if isinstance(event, RunFailed):
            message = message or event.error.message
        elif isinstance(event, RunCancelled):
            message = message or event.message
        hint = response.ui_hint if response else None
        data: JsonObject = {
            "message": message,
            "next_action": (hint.next_action if hint else None) or "DONE",
            "ui_hint": {"buttons": list(hint.buttons) if hint else []},
            "state_snapshot": _snapshot(flow) if flow else {"stage": _END[type(event)]},
        }
        if isinstance(event, RunFailed):
            data["error"] = event.error.model_dump(mode="json")
        return AgentEvent(DONE, data)

    def _start(self, turn: _Turn, agent: str) -> AgentEvent:
        return AgentEvent(START, {"agent": agent, "label": self._say(turn.language, f"stream.{agent}")})

    def _place(self, turn: _Turn, todo_id: str) -> int:
        return turn.todos.get(todo_id, (0, ""))[0]


_END = {RunCompleted: "COMPLETED", RunFailed: "FAILED", RunCancelled: "CANCELLED"}


def _snapshot(flow: FlowAdvanced) -> JsonObject:
    """The flow's state, in the words of source design 002."""
    queue: list[JsonValue] = list(flow.queue)
    errors: JsonObject = dict(flow.slot_errors)
    meta: JsonObject = {
        "batch_total": flow.task_total,
        "batch_progress": flow.task_index - 1,
        "batch_executed": flow.executed,
        "task_queue": queue,
        "slot_errors": errors,
        "last_cancelled": flow.last_cancelled,
    }
    return {"stage": flow.stage.value, "slots": flow.slots, "missing_required": list(flow.missing), "meta": meta}
