"""Applies the numbered SQL files, each once, in one transaction, under a lock: for `dream migrate` and `dream up`.

Only what is named *.concurrently.sql goes without a transaction and comes last: an index on a table that is there
already, for building one in a transaction keeps writers out, and holds up every relay.

First the ledger's own, then those of the packs that have tables, each in its own schema. A pack whose files the
database does not take is left as it was, and is told when all others are done. What roles may do is set each time:
roles and the rights on a database are not in a dump of it, and passwords follow from one that may be replaced."""

import asyncio
import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import asyncpg

from backbone import packs
from backbone.ledger import rights, sql_text
from backbone.ledger.logins import (
    SERVICES,
    iterations_for,
    login_of,
    packs_secret_of,
    password_of,
    role_of,
    verifier,
)
from backbone.ledger.readable import check_readable, migrations

log = logging.getLogger(__name__)

CONCURRENTLY = ".concurrently.sql"
_OF_THE_DATABASE = ("08", "40", "53", "57", "58", "XX")
_LOCK_NOT_AVAILABLE = "55P03"
_NO_TRANSACTION = "is not for a migration: all share one transaction, take it out"
_DONE = """insert into dream_meta.migrations (name, sha256)
    values ($1, encode(sha256(convert_to($2, 'UTF8')), 'hex'))"""
_TABLE = """create schema if not exists dream_meta;
create table if not exists dream_meta.migrations (
  name text primary key, sha256 text not null, applied_at timestamptz not null default now())"""

_ROLE = """do $$ begin
  create role {role};
exception when duplicate_object or unique_violation then null; end $$;
do $$ begin
  set local role {role};
  reset role;
exception when insufficient_privilege then
  begin
    grant {role} to session_user;
  exception when insufficient_privilege then null;  -- an administrator has made it: services log in as it, then
  end;
end $$"""
"""Who makes a role is not at once one who may act as it."""

_SERVICES = """do $$ begin
  if has_database_privilege('public', current_database(), 'TEMPORARY') then
    execute format('revoke temporary on database %I from public', current_database());
  end if;
  if has_schema_privilege('public', 'public', 'CREATE') then
    revoke create on schema public from public;
  end if;
end $$"""
"""Nobody makes tables but whoever migrates: a temporary table with the name of a pack's own would be found before it,
by the functions of its triggers too."""

_LOGIN = """do $$ begin
  create role {role};
exception when duplicate_object or unique_violation then null; end $$;
do $$ begin
  if (select rolcanlogin from pg_roles where rolname = '{role}') and exists (
       select from pg_auth_members where roleid = '{role}'::regrole and member = 'dream_service'::regrole) then
    revoke {role} from dream_service;
  end if;
  execute format('grant connect on database %I to {role}', current_database());
end $$;
alter role {role} login noinherit password {password};
create schema if not exists pack_{pack};
grant usage on schema pack_{pack} to {role}"""
"""A pack's schema and login; nobody else has anything of either. What the role may do with a table, the pack's own
migration grants. Services of an earlier version enter the role instead: they may until the run after this one, for they
are still there while the next version rolls out."""


_SERVICES_LOGIN = """alter role {role} login password {password};
do $$ begin execute format('grant connect on database %I to {role}', current_database()); end $$"""
"""Only where services log in as the role they act as, and not as one that an administrator has made for them."""
_MAY_LOG_IN = "select rolcanlogin from pg_roles where rolname = $1"


class MigrationChanged(Exception):
    """A migration that was applied reads differently now: history must not be edited; add a new file."""


class PacksUnmigrated(Exception):
    """What was to be done is done, but for these packs, of which nothing was applied: `failures` is pack -> the reason,
    with file and line. `applied` are the names applied now."""

    def __init__(self, failures: Mapping[str, str], applied: Sequence[str]) -> None:
        super().__init__("; ".join(failures.values()))
        self.failures = dict(failures)
        self.applied = list(applied)


class _FileWrong(Exception):
    """A migration of a pack that cannot be applied; the message names it, the line, and the reason."""


