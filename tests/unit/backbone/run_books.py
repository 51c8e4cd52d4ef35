"""Events of runs as the ledger would have them, for tests of what is folded from them."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid5

from backbone.telemetry.run_trace import MILESTONES, spans_at
from backbone.telemetry.spans import Span, begun
from contracts.cognitive import CognitiveOutput
from contracts.decisions import DecisionAnswered, DecisionExpired, DecisionKind, DecisionRequested
from contracts.envelope import Message
from contracts.errors import Code, ErrorInfo
from contracts.execution import (
    AgentToolAnswered,
    AgentToolCalled,
    ExecutionOutput,
    TodoDispatched,
    TodoFailed,
    TodoSkipped,
    TodoSucceeded,
    ToolBusy,
)
from contracts.gateway import MessageReceived
from contracts.model import ModelCalled
from contracts.planning import PlanningOutput, TodoItem
from contracts.registry import render
from contracts.response import RunCompleted
from contracts.shape import Event

RUN = UUID("0197a1f0-0000-7000-8000-00000000c0de")
SESSION = UUID("0197a1f0-0000-7000-8000-00000000cafe")
BEGAN = datetime(2026, 3, 4, 5, 6, 7, 890_123, tzinfo=UTC)
CALLER = "00-5bf92f3577b34da6a3ce929d0e0e4736-10f067aa0ba902b7-01"


class Book:
    """The events of a run as the ledger would have them."""

    def __init__(self, traceparent: str | None = None) -> None:
        self.traceparent = traceparent or begun(RUN, sampled=True)
        self.messages: list[Message] = []
        self.add(MessageReceived(text="10만 원을 민수에게"), "gateway")

    def add(self, event: Event, producer: str, cause: Message | None = None, after: float = 1.0) -> Message:
        number = len(self.messages)
        last = self.messages[-1].recorded_at if self.messages else BEGAN - timedelta(seconds=after)
        message = Message(
            event_id=uuid5(RUN, f"event {number}") if number else RUN,
            session_id=SESSION,
            version=number + 2,
            type=type(event).__name__,
            schema_version=type(event).schema_version,
            producer=producer,
            run_id=RUN,
            correlation_id=RUN,
            causation_id=cause.event_id if cause else None,
            traceparent=self.traceparent,
            recorded_at=last + timedelta(seconds=after),
            data=render(event).encode(),
        )
        self.messages.append(message)
        return message

    def told(self) -> list[list[Span]]:
        """What is told at each milestone."""
        return [
            spans_at(self.messages[: number + 1])
            for number, message in enumerate(self.messages)
            if message.type in MILESTONES
        ]

    def spans(self) -> list[Span]:
        return [span for told in self.told() for span in told]

    def named(self, start: str) -> list[Span]:
        return [span for span in self.spans() if span.name.startswith(start)]

    def ask(self, number: int = 1, kind: DecisionKind = DecisionKind.PLAN, cause: Message | None = None) -> Message:
        question = {**DecisionRequested.example, "decision_id": decision(number), "kind": kind}
        producer = "planning" if kind is DecisionKind.PLAN else "execution"
        return self.add(DecisionRequested.model_validate(question), producer, cause)

    def answer(self, number: int = 1, after: float = 1.0) -> Message:
        answered = DecisionAnswered(
            decision_id=decision(number), kind=DecisionKind.PLAN, answer={"action": "approve"}, answered_by="민수"
        )
        return self.add(answered, "gateway", after=after)

    def dispatch(self, todo: str = "t1", attempt: int = 1) -> Message:
        item = TodoItem(id=todo, title="송금", tool="transfer.pay", executor="ops")
        event = TodoDispatched(plan_id=RUN, todo=item, attempt=attempt, language="ko", requested_at=BEGAN)
        return self.add(event, "execution")

    def succeed(self, dispatched: Message, todo: str = "t1", attempt: int = 1, seconds: float = 0.25) -> Message:
        event = TodoSucceeded(
            todo_id=todo,
            attempt=attempt,
            started_at=dispatched.recorded_at + timedelta(seconds=0.5),
            seconds=seconds,
            result={"amount": 100_000, "payee": "민수"},
        )
        return self.add(event, "execution", dispatched)

    def fail(self, dispatched: Message, todo: str = "t1", attempt: int = 1, seconds: float = 0.25) -> Message:
        error = ErrorInfo(code=Code.TOOL_TIMEOUT, message="민수에게 보내지 못했습니다")
        return self.add(
            TodoFailed(todo_id=todo, attempt=attempt, error=error, seconds=seconds), "execution", dispatched
        )

    def end(self, after: float = 1.0) -> Message:
        return self.add(RunCompleted(), "response", after=after)


def decision(number: int) -> UUID:
    return uuid5(RUN, f"decision {number}")


def model(**more: object) -> ModelCalled:
    return ModelCalled.model_validate({**ModelCalled.example, "latency_seconds": 0.5, **more})


STEPS = (
    "model",
    "think",
    "ask",
    "answer",
    "expire",
    "dispatch",
    "succeed",
    "fail",
    "skip",
    "busy",
    "call",
    "called",
    "out",
    "plan",
)


def step(book: Book, what: str, todo: str, attempt: int, cause: Message | None) -> None:  # noqa: PLR0912, C901  # a table
    match what:
        case "model":
            producer = ("cognitive", "planning", "execution", "response")[attempt % 4]
            book.add(model(todo_id=todo if producer == "execution" else None), producer, cause, after=attempt % 2)
        case "think":
            book.add(CognitiveOutput.model_validate(CognitiveOutput.example), "cognitive", cause)
        case "plan":
            book.add(PlanningOutput.model_validate(PlanningOutput.example), "planning", cause)
        case "ask":
            book.ask(attempt, DecisionKind.TOOL if cause else DecisionKind.PLAN, cause)
        case "answer":
            book.answer(attempt)
        case "expire":
            book.add(DecisionExpired(decision_id=decision(attempt), kind=DecisionKind.PLAN), "timers", cause)
        case "dispatch":
            book.dispatch(todo, attempt)
        case "succeed":
            book.succeed(cause or book.messages[0], todo, attempt)
        case "fail":
            book.fail(cause or book.messages[0], todo, attempt, seconds=attempt % 2)
        case "skip":
            book.add(TodoSkipped(todo_id=todo, reason="policy"), "execution", cause)
        case "busy":
            busy = ToolBusy(todo_id=todo, tool="devices.tv", group_key="tv", position=1)
            book.add(busy, "execution", cause)
        case "call":
            book.add(AgentToolCalled(todo_id=todo, step=attempt, call_id="c", tool="a.b"), "execution", cause)
        case "called":
            book.add(AgentToolAnswered(todo_id=todo, step=attempt, call_id="c", tool="a.b"), "execution", cause)
        case "out":
            book.add(ExecutionOutput.model_validate(ExecutionOutput.example), "execution", cause)
