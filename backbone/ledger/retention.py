"""What may go: rows that nobody can ask for again, and sessions that are sealed, put into an archive or forgotten.

Everything here acts as the owner. Each step is a transaction of its own and short: an open one that has written holds
up every relay."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg

from backbone.ledger.port import NotRecordable
from backbone.ledger.sealed import LINES, MOST, Sealed, SealedSessions, sealed

PAGES = 2000
"""Of a table, looked at in one transaction; 16 MiB."""
_LEAVES = "DR409"
_NOT_AS_IT_WAS = "DR422"

# The bus may bring a message again for as long as it keeps it, one that was rebuilt everything since the oldest open
# run began, and a person any dead letter: what was handled of those has to be known.
_INBOX_UNTIL = "select least($1::timestamptz, min(recorded_at)) from ledger.open_runs"
_INBOX = """delete from ledger.inbox where ctid >= $1::text::tid and ctid < $2::text::tid and handled_at < $3
    and cause not in (select event_id from ledger.dead_letters where state <> 'discarded' and event_id is not null)"""
_LETTERS = "delete from ledger.dead_letters where state <> 'dead' and recorded_at < $1"
_OLD = """select s.stream_id, s.version, s.hash, e.recorded_at from ledger.streams s
    join ledger.events e on e.stream_id = s.stream_id and e.version = s.version
    where s.stream_id > $1 and e.recorded_at < $2
      and not exists (select from ledger.open_runs o where o.stream_id = s.stream_id)
      and not exists (select from ledger.timers t where t.stream_id = s.stream_id)
    order by s.stream_id limit 100"""
_IDLE = _OLD.replace(
    "s.stream_id > $1", f"s.stream_id > $1 and s.version <= {MOST} and coalesce(s.unsealed_at, e.recorded_at) < $2"
)
# with a ledger that was there before: whoever has just come to this version may want to go back to the one before
_MAY_SEAL = """select max(applied_at) filter (where name = '0031_sealed.sql') < greatest(now() - $1::interval,
    min(applied_at) + interval '1 hour') from dream_meta.migrations"""
_LONG_SEALED = "select stream_id from ledger.sealed where last_at < $1"
_OF_USER = """select s.stream_id, s.version, s.hash, e.recorded_at from ledger.events e
    join ledger.streams s on s.stream_id = e.stream_id
    where e.type = 'SessionOpened' and e.data->>'user' = $1
    union all select s.stream_id, s.version, s.hash, one.last_at from ledger.sealed one
    join ledger.streams s on s.stream_id = one.stream_id where one.user_id = $1 order by stream_id"""
_EVENTS = """select version, event_id, type, schema_version, producer, route, run_id, correlation_id, causation_id,
    traceparent, recorded_at, data, meta from ledger.events where stream_id = $1 and version <= $2 order by version"""
_ROWS = f"select row_to_json(e)::text as row from ({_EVENTS}) e"  # noqa: S608  # our own columns
_USER = "select data->>'user' from ledger.events where stream_id = $1 and type = 'SessionOpened' and version = 1"
_DIGESTS = """select distinct value #>> '{}' as digest from ledger.events,
    jsonb_path_query(data, 'strict $.** ? (@.type() == "string" && @ like_regex "^[0-9a-f]{64}$")') value
    where stream_id = any($1) union select unnest(files) from ledger.removed where stream_id = any($1)
    union select unnest(files) from ledger.sealed where stream_id = any($1)"""
_ELSEWHERE = """select value #>> '{}' as digest from ledger.events,
    jsonb_path_query(data, 'strict $.** ? (@.type() == "string" && @ like_regex "^[0-9a-f]{64}$")') value
    where not stream_id = any($1) and value #>> '{}' = any($2)
    union select unnest(files) from ledger.removed where not stream_id = any($1)
    union select unnest(files) from ledger.sealed where not stream_id = any($1)"""
_HAD = "select encode(digest, 'hex') as digest from access.files where user_id = $1"
_HAD_BY_OTHERS = """select encode(digest, 'hex') as digest from access.files
    where user_id <> $1 and encode(digest, 'hex') = any($2)"""
_KEPT_FILES = """select distinct unnest(made) as digest from kept.results where owner = $1 or files && $2
    except select unnest(made) from kept.results where owner <> $1 and not files && $2"""
_PERSONAL = """select format('%I.%I', table_schema, table_name) as name from information_schema.columns
    where column_name = 'user_id' and (table_schema like 'pack\\_%') order by 1"""


class SessionGoesOn(Exception):
    """It has moved since it was looked at, or has something open: it is left as it is."""


class NotAsArchived(Exception):
    """What came out of the archive is not what was taken away."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A session and where it ends."""

    session_id: UUID
    version: int
    hash: bytes
    last: datetime


