"""Whether this program may work with a database: one that says it needs a newer program is left alone, and so is one
whose events carry transaction ids of another server.

A newer schema alone is no reason: while a version rolls out, the old one goes on beside it (docs/adr/0022)."""

from importlib.resources import files
from typing import Any

from backbone.ledger.port import LedgerUnavailable
from contracts.registry import EVENTS

_IS_THERE = """select exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'dream_meta' and c.relname = 'min_reader')"""
"""In the catalogue, which anybody may read: without the table its schema is closed to services."""


_READABLE = """select has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select')
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'dream_meta' and c.relname = 'migrations'"""
"""Whether we may read the list of migrations; no row where there is none."""
_HAS_EVENTS = """select exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'ledger' and c.relname = 'events')"""
_FROM_LATER = """select xid::text from unnest($1::text[]) p(name) cross join lateral (
    select xid from ledger.events where producer = p.name order by xid desc, seq desc limit 1) latest
    where xid >= pg_snapshot_xmax(pg_current_snapshot()) order by xid desc limit 1"""
"""The end of each producer's index: its cost does not grow. What is visible to a snapshot is older than its xmax, in
every server but the one that a ledger was copied into, row by row; a physical copy keeps its ids and its place."""


class LedgerRefused(Exception):
    """This program may not work with the database; the sentence says why."""


class NotRewritten(LedgerRefused):
    """Events carry transaction ids that this server has not given yet: relays would see nothing new, for ever."""

    def __init__(self, xid: str, following: str) -> None:
        super().__init__(
            f"the ledger was restored from another server and its transaction ids were not rewritten: an event has"
            f" {xid}, this server is at {following}. Restore it with dream admin restore"
        )


class DatabaseTooNew(LedgerRefused):
    """The database needs a program that knows migration `needed`; this one knows those up to `known`."""

    def __init__(self, needed: int, known: int) -> None:
        super().__init__(
            f"the database needs a Dream Agent that knows migration {needed:04}, "
            f"this one knows those up to {known:04}: install the newer version"
        )
        self.needed = needed
        self.known = known


def migrations() -> list[tuple[str, str]]:
    """Name and text of the ledger's own migrations, in order."""
    folder = files("backbone.ledger") / "migrations"
    return sorted((entry.name, entry.read_text()) for entry in folder.iterdir() if entry.name.endswith(".sql"))


def known() -> int:
    """The newest migration this program has."""
    return max(int(name.partition("_")[0]) for name, _ in migrations())


async def check_readable(connection: Any) -> None:
    """Raises DatabaseTooNew. `connection` is one of asyncpg, or a pool."""
    if not await connection.fetchval(_IS_THERE):
        return
    needed = await connection.fetchval("select migration from dream_meta.min_reader")
    if needed is not None and needed > known():
        raise DatabaseTooNew(needed, known())


async def check_migrated(connection: Any) -> None:
    """Raises LedgerUnavailable while the database lacks a migration that this program has: somebody applies it soon.
    Where an older version has made the list, and we may not read it, the database is taken for what it is."""
    readable = await connection.fetchval(_READABLE)
    if readable is False:
        return
    rows = await connection.fetch("select name from dream_meta.migrations") if readable else []
    applied = {row["name"] for row in rows}
    if missing := [name for name, _ in migrations() if name not in applied]:
        raise LedgerUnavailable(f"the database lacks {len(missing)} migrations, first {missing[0]}: run dream migrate")


async def check_rewritten(connection: Any) -> None:
    """Raises NotRewritten. `connection` is one of asyncpg, or a pool."""
    if not await connection.fetchval(_HAS_EVENTS):
        return
    producers = sorted({producer for event in EVENTS.values() for producer in event.producers})
    xid = await connection.fetchval(_FROM_LATER, producers)
    if xid is not None:
        raise NotRewritten(xid, await connection.fetchval("select pg_snapshot_xmax(pg_current_snapshot())::text"))
