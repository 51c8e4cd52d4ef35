"""given(handler, what happened).when(a message).then(what it makes happen): decisions, told as sentences."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4, uuid5

from backbone.ledger.port import Append, Fact
from backbone.runner.handlers import DecisionHandler, Outcome, Recorded, WorkHandler, append_of
from contracts.envelope import Message
from contracts.shape import Event
from tests.fakes.ledger import MemoryLedger

RUN = UUID("0197a1f0-0000-7000-8000-0000000000aa")
OTHER_RUN = UUID("0197a1f0-0000-7000-8000-0000000000bb")
NOW = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)


@dataclass(frozen=True)
class In:
    """An event of another run than RUN."""

    run_id: UUID | None
    event: Event


def recorded(one: Event | In) -> Recorded:
    event, run_id = (one.event, one.run_id) if isinstance(one, In) else (one, RUN)
    return Recorded(event, uuid4(), run_id, NOW)


@dataclass
class Happened:
    """What one message made happen."""

    outcome: Outcome

    @property
    def events(self) -> list[Event]:
        return [emitted.event for emitted in self.outcome.emits]

    def then(self, *expected: Event) -> None:
        assert self.events == list(expected)

    def then_types(self, *expected: type[Event]) -> "Happened":
        assert [type(event) for event in self.events] == list(expected)
        return self

    def then_nothing(self) -> None:
        assert self.outcome == Outcome()

    def only(self, kind: type[Event]) -> Any:
        """The one event of a kind."""
        (found,) = [event for event in self.events if isinstance(event, kind)]
        return found


@dataclass
class Given:
    """A session as its handler has folded it, as DecisionRunner does: message in, decide, what is decided in."""

    handler: DecisionHandler[Any]
    state: Any = None
    story: list[Recorded] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.state = self.handler.initial()

    def fold(self, one: Recorded) -> None:
        if type(one.event).__name__ in self.handler.folds:
            self.story.append(one)
            self.state = self.handler.evolve(self.state, one)

    def when(self, *messages: Event | In) -> Happened:
        """Several messages are one drain: all are folded before the first is decided. Tells what the last one did."""
        taken = [recorded(message) for message in messages]
        for one in taken:
            self.fold(one)
        happened = Happened(Outcome())
        for one in taken:
            happened = Happened(self.handler.decide(self.state, one))
            for emitted in happened.outcome.emits:
                self.fold(Recorded(emitted.event, uuid4(), emitted.run_id or one.run_id, NOW))
        return happened

    def again(self, message: Event | In) -> Happened:
        """Decides the message once more without folding it: a redelivery that slipped through."""
        return Happened(self.handler.decide(self.state, recorded(message)))


def given(handler: DecisionHandler[Any], *history: Event | In) -> Given:
    """`history` is folded as it stands; nothing is decided about it."""
    story = Given(handler)
    for one in history:
        story.fold(recorded(one))
    return story


async def _nothing(key: str, *events: Event, **how: Any) -> None:
    """A recorder for handlers whose progress does not matter."""


@dataclass
class Working:
    """A session in memory, and the work handler that reads it."""

    make: Callable[[MemoryLedger], WorkHandler]
    ledger: MemoryLedger = field(default_factory=lambda: MemoryLedger(clock=lambda: NOW))
    session: UUID = field(default_factory=uuid4)

    async def record(self, event: Event, run_id: UUID | None = RUN, producer: str = "") -> Message:
        """Puts an event into the stream; it comes back as the message that a relay would publish."""
        producer = producer or min(type(event).producers)
        fact = Fact(event, uuid4(), run_id, run_id or uuid4(), None)
        await self.ledger.append(producer, "test", [Append(self.session, uuid4(), (fact,))])
        return self.ledger.rows[-1].message

    async def when(self, event: Event, run_id: UUID | None = RUN) -> Happened:
        """Records the message, handles it, records what came of it."""
        handler = self.make(self.ledger)
        message = await self.record(event, run_id)
        concerned = handler.concerns(message, message.event)
        outcome = await handler.handle(message, message.event, _nothing) if concerned else Outcome()
        await self.ledger.append(handler.producer, handler.name, [append_of(message, handler.name, outcome)])
        return Happened(outcome)


async def given_session(make: Callable[[MemoryLedger], WorkHandler], *history: Event) -> Working:
    working = Working(make)
    for event in history:
        await working.record(event)
    return working


def named(text: str) -> UUID:
    """An id that a test can repeat."""
    return uuid5(RUN, text)


def types(events: Sequence[Event]) -> list[str]:
    return [type(event).__name__ for event in events]
