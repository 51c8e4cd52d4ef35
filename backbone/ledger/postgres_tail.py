"""A relay leader's view of the ledger on Postgres: one connection, which holds the advisory lock."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any
from uuid import UUID

from backbone.ledger.port import START, Position
from backbone.ledger.relaying import Resend
from backbone.ledger.rows import COLUMNS, message_from_row
from contracts.envelope import Message

ANOTHER_LIFE = "another life of the database"
"""An epoch that no stream has: whatever was published before, the stream that is there is filled."""
_LIFE = """select (pg_control_system()).system_identifier::text || '/'
    || case when pg_is_in_recovery() then '' else left(pg_walfile_name(pg_current_wal_lsn()), 8) end"""
"""The server, and its timeline: another after a restore to a point in time and after a failover, when the bus may know
more than the ledger."""

_READ = f"""select xid::text::bigint as xid, seq, {COLUMNS} from ledger.events
    where producer = $1 and (xid, seq) > ($2::text::xid8, $3)
      and xid < least(pg_snapshot_xmin(pg_current_snapshot()), $5::text::xid8) and xid <> all($6::text[]::xid8[])
    order by xid, seq limit $4"""  # noqa: S608  # our own columns


class PostgresTail:
    """See backbone.ledger.port.RelayTail; one connection, which holds the advisory lock."""

    def __init__(
        self, connection: Any, producer: str, guard: Callable[[Callable[[], Awaitable[Any]]], Awaitable[Any]]
    ) -> None:
        self._connection = connection
        self._producer = producer
        self._guard = guard
        self._life = ""

    async def cursor(self) -> tuple[str, Position]:
        self._life = await self._guard(lambda: self._connection.fetchval(_LIFE))
        sql = "select epoch, xid::text::bigint as xid, seq from ledger.relay_cursors where producer = $1"
        row = await self._guard(lambda: self._connection.fetchrow(sql, self._producer))
        if row is None:
            return "", START
        # one that an earlier version saved has no life; it was saved in this one, as far as anybody can tell
        epoch, _, life = row["epoch"].partition("@")
        return epoch if life in ("", self._life) else ANOTHER_LIFE, Position(row["xid"], row["seq"])

    async def horizon(self) -> int:
        sql = "select pg_snapshot_xmin(pg_current_snapshot())::text::bigint"
        return int(await self._guard(lambda: self._connection.fetchval(sql)))

    async def read(
        self, after: Position, limit: int, before: int | None = None, but: Collection[int] = ()
    ) -> list[tuple[Position, Message]]:
        end = str(before) if before is not None else None
        values = (self._producer, str(after.xid), after.seq, limit, end, [str(xid) for xid in but])
        rows = await self._guard(lambda: self._connection.fetch(_READ, *values))
        return [(Position(row["xid"], row["seq"]), message_from_row(row)) for row in rows]

    async def save(self, epoch: str, position: Position) -> None:
        sql = """insert into ledger.relay_cursors values ($1, $2, $3::text::xid8, $4) on conflict (producer) do update
                 set epoch = excluded.epoch, xid = excluded.xid, seq = excluded.seq"""
        values = (self._producer, f"{epoch}@{self._life}", str(position.xid), position.seq)
        await self._guard(lambda: self._connection.execute(sql, *values))

    async def resends(self, limit: int) -> list[Resend]:
        sql = f"""select r.key, r.retry_of, e.* from ledger.resends r cross join lateral (
              select {COLUMNS} from ledger.events t where t.stream_id = r.stream_id and t.version = r.version
            ) e where r.producer = $1 order by r.asked_at limit $2"""  # noqa: S608  # our own columns
        rows = await self._guard(lambda: self._connection.fetch(sql, self._producer, limit))
        return [Resend(row["key"], message_from_row(row), row["retry_of"]) for row in rows]

    async def resent(self, keys: Sequence[UUID]) -> None:
        sql = "delete from ledger.resends where key = any($1)"
        await self._guard(lambda: self._connection.execute(sql, list(keys)))

    async def first_of(self, runs: Collection[UUID]) -> Position:
        sql = """select xid::text::bigint as xid, seq from ledger.open_runs o where run_id = any($1::uuid[])
            order by o.xid, o.seq limit 1"""
        row = await self._guard(lambda: self._connection.fetchrow(sql, list(runs)))
        if row is None:
            # every event that is visible, and every cursor, lies before this
            sql = "select pg_snapshot_xmin(pg_current_snapshot())::text::bigint"
            return Position(await self._guard(lambda: self._connection.fetchval(sql)), 0)
        return Position(row["xid"], row["seq"] - 1)
