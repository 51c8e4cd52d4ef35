"""The bus in memory, for unit tests: durable consumers, redelivery, retry delays, and a store that can be wiped."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from uuid import UUID

from backbone.bus.jetstream import divided, told
from backbone.bus.port import (
    GIVE_BACK,
    AskHandler,
    Backlog,
    BusUnavailable,
    ConsumerSpec,
    Delivery,
    LiveHandler,
    SignalHandler,
)
from backbone.bus.rights import matches
from contracts import subjects
from contracts.envelope import Message, to_headers


@dataclass(frozen=True, slots=True)
class Stored:
    """A message in the store."""

    subject: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(slots=True)
class _Pending:
    """A delivered message that is not settled: how often it was delivered, and when it comes again."""

    attempt: int
    again_at: float


@dataclass(slots=True)
class _Consumer:
    """A durable consumer: how far it has read the store, and what it waits for. One per life of the store."""

    spec: ConsumerSpec
    cursor: int = 0
    pending: dict[int, _Pending] = field(default_factory=dict)


class MemoryDelivery:
    """See backbone.bus.port.Delivery. It belongs to the consumer that made it: after a wipe it means nothing."""

    known = None

    def __init__(self, bus: "MemoryBus", consumer: _Consumer, number: int, attempt: int) -> None:
        stored = bus.store[number]
        self.subject = stored.subject
        self.headers = stored.headers
        self.body = stored.body
        self.attempt = attempt
        self._bus = bus
        self._consumer = consumer
        self._number = number

    async def ack(self) -> None:
        if self._bus.up:
            self._consumer.pending.pop(self._number, None)

    async def retry(self, delay: float) -> None:
        self._again_after(delay)

    async def extend(self) -> None:
        self._again_after(self._consumer.spec.ack_wait)

    def _again_after(self, seconds: float) -> None:
        pending = self._consumer.pending.get(self._number)
        if pending and self._bus.up:
            pending.again_at = asyncio.get_running_loop().time() + seconds
            self._bus.changed()


class MemorySubscription:
    """See backbone.bus.port.Subscription."""

    def __init__(self, bus: "MemoryBus", spec: ConsumerSpec) -> None:
        self._bus = bus
        self._spec = spec
        self._closed = False

    @property
    def last_contact(self) -> float:
        return asyncio.get_running_loop().time()

    @property
    def unbound(self) -> str:
        return "" if self._bus.up else "the bus is down"

    async def backlog(self) -> Backlog | None:
        if not self._bus.up:
            return None
        consumer = self._bus.consumer(self._spec)
        return Backlog(self._ahead(consumer), len(consumer.pending))

    async def drain(self, limit: int) -> list[Delivery]:
        while True:
            if taken := await self.take(limit):
                return taken
            await self.ready()

    async def take(self, limit: int) -> list[Delivery]:
        return self._take(limit) if self._bus.up and not self._closed else []

    def waiting(self) -> int:
        if not self._bus.up or self._closed:
            return 0
        consumer, now = self._bus.consumer(self._spec), asyncio.get_running_loop().time()
        due = sum(pending.again_at <= now for pending in consumer.pending.values())
        return due + self._ahead(consumer)

    def _ahead(self, consumer: _Consumer) -> int:
        new = self._bus.store[consumer.cursor :]
        return sum(any(matches(subject, one.subject) for subject in self._spec.subjects) for one in new)

    async def ready(self) -> None:
        while not self.waiting():
            changed = self._bus.next_change()
            with suppress(TimeoutError):
                async with asyncio.timeout(self._bus.until_due(self._spec)):
                    await changed.wait()

    def _take(self, limit: int) -> list[Delivery]:
        consumer = self._bus.consumer(self._spec)
        now = asyncio.get_running_loop().time()
        numbers = [number for number, pending in consumer.pending.items() if pending.again_at <= now][:limit]
        while len(numbers) < limit and consumer.cursor < len(self._bus.store):
            if any(matches(subject, self._bus.store[consumer.cursor].subject) for subject in self._spec.subjects):
                numbers.append(consumer.cursor)
            consumer.cursor += 1
        taken: list[Delivery] = []
        for number in numbers:
            attempt = consumer.pending[number].attempt + 1 if number in consumer.pending else 1
            consumer.pending[number] = _Pending(attempt, now + self._spec.ack_wait)
            taken.append(MemoryDelivery(self._bus, consumer, number, attempt))
        return taken

    async def close(self) -> None:
        self._closed = True


class MemoryBus:
    """See backbone.bus.port.Bus. `up = False` is an outage; `refuse_after = n` stores n more messages, then refuses one
    publish half way."""

    def __init__(self) -> None:
        self.up = True
        self.refuse_after: int | None = None
        self.store: list[Stored] = []
        self.life = 1
        self._ids: set[UUID] = set()
        self._others: set[UUID] = set()
        self._consumers: dict[str, _Consumer] = {}
        self._followers: list[tuple[str, LiveHandler]] = []
        self._signals: list[tuple[str, SignalHandler]] = []
        self._answering: dict[str, AskHandler] = {}
        self._reconnected: list[Callable[[], None]] = []
        self._change = asyncio.Event()

    async def epoch(self) -> str:
        self._check_up()
        return f"life {self.life}"

    async def publish(self, messages: Sequence[Message], *, first: bool = False) -> None:
        self._check_up()
        stored, settled = divided(messages)
        for session_id, version in settled.items():
            await self.signal(subjects.live(session_id), told(version))
        for message in stored:
            if self.refuse_after == 0:
                self.refuse_after = None
                raise BusUnavailable(f"the store refuses {message.event_id}")
            if self.refuse_after:
                self.refuse_after -= 1
            # relays of a test share a ledger, so two may say that they are the first: they are one
            if message.event_id not in self._ids or (first and message.event_id in self._others):
                self._others.discard(message.event_id)
                self._ids.add(message.event_id)
                subject = subjects.event(message.session_id, message.producer, message.type, message.route)
                await self.put(subject, to_headers(message), message.body)

    async def resend(self, subject: str, headers: Mapping[str, str], body: bytes, key: UUID | None = None) -> None:
        self._check_up()
        if key is not None and key in self._ids:
            return
        self._ids |= {key} if key is not None else set()
        self._others |= {key} if key is not None else set()
        await self.put(subject, headers, body)

    async def put(self, subject: str, headers: Mapping[str, str], body: bytes) -> None:
        """Stores anything, as a client that is not ours could."""
        self.store.append(Stored(subject, headers, body))
        self.changed()
        for pattern, follower in self._followers:
            is_heard = pattern == subjects.EVENTS or matches(pattern, subject)
            if is_heard and (waits := follower(subject, headers, body)) is not None:
                await waits

    async def subscribe(self, spec: ConsumerSpec, prefetch: int) -> MemorySubscription:
        self.consumer(spec).spec = spec
        return MemorySubscription(self, spec)

    async def follow(self, handler: LiveHandler, subject: str = subjects.EVENTS) -> None:
        self._followers.append((subject, handler))

    async def signal(self, subject: str, payload: bytes = b"") -> None:
        for pattern, handler in self._signals if self.up else ():
            if matches(pattern, subject):
                await handler(subject, payload)

    async def on_signal(self, subject: str, handler: SignalHandler) -> None:
        self._signals.append((subject, handler))

    async def ask(self, subject: str, payload: bytes, timeout: float) -> bytes | None:  # of the question
        handler = self._answering.get(subject) if self.up else None
        try:
            async with asyncio.timeout(timeout):
                return await handler(payload) if handler else None
        except TimeoutError:
            return None

    async def on_ask(self, subject: str, handler: AskHandler) -> None:
        self._answering.setdefault(subject, handler)

    def on_reconnect(self, callback: Callable[[], None]) -> None:
        self._reconnected.append(callback)

    def certificate_ends(self) -> float | None:
        return None

    async def close(self) -> None:
        """Nothing to give back: what is not settled comes again by itself."""

    def wipe(self) -> None:
        """The store begins anew: empty, without consumers, with another epoch."""
        self.life += 1
        self.store.clear()
        self._ids.clear()
        self._consumers.clear()
        self.reconnect()

    def reconnect(self) -> None:
        """The connection was lost and is there again."""
        self.up = True
        self.changed()
        for callback in self._reconnected:
            callback()

    def forget(self, consumer: str) -> None:
        """Deletes a durable consumer under its subscribers' feet."""
        self._consumers.pop(consumer, None)
        self.changed()

    def consumer(self, spec: ConsumerSpec) -> _Consumer:
        return self._consumers.setdefault(spec.name, _Consumer(spec))

    def unsettled(self, consumer: str) -> int:
        """How many delivered messages a consumer has not settled."""
        found = self._consumers.get(consumer)
        return len(found.pending) if found else 0

    def next_change(self) -> asyncio.Event:
        return self._change

    def changed(self) -> None:
        self._change.set()
        self._change = asyncio.Event()

    def until_due(self, spec: ConsumerSpec) -> float:
        """Seconds until something unsettled comes again; an hour when nothing does."""
        now = asyncio.get_running_loop().time()
        return max(
            GIVE_BACK / 10, min((p.again_at - now for p in self.consumer(spec).pending.values()), default=3600.0)
        )

    def _check_up(self) -> None:
        if not self.up:
            raise BusUnavailable("the bus is down")
