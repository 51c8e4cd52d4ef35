"""A session's events in the words of AG-UI, for one request of a client. Pure.

What was before the request is folded and not told. Steps are the four layers; a plan is an activity, whose todos are
tool calls too; the answer is a text message."""

from collections.abc import Collection, Iterable
from copy import deepcopy
from dataclasses import dataclass, field
from uuid import UUID

import orjson
from ag_ui.core import (
    ActivityDeltaEvent,
    ActivitySnapshotEvent,
    BaseEvent,
    CustomEvent,
    StepFinishedEvent,
    StepStartedEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
    ToolCallArgsEvent,
    ToolCallEndEvent,
    ToolCallResultEvent,
    ToolCallStartEvent,
)

from contracts.cognitive import CognitiveOutput, Route
from contracts.decisions import DecisionAnswered, DecisionExpired, DecisionKind, DecisionRequested
from contracts.execution import (
    ExecutionOutput,
    TodoDispatched,
    TodoFailed,
    TodoProgressed,
    TodoSkipped,
    TodoStatus,
    TodoSucceeded,
)
from contracts.gateway import MessageReceived, RunControl, RunControlRequested
from contracts.pause import PAUSING
from contracts.planning import PlanApproved, PlanningOutput
from contracts.response import ResponseOutput, RunCancelled, RunCompleted, RunFailed
from contracts.shape import Event, JsonObject, JsonValue
from contracts.timers import ReminderDue
from services.gateway.domain.agui_conversation import Link, Told, answer_id, message, reminder, with_files

PLAN, RESPONSE = "dream.plan", "dream.response"
RESULT_LIMIT = 2_000
"""Characters of a todo's result that a client is told; it sends them back with each request."""


@dataclass(slots=True)
class _Run:
    """A run that is told of."""

    ended: bool = False
    paused: bool = False
    asked: set[UUID] = field(default_factory=set)
    """Its open questions."""
    plan: JsonObject | None = None
    shown: bool = False
    """The client has the plan, so that it can be told what changes."""
    places: dict[str, int] = field(default_factory=dict)
    calls: dict[str, list[BaseEvent]] = field(default_factory=dict)
    """Todos that are at work, and how the tool call that each of them is begins."""
    begun: set[str] = field(default_factory=set)
    """Those of them that the client was told of in this request."""
    made: int = 0
    """Tool calls so far."""
    answers: int = 0

    @property
    def stands(self) -> bool:
        """It has ended, or goes on by somebody's word only."""
        return self.ended or self.paused or bool(self.asked)


