"""The toolbox on Postgres. Its rules are SQL functions in backbone/ledger/migrations/0002_toolbox.sql: one call, one
round trip, one transaction. Time is the database's."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from backbone.ledger.pool import Pool, guarded
from backbone.toolbox.port import Busy, GroupUsage, Holder, Lease, Want

_ACQUIRE = "select * from toolbox.acquire($1,$2,$3,$4,$5,$6,$7,$8)"
_COLUMNS = "lease_id, session_id, run_id, todo_id, tool, groups, fencing_token, expires_at"
_RECLAIM = f"select {_COLUMNS} from toolbox.reclaim($1) order by expires_at"  # noqa: S608  # our own columns
_GRANTED = f"""select {_COLUMNS} from toolbox.leases where not told and expires_at > clock_timestamp()
    order by fencing_token limit $1"""  # noqa: S608  # our own columns
_HOLDING = """select exists(select from toolbox.leases
    where lease_id = $1 and fencing_token = $2 and expires_at > clock_timestamp())"""


class PostgresToolbox:
    """See backbone.toolbox.port.Toolbox. The pool is the ledger's, and closed by it."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def acquire(self, want: Want, *, enqueue: bool) -> Lease | Busy:
        holder, groups = want.holder, sorted(set(want.groups))
        who = (holder.session_id, holder.run_id, holder.todo_id)
        values = (*who, want.tool, groups, want.capacity, float(want.ttl_seconds), enqueue)
        row: Any = await guarded(lambda: self._pool.fetchrow(_ACQUIRE, *values))
        if row["lease_id"] is None:
            return Busy(row["ahead"] + 1)
        return Lease(
            row["lease_id"], holder, want.tool, tuple(groups), row["fencing_token"], expires_at=row["expires_at"]
        )

    async def renew(self, leases: Sequence[Lease], ttl_seconds: float) -> set[UUID]:
        ids, tokens = [lease.lease_id for lease in leases], [lease.fencing_token for lease in leases]
        sql = "select id from toolbox.renew($1,$2,$3) id"
        return {row["id"] for row in await guarded(lambda: self._pool.fetch(sql, ids, tokens, ttl_seconds))}

    async def release(self, lease: Lease) -> bool:
        sql = "select toolbox.release($1,$2)"
        return bool(await guarded(lambda: self._pool.fetchval(sql, lease.lease_id, lease.fencing_token)))

    async def leave(self, run_id: UUID, todo_id: str | None = None) -> int:
        return int(await guarded(lambda: self._pool.fetchval("select toolbox.leave($1,$2)", run_id, todo_id)))

    async def reclaim(self, limit: int = 100) -> list[Lease]:
        return [_lease(row) for row in await guarded(lambda: self._pool.fetch(_RECLAIM, limit))]

    async def granted(self, limit: int = 100) -> list[Lease]:
        return [_lease(row) for row in await guarded(lambda: self._pool.fetch(_GRANTED, limit))]

    async def told(self, lease_ids: Sequence[UUID]) -> None:
        await guarded(lambda: self._pool.execute("select toolbox.told($1)", lease_ids))

    async def holding(self, lease: Lease) -> bool:
        return bool(await guarded(lambda: self._pool.fetchval(_HOLDING, lease.lease_id, lease.fencing_token)))

    async def usage(self) -> list[GroupUsage]:
        return [GroupUsage(*row) for row in await guarded(lambda: self._pool.fetch("select * from toolbox.usage()"))]


def _lease(row: Any) -> Lease:
    return Lease(
        row["lease_id"],
        Holder(row["session_id"], row["run_id"], row["todo_id"]),
        row["tool"],
        tuple(row["groups"]),
        row["fencing_token"],
        row["expires_at"],
    )
