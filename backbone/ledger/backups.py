"""What a logical backup needs of the database, and what a restored one needs before anybody works on it.

Transaction ids are a server's own. Relays read by them, so in another server they have to be written anew
(docs/adr/0033)."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

import asyncpg

from backbone.ledger.readable import migrations
from backbone.ledger.rights import ROLES

OLD_XID = "3"
"""The first id that a server gives to anybody: what carries it is older than every transaction still to come."""
RESTORED = "restored"
"""The epoch of the bus that relays find after a restore: never that of a stream, so they fill the one there is."""
PAGE = 1000

_SCHEMAS = """select nspname from pg_namespace
    where nspname = any('{ledger,toolbox,memory,kept,access,dream_meta}') or nspname like 'pack\\_%' order by 1"""
_ROLES = f"""select rolname from pg_roles where rolname = any('{{{",".join(ROLES)}}}')
    or rolname like 'dream\\_pack\\_%' order by 1"""  # noqa: S608  # names of ours
_EXTENSIONS = """select extname from pg_extension where extname <> 'plpgsql' and extnamespace = 'public'::regnamespace
    order by 1"""
_COUNTS = """select (select count(*) from ledger.events) as events, (select count(*) from ledger.streams) as sessions,
    (select count(*) from ledger.open_runs) as open_runs, (select count(*) from ledger.timers) as timers,
    (select count(*) from ledger.inbox) as inbox, (select count(*) from ledger.dead_letters) as dead_letters"""
_SERVER = """select current_setting('server_version') as server_version,
    pg_snapshot_xmax(pg_current_snapshot())::text as next_xid"""
# every digest that stands in an event: which of them are files, the store knows
_DIGESTS = """select distinct value #>> '{}' as digest from ledger.events,
    jsonb_path_query(data, 'strict $.** ? (@.type() == "string" && @ like_regex "^[0-9a-f]{64}$")') value"""
_OF_ARCHIVES = """union select unnest(archive || files) from ledger.removed where archive is not null"""
_OF_SEALED = """union select unnest(files) from ledger.sealed"""
_XID_TABLES = """select format('%I.%I', n.nspname, c.relname) as name, array_agg(a.attname::text) as columns
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where a.atttypid = 'xid8'::regtype and not a.attisdropped and c.relkind in ('r', 'p') and not c.relispartition
      and n.nspname = any($1) group by 1"""


@dataclass(frozen=True, slots=True)
class Inventory:
    """What a backup holds, as one snapshot of the database shows it."""

    schemas: list[str]
    roles: list[str]
    extensions: list[str]
    migrations: list[str]
    server: dict[str, str]
    counts: dict[str, int]
    snapshot: str = field(default="", metadata={"kept": False})

    def as_json(self) -> dict[str, Any]:
        """For the manifest; the snapshot ends with its transaction."""
        told = asdict(self)
        del told["snapshot"]
        return told


class LedgerThere(Exception):
    """The database has a ledger already: nothing is restored over it."""


@dataclass(frozen=True, slots=True)
class DatabaseSnapshot:
    """A moment of the database that pg_dump can look at as well. Holds no relay up: it reads only."""

    connection: Any
    inventory: Inventory

    async def digests(self) -> AsyncIterator[list[str]]:
        """Everything in the events that may be the name of a file, page by page."""
        # a database that no migration of this version has reached yet has no archives, or nothing sealed
        more = {"ledger.removed": _OF_ARCHIVES, "ledger.sealed": _OF_SEALED}
        there = [sql for name, sql in more.items() if await self.connection.fetchval("select to_regclass($1)", name)]
        cursor = await self.connection.cursor(" ".join((_DIGESTS, *there)))
        while rows := await cursor.fetch(PAGE):
            yield [row["digest"] for row in rows]


@asynccontextmanager
async def snapshot(url: str) -> AsyncIterator[DatabaseSnapshot]:
    """Opens one as whoever logs in, the owner."""
    connection = await asyncpg.connect(url)
    try:
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            schemas = await _names(connection, _SCHEMAS)
            inventory = Inventory(
                schemas,
                await _names(connection, _ROLES),
                await _names(connection, _EXTENSIONS),
                await _names(connection, "select name from dream_meta.migrations order by applied_at, name"),
                dict(await connection.fetchrow(_SERVER) or {}),
                dict(await connection.fetchrow(_COUNTS) or {}),
                await connection.fetchval("select pg_export_snapshot()"),
            )
            yield DatabaseSnapshot(connection, inventory)
    finally:
        await connection.close()


async def _names(connection: Any, sql: str) -> list[str]:
    return [row[0] for row in await connection.fetch(sql)]


@dataclass(frozen=True, slots=True)
class Restoring:
    """A database that gets a ledger back; statements of the owner, between the sections of pg_restore."""

    connection: Any

    async def prepare(self, roles: Iterable[str], extensions: Iterable[str]) -> None:
        """Makes what no dump holds. Raises LedgerThere where there is something already."""
        if await self.connection.fetchval("select exists (select from pg_namespace where nspname = 'ledger')"):
            raise LedgerThere("the database has a ledger: restore into an empty one")
        for role in roles:
            if not await self.connection.fetchval("select exists (select from pg_roles where rolname = $1)", role):
                await self.connection.execute(f'create role "{role}" nologin')
        for extension in extensions:
            await self.connection.execute(f'create extension if not exists "{extension}" with schema public')

    async def rewrite_ids(self, schemas: Iterable[str]) -> None:
        """Before the rows come: each is stamped as older than every transaction of this server."""
        for number, row in enumerate(await self.connection.fetch(_XID_TABLES, list(schemas))):
            stamps = "; ".join(f"new.\"{column}\" := '{OLD_XID}'" for column in row["columns"])
            await self.connection.execute(
                f"create function dream_meta.restored_{number}() returns trigger language plpgsql as"
                f" $$ begin {stamps}; return new; end $$;"
                f" create trigger restored before insert on {row['name']} for each row"
                f" execute function dream_meta.restored_{number}()"
            )

    async def rows_are_there(self) -> None:
        """After the rows: stamps no more, and tells relays that the bus is another."""
        for row in await self.connection.fetch(
            "select oid::regprocedure::text as name from pg_proc"
            " where pronamespace = 'dream_meta'::regnamespace and proname ~ '^restored_[0-9]+$'"
        ):
            await self.connection.execute(f"drop function {row['name']} cascade")
        await self.connection.execute("update ledger.relay_cursors set epoch = $1", RESTORED)

    async def counts(self) -> dict[str, int]:
        """To be compared with the inventory's."""
        return dict(await self.connection.fetchrow(_COUNTS) or {})


@asynccontextmanager
async def restoring(url: str) -> AsyncIterator[Restoring]:
    """As the owner of an empty database."""
    connection = await asyncpg.connect(url)
    try:
        yield Restoring(connection)
    finally:
        await connection.close()


def unknown_migrations(applied: Iterable[str]) -> list[str]:
    """Of the ledger's own, those that this version does not have: the backup is of a newer one."""
    ours = {name for name, _ in migrations()}
    return [name for name in applied if "/" not in name and name not in ours]