@dataclass(frozen=True, slots=True)
class Retention:
    """The owner's connection."""

    connection: Any
    by: str

    async def inbox_until(self, asked: datetime) -> datetime:
        """Up to when rows of the inbox may go."""
        until: datetime = await self.connection.fetchval(_INBOX_UNTIL, asked)
        return until

    async def prune_inbox(self, until: datetime) -> int:
        """Answers how many rows went."""
        size = "select (pg_relation_size('ledger.inbox') / current_setting('block_size')::int)::bigint"
        pages, gone = await self.connection.fetchval(size), 0
        for page in range(0, pages + 1, PAGES):
            done = await self.connection.execute(_INBOX, f"({page},0)", f"({page + PAGES},0)", until)
            gone += int(done.split()[-1])
        return gone

    async def prune_letters(self, until: datetime) -> int:
        """Settled ones; what nobody has settled stays."""
        return int((await self.connection.execute(_LETTERS, until)).split()[-1])

    async def ended_before(self, until: datetime) -> AsyncIterator[Ended]:
        """Sessions without anything open whose last event is older; those that are sealed are none of them."""
        async for ended in self._ended(_OLD, until):
            yield ended

    async def idle_since(self, until: datetime) -> AsyncIterator[Ended]:
        """Those of them that may be sealed: nobody has looked at them since either, and they are not too long."""
        async for ended in self._ended(_IDLE, until):
            yield ended

    async def may_seal(self, trial: timedelta) -> bool:
        """Whether nobody is expected to go back to a version that knows no seals: for `trial` after the migration."""
        return bool(await self.connection.fetchval(_MAY_SEAL, trial))

    async def seal(self, ended: Ended) -> None:
        """One value in the place of a session's events. Raises SessionGoesOn; NotAsArchived where they do not lead to
        its head."""
        lines = [row["line"] for row in await self.connection.fetch(LINES, ended.session_id, ended.version)]
        history = await asyncio.to_thread(sealed, lines)
        if Sealed(ended.session_id, ended.version, ended.hash, history).first_bad() is not None:
            raise NotAsArchived(f"the events of session {ended.session_id} do not lead to its head")
        values = (ended.session_id, ended.version, ended.hash, history)
        await self._unless_it_goes_on("select ledger.seal($1,$2,$3,$4)", *values)

    async def unseal_before(self, until: datetime) -> list[str]:
        """Sealed sessions whose last event is older have rows again, for whoever takes them away. Answers what is wrong
        with those of which the history is not what it was: they stay as they are."""
        opener, wrong = SealedSessions(self.connection), []
        for row in await self.connection.fetch(_LONG_SEALED, until):
            try:
                await opener.opened(row["stream_id"])
            except NotRecordable as error:
                wrong.append(str(error))
        return wrong

    async def _ended(self, sql: str, until: datetime) -> AsyncIterator[Ended]:
        after = UUID(int=0)
        while rows := await self.connection.fetch(sql, after, until):
            for row in rows:
                yield Ended(row["stream_id"], row["version"], bytes(row["hash"]), row["recorded_at"])
            after = rows[-1]["stream_id"]

    async def of_user(self, user: str) -> list[Ended]:
        """All sessions that a person has opened."""
        rows = await self.connection.fetch(_OF_USER, user)
        return [Ended(row["stream_id"], row["version"], bytes(row["hash"]), row["recorded_at"]) for row in rows]

    async def open_runs_of(self, sessions: Sequence[UUID]) -> list[UUID]:
        sql = "select run_id from ledger.open_runs where stream_id = any($1) order by 1"
        return [row["run_id"] for row in await self.connection.fetch(sql, list(sessions))]

    async def user_of(self, session: UUID) -> str | None:
        user: str | None = await self.connection.fetchval(_USER, session)
        return user

    async def rows(self, ended: Ended) -> AsyncIterator[str]:
        """Its events as JSON, one by one, as readmit takes them."""
        async with self.connection.transaction(readonly=True):
            async for row in self.connection.cursor(_ROWS, ended.session_id, ended.version):
                yield row["row"]

    async def remove(self, ended: Ended, *, archive: str | None, user: str | None) -> int:
        """Into the archive, or for good where there is none; answers the number of events. Raises SessionGoesOn."""
        kind = "archived" if archive else "erased"
        values = (ended.session_id, ended.version, ended.hash, kind, archive, user if archive else None, self.by)
        await self._unless_it_goes_on("select ledger.remove_session($1,$2,$3,$4,$5,$6,$7)", *values)
        return ended.version

    async def _unless_it_goes_on(self, sql: str, *values: object) -> None:
        try:
            await self.connection.fetchval(sql, *values)
        except asyncpg.PostgresError as error:
            if error.sqlstate == _LEAVES:
                raise SessionGoesOn(str(error)) from None
            raise

    async def archive_of(self, session: UUID) -> str | None:
        """Where the history of an archived session is."""
        sql = "select archive from ledger.removed where stream_id = $1"
        archive: str | None = await self.connection.fetchval(sql, session)
        return archive

    async def archives_of_user(self, user: str) -> dict[UUID, str]:
        """The archived sessions of a person, and where they are."""
        rows = await self.connection.fetch("select stream_id, archive from ledger.removed where user_id = $1", user)
        return {row["stream_id"]: row["archive"] for row in rows}

    async def forget_archive(self, session: UUID) -> None:
        """The archive is gone; what stays is where the session ended."""
        sql = """update ledger.removed set kind = 'erased', archive = null, files = '{}', user_id = null,
                 removed_at = now(), removed_by = $2 where stream_id = $1"""
        await self.connection.execute(sql, session, self.by)

    async def readmit(self, session: UUID, rows: Sequence[str]) -> int:
        """Raises NotAsArchived, and SessionGoesOn for one that is not archived."""
        events = json.dumps([json.loads(row) for row in rows])
        try:
            count: int = await self.connection.fetchval("select ledger.readmit_session($1, $2)", session, events)
        except asyncpg.PostgresError as error:
            if error.sqlstate == _NOT_AS_IT_WAS:
                raise NotAsArchived(str(error)) from None
            if error.sqlstate == _LEAVES:
                raise SessionGoesOn(str(error)) from None
            raise
        return count

    async def files_only_of(self, user: str, sessions: Sequence[UUID]) -> list[str]:
        """Digests that the person's sessions name, or that the person has uploaded, and that no other session names nor
        anybody else has. Which of them are files, the store knows."""
        rows = [*await self.connection.fetch(_DIGESTS, list(sessions)), *await self.connection.fetch(_HAD, user)]
        named = list({row["digest"] for row in rows})
        others = await self.connection.fetch(_ELSEWHERE, list(sessions), named)
        others += await self.connection.fetch(_HAD_BY_OTHERS, user, named)
        return sorted(set(named) - {row["digest"] for row in others})

    async def kept_only_of(self, user: str, files: Sequence[str]) -> list[str]:
        """Digests of files that results kept for the person, or made of these files, have made; none that is named
        elsewhere."""
        made = [row["digest"] for row in await self.connection.fetch(_KEPT_FILES, user, list(files))]
        others = {row["digest"] for row in await self.connection.fetch(_ELSEWHERE, [], made)} if made else set()
        return sorted(set(made) - others)

    async def forget_kept(self, user: str, files: Sequence[str]) -> int:
        """Results that are kept for the person, and what was made of these files, for whomever."""
        sql = "delete from kept.results where owner = $1 or files && $2 or made && $2"
        return int((await self.connection.execute(sql, user, list(files))).split()[-1])

    async def prune_kept(self, until: datetime) -> int:
        """What nobody has used since."""
        return int((await self.connection.execute("delete from kept.results where used_at < $1", until)).split()[-1])

    async def forget_person(self, user: str) -> dict[str, int]:
        """Memories, keys, which files are theirs, and rows of packs that name the person in user_id; the number of each
        table."""
        gone = {
            "memory.items": await self._deleted("delete from memory.items where owner = $1", user),
            "access.keys": await self._deleted("delete from access.keys where user_id = $1", user),
            "access.files": await self._deleted("delete from access.files where user_id = $1", user),
        }
        for row in await self.connection.fetch(_PERSONAL):
            gone[row["name"]] = await self._deleted(f"delete from {row['name']} where user_id = $1", user)  # noqa: S608
        return gone

    async def _deleted(self, sql: str, user: str) -> int:
        return int((await self.connection.execute(sql, user)).split()[-1])


@asynccontextmanager
async def retention(url: str) -> AsyncIterator[Retention]:
    """As whoever logs in, the owner."""
    connection = await asyncpg.connect(url)
    try:
        yield Retention(connection, await connection.fetchval("select session_user::text"))
    finally:
        await connection.close()
