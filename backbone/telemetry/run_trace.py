"""The trace of a run, folded from its events: root, layers, questions to people, todos, attempts, tools, models.

Pure: whoever folds the same events gets the same spans, with the same ids and times, in whatever process. So a span
that takes hours needs nobody who holds it open, and one that was lost with its process is made again.

What the fold of a run's trace holds in its hands: todos, attempts, questions, layers that are not over."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from backbone.telemetry import names, run_spans
from backbone.telemetry.facts import FACTS, TIMES, EventPart, fact
from backbone.telemetry.spans import Attribute, Kind, Span, nanoseconds, parse, run_span, span_id
from contracts.envelope import Message
from contracts.registry import RUN_ENDS


@dataclass(slots=True)
class Todo:
    id: str
    number: int
    span_id: int
    since: int
    tool: str
    executor: str
    until: int = 0
    attempts: int = 0
    outcome: str = "open"
    error: str = ""


@dataclass(slots=True)
class TracedAttempt:
    todo: Todo
    number: int
    event_id: UUID
    since: int
    open: bool = True

    @property
    def span_id(self) -> int:
        return span_id("attempt", self.event_id)


@dataclass(slots=True)
class TracedQuestion:
    event: EventPart
    event_id: UUID
    service: str
    parent_id: int
    since: int
    ended_by: UUID | None = None
    until: int = 0
    outcome: str = "run_ended"


@dataclass(slots=True)
class Layer:
    since: int
    until: int
    attributes: dict[str, Attribute] = field(default_factory=dict)


def code_of(event: EventPart) -> str:
    return str(event.error["code"]) if event.error else ""


def model_times(messages: Sequence[Message], facts: Mapping[UUID, EventPart]) -> dict[UUID, tuple[int, int]]:
    """Beginning and end of each call of a model. Those of one handler are recorded together, after the last of them;
    they were made one after the other."""
    later: dict[tuple[UUID | None, int], int] = {}
    times: dict[UUID, tuple[int, int]] = {}
    for message in reversed(messages):
        event = facts.get(message.event_id)
        if event is not None and message.type == "ModelCalled":
            recorded = nanoseconds(message.recorded_at)
            until = recorded - later.get((message.causation_id, recorded), 0)
            since = until - int(event.latency_seconds * 1e9)
            times[message.event_id] = since, until
            later[message.causation_id, recorded] = recorded - since
    return times


MILESTONES = RUN_ENDS | {"DecisionRequested", "DecisionAnswered", "DecisionExpired"}
"""Where what is over is told: when a run begins to wait for a person, when that is over, and at its end."""
FOLDS = TIMES | FACTS.keys()
LAYERS = ("cognitive", "planning", "execution", "response")


def spans_at(messages: Sequence[Message]) -> list[Span]:
    """The spans to be told at the last of these events, a milestone: those that were over since the milestone before.
    `messages` are the events of one run in order, from its MessageReceived on, of the types in FOLDS. Empty for a run
    that is not sampled."""
    first = messages[0] if messages else None
    context = parse(first.traceparent) if first else None
    if first is None or first.type != "MessageReceived" or first.run_id is None or not (context and context.sampled):
        return []
    trace = _Trace(first, first.run_id, context.trace_id, context.span_id, messages)
    told: list[Span] = []
    for message in messages:
        trace.take(message)
        if message.type in MILESTONES:
            told, trace.over = trace.over, []
    return told if messages[-1].type in MILESTONES else []


class _Trace:
    """What is known of a run after some of its events. `over` are the spans that were not told yet."""

    def __init__(self, first: Message, run_id: UUID, trace_id: int, caller: int, messages: Sequence[Message]) -> None:
        self.over: list[Span] = []
        self._session_id, self._run_id, self._trace_id, self._caller = first.session_id, run_id, trace_id, caller
        self._began = nanoseconds(first.recorded_at)
        self._facts = {message.event_id: known for message in messages if (known := fact(message))}
        self._called = model_times(messages, self._facts)
        self._ended = False
        self._times: dict[UUID, int] = {}
        self._effects: dict[UUID, int] = {}
        self._layers = {"cognitive": Layer(self._began, self._began)}
        self._todos: dict[str, Todo] = {}
        self._attempts: dict[UUID, TracedAttempt] = {}
        self._latest: dict[str, TracedAttempt] = {}
        self._questions: dict[str, TracedQuestion] = {}
        self._calls: dict[tuple[str, str, int], int] = {}

    def take(self, message: Message) -> None:
        """Once for each event. What comes after the end of its run changes nothing."""
        if self._ended:
            return
        at = self._times[message.event_id] = nanoseconds(message.recorded_at)
        if message.causation_id is not None:
            self._effects.setdefault(message.causation_id, at)
        if message.producer in LAYERS:
            since = self._times.get(message.causation_id, at) if message.causation_id else at
            self._layers.setdefault(message.producer, Layer(since, at)).until = at
        event = self._facts.get(message.event_id)
        if event is not None:
            self._tell(message, event, at)

    def _tell(self, message: Message, event: EventPart, at: int) -> None:
        match message.type:
            case "CognitiveOutput":
                intent = ".".join(filter(None, (event.intent["domain"], event.intent.get("category"))))
                self._layers["cognitive"].attributes.update({names.INTENT: intent, names.ROUTE: event.route})
            case "ModelCalled":
                self._model(message, event)
            case "DecisionRequested":
                self._asked(message, event, at)
            case "DecisionAnswered" | "DecisionExpired":
                self._answered(message, event, at)
            case ended if ended in RUN_ENDS:
                self._end(message, event, at)
            case _:
                self._of_todo(message, event, at)

    def _of_todo(self, message: Message, event: EventPart, at: int) -> None:
        match message.type:
            case "TodoDispatched":
                self._dispatched(message, event, at)
            case "TodoSucceeded":
                self._attempted(message, event, "succeeded", at)
            case "TodoFailed":
                self._attempted(message, event, "failed", at, code_of(event))
            case "TodoSkipped" if todo := self._todos.get(event.todo_id):
                todo.until, todo.outcome = at, "skipped"
            case "ToolBusy" if latest := self._latest.get(event.todo_id):
                self._close(latest, "busy", at)
            case "AgentToolCalled":
                self._calls[event.todo_id, event.call_id, event.step] = at
            case "AgentToolAnswered":
                self._agent_tool(message, event, at)

    def _span(  # noqa: PLR0913, PLR0917  # a span has as many sides
        self,
        service: str,
        name: str,
        ids: tuple[int, int],
        times: tuple[int, int],
        attributes: Mapping[str, Attribute],
        error: str = "",
        kind: Kind = Kind.INTERNAL,
    ) -> None:
        since, until = times
        self.over.append(Span(service, name, self._trace_id, *ids, since, max(since, until), kind, attributes, error))

    def _layer_span(self, layer: str) -> int:
        return span_id(f"layer {layer}", self._run_id)

    def _model(self, message: Message, event: EventPart) -> None:
        attempt = self._latest.get(event.todo_id or "")
        parent = attempt.span_id if attempt and attempt.open else self._layer_span(message.producer)
        ids, times = (span_id("model", message.event_id), parent), self._called[message.event_id]
        kind = Kind.INTERNAL if event.local else Kind.CLIENT
        name = f"{names.CHAT} {event.model}"
        self._span(message.producer, name, ids, times, run_spans.of_model(event), code_of(event), kind)

    def _asked(self, message: Message, event: EventPart, at: int) -> None:
        parent = self._layer_span(message.producer)
        if attempt := self._attempts.get(message.causation_id or self._run_id):
            # a question of a tool ends its attempt; the answer makes another one
            self._close(attempt, "asked", at)
            parent = attempt.todo.span_id
        elif todo := self._todos.get(str(event.subject.get("todo_id", ""))):
            parent = todo.span_id
        question = TracedQuestion(event, message.event_id, message.producer, parent, at)
        self._questions.setdefault(event.decision_id, question)

    def _answered(self, message: Message, event: EventPart, at: int) -> None:
        question = self._questions.get(event.decision_id)
        if question is not None and question.ended_by is None:
            question.ended_by, question.until = message.event_id, at
            question.outcome = "answered" if message.type == "DecisionAnswered" else "expired"
            self._waited(question, at)

    def _waited(self, question: TracedQuestion, at: int) -> None:
        ids = span_id("wait", question.event_id), span_id("decision", question.event_id)
        attributes = run_spans.of_question(question.event, question.outcome)
        self._span(question.service, names.WAIT, ids, (question.since, at), attributes)

    def _dispatched(self, message: Message, event: EventPart, at: int) -> None:
        of = event.todo["id"]
        if of not in self._todos:
            first = span_id("todo", message.event_id)  # of its first dispatch
            number, tool, executor = len(self._todos) + 1, event.todo["tool"], event.todo["executor"]
            self._todos[of] = Todo(of, number, first, at, tool, executor)
        todo = self._todos[of]
        todo.attempts += 1
        if before := self._latest.get(of):
            self._close(before, "overtaken", at)
        attempt = TracedAttempt(todo, event.attempt, message.event_id, at)
        self._attempts[message.event_id] = self._latest[of] = attempt

    def _attempted(self, message: Message, event: EventPart, outcome: str, at: int, error: str = "") -> None:
        if todo := self._todos.get(event.todo_id):
            todo.until, todo.outcome, todo.error = at, outcome, error
        attempt = self._latest.get(event.todo_id)
        if attempt and attempt.open and attempt.number == event.attempt:
            self._close(attempt, outcome, at, error)
            self._tool(attempt, message, event, at, error)

    def _close(self, attempt: TracedAttempt, outcome: str, at: int, error: str = "") -> None:
        if not attempt.open:
            return
        attempt.open = False
        attempt.todo.until = max(attempt.todo.until, at)
        ids, attributes = (attempt.span_id, attempt.todo.span_id), run_spans.of_attempt(attempt.number, outcome)
        self._span("execution", f"attempt {attempt.number}", ids, (attempt.since, at), attributes, error)

    def _tool(self, attempt: TracedAttempt, message: Message, event: EventPart, at: int, error: str) -> None:
        lasted = int(event.seconds * 1e9)
        if message.type == "TodoSucceeded":
            since = min(max(nanoseconds(datetime.fromisoformat(event.started_at)), attempt.since), at)
        elif lasted:
            since = max(at - lasted, attempt.since)
        else:
            return  # it failed before the tool was called
        ids = span_id("tool", attempt.event_id), attempt.span_id
        attributes = run_spans.of_tool(attempt.todo.tool, attempt.event_id)
        name = f"{names.EXECUTE_TOOL} {attempt.todo.tool}"
        self._span("execution", name, ids, (since, min(since + lasted, at)), attributes, error)

    def _agent_tool(self, message: Message, event: EventPart, at: int) -> None:
        attempt = self._latest.get(event.todo_id)
        if attempt is None or not attempt.open:
            return
        since = self._calls.pop((event.todo_id, event.call_id, event.step), at)
        ids = span_id("tool", message.event_id), attempt.span_id
        name, attributes = f"{names.EXECUTE_TOOL} {event.tool}", run_spans.of_tool(event.tool, message.event_id)
        self._span("execution", name, ids, (since, at), attributes, code_of(event))

    def _end(self, message: Message, event: EventPart, at: int) -> None:
        """Whatever is still open ends with its run."""
        self._ended = True
        for attempt in self._attempts.values():
            self._close(attempt, "run_ended", at)
        for todo in self._todos.values():
            about = (todo.number, todo.id, todo.tool, todo.executor, todo.attempts, todo.outcome)
            ids, times = (todo.span_id, self._layer_span("execution")), (todo.since, todo.until or at)
            self._span("execution", f"todo {todo.tool}", ids, times, run_spans.of_todo(*about), todo.error)
        for question in self._questions.values():
            self._decision(question, at)
        root = run_span(self._run_id)
        for name, layer in self._layers.items():
            ids, times = (self._layer_span(name), root), (layer.since, layer.until)
            about_layer = run_spans.of_layer(name, self._run_id, layer.attributes)
            self._span(name, f"layer {name}", ids, times, about_layer)
        parent = 0 if self._caller == root else self._caller  # of a caller who traces too
        name = f"{names.INVOKE_WORKFLOW} {names.WORKFLOW}"
        attributes = run_spans.of_run(self._session_id, self._run_id, message.type, event)
        error = code_of(event) if message.type == "RunFailed" else ""
        self._span("gateway", name, (root, parent), (self._began, at), attributes, error)

    def _decision(self, question: TracedQuestion, at: int) -> None:
        if question.ended_by is None:
            self._waited(question, at)
            until = at
        else:
            until = self._effects.get(question.ended_by, question.until)
        ids = span_id("decision", question.event_id), question.parent_id
        attributes = run_spans.of_question(question.event, question.outcome)
        name = f"decision {question.event.kind}"
        self._span(question.service, name, ids, (question.since, until), attributes)
