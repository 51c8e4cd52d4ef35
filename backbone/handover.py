"""What one process commits and takes itself is handed over within it, and does not go by the bus (docs/adr/0082), and
no more does what nobody takes.

Only where all services of an installation share a process, with servers of their own: there is nobody else then who
could take an event. The relay is the guarantee behind it, as it is behind whoever publishes: what nobody here has
settled soon is published."""

import asyncio
import math
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol
from uuid import UUID

from backbone.bus.port import GIVE_BACK, Backlog, Bus, ConsumerSpec, Delivery, Subscription
from backbone.gathering import gathered
from backbone.witness import subject_of
from contracts import subjects
from contracts.envelope import Message, to_headers

FORGONE = 4096
"""Events that a subscription does not want when the bus brings them, at most."""
FOR_GOOD = math.inf


class Shows(Protocol):
    """Who shows sessions to those who watch them. Neither may block."""

    def published(self, message: Message) -> None:
        """An event was committed, and nobody will hear of it on the bus."""

    def on_recorded(self, session_id: str, version: int) -> None:
        """The ledger has events of a session, up to a version, that are on no stream."""


class Handover:
    """The consumers of this process. Closed until everybody is there."""

    def __init__(self) -> None:
        self.is_open = False
        self._names: dict[str, list[str]] = {}
        self._takers: dict[str, JoinedSubscription] = {}
        self._by_bus: set[str] = set()
        self._shows: Shows | None = None

    def expect(self, consumers: Mapping[str, Iterable[str]]) -> None:
        """Durable consumers with their filters. While one of them is not there, what it takes goes by the bus."""
        for name, filters in consumers.items():
            for pattern in filters:
                names = self._names.setdefault(_tail(pattern), [])
                if name not in names:
                    names.append(name)

    def by_bus(self, patterns: Iterable[str]) -> None:
        """Somebody follows these events on the bus, so they go there."""
        self._by_bus.update(map(_tail, patterns))

    def shown_by(self, shows: Shows) -> None:
        """From now on `shows` is told of what is handed over."""
        self._shows = shows

    def attach(self, name: str, taker: "JoinedSubscription") -> None:
        self._takers[name] = taker

    def detach(self, name: str, taker: "JoinedSubscription") -> None:
        if self._takers.get(name) is taker:
            del self._takers[name]

    def hand(self, messages: Sequence[Message], given: "Given") -> list[Message]:
        """Hands over what was committed in one transaction; returns what has to be published."""
        if not self.is_open or self._shows is None:
            return list(messages)
        left: list[Message] = []
        for message in messages:
            if subjects.is_settled(message.route):
                self._shows.on_recorded(subjects.text_of(message.session_id), message.version)
            elif (takers := self._takers_of(message)) is None:
                left.append(message)
            else:
                self._shows.published(message)
                if takers:
                    given.add(message, len(takers))
                for taker in takers:
                    taker.give(GivenDelivery(message, given, taker))
        return left

    def _takers_of(self, message: Message) -> "list[JoinedSubscription] | None":
        """All that have to have it: nobody, for events that only tell. None when one of them cannot take it here, and
        of what is on its way to an executor that is not of this process."""
        kind = f"{message.producer}.{message.type}"
        if message.route:
            kind += f".{message.route}"
        names = self._names.get(kind, ())
        if kind in self._by_bus or (message.route and not names):
            return None
        takers = [taker for name in names if (taker := self._takers.get(name)) and taker.has_room]
        return takers if len(takers) == len(names) else None


def _tail(pattern: str) -> str:
    """Producer, type and route of a filter."""
    return pattern.split(".", 3)[3]


class Given:
    """What was handed over of one transaction, and is not settled. `over` is called when all of it is, and `back` with
    an event that is to be published after all."""

    def __init__(self, over: Callable[[], None], back: Callable[[Message], None]) -> None:
        self._over = over
        self._back = back
        self._left: Counter[UUID] = Counter()
        self._messages: dict[UUID, Message] = {}

    def __bool__(self) -> bool:
        return bool(self._messages)

    def add(self, message: Message, takers: int) -> None:
        self._messages[message.event_id] = message
        self._left[message.event_id] = takers

    def has(self, event_id: UUID) -> bool:
        """Whether an event does not go by the bus (yet)."""
        return event_id in self._messages

    def settle(self, event_id: UUID) -> None:
        """One of its takers is done with it."""
        self._left[event_id] -= 1
        if self._left[event_id] == 0:
            del self._messages[event_id], self._left[event_id]
            if not self._messages:
                self._over()

    def give_back(self, event_id: UUID) -> None:
        """It goes by the bus from now on."""
        del self._left[event_id]
        self._back(self._messages.pop(event_id))
        if not self._messages:
            self._over()

    def give_up(self) -> list[Message]:
        """What is not settled; whoever asks publishes it."""
        messages, self._messages = list(self._messages.values()), {}
        self._left.clear()
        return messages


