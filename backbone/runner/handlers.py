"""The two kinds of handlers, and what they return. See docs/architecture.md, "The two kinds of handling"."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Generic, NamedTuple, Protocol, TypeVar
from uuid import UUID

from backbone.bus.port import ConsumerSpec
from backbone.ledger.ids import derived
from backbone.ledger.port import Append, Fact, Fence, Timer
from contracts import subjects
from contracts.envelope import Message
from contracts.errors import ErrorInfo
from contracts.shape import Event

S = TypeVar("S")


class Emit(NamedTuple):
    """An event to record. `route` picks the consumers of a TodoDispatched: its executor; `run_id` is that of the
    message unless the event belongs to another run of the session. `apart`: see backbone.ledger.port.Fact."""

    event: Event
    route: str = ""
    run_id: UUID | None = None
    apart: bool = False


class Outcome(NamedTuple):
    """Everything one message makes happen. With a `fence` only while that lease is held, which then ends."""

    emits: tuple[Emit, ...] = ()
    timers: tuple[Timer, ...] = ()
    cancel_timers: tuple[UUID, ...] = ()
    fence: Fence | None = None


NOTHING = Outcome()


def emit(*events: Event) -> Outcome:
    """An outcome of plain events."""
    return Outcome(tuple(Emit(event) for event in events))


class Recorded(NamedTuple):
    """An event as folding sees it: the contract, its ids, and when it was recorded."""

    event: Event
    event_id: UUID
    run_id: UUID | None
    at: datetime


@dataclass(frozen=True, slots=True)
class Takes:
    """What a handler listens to: one type of one producer, on one route if given."""

    producer: str
    type: str
    route: str = ""


class Record(Protocol):
    """Records events while the work goes on, those of one call together. The same `key` for one message is recorded
    once. Without the ledger nothing is recorded, and the work goes on; with `sure` LedgerUnavailable is raised."""

    async def __call__(
        self,
        key: str,
        *events: Event,
        sure: bool = False,
        timers: tuple[Timer, ...] = (),
        cancel_timers: tuple[UUID, ...] = (),
    ) -> None: ...


def never(message: Message, event: Event) -> bool:
    """Of no message."""
    del message, event
    return False


def always(message: Message, event: Event) -> bool:
    """Of every message."""
    del message, event
    return True


@dataclass(frozen=True, slots=True)
class WorkHandler:
    """Asks the world outside (a model, a tool, a file): runs without a transaction, one task per message.

    `give_up` turns a message that failed for good into events, so that its run ends instead of hanging. A message that
    is `alone` is worked on by one process at a time, and never after its answer was recorded, whatever the bus does.
    A message that says of itself that it does not `concern` the handler is acknowledged, and the ledger not asked.
    Work on a message that is `effectless` does nothing that anybody outside this process would notice: no call of a
    model or a tool, no file looked at, nothing stored. Whether the ledger has the message is asked with the answer, and
    not before (docs/adr/0081)."""

    name: str
    producer: str
    takes: tuple[Takes, ...]
    handle: Callable[[Message, Event, Record], Awaitable[Outcome]]
    give_up: Callable[[Message, Event, ErrorInfo], Outcome]
    concurrency: int = 256
    alone: Callable[[Message, Event], bool] = never
    concerns: Callable[[Message, Event], bool] = always
    effectless: Callable[[Message, Event], bool] = never
    decided_by: "DecisionHandler[Any] | None" = None
    """Who decides about its answers, of the same producer: that is done where they are recorded, in one transaction
    (docs/adr/0084)."""


@dataclass(frozen=True, slots=True)
class DecisionHandler(Generic[S]):
    """A pure decision over the session's folded state, made inside the transaction under the stream's lock.

    `evolve` owns the state it is given and may change it in place; a state is dropped when its transaction fails.
    States are cached per session, so evolve should let go of what a run held when the run ends."""

    name: str
    producer: str
    takes: tuple[Takes, ...]
    folds: frozenset[str]
    initial: Callable[[], S]
    evolve: Callable[[S, Recorded], S]
    decide: Callable[[S, Recorded], Outcome]
    is_settled: Callable[[S], bool] | None = None
    """Whether the state is small, so that it may be kept as JSON now (runner/deciding.py). None: it never is."""
    of_open_runs: bool = False
    """The state is about open runs alone, so a session is folded from where the oldest of them began."""
    at_once: Callable[[Message, Event], Append | None] | None = None
    """Does what a decided event asks for, if that takes neither time nor waiting, and may be done again when the
    transaction fails: the answer, at least one fact, is recorded with the decision. None: whoever takes the event from
    the bus does it. What `decide` says of such answers must follow from the state alone."""
    settles: frozenset[str] = frozenset()
    """Types of its producer that nobody takes but this handler. Work that is `decided_by` it records them together with
    what is decided about them."""


AnyHandler = WorkHandler | DecisionHandler[Any]


def consumer_spec(handler: AnyHandler, ack_wait: float) -> ConsumerSpec:
    """The durable consumer of a handler."""
    filters = tuple(subjects.pattern(take.producer, take.type, take.route) for take in handler.takes)
    return ConsumerSpec(handler.name, filters, ack_wait)


def durables(handlers: Iterable[AnyHandler]) -> dict[str, tuple[str, ...]]:
    """The durable consumers of handlers, with their filters."""
    return {spec.name: spec.subjects for spec in (consumer_spec(handler, 0) for handler in handlers)}


def append_of(message: Message, handler_name: str, outcome: Outcome) -> Append:
    """Gives the outcome its place in the causal chain. Ids follow from the cause, so a repetition is the same event."""
    facts = tuple(
        Fact(
            event=emitted.event,
            event_id=derived(message.event_id, f"{handler_name}:{index}"),
            run_id=emitted.run_id or message.run_id,
            correlation_id=emitted.run_id or message.correlation_id,
            causation_id=message.event_id,
            traceparent=message.traceparent,
            route=emitted.route,
            apart=emitted.apart,
        )
        for index, emitted in enumerate(outcome.emits)
    )
    timers = traced(outcome.timers, message)
    return Append(message.session_id, message.event_id, facts, timers, outcome.cancel_timers, fence=outcome.fence)


def traced(timers: tuple[Timer, ...], message: Message) -> tuple[Timer, ...]:
    """Timers of a run belong to its trace when they fire."""
    if message.traceparent is None:
        return timers
    return tuple(replace(timer, traceparent=message.traceparent) for timer in timers)
