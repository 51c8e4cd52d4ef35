"""What operators watch in the ledger, read by one process for all: the one that leads the watch over open runs. How
long the oldest writing transaction of the whole server has been open: relays publish nothing that is younger. Any
database of the server counts, and any client (docs/adr/0002). For metrics; an alert names it before people do."""

import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from itertools import cycle

import asyncpg
from prometheus_client import Gauge

from backbone.ledger.pool import Pool, guarded
from backbone.telemetry import metrics

log = logging.getLogger(__name__)

EVERY = 15.0
"""Seconds between two questions. There are two, in turn, so that what is shown is 30 s old at most."""
PRODUCERS = ("gateway", "cognitive", "planning", "execution", "response", "timers")
MOST = 10_000
"""Events that are counted behind a relay: what is beyond is not read."""
# Estimates for tables that grow without end; the rest is few, or has an index that is.
_STANDS = f"""with behind as (
    select p.producer, count(e.recorded_at)::float8 as events,
           greatest(coalesce(extract(epoch from clock_timestamp() - min(e.recorded_at)), 0), 0)::float8 as seconds
      from unnest($1::text[]) p(producer) left join ledger.relay_cursors c using (producer)
      left join lateral (select recorded_at from ledger.events
           where producer = p.producer and (xid, seq) > (coalesce(c.xid, '0'::xid8), coalesce(c.seq, 0))
           order by xid, seq limit {MOST}) e on true group by 1),
  expiring as (select due_at < clock_timestamp() - interval '30 seconds' as overdue
      from ledger.timers where type = 'DecisionExpired'),
  sizes as (select coalesce(p.inhparent, c.oid)::regclass::text as name,
           sum(greatest(pg_stat_get_live_tuples(c.oid)::float8, c.reltuples, 0)) as rows
      from pg_class c left join pg_inherits p on p.inhrelid = c.oid
     where c.relnamespace = 'ledger'::regnamespace and c.relkind = 'r' group by 1)
select 'relay_events' as what, producer as label, events as value from behind
union all select 'relay_seconds', producer, seconds from behind
union all select 'rows', split_part(name, '.', 2), rows from sizes
     where name in ('ledger.events', 'ledger.inbox', 'ledger.timers', 'ledger.dead_letters', 'ledger.open_runs')
union all select 'letters', '', count(*) from ledger.dead_letters where state = 'dead'
union all select 'decisions', 'open', count(*) filter (where not overdue) from expiring
union all select 'decisions', 'overdue', count(*) filter (where overdue) from expiring
union all select 'late', '', coalesce(extract(epoch from clock_timestamp() - min(due_at)), 0) from ledger.timers
     where due_at < clock_timestamp()
union all select 'leases', 'held', count(*) from toolbox.leases where expires_at > clock_timestamp()
union all select 'leases', 'waiting', count(*) from toolbox.waiters"""  # noqa: S608  # a number of this module
_SHOWN: Mapping[str, Callable[[str], Gauge]] = {
    "relay_events": metrics.RELAY_LAG_EVENTS.labels,
    "relay_seconds": metrics.RELAY_LAG_SECONDS.labels,
    "rows": metrics.LEDGER_ROWS.labels,
    "letters": lambda _: metrics.DEAD_LETTERS_OPEN,
    "decisions": metrics.DECISIONS.labels,
    "late": lambda _: metrics.TIMER_LATE,
    "leases": metrics.LEASES.labels,
}


class LedgerGauges:
    """Asked every now and then by whoever leads; looks when it is time to."""

    def __init__(self, pool: Pool, clock: Callable[[], float] = time.monotonic, every: float = EVERY) -> None:
        self._pool = pool
        self._clock = clock
        self._every = every
        self._next = 0.0
        self._writer = OldestWriter(pool)
        self._questions: Iterator[Callable[[], Awaitable[None]]] = cycle((self._stands, self._oldest))
        self._told = False

    async def look(self) -> None:
        """One question at most. Raises LedgerUnavailable; a question that is refused is told in the log, once."""
        if self._clock() < self._next:
            return
        self._next = self._clock() + self._every
        try:
            await next(self._questions)()
        except asyncpg.PostgresError:
            # the watch over runs has more to do than to count; an alert says that nobody counts
            if not self._told:
                log.exception("the ledger's gauges cannot be read")
            self._told = True
        else:
            metrics.LEDGER_READ.set_to_current_time()

    async def _stands(self) -> None:
        rows = await guarded(lambda: self._pool.fetch(_STANDS, PRODUCERS))
        for row in rows:
            _SHOWN[row["what"]](row["label"]).set(float(row["value"]))

    async def _oldest(self) -> None:
        metrics.OLDEST_WRITER.set(await self._writer.seconds())

    @staticmethod
    def forget() -> None:
        """Somebody else leads, and shows them."""
        lags = metrics.RELAY_LAG_EVENTS, metrics.RELAY_LAG_SECONDS
        for labelled in (*lags, metrics.LEDGER_ROWS, metrics.DECISIONS, metrics.LEASES):
            labelled.clear()
        for one in (metrics.DEAD_LETTERS_OPEN, metrics.TIMER_LATE, metrics.OLDEST_WRITER):
            one.set(0)


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
