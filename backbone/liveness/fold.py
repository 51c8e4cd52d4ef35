"""What has happened in a run, folded to whose turn it is. Pure: time and places come with the events.

A run has one main line (a service after the other), and while its plan is carried out one line for each todo that is in
somebody's hands, and one for each question to a person. As long as one of those is open, the main line rests."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import assert_never, get_args
from uuid import UUID

from backbone.liveness.turns import EXECUTOR, PAUSED, PERSON, TIMERS, TOOLBOX, Margins, Turn, until, within
from contracts.cognitive import CognitiveOutput, FlowAdvanced, FlowStage, Route
from contracts.decisions import DecisionAnswered, DecisionExpired, DecisionKind, DecisionRequested
from contracts.envelope import Message
from contracts.execution import (
    ExecutionOutput,
    ExecutionStarted,
    TodoDispatched,
    TodoFailed,
    TodoSkipped,
    TodoStarted,
    TodoSucceeded,
    ToolBusy,
    ToolLeased,
)
from contracts.gateway import MessageReceived, PlanEdited, RunControl, RunControlRequested
from contracts.pause import Pause
from contracts.planning import PlanApproved, PlanEditRefused, PlanningOutput, PlanRejected
from contracts.registry import RUN_ENDS
from contracts.timers import TimerFired

COGNITIVE, PLANNING, EXECUTION, RESPONSE = "cognitive", "planning", "execution", "response"
_AskedOf = {DecisionKind.CLARIFY: COGNITIVE, DecisionKind.PLAN: PLANNING}
"""Who goes on with an answer; with the others, execution."""
TEXT = 200
"""Characters of the person's message that are kept."""

_Layers = (
    MessageReceived
    | CognitiveOutput
    | FlowAdvanced
    | PlanningOutput
    | PlanApproved
    | PlanRejected
    | PlanEdited
    | PlanEditRefused
)
_Todos = TodoDispatched | TodoStarted | TodoSucceeded | TodoFailed | TodoSkipped | ToolBusy | ToolLeased
_Decisions = DecisionRequested | DecisionAnswered | DecisionExpired
_Execution = ExecutionStarted | ExecutionOutput | TimerFired | RunControlRequested
Folded = _Layers | _Todos | _Decisions | _Execution
FOLDS = frozenset(event.__name__ for event in get_args(Folded)) | RUN_ENDS


@dataclass(slots=True)
class Attempt:
    """A todo that is in somebody's hands."""

    number: int
    route: str
    seconds: float
    version: int
    turn: Turn


@dataclass(slots=True)
class RunState:
    """A run as far as it has been folded."""

    text: str = ""
    language: str = ""
    ended: str = ""
    """Type of the event that ended it."""
    traceparent: str | None = None
    last: str = ""
    """Type of the last event that says something about turns."""
    executing: bool = False
    flow: bool = False
    """A flow answers it."""
    pause: Pause = field(default_factory=Pause)
    line: Turn | None = None
    todos: dict[str, Attempt] = field(default_factory=dict)
    questions: dict[UUID, tuple[str, Turn]] = field(default_factory=dict)
    """Open decisions: the todo that waits for it, or none, and the person's turn."""

    def turns(self) -> list[Turn]:
        """Everybody whose turn it is."""
        waiting = {todo_id for todo_id, _ in self.questions.values()}
        found = [turn for _, turn in self.questions.values()]
        found += [attempt.turn for todo_id, attempt in self.todos.items() if todo_id not in waiting]
        if self.pause.since is not None:
            return [Turn(PERSON, PAUSED, self.pause.since, None, None), *found]
        return found or ([self.line] if self.line else [])


def evolve(run: RunState, message: Message, margins: Margins) -> RunState:
    """Folds one event; owns the state and changes it in place. Types that are not in FOLDS change nothing."""
    if message.type in RUN_ENDS:
        run.ended = message.type
    if message.type not in FOLDS or run.ended:
        return run
    run.last = message.type
    event, at, version = message.event, message.recorded_at, message.version
    if isinstance(event, MessageReceived):
        run.traceparent = message.traceparent
    match event:
        case DecisionRequested() | DecisionAnswered() | DecisionExpired():
            _decision(run, event, at, version, margins)
        case RunControlRequested():
            _control(run, event.control, at, version, margins)
        case ExecutionStarted() | TimerFired():
            run.executing = True
            if not (isinstance(event, TimerFired) and _is_stale(run, event)):
                run.line = within(EXECUTION, "dispatch", at, margins.service, version)
        case ExecutionOutput():
            run.todos.clear()
            run.questions.clear()
            actor, what = (COGNITIVE, "flow") if run.flow else (RESPONSE, "answer")
            run.line = within(actor, what, at, margins.service, version)
        case _ if isinstance(event, _Layers):
            _layer(run, event, at, version, margins)
        case _:
            assert isinstance(event, _Todos)
            _todo(run, event, message, margins)
    return run


def _layer(run: RunState, event: _Layers, at: datetime, version: int, margins: Margins) -> None:
    if isinstance(event, MessageReceived):
        run.text, run.language = event.text[:TEXT], event.language or ""
    elif isinstance(event, CognitiveOutput | PlanningOutput) and getattr(event, "error", None) is None:
        run.language = event.language
    actor, what = _next(run, event)
    run.line = within(actor, what, at, margins.service, version)


