"""Whether this program may work with a database: one that says it needs a newer program is left alone.

A newer schema alone is no reason: while a version rolls out, the old one goes on beside it (docs/adr/0022)."""

from importlib.resources import files
from typing import Any

from backbone.ledger.port import LedgerUnavailable

_IS_THERE = """select exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'dream_meta' and c.relname = 'min_reader')"""
"""In the catalogue, which anybody may read: without the table its schema is closed to services."""


_READABLE = """select has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select')
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'dream_meta' and c.relname = 'migrations'"""
"""Whether we may read the list of migrations; no row where there is none."""


class DatabaseTooNew(Exception):
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
