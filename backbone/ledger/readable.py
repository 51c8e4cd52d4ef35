"""Whether this program may work with a database: one that says it needs a newer program is left alone.

A newer schema alone is no reason: while a version rolls out, the old one goes on beside it (docs/adr/0022)."""

from importlib.resources import files
from typing import Any

_IS_THERE = """select exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'dream_meta' and c.relname = 'min_reader')"""
"""In the catalogue, which anybody may read: without the table its schema is closed to services."""


class DatabaseUnfit(Exception):
    """This program may not work with the database, however long it waits; the message says what to do."""


class DatabaseTooNew(DatabaseUnfit):
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
