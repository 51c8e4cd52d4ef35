"""The statements by which the ledger on Postgres is read, each a look-up by key."""

from functools import cache

from backbone.ledger.gathered_reads import Read
from backbone.ledger.rows import COLUMNS

READ = f"select {COLUMNS} from ledger.events where stream_id = $1 and version > $2 order by version limit $3"
REFERENCES = """select stream_id, version, data::text as data from ledger.events
    where data ? 'dataref' and ($1::uuid is null or stream_id = $1) order by stream_id, version"""
# place by place: plans are made once, mostly over empty tables, and a join would go on reading whole tables later
AT = f"""select event.* from unnest($1::uuid[], $2::int[]) place(s, v) cross join lateral (
    select {COLUMNS} from ledger.events where stream_id = place.s and version = place.v limit 1) event"""
FIND = f"""select {COLUMNS} from ledger.events where stream_id = $1 and type = any($2) order by version"""
# from where the run began: what a run asks for costs the same in a session of any length. Written so that the index of
# runs knows it, and not that of streams, which would go through all beginnings of the session
_OF_RUN = f"""select {COLUMNS} from ledger.events where stream_id = {{s}} and type = any($3) and run_id = {{r}}
      and version >= coalesce((select min(begun.version + 0) from ledger.events begun
        where begun.stream_id = {{s}} and begun.run_id = {{r}}
          and begun.type in ('MessageReceived', 'RunCompleted')), 0)
    order by version"""
FIND_OF_RUN = Read(
    _OF_RUN.format(s="$1", r="$2"),
    "select q.n, event.* from unnest($1::uuid[], $2::uuid[]) with ordinality q(s, r, n)"
    f" cross join lateral ({_OF_RUN.format(s='q.s', r='q.r')}) event",
    varying=2,
)
# type by type, each from its end; a type is a literal, because the index is for some types only
LATEST = f"""(select {COLUMNS} from ledger.events where stream_id = $1 and type = '{{type}}' and version < $2
    order by version desc limit $3)"""
# near its beginning a stream is read along its key: as many plans as there are types, each over four tables, take a
# millisecond of Postgres to begin
_NEAR = f"""select {COLUMNS} from ledger.events where stream_id = {{s}} and version < {{v}} and type = any($4)
    order by version desc limit $3"""
LATEST_NEAR = Read(
    _NEAR.format(s="$1", v="$2"),
    "select q.n, event.* from unnest($1::uuid[], $2::int[]) with ordinality q(s, v, n)"
    f" cross join lateral ({_NEAR.format(s='q.s', v='q.v')}) event",
    varying=2,
)
NEAR = 100
AT_ONE = f"select {COLUMNS} from ledger.events where stream_id = $1 and version = $2"


@cache
def find(types: frozenset[str]) -> str:
    """FIND for types that have an index."""
    named = ", ".join(f"'{name}'" for name in sorted(types))
    return FIND.replace("any($2)", f"any(array[{named}]::text[])")


@cache
def latest(types: frozenset[str]) -> str:
    """Raises ValueError for what is no name of a type: it goes into the statement."""
    wrong = [name for name in types if not name.isidentifier()]
    if wrong or not types:
        raise ValueError(f"not types of events: {wrong!r}")
    each = " union all ".join(LATEST.format(type=name) for name in sorted(types))
    return f"select * from ({each}) found order by version desc limit $3"  # names that were looked at
