"""Packs that log in by a password, in a data directory that an earlier version has left behind: there the superuser owned
everything, and services entered the roles of packs, which could not log in."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote
from uuid import uuid4

import asyncpg
import pytest

from backbone.ledger.logins import login_of, packs_secret_of, password_of
from backbone.ledger.migrate import migrate
from backbone.ledger.postgres import PostgresLedger
from backbone.ledger.tables import PostgresTables
from contracts.tables import DatabaseUnavailable
from dream.cli import database_commands
from dream.failures import Exit
from dream.local.embedded import EmbeddedPostgres
from dream.texts import chosen
from packs.transfer.bank.embedded import EmbeddedBank
from packs.transfer.bank.port import OPENING_BALANCE
from tests.conformance.facts import CONSUMER, PRODUCER, append
from tests.conftest import as_owner

ROLE = "dream_pack_transfer"
AS_BEFORE = (
    "alter database postgres owner to postgres",
    "drop owned by dream",
    "drop role dream",
)
LEFT = (
    f"alter role {ROLE} nologin inherit password null",
    f"grant {ROLE} to dream_service",
    "grant temporary on database postgres to public",
    "create type pack_transfer.mood as enum ('glad')",
    "create sequence pack_transfer.numbers",
)
SUPERUSERS = """select s.oid::regnamespace::text as name from pg_namespace s
  where s.nspowner = 'postgres'::regrole and s.nspname !~ '^pg_|^information_schema$|^public$'
  union all select c.oid::regclass::text from pg_class c join pg_namespace s on s.oid = c.relnamespace
  where c.relowner = 'postgres'::regrole and s.nspowner = 'dream'::regrole
  union all select p.oid::regprocedure::text from pg_proc p join pg_namespace s on s.oid = p.pronamespace
  where p.proowner = 'postgres'::regrole and s.nspowner = 'dream'::regrole
  union all select t.oid::regtype::text from pg_type t join pg_namespace s on s.oid = t.typnamespace
  where t.typowner = 'postgres'::regrole and s.nspowner = 'dream'::regrole"""


def with_password(url: str, secret: str) -> str:
    return f"postgresql://dream:{quote(secret, safe='')}@{url.partition('@')[2]}"


async def _execute(url: str, *statements: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


@pytest.fixture
async def server(server_dir: Path) -> AsyncIterator[EmbeddedPostgres]:
    """Started anew over what was left behind, where whoever came was let in as whoever he said."""
    server = EmbeddedPostgres(server_dir / "earlier")
    try:
        await asyncio.to_thread(server.start)
        await _execute(server.admin_url, *AS_BEFORE)
        await migrate(server.admin_url, ("transfer",))
        await _execute(server.admin_url, *LEFT)
        await _execute(server.admin_url, "alter role postgres password null")
        await asyncio.to_thread(server.stop)
        (server_dir / "earlier" / "pg_hba.conf").write_text("local all all trust\n")
        (server_dir / "earlier.secret").unlink()
        await asyncio.to_thread(server.start)
        yield server
    finally:
        await asyncio.to_thread(server.stop)


async def test_what_an_earlier_version_left_is_the_owners_and_packs_log_in_by_what_follows_from_its_password(
    server: EmbeddedPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, later = "한 말/@%:?", "another one"
    await _execute(server.admin_url, f"alter role dream password '{secret}'")
    url = with_password(server.url, secret)
    tables = PostgresTables(url, "transfer")
    with pytest.raises(DatabaseUnavailable, match="dream migrate") as refused:  # services may be there before it runs
        await EmbeddedBank(tables).balance("me")
    assert secret not in str(refused.value)
    assert (password_of(packs_secret_of(url), ROLE) or "") not in str(refused.value)

    assert await migrate(url, ("transfer",)) == []
    assert await EmbeddedBank(tables).balance("me") == OPENING_BALANCE
    await tables.close()
    admin = await asyncpg.connect(server.admin_url)
    try:
        assert await admin.fetch(SUPERUSERS) == []
        role = await admin.fetchrow("select * from pg_authid where rolname = $1", ROLE)
        assert role is not None
        assert not (role["rolsuper"] or role["rolinherit"] or role["rolcreaterole"] or role["rolcreatedb"])
        assert role["rolpassword"].startswith("SCRAM-SHA-256$")
        assert await admin.fetchval("select count(*) from pg_auth_members where member = $1::regrole", ROLE) == 0
        assert await admin.fetchval("select not pg_has_role('dream_service', $1, 'MEMBER')", ROLE)
        assert not await admin.fetchval("select rolsuper from pg_roles where rolname = 'dream'")
    finally:
        await admin.close()
    ledger = await PostgresLedger.connect(url, min_size=0)
    try:
        assert await ledger.append(PRODUCER, CONSUMER, [append(uuid4())])
    finally:
        await ledger.close()

    await _execute(server.admin_url, f"alter role dream password '{later}'")
    replaced = PostgresTables(with_password(server.url, later), "transfer")
    with pytest.raises(DatabaseUnavailable, match="28P01"):
        await EmbeddedBank(replaced).balance("me")
    monkeypatch.setenv(
        "DREAM_DATABASE_URL", with_password(server.url, later)
    )  # the administrator's own has another password, or none
    assert await database_commands.migrate(server.admin_url, chosen()) == Exit.DONE
    assert await EmbeddedBank(replaced).balance("me") == OPENING_BALANCE
    await replaced.close()


async def test_nobody_gets_into_what_an_earlier_version_left_open_without_the_secret_beside_it(
    server: EmbeddedPostgres,
) -> None:
    """Whoever shares our user, a tool in its process say, reaches the socket; that is no longer enough."""
    (secret,) = (path for path in server.log.parent.iterdir() if path.name == "earlier.secret")
    assert secret.stat().st_mode & 0o777 == 0o600
    place = server.url.partition("@")[2]
    for role in ("postgres", "dream", "dream_service", "embedded_postgres", "root", "dream_pack_transfer"):
        for login in (role, f"{role}:{role}", f"{role}:"):
            with pytest.raises(asyncpg.InvalidAuthorizationSpecificationError):
                await asyncpg.connect(f"postgresql://{login}@{place}")
    assert len({login_of(url)[1] for url in (server.url, server.owner_url, server.admin_url)}) == 3
    for url in (server.owner_url, server.admin_url):
        await _execute(url, "select 1")
    # lost with a backup that left it out: the data is not
    await asyncio.to_thread(server.stop)
    secret.unlink()
    before = server.log.stat().st_size
    await asyncio.to_thread(server.start)
    assert server.log.stat().st_size > before
    await _execute(server.owner_url, "select count(*) from ledger.events")


async def test_services_of_an_earlier_version_may_use_packs_tables_until_the_run_after_the_first(
    postgres_url: str,
) -> None:
    owner = as_owner(postgres_url)
    await _execute(owner, f"alter role {ROLE} nologin", f"grant {ROLE} to dream_service")
    entered = (f"set role {ROLE}", "select 1 from pack_transfer.accounts")
    await migrate(owner, ("transfer",), postgres_url)
    await _execute(postgres_url, *entered)
    await migrate(owner, ("transfer",), postgres_url)
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await _execute(postgres_url, entered[1])


def test_without_a_password_to_follow_from_there_is_none() -> None:
    assert password_of(packs_secret_of("postgresql://dream@db/dream"), ROLE) is None
    one = password_of(packs_secret_of("postgresql://dream:a%2Fb@db/dream"), ROLE)
    assert one == password_of(packs_secret_of("postgresql://db/dream?user=dream&password=a%2Fb"), ROLE)
    assert one != password_of(packs_secret_of("postgresql://dream:a%2Fb@db/dream"), "dream_pack_assistant")
    assert one == password_of(packs_secret_of("postgresql://dream_cognitive:other@db/dream", "a/b"), ROLE)
