"""Anchors: where each history ended at some time, kept outside the database. A hash chain shows a change in its middle;
who can write heads as well can cut its end off, chain it anew, or remove it. What an anchor has seen stays so."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from uuid import UUID

from backbone.ledger.pool import guarded
from backbone.ledger.postgres import PostgresLedger
from backbone.ledger.sealed import sealed_sessions

PAGE = 5000
_HEADS = "select stream_id, version, hash from ledger.streams where stream_id > $1 order by stream_id limit $2"
_AT = """select a.s, a.v, e.hash from unnest($1::uuid[], $2::int[]) a(s, v)
    left join ledger.events e on e.stream_id = a.s and e.version = a.v"""

_REMOVED = """select stream_id, version, hash, archive, removed_at, removed_by from ledger.removed
    where stream_id = any($1::uuid[])"""


@dataclass(frozen=True, slots=True)
class Head:
    """A session's history up to a version; the hash covers all of it."""

    session_id: UUID
    version: int
    hash: bytes


@dataclass(frozen=True, slots=True)
class Differs:
    """`missing`: the session has no such version any more. Otherwise it reads differently, there or before."""

    session_id: UUID
    version: int
    missing: bool


@dataclass(frozen=True, slots=True)
class Removed:
    """A session that was taken away, as it was recorded then (docs/adr/0033)."""

    session_id: UUID
    version: int
    hash: bytes
    archive: str | None
    """Where it is; None for one that was erased."""
    at: datetime
    by: str

    def accounts_for(self, head: Head) -> bool:
        """Whether the history that an anchor has seen went as a part of this one."""
        return head.version < self.version or (head.version == self.version and head.hash == self.hash)


async def removed(ledger: PostgresLedger, sessions: Sequence[UUID]) -> dict[UUID, Removed]:
    """Those of the sessions that were taken away."""
    rows = await guarded(partial(ledger.pool.fetch, _REMOVED, list(sessions)))
    return {row["stream_id"]: Removed(*row) for row in rows}


async def heads(ledger: PostgresLedger) -> AsyncIterator[list[Head]]:
    """All of them, page by page in the order of their ids: what a page needs is all that is held."""
    after = UUID(int=0)
    while True:
        rows = await guarded(partial(ledger.pool.fetch, _HEADS, after, PAGE))
        if rows:
            yield [Head(row["stream_id"], row["version"], bytes(row["hash"])) for row in rows]
            after = rows[-1]["stream_id"]
        if len(rows) < PAGE:
            return


async def differing(ledger: PostgresLedger, then: Sequence[Head]) -> list[Differs]:
    """Which of them the ledger does not have as they were. What has been added since is none of them."""
    streams, versions = [head.session_id for head in then], [head.version for head in then]
    rows = await guarded(partial(ledger.pool.fetch, _AT, streams, versions))
    now = {row["s"]: row["hash"] for row in rows}
    for head in then:
        if now[head.session_id] is None:  # sealed since, perhaps
            async for one in sealed_sessions(ledger.pool, head.session_id):
                now[head.session_id] = await asyncio.to_thread(one.hash_at, head.version)
    return [
        Differs(head.session_id, head.version, missing=now[head.session_id] is None)
        for head in then
        if now[head.session_id] != head.hash
    ]
