"""What a trace says of events: parts of their contracts, and nothing that somebody said. To read these alone costs a
fifth of reading whole events, and the ledger need not give the rest."""

from datetime import datetime
from functools import cache
from uuid import UUID

from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter, ValidationError

from contracts.envelope import Message, Outline
from contracts.registry import UnknownEvent, parse_as


class EventPart(BaseModel):
    """A part of an event. What is not named here is passed over."""

    model_config = ConfigDict(extra="ignore")


class Code(EventPart):
    code: int


class Intent(EventPart):
    domain: str
    category: str | None = None

    @property
    def name(self) -> str:
        return f"{self.domain}.{self.category}" if self.category else self.domain


class Understood(EventPart):
    intent: Intent
    route: str


class ModelCallPart(EventPart):
    role: str
    provider: str
    model: str
    prompt_id: str
    input_tokens: int = 0
    output_tokens: int = 0
    latency_seconds: float
    attempts: int = 1
    local: bool = False
    todo_id: str | None = None
    error: Code | None = None


class Subject(EventPart):
    todo_id: JsonValue = ""


class Asked(EventPart):
    decision_id: UUID
    kind: str
    subject: Subject = Subject()


class Answered(EventPart):
    decision_id: UUID


class Expired(EventPart):
    decision_id: UUID


class Item(EventPart):
    id: str
    tool: str
    executor: str


class Dispatched(EventPart):
    todo: Item
    attempt: int


class Succeeded(EventPart):
    todo_id: str
    attempt: int
    started_at: datetime
    seconds: float


class Failed(EventPart):
    todo_id: str
    attempt: int
    error: Code
    seconds: float = 0.0


class Skipped(EventPart):
    todo_id: str


class ToolBusyPart(EventPart):
    todo_id: str


class Called(EventPart):
    todo_id: str
    step: int
    call_id: str


class CallAnswered(EventPart):
    todo_id: str
    step: int
    call_id: str
    tool: str
    error: Code | None = None


class Completed(EventPart):
    partial: bool = False


class RunError(EventPart):
    error: Code


class Cancelled(EventPart):
    reason: str


End = Completed | RunError | Cancelled

FACTS: dict[str, type[EventPart]] = {
    "AgentToolAnswered": CallAnswered,
    "AgentToolCalled": Called,
    "CognitiveOutput": Understood,
    "DecisionAnswered": Answered,
    "DecisionExpired": Expired,
    "DecisionRequested": Asked,
    "ModelCalled": ModelCallPart,
    "RunCancelled": Cancelled,
    "RunCompleted": Completed,
    "RunFailed": RunError,
    "TodoDispatched": Dispatched,
    "TodoFailed": Failed,
    "TodoSkipped": Skipped,
    "TodoSucceeded": Succeeded,
    "ToolBusy": ToolBusyPart,
}
"""By the type of the event."""
TIMES = frozenset({
    "ExecutionOutput", "ExecutionStarted", "FlowAdvanced", "MessageReceived", "PlanApproved", "PlanRejected",
    "PlanningOutput",
})  # fmt: skip
"""Events of which a trace needs to know that they were, and when."""
LARGE = frozenset({
    "alternatives", "answer", "attachments", "entities", "inputs", "options", "output", "profile", "result", "tasks",
    "text", "upstream",
})  # fmt: skip
"""Fields of events that may be so, and that no trace needs."""
OUTLINE = Outline(frozenset(FACTS), LARGE)


def fact(message: Message) -> EventPart | None:
    """What a trace says of an event; None when it says nothing, or cannot read it."""
    part = FACTS.get(message.type)
    if part is None:
        return None
    if message.elsewhere:
        return None  # its data are lost
    try:
        return parse_as(_adapter(part), message.type, message.schema_version, message.data)
    except (UnknownEvent, ValidationError):
        return None  # of a newer version of ourselves, which tells the rest


@cache
def _adapter(part: type[EventPart]) -> TypeAdapter[EventPart]:
    return TypeAdapter(part)
