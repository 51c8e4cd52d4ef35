"""How long the oldest writing transaction of the whole server has been open: relays publish nothing that is younger.

Any database of the server counts, and any client (docs/adr/0002). For metrics; an alert names it before people do."""

import time
from collections.abc import Callable

from backbone.ledger.pool import Pool, guarded

# xmin of a snapshot is the oldest transaction with an id, wherever it runs, and below xmax when somebody has committed
# behind it. When it began is shown to its own role, and to roles with pg_read_all_stats; others see that it is there.
_OLDEST = """select pg_snapshot_xmin(s)::text as oldest, pg_snapshot_xmin(s) < pg_snapshot_xmax(s) as any,
    coalesce((select extract(epoch from max(clock_timestamp() - xact_start)) from pg_stat_activity
               where backend_xid is not null and pid <> pg_backend_pid()), 0)::float8 as known
    from pg_current_snapshot() s"""


class OldestWriter:
    """Asked again and again by one process; remembers since when it has seen the same transaction."""

    def __init__(self, pool: Pool, clock: Callable[[], float] = time.monotonic) -> None:
        self._pool = pool
        self._clock = clock
        self._oldest = ""
        self._since = 0.0

    async def seconds(self) -> float:
        """Its age; where that is hidden from our role, for how long it has been seen to hide what others committed.
        0 when nothing is known. Raises LedgerUnavailable."""
        row = await guarded(lambda: self._pool.fetchrow(_OLDEST))
        assert row is not None
        if not row["any"]:
            self._oldest = ""
            return float(row["known"])
        now = self._clock()
        if row["oldest"] != self._oldest:
            self._oldest, self._since = row["oldest"], now
        return max(now - self._since, float(row["known"]))