class AguiStream:
    """Folds the events of a session, in order. `runs` are those that the request is about; `known` the ids of messages
    and calls that the client has: told again they would stand there twice."""

    def __init__(self, runs: Collection[UUID], link: Link, known: Collection[str] = ()) -> None:
        self._runs = {run_id: _Run() for run_id in runs}
        self._link = link
        self._known = set(known)
        self._step = ""

    @property
    def stands(self) -> bool:
        """Nothing more comes of itself: every run has ended, or somebody must speak first."""
        return all(run.stands for run in self._runs.values())

    def tell(self, event: Event, run_id: UUID | None, *, shown: bool = True) -> Told:
        """What a recorded event is to the client; nothing for most, and for those before the request."""
        if isinstance(event, ReminderDue):
            return [reminder(event)] if shown else []
        run = self._runs.get(run_id) if run_id else None
        if run_id is None or run is None:
            return []
        told = list(self._told(run_id, run, event))
        if not shown:
            self._step, run.shown = "", False
            run.begun.clear()
            return []
        return [one for one in told if self._is_new(one)]

    def _is_new(self, told: BaseEvent) -> bool:
        match told:
            case TextMessageStartEvent() | TextMessageContentEvent() | TextMessageEndEvent() | ToolCallResultEvent():
                return told.message_id not in self._known
            case ToolCallStartEvent() | ToolCallArgsEvent() | ToolCallEndEvent():
                return told.tool_call_id not in self._known
            case _:
                return True

    def plans(self) -> Told:
        """Those that the client may not have."""
        return [
            one
            for run_id, run in self._runs.items()
            if run.plan and not run.shown
            for one in self._show_plan(run_id, run)
        ]

    def close(self) -> Told:
        """Ends what is open, before the request ends."""
        return list(self._enter(""))

    def _enter(self, step: str) -> Iterable[BaseEvent]:
        if step != self._step:
            if self._step:
                yield StepFinishedEvent(step_name=self._step)
            if step:
                yield StepStartedEvent(step_name=step)
            self._step = step

    def _told(self, run_id: UUID, run: _Run, event: Event) -> Iterable[BaseEvent]:
        match event:
            case MessageReceived():
                yield from self._enter("cognitive")
            case CognitiveOutput():
                yield from self._enter("response" if event.route is Route.ANSWER else "planning")
            case PlanningOutput():
                run.plan, run.shown = _plan(event, run_id), False
                run.places = {todo.id: place for place, todo in enumerate(event.plan.todos)}
                yield from self._show_plan(run_id, run)
            case PlanApproved():
                yield from self._enter("execution")
            case ExecutionOutput():
                yield from self._enter("response")
            case DecisionRequested():
                run.asked.add(event.decision_id)
            case DecisionAnswered() | DecisionExpired():
                run.asked.discard(event.decision_id)
                yield from self._enter("planning" if event.kind is DecisionKind.PLAN else "execution")
            case RunControlRequested():
                run.paused = event.control in PAUSING
                if event.control is RunControl.CANCEL:
                    run.asked.clear()  # its end comes, whoever was asked what
            case ResponseOutput():
                yield from self._answer(run_id, run, event)
            case RunCompleted() | RunFailed() | RunCancelled():
                yield from self._end(run_id, run, event)
            case _:
                yield from self._worked(run_id, run, event)

    def _worked(self, run_id: UUID, run: _Run, event: Event) -> Iterable[BaseEvent]:
        match event:
            case TodoDispatched():
                yield from self._change(run_id, run, event.todo.id, status="running")
                if event.todo.id not in run.calls:
                    yield from _call(run_id, run, event)
                    run.begun.add(event.todo.id)
            case TodoProgressed():
                said: JsonObject = {"fraction": event.fraction, "message": event.message or event.title}
                yield from self._change(run_id, run, event.todo_id, **said)
            case TodoSucceeded(late=False):
                yield from self._change(run_id, run, event.todo_id, status=TodoStatus.SUCCEEDED.value, fraction=1.0)
                yield from _result(run, event.todo_id, event.result)
            case TodoFailed(will_retry_at=None, late=False):
                error = event.error.model_dump(mode="json")
                yield from self._change(run_id, run, event.todo_id, status=TodoStatus.FAILED.value, error=error)
                yield from _result(run, event.todo_id, {"error": error})
            case TodoSkipped():
                yield from self._change(run_id, run, event.todo_id, status=TodoStatus.SKIPPED.value)
                yield from _result(run, event.todo_id, {"skipped": event.reason})

    def _show_plan(self, run_id: UUID, run: _Run) -> Iterable[BaseEvent]:
        assert run.plan is not None
        run.shown = True
        yield ActivitySnapshotEvent(message_id=f"plan:{run_id}", activity_type=PLAN, content=deepcopy(run.plan))

    def _change(self, run_id: UUID, run: _Run, todo_id: str, **members: JsonValue) -> Iterable[BaseEvent]:
        """Of a todo in the plan that is shown; the whole plan where the client may not have it."""
        place = run.places.get(todo_id)
        if run.plan is None or place is None:
            return
        todos = run.plan["todos"]
        assert isinstance(todos, list)
        todo = todos[place]
        assert isinstance(todo, dict)
        todo.update(members)
        if not run.shown:
            yield from self._show_plan(run_id, run)
            return
        # "add" sets a member, whether it was there or not
        patch = [{"op": "add", "path": f"/todos/{place}/{name}", "value": value} for name, value in members.items()]
        yield ActivityDeltaEvent(message_id=f"plan:{run_id}", activity_type=PLAN, patch=patch)

    def _answer(self, run_id: UUID, run: _Run, event: ResponseOutput) -> Iterable[BaseEvent]:
        yield from self._enter("response")
        yield from self._text(run_id, run, with_files(event, self._link))
        value = {"run_id": str(run_id), **event.model_dump(mode="json", exclude={"text"})}
        yield CustomEvent(name=RESPONSE, value=value)

    def _text(self, run_id: UUID, run: _Run, text: str) -> Iterable[BaseEvent]:
        if not text:
            return
        run.answers += 1
        message_id = answer_id(run_id) if run.answers == 1 else f"{answer_id(run_id)}:{run.answers}"
        yield from message(message_id, text)

    def _end(self, run_id: UUID, run: _Run, event: RunCompleted | RunFailed | RunCancelled) -> Iterable[BaseEvent]:
        run.ended = True
        for todo_id in tuple(run.calls):  # a call without a result would look as if it were still at work
            yield from self._change(run_id, run, todo_id, status=TodoStatus.CANCELLED.value)
            yield from _result(run, todo_id, {"cancelled": True})
        if not run.answers:
            match event:
                case RunFailed():
                    yield from self._text(run_id, run, event.error.message)
                case RunCancelled():
                    yield from self._text(run_id, run, event.message)


def _plan(event: PlanningOutput, run_id: UUID) -> JsonObject:
    """A plan as its activity shows it."""
    todos: list[JsonValue] = [
        {
            "id": todo.id,
            "title": todo.title,
            "tool": todo.tool,
            "depends_on": list(todo.depends_on),
            "status": "planned",
        }
        for todo in event.plan.todos
    ]
    return {
        "run_id": str(run_id),
        "version": event.plan.version,
        "todos": todos,
        "estimate": event.plan.estimate.model_dump(mode="json"),
        "understood": list(event.understood),
        "cannot": list(event.cannot),
    }


def _call(run_id: UUID, run: _Run, event: TodoDispatched) -> Iterable[BaseEvent]:
    run.made += 1
    call = f"{run_id}:{run.made}"
    start = ToolCallStartEvent(
        tool_call_id=call,
        tool_call_name=event.todo.tool,
        parent_message_id=f"work:{run_id}",
        metadata={"todo": event.todo.id, "title": event.todo.title},
    )
    args = ToolCallArgsEvent(tool_call_id=call, delta=orjson.dumps(event.todo.params).decode())
    run.calls[event.todo.id] = [start, args, ToolCallEndEvent(tool_call_id=call)]
    yield from run.calls[event.todo.id]


def _result(run: _Run, todo_id: str, result: JsonObject) -> Iterable[BaseEvent]:
    begins = run.calls.pop(todo_id, None)
    if begins is None:
        return  # it never began
    if todo_id not in run.begun:  # in an earlier request, of which this client may have nothing
        yield from begins
    run.begun.discard(todo_id)
    call = begins[-1].tool_call_id  # type: ignore[attr-defined]
    text = orjson.dumps(result).decode()
    content = text if len(text) <= RESULT_LIMIT else f"{text[:RESULT_LIMIT]}…"
    yield ToolCallResultEvent(message_id=f"result:{call}", tool_call_id=call, content=content, role="tool")
