"""What the fold of a run's trace holds in its hands: todos, attempts, questions, layers that are not over."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from backbone.telemetry.facts import EventPart
from backbone.telemetry.spans import Attribute, nanoseconds, span_id
from contracts.envelope import Message


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