class GivenDelivery:
    """See backbone.bus.port.Delivery. Given back, the event comes by the bus, and counts as delivered once before."""

    __slots__ = ("_given", "_taker", "known")

    attempt = 1

    def __init__(self, message: Message, given: Given, taker: "JoinedSubscription") -> None:
        self.known = message
        self._given = given
        self._taker = taker

    @property
    def subject(self) -> str:
        return subject_of(self.known)

    @property
    def headers(self) -> Mapping[str, str]:
        return to_headers(self.known)

    @property
    def body(self) -> bytes:
        return self.known.body

    @property
    def is_valid(self) -> bool:
        """Whether the event does not come by the bus instead."""
        return self._given.has(self.known.event_id)

    async def ack(self) -> None:
        if self.is_valid:
            self._given.settle(self.known.event_id)
        else:
            self._taker.forgo(self.known.event_id)

    async def retry(self, delay: float) -> None:
        if self.is_valid:
            self._given.give_back(self.known.event_id)
        self._taker.forgo(self.known.event_id, delay)

    async def extend(self) -> None:
        """Nobody else gets it meanwhile."""


class JoinedSubscription:
    """See backbone.bus.port.Subscription: what the bus brings, and what is handed over."""

    def __init__(self, handover: Handover, spec: ConsumerSpec, bus: Subscription, prefetch: int) -> None:
        self._handover = handover
        self._name = spec.name
        self._bus = bus
        self._prefetch = prefetch
        self._near: deque[GivenDelivery] = deque()
        self._arrived = asyncio.Event()
        self._far: asyncio.Task[None] | None = None
        self._forgone: dict[str, float] = {}
        handover.attach(spec.name, self)

    @property
    def has_room(self) -> bool:
        return len(self._near) < self._prefetch

    def give(self, delivery: GivenDelivery) -> None:
        self._near.append(delivery)
        self._arrived.set()

    def forgo(self, event_id: UUID, delay: float = FOR_GOOD) -> None:
        """It goes by the bus, and was settled here before it came: then it is done with, or to wait for the rest of so
        many seconds."""
        if len(self._forgone) >= FORGONE:
            self._forgone.clear()  # what comes in spite of it is a repetition, and the inbox knows those
        self._forgone[subjects.text_of(event_id)] = asyncio.get_running_loop().time() + delay

    async def ready(self) -> None:
        while not self.waiting():
            if self._far is None or self._far.done():
                self._far = asyncio.create_task(self._bus.ready(), name=f"far:{self._name}")
                self._far.add_done_callback(lambda _: self._arrived.set())
            self._arrived.clear()
            await self._arrived.wait()

    async def drain(self, limit: int) -> list[Delivery]:
        while True:
            await self.ready()
            await gathered(self.waiting, limit)
            if taken := await self.take(limit):
                return taken

    def waiting(self) -> int:
        return self._bus.waiting() + len(self._near)

    async def take(self, limit: int) -> list[Delivery]:
        far = await self._bus.take(limit)
        taken = [delivery for delivery in far if not await self._is_forgone(delivery)]
        while self._near and len(taken) < limit:
            delivery = self._near.popleft()
            if delivery.is_valid:
                taken.append(delivery)
        return taken

    async def _is_forgone(self, delivery: Delivery) -> bool:
        if not self._forgone or (until := self._forgone.pop(delivery.headers.get("ce-id", ""), None)) is None:
            return False
        left = until - asyncio.get_running_loop().time()
        if left == FOR_GOOD:
            await delivery.ack()
        elif left > 0:
            await delivery.retry(left)
        return left > 0

    async def close(self) -> None:
        self._handover.detach(self._name, self)
        if self._far is not None:
            self._far.cancel()
            await asyncio.wait({self._far})
        while self._near:
            await self._near.popleft().retry(GIVE_BACK)
        await self._bus.close()

    @property
    def last_contact(self) -> float:
        return self._bus.last_contact

    @property
    def unbound(self) -> str:
        return self._bus.unbound

    async def backlog(self) -> Backlog | None:
        on_bus = await self._bus.backlog()
        return on_bus and Backlog(on_bus.pending + len(self._near), on_bus.unsettled)


class Joined:
    """What runners subscribe with."""

    def __init__(self, handover: Handover, bus: Bus) -> None:
        self._handover = handover
        self._bus = bus

    async def subscribe(self, spec: ConsumerSpec, prefetch: int) -> JoinedSubscription:
        """See backbone.bus.port.Bus."""
        return JoinedSubscription(self._handover, spec, await self._bus.subscribe(spec, prefetch), prefetch)
