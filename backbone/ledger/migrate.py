"""Applies the numbered SQL files, each once, in one transaction, under a lock: for `dream migrate` and `dream up`.

First the ledger's own, then those of the packs that have tables, each in its own schema and under its own role."""

from collections.abc import Iterable, Mapping
from importlib.resources import files

import asyncpg

from backbone import packs

_TABLE = """create schema if not exists dream_meta;
create table if not exists dream_meta.migrations (
  name text primary key, sha256 text not null, applied_at timestamptz not null default now())"""

_ROOM = """do $$ begin
  create role dream_pack_{pack} nologin;
exception when duplicate_object or unique_violation then null; end $$;
grant dream_pack_{pack} to dream_service;
create schema if not exists pack_{pack};
grant usage on schema pack_{pack} to dream_pack_{pack}"""
"""A pack's schema and role. What the role may do with a table, the pack's own migration grants."""


class MigrationChanged(Exception):
    """A migration that was applied reads differently now: history must not be edited; add a new file."""


async def migrate(url: str, pack_names: Iterable[str] = ()) -> list[str]:
    """Brings the database at `url` up to date for the named packs, or all installed; returns the names applied now.
    Needs a role that may create schemas and roles."""
    connection = await asyncpg.connect(url)
    try:
        async with connection.transaction():
            await connection.execute("select pg_advisory_xact_lock(hashtextextended('dream_migrations', 0))")
            await connection.execute(_TABLE)
            done = {
                r["name"]: r["sha256"] for r in await connection.fetch("select name, sha256 from dream_meta.migrations")
            }
            applied = [name for name, sql in _files() if await _apply(connection, name, sql, done)]
            for pack, migrations in packs.tables(pack_names).items():
                applied += await _of_pack(connection, pack, migrations, done)
            return applied
    finally:
        await connection.close()


def _files() -> list[tuple[str, str]]:
    folder = files("backbone.ledger") / "migrations"
    return sorted((entry.name, entry.read_text()) for entry in folder.iterdir() if entry.name.endswith(".sql"))


async def _of_pack(
    connection: "asyncpg.Connection[asyncpg.Record]", pack: str, migrations: Mapping[str, str], done: Mapping[str, str]
) -> list[str]:
    names = {f"{pack}/{name}": sql for name, sql in migrations.items()}
    if all(name in done for name in names):
        return [name for name, sql in names.items() if await _apply(connection, name, sql, done)]
    await connection.execute(_ROOM.format(pack=pack))  # a pack's name is letters, digits and underscores
    await connection.execute(f"set local search_path = pack_{pack}, public")
    applied = [name for name, sql in names.items() if await _apply(connection, name, sql, done)]
    await connection.execute("reset search_path")
    return applied


async def _apply(
    connection: "asyncpg.Connection[asyncpg.Record]", name: str, sql: str, done: Mapping[str, str]
) -> bool:
    digest = await connection.fetchval("select encode(sha256(convert_to($1, 'UTF8')), 'hex')", sql)
    applied = done.get(name)
    if applied is None:
        await connection.execute(sql)
        await connection.execute("insert into dream_meta.migrations (name, sha256) values ($1, $2)", name, digest)
        return True
    if applied != digest:
        raise MigrationChanged(
            f"{name} was applied as {applied[:12]}, the file is now {digest[:12]}: add a new migration instead"
        )
    return False
