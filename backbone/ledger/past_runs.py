"""All runs that ever were, page by page: for exports, which must not hold a ledger in memory."""

from collections.abc import AsyncIterator
from datetime import datetime
from functools import partial
from uuid import UUID

from backbone.ledger.pool import guarded
from backbone.ledger.port import RunPlace
from backbone.ledger.postgres import PostgresLedger

# by the index of where runs begin, in the order of their ids, which is nearly that of time
_PAGE = """select run_id, stream_id, version, recorded_at from ledger.events
    where type = 'MessageReceived' and run_id > $1 and ($3::timestamptz is null or recorded_at >= $3)
    order by run_id limit $2"""
FIRST = UUID(int=0)


async def past_runs(ledger: PostgresLedger, since: datetime | None, limit: int) -> AsyncIterator[list[RunPlace]]:
    """Pages of at most `limit` runs that began at `since` or later, open or over."""
    after = FIRST
    while True:
        rows = await guarded(partial(ledger.pool.fetch, _PAGE, after, limit, since))
        if rows:
            yield [
                RunPlace(row["run_id"], row["stream_id"], row["version"], row["recorded_at"], row["version"])
                for row in rows
            ]
            after = rows[-1]["run_id"]
        if len(rows) < limit:
            return