async def migrate(
    url: str,
    pack_names: Iterable[str] = (),
    services_url: str = "",
    *,
    logins: Iterable[str] = (),
    packs_secret: str = "",
) -> list[str]:
    """Brings the database at `url` up to date for the named packs, or all installed; returns the names applied now.
    Needs a role that may create schemas and roles. `services_url`: as all services log in, if they do it otherwise;
    `logins`: as each of them does. Roles of ours get the passwords in these, and packs those that follow from
    `packs_secret`, else from the password in `services_url`. Raises DatabaseTooNew, and then changes nothing; and
    PacksUnmigrated, when the rest is done."""
    logins, failures = list(logins), dict[str, str]()
    connection = await asyncpg.connect(url)
    try:
        async with connection.transaction():
            await connection.execute("select pg_advisory_xact_lock(hashtextextended('dream_migrations', 0))")
            await check_readable(connection)
            await connection.execute(_TABLE)
            done = {
                r["name"]: r["sha256"] for r in await connection.fetch("select name, sha256 from dream_meta.migrations")
            }
            own = migrations()
            applied = [
                name for name, sql in own if not _is_concurrent(name) and await _apply(connection, name, sql, done)
            ]
            for role in rights.ROLES:
                await connection.execute(_ROLE.format(role=role))
            await connection.execute(_SERVICES)
            await rights.grant(connection)
            for login in (services_url, *logins):
                await _let_in(connection, login)
            if logins and login_of(services_url)[0] != SERVICES and await connection.fetchval(_MAY_LOG_IN, SERVICES):
                log.warning("%s may still log in: when no process of an earlier version runs, take that away", SERVICES)
            secret = packs_secret or _shared_secret(services_url or url)
            for pack, of_pack in packs.tables(pack_names).items():
                await _log_in(connection, pack, secret)
                try:
                    applied += await _of_pack(connection, pack, of_pack, done)
                except _FileWrong as error:
                    failures[pack] = str(error)
        waiting = [(name, sql) for name, sql in own if _is_concurrent(name)]
        applied += await _build(connection, waiting) if waiting else []
        if failures:
            raise PacksUnmigrated(failures, applied)
        return applied
    finally:
        await connection.close()


def _is_concurrent(name: str) -> bool:
    return name.endswith(CONCURRENTLY)


async def _build(connection: "asyncpg.Connection[asyncpg.Record]", waiting: Iterable[tuple[str, str]]) -> list[str]:
    """Statement by statement; what was cut off is said again, so each has to bear that. Whoever waits for its turn has
    no transaction open: building an index waits for those."""
    lock = "hashtextextended('dream_migrations_concurrently', 0)"
    while not await connection.fetchval(f"select pg_try_advisory_lock({lock})"):  # noqa: ASYNC110  # another process has it
        await asyncio.sleep(0.2)
    try:
        rows = await connection.fetch("select name, sha256 from dream_meta.migrations")
        done = {row["name"]: row["sha256"] for row in rows}
        applied = []
        for name, sql in waiting:
            if not await _is_new(connection, name, sql, done):
                continue
            for statement in statements(sql):
                await connection.execute(statement, timeout=None)
            await connection.execute(_DONE, name, sql)
            applied.append(name)
        return applied
    finally:
        await connection.execute(f"select pg_advisory_unlock({lock})")


def statements(sql: str) -> list[str]:
    """Of a file that goes without a transaction: each ends with a semicolon at the end of its line."""
    text = "\n".join(line for line in sql.splitlines() if not line.lstrip().startswith("--"))
    return [statement.strip() for statement in re.split(r";\s*(?:\n|$)", text) if statement.strip()]


def _shared_secret(url: str) -> str:
    """The password of one service alone is not known to the others, and packs are let in by two of them."""
    return "" if login_of(url)[0] in rights.ROLES[1:] else packs_secret_of(url)


async def _let_in(connection: "asyncpg.Connection[asyncpg.Record]", url: str) -> None:
    role, secret = login_of(url)
    if role in rights.ROLES and secret:
        password = f"'{verifier(secret, iterations_for(secret))}'"
        await connection.execute(_SERVICES_LOGIN.format(role=role, password=password))


