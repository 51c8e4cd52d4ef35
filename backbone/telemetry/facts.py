"""What a trace says of events: some fields of their contracts, and nothing that somebody said. To read these alone
costs a fifth of reading whole events, and the ledger need not give the rest."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from contracts.envelope import Message, Outline
from contracts.registry import EVENTS, UnknownEvent, parse_as

FACTS: Mapping[str, tuple[str, ...]] = {
    "AgentToolAnswered": ("todo_id", "step", "call_id", "tool", "error"),
    "AgentToolCalled": ("todo_id", "step", "call_id"),
    "CognitiveOutput": ("intent", "route"),
    "DecisionAnswered": ("decision_id",),
    "DecisionExpired": ("decision_id",),
    "DecisionRequested": ("decision_id", "kind", "subject"),
    "ModelCalled": (
        "role", "provider", "model", "prompt_id", "input_tokens", "output_tokens", "latency_seconds", "attempts",
        "local", "todo_id", "error",
    ),
    "RunCancelled": ("reason",),
    "RunCompleted": ("partial",),
    "RunFailed": ("error",),
    "TodoDispatched": ("todo", "attempt"),
    "TodoFailed": ("todo_id", "attempt", "error", "seconds"),
    "TodoSkipped": ("todo_id",),
    "TodoSucceeded": ("todo_id", "attempt", "started_at", "seconds"),
    "ToolBusy": ("todo_id",),
}  # fmt: skip
"""By the type of the event; what they are and their defaults is their contract's to say."""
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


_JSON: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])


class EventPart(SimpleNamespace):
    """The fields that FACTS names for the type, as the JSON of the ledger has them."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


def fact(message: Message) -> EventPart | None:
    """What a trace says of an event; None when it says nothing, or cannot read it."""
    names = FACTS.get(message.type)
    if names is None or message.elsewhere:  # its data are lost
        return None
    try:
        data = parse_as(_JSON, message.type, message.schema_version, message.data)
    except (UnknownEvent, ValidationError):
        return None  # of a newer version of ourselves, which tells the rest
    fields = EVENTS[message.type].model_fields
    found = {
        name: data[name] if name in data else fields[name].get_default(call_default_factory=True)
        for name in names
        if name in data or not fields[name].is_required()
    }
    return EventPart(**found) if len(found) == len(names) else None
