"""The ledger in memory, for unit tests: the semantics of PostgresLedger, without its durability.

Nothing here awaits between reading and writing, so every method is one transaction by itself."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from backbone.ledger.port import (
    GENESIS,
    Append,
    Appended,
    AppendListener,
    Belief,
    Decision,
    DueTimer,
    Fact,
    FenceLost,
    KeptLetter,
    LedgerUnavailable,
    NotInLedger,
    NotRecordable,
    Position,
    RelayTail,
    Tail,
    Timer,
    VersionConflict,
)
from backbone.ledger.relaying import Resend
from backbone.ledger.rows import rendered, unfired
from backbone.ledger.snapshots import Snapshot
from backbone.witness import evidence_of
from contracts.envelope import Message
from contracts.registry import render
from contracts.shape import Event
from tests.fakes.ledger_places import MemoryPlaces
from tests.fakes.ledger_tail import Leadership, MemoryTail
from tests.fakes.toolbox import MemoryToolbox


@dataclass(frozen=True, slots=True)
class Row:
    """An event with its place across streams and its link of the hash chain."""

    message: Message
    position: Position
    hash: bytes


@dataclass(slots=True)
class MemoryLedger(MemoryPlaces):
    """See backbone.ledger.port.Ledger. `up = False` is an outage; `reads` counts the looks of relays; the
    leases of fences are in `toolbox`."""

    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    toolbox: MemoryToolbox = field(default_factory=MemoryToolbox)
    up: bool = True
    reads: int = 0
    rows: list[Row] = field(default_factory=list)
    letters: dict[UUID, KeptLetter] = field(default_factory=dict)
    resend_requests: dict[UUID, Resend] = field(default_factory=dict)
    secrets: dict[str, bytes] = field(default_factory=dict)
    timers: dict[UUID, tuple[UUID, Timer]] = field(default_factory=dict)
    cursors: dict[str, tuple[str, Position]] = field(default_factory=dict)
    _streams: dict[UUID, list[Row]] = field(default_factory=dict)
    _inbox: set[tuple[str, UUID]] = field(default_factory=set)
    _claims: set[str] = field(default_factory=set)
    _snapshots: dict[tuple[UUID, str], tuple[str, Snapshot]] = field(default_factory=dict)
    _leaders: dict[str, Leadership] = field(default_factory=dict)
    _listeners: list[AppendListener] = field(default_factory=list)
    xid: int = 0

    def on_append(self, listener: AppendListener) -> None:
        self._listeners.append(listener)

    async def append(self, producer: str, consumer: str, appends: Sequence[Append]) -> list[Appended]:
        self._check_up()
        return self._commit(producer, consumer, appends, self.clock())

    async def append_believed(
        self, producer: str, consumer: str, appends: Sequence[Append], belief: Belief
    ) -> list[Appended] | None:
        self._check_up()
        if abs(belief.at - self.clock()) > timedelta(seconds=1):
            return None
        if any((consumer, append.cause) in self._inbox for append in appends):
            return None
        for stream, version in belief.after.items():
            if any(row.message.type in belief.types for row in self._rows(stream)[version:]):
                return None
        return self._commit(producer, consumer, appends, belief.at)

    def time(self) -> datetime | None:
        return self.clock()

    async def decide(
        self,
        producer: str,
        consumer: str,
        after: Mapping[UUID, int],
        types: frozenset[str],
        causes: Sequence[UUID],
        decision: Decision,
    ) -> list[Appended]:
        self._check_up()
        now = self.clock()
        tails = {
            stream: Tail(
                len(self._rows(stream)),
                tuple(row.message for row in self._rows(stream)[version:] if row.message.type in types),
                now,
            )
            for stream, version in after.items()
        }
        handled = {cause for cause in causes if (consumer, cause) in self._inbox}
        return self._commit(producer, consumer, decision(tails, handled), now)

    async def snapshots(self, consumer: str, made_by: str, session_ids: Sequence[UUID]) -> dict[UUID, Snapshot]:
        self._check_up()
        found = ((one, self._snapshots.get((one, consumer))) for one in session_ids)
        return {one: kept[1] for one, kept in found if kept is not None and kept[0] == made_by}

    async def keep_snapshot(self, consumer: str, made_by: str, session_id: UUID, snapshot: Snapshot) -> None:
        self._check_up()
        before = self._snapshots.get((session_id, consumer))
        if session_id in self._streams and (
            before is None or before[0] != made_by or before[1].version < snapshot.version
        ):
            self._snapshots[session_id, consumer] = made_by, snapshot

    def _commit(self, producer: str, consumer: str, appends: Sequence[Append], now: datetime) -> list[Appended]:
        fresh = self._fresh(consumer, appends)
        self._check(consumer, appends, fresh)
        self.xid += 1
        answers, before = [], len(self.rows)
        for append, is_fresh in zip(appends, fresh, strict=True):
            last = None
            if is_fresh:
                self._inbox.add((consumer, append.cause))
                for fact in append.facts:
                    last = self._record(producer, append.session_id, fact, now)
                self._set_timers(append)
            answers.append(Appended(is_fresh, last))
        self.toolbox.end(append.fence for append in appends if append.fence)
        if any(answer.last_version is not None for answer in answers):
            messages = [row.message for row in self.rows[before:]]
            for listener in self._listeners:
                listener(producer, self.xid, messages)
        return answers

    def _fresh(self, consumer: str, appends: Sequence[Append]) -> list[bool]:
        seen: set[UUID] = set()
        fresh = []
        for append in appends:
            fresh.append((consumer, append.cause) not in self._inbox and append.cause not in seen)
            seen.add(append.cause)
        return fresh

    def _check(self, consumer: str, appends: Sequence[Append], fresh: Sequence[bool]) -> None:
        for append, is_fresh in zip(appends, fresh, strict=True):
            there = [evidence_of(row.message) for row in self._rows(append.session_id)]
            if append.evidence and append.evidence not in there:
                raise NotInLedger(f"stream {append.session_id} has no such event at version {append.evidence.version}")
            known = append.facts or any(row.message.event_id == append.cause for row in self._rows(append.session_id))
            if is_fresh and not known and consumer != "gateway":
                raise NotRecordable(f"message {append.cause} is not in stream {append.session_id}, and brings no event")
            expected, actual = append.expected_version, len(self._rows(append.session_id))
            if is_fresh and expected is not None and expected != actual:
                raise VersionConflict(f"stream {append.session_id} is at version {actual}, expected {expected}")
            if is_fresh and append.fence and self.toolbox.lost([append.fence]):
                raise FenceLost(f"lease {append.fence.lease_id} is no longer held")
            for fact in append.facts:
                if "\\u0000" in rendered(fact.event):
                    raise NotRecordable(f"{type(fact.event).__name__} holds a NUL character")

    def _record(self, producer: str, session_id: UUID, fact: Fact, now: datetime) -> int:
        stream = self._streams.setdefault(session_id, [])
        message = Message(
            event_id=fact.event_id,
            session_id=session_id,
            version=len(stream) + 1,
            type=type(fact.event).__name__,
            schema_version=fact.event.schema_version,
            producer=producer,
            run_id=fact.run_id,
            correlation_id=fact.correlation_id,
            causation_id=fact.causation_id,
            traceparent=fact.traceparent,
            recorded_at=now,
            data=rendered(fact.event).encode(),
            route=fact.route,
        )
        row = Row(
            message, Position(self.xid, len(self.rows) + 1), link(stream[-1].hash if stream else GENESIS, message)
        )
        stream.append(row)
        self.rows.append(row)
        return message.version

    def _set_timers(self, append: Append) -> None:
        for timer_id in append.cancel_timers:
            self.timers.pop(timer_id, None)
        for timer in append.timers:
            self.timers.setdefault(timer.timer_id, (append.session_id, timer))

    async def handled(self, consumer: str, causes: Sequence[UUID]) -> set[UUID]:
        self._check_up()
        return {cause for cause in causes if (consumer, cause) in self._inbox}

    async def read(self, session_id: UUID, after: int = 0, limit: int = 1000) -> list[Message]:
        self._check_up()
        return [row.message for row in self._rows(session_id)[after : after + limit]]

    async def at(self, places: Collection[tuple[UUID, int]]) -> list[Message]:
        self._check_up()
        wanted = {(session, version) for session, version in places if version > 0}
        return [row.message for session, version in wanted for row in self._rows(session)[version - 1 : version]]

    async def whole(self, messages: Sequence[Message]) -> list[Message]:
        return list(messages)

    @asynccontextmanager
    async def claimed(self, key: str) -> AsyncIterator[None]:
        self._check_up()
        while key in self._claims:  # short, and in tests only
            await asyncio.sleep(0.01)
        self._claims.add(key)
        try:
            yield
        finally:
            self._claims.discard(key)

    async def find(self, session_id: UUID, types: frozenset[str], run_id: UUID | None = None) -> list[Message]:
        self._check_up()
        messages = (row.message for row in self._rows(session_id))
        return [m for m in messages if m.type in types and (run_id is None or m.run_id == run_id)]

    async def latest(
        self, session_id: UUID, types: frozenset[str], limit: int, before: int | None = None
    ) -> list[Message]:
        self._check_up()
        rows = self._rows(session_id)[: None if before is None else max(before - 1, 0)]
        found = (row.message for row in reversed(rows) if row.message.type in types)
        return [message for message, _ in zip(found, range(limit), strict=False)]

    async def head(self, session_id: UUID) -> int:
        self._check_up()
        return len(self._rows(session_id))

    async def verify(self, session_id: UUID | None = None) -> dict[UUID, int]:
        self._check_up()
        broken = {}
        for stream in [session_id] if session_id else self._streams:
            state = GENESIS
            for row in self._rows(stream):
                state = link(state, row.message)
                if state != row.hash:
                    broken[stream] = row.message.version
                    break
        return broken

    def tamper(self, session_id: UUID, version: int, data: bytes) -> None:
        """Changes history behind the ledger's back, as a superuser could."""
        row = self._streams[session_id][version - 1]
        self._streams[session_id][version - 1] = replace(row, message=replace(row.message, data=data))

    def lead(self, producer: str) -> AbstractAsyncContextManager[RelayTail | None]:
        return self._lead(producer)

    @asynccontextmanager
    async def _lead(self, producer: str) -> AsyncIterator[RelayTail | None]:
        self._check_up()
        if producer in self._leaders:
            yield None
            return
        mine = self._leaders[producer] = Leadership()
        try:
            yield MemoryTail(self, producer, mine)
        finally:
            if mine.alive:
                del self._leaders[producer]

    def cut_leader(self, producer: str) -> None:
        """The leader's connection dies: its tail stops working, and the next one may lead."""
        self._leaders.pop(producer).alive = False

    async def fire_due(self, now: datetime, limit: int, build: Callable[[DueTimer], Event]) -> int:
        self._check_up()
        due = sorted((t.due_at, str(t.timer_id), stream, t) for stream, t in self.timers.values() if t.due_at <= now)
        fired = 0
        for _, _, stream, timer in due[:limit]:
            name, data = type(timer.event).__name__, render(timer.event)
            del self.timers[timer.timer_id]
            try:
                event = build(DueTimer(timer.timer_id, stream, timer.run_id, name, data, timer.traceparent))
            except Exception as error:  # noqa: BLE001  # as the other adapter
                await self.keep_dead_letter(unfired(timer.timer_id, name, data, error))
                continue
            fired += 1
            correlation = timer.run_id or timer.timer_id
            fact = Fact(event, timer.timer_id, timer.run_id, correlation, None, timer.traceparent)
            self._commit("timers", "timers", [Append(stream, timer.timer_id, (fact,))], self.clock())
        return fired

    async def close(self) -> None:
        self.up = False

    def _rows(self, session_id: UUID) -> list[Row]:
        return self._streams.get(session_id, [])

    def _check_up(self) -> None:
        if not self.up:
            raise LedgerUnavailable("the ledger is down")


def link(before: bytes, message: Message) -> bytes:
    """The next hash of a chain: over everything that the event says."""
    return hashlib.sha256(before + repr(message).encode()).digest()
