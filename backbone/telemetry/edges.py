"""Who takes whose events: the edges between services, for the AsyncAPI document and for traces."""

from collections.abc import Mapping
from functools import cache

TAKEN_BY: Mapping[str, tuple[str, ...]] = {
    "MessageReceived": ("cognitive",),
    "RunControlRequested": ("execution", "response"),
    "PlanEdited": ("planning",),
    "DecisionAnswered": ("cognitive", "execution", "planning"),
    "CognitiveOutput": ("cognitive", "planning", "response"),
    "FlowAdvanced": ("planning", "response"),
    "RunCancelled": ("cognitive",),
    "RunFailed": ("cognitive",),
    "PlanRejected": ("planning", "response"),
    "DecisionExpired": ("execution", "planning", "response"),
    "PlanApproved": ("execution",),
    "TodoDispatched": ("execution",),
    "TodoSucceeded": ("execution",),
    "TodoFailed": ("execution",),
    "TodoSkipped": ("execution",),
    "ToolBusy": ("execution",),
    "ToolLeased": ("execution",),
    "DecisionRequested": ("execution",),
    "TimerFired": ("execution",),
    "ReminderDue": ("execution",),
    "ExecutionOutput": ("cognitive", "execution", "response"),
    "ResponseOutput": ("cognitive",),
}
"""Event -> services with a handler for it; tests/architecture compares it with the handlers. The gateway sees all."""


def service_of(producer: str) -> str:
    """The service that publishes for a producer: timers are relayed by execution."""
    return "execution" if producer == "timers" else producer


@cache
def crosses(producer: str, type_: str, to: str = "") -> bool:
    """Whether an event goes to another service than the one that publishes it; to `to`, if given."""
    here = service_of(producer)
    return to != here and any(taker != here and to in ("", taker) for taker in TAKEN_BY.get(type_, ()))