def _next(run: RunState, event: _Layers) -> tuple[str, str]:  # noqa: PLR0911  # a table
    match event:
        case MessageReceived():
            return COGNITIVE, "understand"
        case CognitiveOutput() | FlowAdvanced():
            return _after_layer_1(run, event)
        case PlanningOutput():
            return PLANNING, "propose"  # recorded together with the question or the approval
        case PlanApproved():
            run.executing = True
            return EXECUTION, "dispatch"
        case PlanRejected():
            return (RESPONSE, "answer") if event.final else (PLANNING, "revise")
        case PlanEdited():
            return PLANNING, "edit"
        case PlanEditRefused():
            return (EXECUTION, "dispatch") if run.executing else (PLANNING, "propose")
        case _:
            assert_never(event)


def _after_layer_1(run: RunState, event: CognitiveOutput | FlowAdvanced) -> tuple[str, str]:
    match event:
        case CognitiveOutput(error=None, requires_clarification=True):
            return COGNITIVE, "ask"  # recorded together with the question, whose turn it then is
        case CognitiveOutput(error=None, route=Route.PLAN) | FlowAdvanced(message="", stage=FlowStage.CONFIRMED):
            return PLANNING, "plan"
        case CognitiveOutput(error=None, route=Route.FLOW):
            run.flow = True
            return COGNITIVE, "flow"
        case FlowAdvanced(message=""):
            return COGNITIVE, "flow"  # another move, with the answer, is recorded together with it
        case _:
            return RESPONSE, "answer"


def _todo(run: RunState, event: _Todos, message: Message, margins: Margins) -> None:
    at, version = message.recorded_at, message.version
    if isinstance(event, TodoDispatched):
        todo = event.todo
        route = message.route.partition(".")[0] or todo.executor  # settled at once or not
        seconds = todo.timeout_seconds + margins.executor
        turn = within(EXECUTOR + route, f"todo:{todo.id}", at, seconds, version)
        run.executing, run.todos[todo.id] = True, Attempt(event.attempt, route, seconds, version, turn)
        return
    attempt = run.todos.get(event.todo_id)
    if isinstance(event, TodoSucceeded | TodoFailed) and attempt is not None and event.attempt < attempt.number:
        return  # a late word of an earlier attempt
    match event:
        case ToolLeased() if attempt is not None and attempt.turn.actor == TOOLBOX:
            # at the head of the line: it is dispatched again, with its lease
            del run.todos[event.todo_id]
            run.line = within(EXECUTION, "dispatch", at, margins.service, version)
        case TodoStarted() | ToolLeased():
            if attempt is not None:
                turn = within(EXECUTOR + attempt.route, f"todo:{event.todo_id}", at, attempt.seconds, attempt.version)
                attempt.turn = turn
        case ToolBusy():
            if attempt is not None:
                attempt.turn = within(TOOLBOX, f"line:{event.todo_id}", at, margins.line)
        case TodoFailed(will_retry_at=datetime() as due):
            turn = until(TIMERS, f"retry:{event.todo_id}", at, run.pause.frozen(due, at), margins.timer)
            run.todos[event.todo_id] = Attempt(event.attempt, "", 0.0, 0, turn)
        case TodoSucceeded() | TodoFailed() | TodoSkipped():
            run.todos.pop(event.todo_id, None)
            run.line = within(EXECUTION, "dispatch", at, margins.service, version)
        case _:
            assert_never(event)


def _is_stale(run: RunState, fired: TimerFired) -> bool:
    """A todo's timer puts the todo back into the dispatcher's hands; one that has been dispatched since stays where
    it is."""
    todo_id = str(fired.data.get("todo_id", ""))
    attempt = run.todos.get(todo_id)
    if attempt is not None and attempt.turn.actor == TIMERS:
        del run.todos[todo_id]
        return False
    return bool(todo_id)


def _decision(run: RunState, event: _Decisions, at: datetime, version: int, margins: Margins) -> None:
    if isinstance(event, DecisionRequested):
        turn = until(PERSON, f"decision:{event.kind}", at, run.pause.frozen(event.deadline, at), margins.timer)
        run.questions[event.decision_id] = (str(event.subject.get("todo_id", "")), turn)
        return
    todo_id, _ = run.questions.pop(event.decision_id, ("", None))
    # whoever acts on it says what becomes of the todo: until then it is in nobody else's hands
    run.todos.pop(todo_id, None)
    actor = _AskedOf.get(event.kind, EXECUTION)
    if isinstance(event, DecisionExpired) and event.default is None and actor != EXECUTION:
        actor = RESPONSE
    run.line = within(actor, f"decision:{event.kind}", at, margins.service, version)


def _control(run: RunState, control: RunControl, at: datetime, version: int, margins: Margins) -> None:
    if control is RunControl.CANCEL:
        run.pause = Pause()
        run.todos.clear()
        run.questions.clear()
        actor = EXECUTION if run.executing else RESPONSE
        run.line = within(actor, "cancel", at, margins.service, version)
        return
    _move(run, run.pause.fold(control, at))
    if control is RunControl.RESUME and run.executing:
        run.line = within(EXECUTION, "resume", at, margins.service, version)


def _move(run: RunState, later: timedelta) -> None:
    run.line = run.line.moved(later) if run.line else None
    for attempt in run.todos.values():
        attempt.turn = attempt.turn.moved(later)
    run.questions = {one: (todo_id, turn.moved(later)) for one, (todo_id, turn) in run.questions.items()}
