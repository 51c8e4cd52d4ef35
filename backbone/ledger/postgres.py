"""The ledger on Postgres. The set-based SQL lives in migrations/; this file is the way in and out of it."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Self, TypeVar
from uuid import UUID

import asyncpg

from backbone.artifacts.port import ArtifactStore
from backbone.ledger import snapshots, statements
from backbone.ledger.claims import Claims
from backbone.ledger.gathered_reads import GatheredReads
from backbone.ledger.logins import SERVICES
from backbone.ledger.payloads import Known, Payloads, elsewhere, filled, recorded
from backbone.ledger.pool import UNREACHABLE, Pool, Url, close_pool, open_pool
from backbone.ledger.port import (
    DIALOGUE,
    LAST_VERSION,
    REMINDERS,
    Append,
    Appended,
    AppendListener,
    Belief,
    Decision,
    DueTimer,
    Fact,
    FenceLost,
    LedgerUnavailable,
    NotInLedger,
    NotRecordable,
    RelayTail,
    Tail,
    VersionConflict,
)
from backbone.ledger.postgres_places import PostgresPlaces
from backbone.ledger.postgres_tail import PostgresTail
from backbone.ledger.rows import AppendArrays, evidence_arrays, fence_arrays, message_from_row, messages_of, unfired
from backbone.ledger.sealed import ATTEMPTS, Sealed, SealedSessions, sealed_sessions
from backbone.ledger.snapshots import Snapshot
from contracts.envelope import Message
from contracts.shape import Event

_APPEND = "select * from ledger.append($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19)"
# who appends what follows from a message has the ledger say in the same breath whether it has that message
_APPEND_SHOWN = _APPEND.replace("$19)", "case when ledger.has($3,$20,$21) then $19::boolean end)")
_APPEND_FENCED = _APPEND.replace("append(", "append_fenced(").replace("$19)", "$19,$20,$21,$22)")
_APPEND_BELIEVED = _APPEND.replace("append(", "append_believed(").replace("$19)", "$19,$20,$21,$22)")
_TAIL = "select * from ledger.lock_and_tail($1,$2,$3,$4,$5)"
LEADERS = 64
"""Relay leaders per process at most; their connections are not the pool's, or leaders alone would exhaust it."""
LEADER_SILENCE = "10000"
"""Milliseconds. A leader asks several times a second; one that is frozen, or whose machine is gone without a word,
would keep its lock for as long as its connection seems to stand, which is hours. Postgres ends it."""
_LEADING = {"idle_session_timeout": LEADER_SILENCE, "enable_bitmapscan": "off", "enable_sort": "off"}
"""What is next to publish is read off its index, in order, however little there was when the plan was made."""

_LOOKS_AT_THE_CLOCK = 64

T = TypeVar("T")


