"""Messages as a ledger would give them, for tests without one."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid5

from contracts.decisions import DecisionAnswered, DecisionExpired, DecisionKind, DecisionRequested
from contracts.envelope import Message
from contracts.gateway import MessageReceived
from contracts.registry import render
from contracts.response import ResponseOutput
from contracts.shape import Event

SESSION = UUID(int=1)
RUN = UUID(int=2)
OTHER_RUN = UUID(int=3)
DECISION = UUID(int=4)
AT = datetime(2026, 1, 1, tzinfo=UTC)
SAID = MessageReceived(text="안녕")
ANSWER = ResponseOutput(format="text", text="끝", language="ko")
ASKED = DecisionRequested(
    decision_id=DECISION,
    kind="plan",
    question="할까요?",
    language="ko",
    answer_schema={"type": "object", "properties": {"action": {"enum": ["approve"]}}, "additionalProperties": False},
    deadline=AT,
)
ANSWERED = DecisionAnswered(decision_id=DECISION, kind="plan", answer={"action": "approve"}, answered_by="anonymous")
EXPIRED = DecisionExpired(decision_id=DECISION, kind=DecisionKind.PLAN)


def message(event: Event, version: int, *, run: UUID | None = RUN, producer: str = "response", **more: Any) -> Message:
    fields: dict[str, Any] = {
        "event_id": uuid5(SESSION, str(version)),
        "session_id": SESSION,
        "version": version,
        "type": type(event).__name__,
        "schema_version": event.schema_version,
        "producer": producer,
        "run_id": run,
        "correlation_id": run or SESSION,
        "causation_id": None,
        "traceparent": None,
        "recorded_at": AT,
        "data": render(event).encode(),
    }
    return Message(**{**fields, **more})


def stream(*events: Event) -> list[Message]:
    """The events of one run, in a row."""
    return [message(event, version) for version, event in enumerate(events, 1)]