async def _log_in(connection: "asyncpg.Connection[asyncpg.Record]", pack: str, secret: str) -> None:
    role = role_of(pack)
    password = password_of(secret, role)
    verified = f"'{verifier(password, iterations_for(secret))}'" if password else "null"
    await connection.execute(_LOGIN.format(role=role, pack=pack, password=verified))
    if await connection.fetchval("select has_database_privilege($1, current_database(), 'TEMPORARY')", role):
        log.warning(
            "%s may make temporary tables, which can hide its own: let the database's owner run dream migrate, or "
            "revoke temporary on it from public",
            role,
        )


async def _of_pack(
    connection: "asyncpg.Connection[asyncpg.Record]", pack: str, paths: Iterable[Path], done: Mapping[str, str]
) -> list[str]:
    """All of a pack's or, raising _FileWrong, none."""
    applied = []
    async with connection.transaction():  # a savepoint
        await connection.execute(f"set local search_path = pack_{pack}, public")
        for path in paths:
            name = f"{pack}/{path.name}"
            sql = await _text_of(path)
            try:
                if not await _is_new(connection, name, sql, done):
                    continue
            except MigrationChanged as error:
                raise _FileWrong(f"{path}: {error}") from None
            await _apply_file(connection, path, sql)
            await connection.execute(_DONE, name, sql)
            applied.append(name)
        await connection.execute("reset search_path")
    return applied


async def _text_of(path: Path) -> str:
    try:
        return await asyncio.to_thread(path.read_text, encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise _FileWrong(f"{path}: {error}") from None


async def _apply_file(connection: "asyncpg.Connection[asyncpg.Record]", path: Path, sql: str) -> None:
    for statement in sql_text.statements(sql):
        if statement.of_transaction:  # it would end that of all others, half way
            raise _FileWrong(f"{path}, line {statement.line}: {statement.word!r} {_NO_TRANSACTION}")
    try:
        async with connection.transaction():
            await connection.execute(sql)
            # what is only looked at in the end would be the fault of nobody then
            await connection.execute("set constraints all immediate; set constraints all deferred")
    except asyncpg.PostgresError as error:
        if _is_of_the_database(error):
            raise
        line = await _line_of(connection, sql, error)
        reason = " ".join(str(error).split())
        raise _FileWrong(f"{path}, line {line}: {reason}" if line else f"{path}: {reason}") from error


def _is_of_the_database(error: asyncpg.PostgresError) -> bool:
    """Not of what a file says: gone, full, stopped by somebody, in somebody's way."""
    code = error.sqlstate or "XX000"
    return code[:2] in _OF_THE_DATABASE or code == _LOCK_NOT_AVAILABLE


async def _line_of(
    connection: "asyncpg.Connection[asyncpg.Record]", sql: str, error: asyncpg.PostgresError
) -> int | None:
    """Where the error is, or else the first statement that fails when each is said by itself; None for neither."""
    if (place := getattr(error, "position", None)) is not None:
        return sql_text.line_at(sql, int(place) - 1)
    trial = connection.transaction()
    await trial.start()
    try:
        for statement in sql_text.statements(sql):
            try:
                await connection.execute(statement.text)
            except asyncpg.PostgresError:
                return statement.line
        return None
    finally:
        await trial.rollback()


async def _apply(
    connection: "asyncpg.Connection[asyncpg.Record]", name: str, sql: str, done: Mapping[str, str]
) -> bool:
    if not await _is_new(connection, name, sql, done):
        return False
    await connection.execute(sql)
    await connection.execute(_DONE, name, sql)
    return True


async def _is_new(
    connection: "asyncpg.Connection[asyncpg.Record]", name: str, sql: str, done: Mapping[str, str]
) -> bool:
    if (applied := done.get(name)) is None:
        return True
    digest = await connection.fetchval("select encode(sha256(convert_to($1, 'UTF8')), 'hex')", sql)
    if applied != digest:
        raise MigrationChanged(
            f"{name} was applied as {applied[:12]}, the file is now {digest[:12]}: add a new migration instead"
        )
    return False