class PostgresLedger(PostgresPlaces):
    """See backbone.ledger.port.Ledger."""

    def __init__(self, pool: Pool, leaders: Pool, payloads: Payloads | None = None) -> None:
        self._pool = pool
        self._payloads = payloads
        self._leaders = leaders
        self._claims = Claims(leaders)
        self._sealed = SealedSessions(pool)
        self._reads = GatheredReads(pool.fetch)
        self._listeners: list[AppendListener] = []
        self._ahead: deque[timedelta] = deque(maxlen=_LOOKS_AT_THE_CLOCK)
        """By how much the ledger's clock was before ours, and what the question took on its way."""

    @classmethod
    async def connect(
        cls,
        url: Url,
        *,
        roles: Sequence[str] = (SERVICES,),
        min_size: int = 2,
        max_size: int = 8,
        artifacts: ArtifactStore | None = None,
    ) -> Self:
        """Opens a pool, as open_pool does. Raises LedgerUnavailable when there is no database at `url`.
        Without `artifacts` large data stay in their rows, and those that lie elsewhere are not read."""
        pool = await open_pool(url, roles=roles, min_size=min_size, max_size=max_size)
        # with asyncpg's own reset, which gives advisory locks back
        leaders = await open_pool(url, "leaders", roles=roles, min_size=0, max_size=LEADERS, reset=True, more=_LEADING)
        return cls(pool, leaders, Payloads(artifacts) if artifacts else None)

    @property
    def pool(self) -> Pool:
        """For what else lives in this database: not one pool for each of them."""
        return self._pool

    def on_append(self, listener: AppendListener) -> None:
        self._listeners.append(listener)

    async def append(self, producer: str, consumer: str, appends: Sequence[Append]) -> list[Appended]:
        if not appends:
            return []

        async def record(known: Known) -> list[Any]:
            asked = datetime.now(UTC)
            rows = await self._pool.fetch(*self._call(producer, consumer, appends, known.stored))
            self._ahead.append(rows[0]["recorded_at"] - asked)
            return rows

        return self._appended(producer, appends, await recorded(self._payloads, self._guard, record))

    async def append_believed(
        self, producer: str, consumer: str, appends: Sequence[Append], belief: Belief
    ) -> list[Appended] | None:
        after = [belief.after[append.session_id] for append in appends]

        async def record(known: Known) -> list[Any]:
            arrays = AppendArrays.of(appends, known.stored)
            believed = (bool(self._listeners), belief.at, after, list(belief.types))
            return await self._pool.fetch(_APPEND_BELIEVED, producer, consumer, *arrays, *believed)

        rows = await recorded(self._payloads, self._guard, record)
        return self._appended(producer, appends, rows) if rows else None

    def time(self) -> datetime | None:
        return datetime.now(UTC) + min(self._ahead) if self._ahead else None

    async def whole(self, messages: Sequence[Message]) -> list[Message]:
        refs = elsewhere(messages)
        if not refs or self._payloads is None:
            return list(messages)
        return filled(messages, await self._payloads.read(refs))

    def _call(self, producer: str, consumer: str, appends: Sequence[Append], stored: Collection[str] | None) -> Any:
        """The toolbox is looked at only for those who come with a fence, and the cause for those with evidence."""
        values = [producer, consumer, *AppendArrays.of(appends, stored), bool(self._listeners)]
        fences, evidence = fence_arrays(appends), evidence_arrays(appends)
        if fences[0] and evidence:
            raise ValueError("an append with a fence follows from what is known to be in the ledger")
        if evidence:
            return [_APPEND_SHOWN, *values, *evidence]
        return [_APPEND_FENCED, *values, *fences] if fences[0] else [_APPEND, *values]

    def _appended(self, producer: str, appends: Sequence[Append], rows: Sequence[Any]) -> list[Appended]:
        # who listens only since then has asked for no bodies
        told = rows and rows[0]["bodies"] is not None
        if self._listeners and told and any(row["last_version"] is not None for row in rows):
            messages = messages_of(producer, appends, rows)
            for listener in self._listeners:
                listener(producer, int(rows[0]["xid"]), messages)
        return [Appended(row["fresh"], row["last_version"]) for row in rows]

    async def decide(
        self,
        producer: str,
        consumer: str,
        after: Mapping[UUID, int],
        types: frozenset[str],
        causes: Sequence[UUID],
        decision: Decision,
    ) -> list[Appended]:
        appends: Sequence[Append] = ()

        async def work(known: Known) -> list[Any]:
            nonlocal appends
            asked = datetime.now(UTC)
            async with self._pool.acquire() as connection, connection.transaction():
                rows = await connection.fetch(_TAIL, list(after), list(after.values()), list(types), consumer, causes)
                tails, handled = _tails(after, rows)
                self._ahead.extend(tail.at - asked for tail in tails.values())
                appends = decision(known.whole(tails), handled)
                if not appends:
                    return []
                return await connection.fetch(*self._call(producer, consumer, appends, known.stored))

        rows = await recorded(self._payloads, self._guard, work)
        return self._appended(producer, appends, rows)

    async def snapshots(self, consumer: str, made_by: str, session_ids: Sequence[UUID]) -> dict[UUID, Snapshot]:
        values = (list(session_ids), consumer, made_by)
        rows = await self._guard(lambda: self._pool.fetch(snapshots.KEPT, *values))
        return snapshots.snapshots_of(rows)

    async def keep_snapshot(self, consumer: str, made_by: str, session_id: UUID, snapshot: Snapshot) -> None:
        values = (session_id, consumer, snapshot.version, made_by, snapshot.state)
        await self._guard(lambda: self._pool.execute(snapshots.KEEP, *values))

    async def handled(self, consumer: str, causes: Sequence[UUID]) -> set[UUID]:
        sql = "select cause from ledger.inbox where consumer = $1 and cause = any($2)"
        return {row["cause"] for row in await self._guard(lambda: self._pool.fetch(sql, consumer, causes))}

    async def read(self, session_id: UUID, after: int = 0, limit: int = 1000) -> list[Message]:
        def missing(rows: Sequence[asyncpg.Record]) -> Collection[UUID]:
            """Versions have no holes: where one is, or nothing, the session may have been sealed."""
            return () if rows and rows[0]["version"] <= after + 1 else (session_id,)

        rows = await self._found(lambda: self._pool.fetch(statements.READ, session_id, after, limit), missing)
        return await self.whole([message_from_row(row) for row in rows])

    async def at(self, places: Collection[tuple[UUID, int]]) -> list[Message]:
        wanted = [(session_id, version) for session_id, version in places if 0 < version <= LAST_VERSION]
        if not wanted:
            return []
        # one place is in one table, which is known before anything of the others is made ready
        columns = ([session_id for session_id, _ in wanted], [version for _, version in wanted])
        call: Any = (statements.AT, *columns) if len(wanted) > 1 else (statements.AT_ONE, *wanted[0])

        def missing(rows: Sequence[asyncpg.Record]) -> Collection[UUID]:
            return {session_id for session_id, _ in wanted} - {row["stream_id"] for row in rows}

        return [message_from_row(row) for row in await self._found(lambda: self._pool.fetch(*call), missing)]

    def claimed(self, key: str) -> AbstractAsyncContextManager[None]:
        return self._claims.claimed(key)

    async def find(self, session_id: UUID, types: frozenset[str], run_id: UUID | None = None) -> list[Message]:
        if run_id is not None:
            rows = await self._guard(lambda: self._reads.rows(statements.FIND_OF_RUN, session_id, run_id, types))
        elif types <= DIALOGUE or types <= REMINDERS:
            rows = await self._guard(lambda: self._pool.fetch(statements.find(types), session_id))
        else:
            rows = await self._guard(lambda: self._pool.fetch(statements.FIND, session_id, types))
        return await self.whole([message_from_row(row) for row in rows])

    async def latest(
        self, session_id: UUID, types: frozenset[str], limit: int, before: int | None = None
    ) -> list[Message]:
        version = LAST_VERSION if before is None else before
        if version <= statements.NEAR:
            rows = await self._guard(
                lambda: self._reads.rows(statements.LATEST_NEAR, session_id, version, limit, types)
            )
        else:
            rows = await self._guard(lambda: self._pool.fetch(statements.latest(types), session_id, version, limit))
        return await self.whole([message_from_row(row) for row in rows])

    async def head(self, session_id: UUID) -> int:
        sql = "select version, sealed from ledger.streams where stream_id = $1"
        row = await self._guard(lambda: self._pool.fetchrow(sql, session_id))
        if row and row["sealed"]:
            await self._sealed.opened(session_id)  # whoever asks for it wants more of it
        return int(row["version"]) if row else 0

    async def verify(self, session_id: UUID | None = None) -> dict[UUID, int]:
        rows = await self._guard(lambda: self._pool.fetch("select * from ledger.verify($1)", session_id))
        broken = {row["stream_id"]: row["version"] for row in rows}
        if self._payloads is not None:
            # a chain covers the SHA-256 of what lies elsewhere; whether it still lies there is looked at one by one
            rows = await self._guard(lambda: self._pool.fetch(statements.REFERENCES, session_id))
            for row in rows:
                stream, version = row["stream_id"], row["version"]
                if version < broken.get(stream, LAST_VERSION) and await self._payloads.lost(row["data"].encode()):
                    broken[stream] = version
        async for one in sealed_sessions(self._pool, session_id):
            if (bad := await self._first_bad(one)) is not None:
                broken[one.session_id] = bad
        return broken

    async def _first_bad(self, one: Sealed) -> int | None:
        bad = await asyncio.to_thread(one.first_bad)
        for message in one.messages() if self._payloads is not None and bad is None else ():
            if message.reference and self._payloads is not None and await self._payloads.lost(message.reference):
                return message.version
        return bad

    @asynccontextmanager
    async def _lead(self, producer: str) -> AsyncIterator[RelayTail | None]:
        connection = await self._guard(self._leaders.acquire)
        try:
            key = f"relay:{producer}"
            sql = "select pg_try_advisory_lock(hashtextextended($1, 0))"
            leading = await self._guard(lambda: connection.fetchval(sql, key))
            yield PostgresTail(connection, producer, self._guard) if leading else None
        finally:
            # releasing gives advisory locks back; a connection that cannot do that any more is closed, which does too
            with suppress(*UNREACHABLE):
                await self._leaders.release(connection, timeout=2)

    def lead(self, producer: str) -> AbstractAsyncContextManager[RelayTail | None]:
        return self._lead(producer)

    async def fire_due(self, now: datetime, limit: int, build: Callable[[DueTimer], Event]) -> int:
        sql = "select timer_id, stream_id from ledger.timers where due_at <= $1 order by due_at limit $2"
        due = await self._guard(lambda: self._pool.fetch(sql, now, limit))
        fired = 0
        for row in due:
            fire = partial(self._fire, row["timer_id"], row["stream_id"], build)
            try:
                fired += await self._guard(fire)
            except LedgerUnavailable:
                raise
            except Exception as error:  # noqa: BLE001  # one timer must not stand in the way of all behind it
                await self._bury_timer(row["timer_id"], error)
        return fired

    async def _bury_timer(self, timer_id: UUID, error: Exception) -> None:
        sql = "select type, data::text as data from ledger.timers where timer_id = $1"
        row = await self._guard(lambda: self._pool.fetchrow(sql, timer_id))
        if row is not None:
            await self.keep_dead_letter(unfired(timer_id, row["type"], row["data"], error))
            await self._guard(lambda: self._pool.execute("delete from ledger.timers where timer_id = $1", timer_id))

    async def _fire(self, timer_id: UUID, stream_id: UUID, build: Callable[[DueTimer], Event]) -> int:
        async with self._pool.acquire() as connection, connection.transaction():
            # The stream first: an answer that cancels this timer holds the same lock (docs/adr/0002).
            await connection.execute("select ledger.lock($1)", [stream_id])
            row = await connection.fetchrow(
                "delete from ledger.timers where timer_id = $1 returning run_id, type, data::text as data, traceparent",
                timer_id,
            )
            if row is None:
                return 0
            due = DueTimer(timer_id, stream_id, row["run_id"], row["type"], row["data"], row["traceparent"])
            fact = Fact(build(due), timer_id, due.run_id, due.run_id or timer_id, None, due.traceparent)
            append = Append(stream_id, timer_id, (fact,))
            rows = await connection.fetch(*self._call("timers", "timers", [append], None))
        self._appended("timers", [append], rows)
        return 1

    async def close(self) -> None:
        await self._claims.close()
        await asyncio.gather(close_pool(self._leaders), close_pool(self._pool))

    async def _found(
        self,
        fetch: Callable[[], Awaitable[Sequence[asyncpg.Record]]],
        missing: Callable[[Sequence[asyncpg.Record]], Collection[UUID]],
    ) -> Sequence[asyncpg.Record]:
        """The rows; while sessions are missing that may have been sealed, those are opened, and it looks again."""
        rows = await self._guard(fetch)
        for _ in range(ATTEMPTS):
            if not any([await self._sealed.opened(session_id) for session_id in missing(rows)]):
                break
            rows = await self._guard(fetch)
        return rows

    async def _guard(self, call: Callable[[], Awaitable[T]]) -> T:
        """Translates the driver's errors; the same call is safe to repeat because event ids and causes are fixed."""
        try:
            return await self._sealed.attempted(call)
        except asyncpg.PostgresError as error:
            if error.sqlstate == "DR409":
                raise VersionConflict(str(error)) from None
            if error.sqlstate == "DR410":
                raise FenceLost(str(error)) from None
            if error.sqlstate == "DR412":
                raise NotInLedger(str(error)) from None
            if error.sqlstate == "DR404":
                raise NotRecordable(str(error)) from None
            raise


def _tails(after: Mapping[UUID, int], rows: Sequence[Any]) -> tuple[dict[UUID, Tail], set[UUID]]:
    heads: dict[UUID, tuple[int, datetime]] = {}
    handled: set[UUID] = set()
    messages: dict[UUID, list[Message]] = {stream: [] for stream in after}
    for row in rows:
        if row["event_id"] is None:
            heads[row["stream_id"]] = (row["version"], row["recorded_at"])
        elif row["stream_id"] is None:
            handled.add(row["event_id"])
        else:
            messages[row["stream_id"]].append(message_from_row(row))
    return {stream: Tail(head, tuple(messages[stream]), at) for stream, (head, at) in heads.items()}, handled
