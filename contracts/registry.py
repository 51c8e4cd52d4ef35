"""From (type, schema version) to the contract: the one list of events, and the upcasters for their old shapes."""

import json
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter

from contracts import cognitive, decisions, execution, gateway, model, planning, response, timers
from contracts.shape import Event

T = TypeVar("T")

EVENTS: dict[str, type[Event]] = {
    event.__name__: event
    for event in (
        gateway.SessionOpened,
        gateway.MessageReceived,
        gateway.ArtifactUploaded,
        gateway.RunControlRequested,
        gateway.PlanEdited,
        gateway.FeedbackGiven,
        gateway.ReminderSeen,
        decisions.DecisionRequested,
        decisions.DecisionAnswered,
        decisions.DecisionExpired,
        cognitive.CognitiveOutput,
        cognitive.FlowAdvanced,
        cognitive.SessionSummarized,
        planning.PlanningOutput,
        planning.PlanApproved,
        planning.PlanRejected,
        planning.PlanEditRefused,
        execution.ExecutionStarted,
        execution.TodoDispatched,
        execution.TodoStarted,
        execution.TodoProgressed,
        execution.AgentStepped,
        execution.AgentToolCalled,
        execution.AgentToolAnswered,
        execution.TodoSucceeded,
        execution.TodoFailed,
        execution.TodoSkipped,
        execution.ToolLeased,
        execution.ToolBusy,
        execution.ToolReleased,
        execution.ExecutionOutput,
        response.ResponseOutput,
        response.RunCompleted,
        response.RunFailed,
        response.RunCancelled,
        model.ModelCalled,
        timers.TimerFired,
        timers.ReminderDue,
    )
}

RUN_ENDS = frozenset({"RunCompleted", "RunFailed", "RunCancelled"})

Upcaster = Callable[[dict[str, Any]], dict[str, Any]]
"""Turns the data of one schema version into that of the next."""

UPCASTERS: dict[tuple[str, int], Upcaster] = {}


class UnknownEvent(ValueError):
    """No contract for this type, or a version that is newer than ours or has no upcaster."""


class UnknownType(UnknownEvent):
    """The type is not in the registry."""


class UnknownVersion(UnknownEvent):
    """The type is known, this version of it is not."""


@cache
def _adapter(type_: str) -> TypeAdapter[Event]:
    return TypeAdapter(EVENTS[type_])


def parse(type_: str, schema_version: int, data: bytes | str) -> Event:
    """Validates the JSON as the contract it claims to be. Raises UnknownEvent or pydantic.ValidationError."""
    if type_ not in EVENTS:
        raise UnknownType(f"event type {type_!r} is not in the registry")
    return parse_as(_adapter(type_), type_, schema_version, data)


def parse_as(adapter: TypeAdapter[T], type_: str, schema_version: int, data: bytes | str) -> T:
    """The JSON of an event of this type, read by whoever needs a part of its contract alone. Raises as `parse` does."""
    contract = EVENTS[type_]
    if schema_version == contract.schema_version:
        return adapter.validate_json(data)
    if not 1 <= schema_version < contract.schema_version:
        raise UnknownVersion(f"{type_} version {schema_version} is not one of 1..{contract.schema_version}")
    return adapter.validate_python(_upcast(type_, schema_version, contract.schema_version, json.loads(data)))


def _upcast(type_: str, version: int, target: int, data: dict[str, Any]) -> dict[str, Any]:
    while version < target:
        step = UPCASTERS.get((type_, version))
        if step is None:
            raise UnknownVersion(f"{type_} version {version} has no upcaster to version {version + 1}")
        data, version = step(data), version + 1
    return data


def render(event: Event) -> str:
    """The contract as JSON text, as it stands in the ledger and on the bus."""
    return event.model_dump_json(exclude_defaults=True)
