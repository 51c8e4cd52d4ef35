"""Applies the numbered SQL files, each once, in one transaction, under a lock: for `dream migrate` and `dream up`."""

from importlib.resources import files

import asyncpg

_TABLE = """create schema if not exists dream_meta;
create table if not exists dream_meta.migrations (
  name text primary key, sha256 text not null, applied_at timestamptz not null default now())"""


class MigrationChanged(Exception):
    """A migration that was applied reads differently now: history must not be edited; add a new file."""


async def migrate(url: str) -> list[str]:
    """Brings the database at `url` up to date; returns the names applied now. Needs a role that may create schemas."""
    connection = await asyncpg.connect(url)
    try:
        async with connection.transaction():
            await connection.execute("select pg_advisory_xact_lock(hashtextextended('dream_migrations', 0))")
            await connection.execute(_TABLE)
            done = {
                r["name"]: r["sha256"] for r in await connection.fetch("select name, sha256 from dream_meta.migrations")
            }
            return [name for name, sql in _files() if await _apply(connection, name, sql, done.get(name))]
    finally:
        await connection.close()


def _files() -> list[tuple[str, str]]:
    folder = files("backbone.ledger") / "migrations"
    return sorted((entry.name, entry.read_text()) for entry in folder.iterdir() if entry.name.endswith(".sql"))


async def _apply(connection: "asyncpg.Connection[asyncpg.Record]", name: str, sql: str, applied: str | None) -> bool:
    digest = await connection.fetchval("select encode(sha256(convert_to($1, 'UTF8')), 'hex')", sql)
    if applied is None:
        await connection.execute(sql)
        await connection.execute("insert into dream_meta.migrations (name, sha256) values ($1, $2)", name, digest)
        return True
    if applied != digest:
        raise MigrationChanged(
            f"{name} was applied as {applied[:12]}, the file is now {digest[:12]}: add a new migration instead"
        )
    return False
