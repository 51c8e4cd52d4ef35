"""What each service may do in the database: exactly what it needs, and what is missing is named until it is back."""

import logging
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
from pydantic import SecretStr

from backbone.backbone import Backbone
from backbone.bus.rights import stations
from backbone.ledger import rights
from backbone.ledger.logins import SERVICES, login_url, role_of, role_of_service
from backbone.ledger.migrate import migrate
from backbone.ledger.port import Append, Fact, LedgerUnavailable
from backbone.ledger.postgres import PostgresLedger
from backbone.ledger.rights import ADMIN, LOGINS, READERS, Right
from backbone.ledger.tables import PackTables
from backbone.service import Service
from backbone.settings import Settings
from backbone.telemetry import metrics
from contracts.gateway import MessageReceived
from contracts.tables import DatabaseUnavailable
from dream.failures import Exit
from dream.learning import export
from dream.local.embedded import EmbeddedNats
from dream.ops import audit
from dream.texts import Texts
from tests.conformance.harness import until
from tests.conftest import as_owner

WORKERS = [service for service in LOGINS if service != ADMIN]
GRANTED = """with granted as (
    select n.nspname, '' as name, '' as col, 'schema' as kind, a.* from pg_namespace n, aclexplode(n.nspacl) a
    union all select n.nspname, c.relname, '', case c.relkind when 'S' then 'sequence' else 'table' end, a.*
      from pg_class c join pg_namespace n on n.oid = relnamespace, aclexplode(c.relacl) a
    union all select n.nspname, c.relname, t.attname, 'column', a.*
      from pg_attribute t join pg_class c on c.oid = attrelid join pg_namespace n on n.oid = relnamespace,
           aclexplode(t.attacl) a
    union all select n.nspname, p.proname, '', 'function', a.*
      from pg_proc p join pg_namespace n on n.oid = pronamespace, aclexplode(p.proacl) a)
  select kind, nspname, name, lower(privilege_type), col from granted where grantee = $1::regrole"""
"""All that a role was given by its name, of whatever there is."""


def login(url: str, service: str, password: str = "") -> str:
    secret = f":{password}" if password else ""
    return f"postgresql://{role_of_service(service)}{secret}@{url.partition('@')[2]}"


@pytest.fixture
async def urls(postgres_url: str) -> dict[str, str]:
    """As each service logs in to a database of the test's own."""
    made = {service: login(postgres_url, service, secrets.token_hex(32)) for service in LOGINS}
    await migrate(as_owner(postgres_url), services_url=postgres_url, logins=made.values())
    return made


@pytest.fixture
async def as_before(postgres_url: str) -> AsyncIterator[None]:
    """What a test has made of the logins of packs, which all databases of the server have in common, ends with it."""
    yield
    await migrate(as_owner(postgres_url), services_url=postgres_url)


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[Any]:
    connection = await asyncpg.connect(url)
    try:
        yield connection
    finally:
        await connection.close()


@asynccontextmanager
async def ledger_of(url: str, *roles: str) -> AsyncIterator[PostgresLedger]:
    ledger = await PostgresLedger.connect(url, roles=roles or (SERVICES,), min_size=0)
    try:
        yield ledger
    finally:
        await ledger.close()


def taken_away(right: Right, role: str) -> str:
    thing = {
        "schema": f"schema {right.schema}",
        "sequence": f"sequence {right.schema}.{right.name}",
        "function": f"function {right.schema}.{right.name}",
    }.get(right.kind, f"{right.schema}.{right.name}")
    return f"revoke {right.privilege} {f'({right.column})' if right.column else ''} on {thing} from {role}"


def test_every_service_has_a_role() -> None:
    assert sorted(WORKERS) == sorted({station.service for station in stations(())})


@pytest.mark.parametrize("service", LOGINS)
async def test_a_role_has_the_rights_of_its_service_and_none_beyond_them(
    service: str, urls: dict[str, str], postgres_url: str
) -> None:
    role = role_of_service(service)
    async with connected(as_owner(postgres_url)) as owner:
        rows = await owner.fetch(GRANTED, role)
        assert {Right(*row) for row in rows} == set(rights.rights_of(service))
        known = await owner.fetchrow("select * from pg_roles where rolname = $1", role)
        assert known["rolcanlogin"]
        assert not any(known[what] for what in ("rolsuper", "rolcreaterole", "rolcreatedb", "rolbypassrls"))
        assert await owner.fetchval("select count(*) from pg_auth_members where member = $1::regrole", role) == 0


async def forms_of(owner: "asyncpg.Connection[asyncpg.Record]", right: Right) -> list[Right]:
    """A function's name may stand for several, with the parameters of versions."""
    if right.kind != "function":
        return [right]
    sql = """select proname || '(' || pg_get_function_identity_arguments(oid) || ')' from pg_proc
        where pronamespace = $1::regnamespace and proname = $2"""
    return [right._replace(name=row[0]) for row in await owner.fetch(sql, right.schema, right.name)]


@pytest.mark.parametrize("service", LOGINS)
async def test_each_right_that_is_taken_away_is_named_until_a_migration_puts_it_back(
    service: str, urls: dict[str, str], postgres_url: str
) -> None:
    role = role_of_service(service)
    async with connected(as_owner(postgres_url)) as owner, connected(urls[service]) as own:
        assert await rights.problem(own, service) == ""
        for right in rights.rights_of(service):
            for form in await forms_of(owner, right):
                await owner.execute(taken_away(form, role))
            assert await rights.problem(own, service) == f"{role} lacks {right}: run dream admin migrate"
            await rights.grant(owner)
            assert await rights.problem(own, service) == ""


async def told(backbone: Backbone) -> dict[str, str]:
    """Of the database; nobody has looked at the artifact store yet."""
    return {one.check: one.message for one in await backbone.checks.problems() if one.check != "artifacts"}


def settings(url: str, folder: Path) -> Settings:
    return Settings(database_url=SecretStr(url), artifacts_url=folder.as_uri())


async def test_a_service_is_not_ready_while_a_right_is_missing_and_is_again_when_it_is_back(
    urls: dict[str, str], postgres_url: str, tmp_path: Path
) -> None:
    backbone = await Backbone.connect(settings(urls["response"], tmp_path), service="response")
    try:
        assert await told(backbone) == {}
        async with connected(as_owner(postgres_url)) as owner:
            await owner.execute("revoke select on ledger.streams from dream_response")
            before = metrics.LEDGER_REFUSED.labels("right")._value.get()
            found = await told(backbone)
            assert found["ledger-rights"] == "dream_response lacks select on ledger.streams: run dream admin migrate"
            assert "permission denied for table streams" in found["ledger"]
            assert metrics.LEDGER_REFUSED.labels("right")._value.get() > before
            await rights.grant(owner)
        assert await told(backbone) == {}
    finally:
        await backbone.close()


async def test_what_a_missing_right_holds_up_is_done_when_it_is_back(
    urls: dict[str, str], postgres_url: str, nats_server: EmbeddedNats, tmp_path: Path
) -> None:
    own = settings(urls["planning"], tmp_path).model_copy(update={"nats_url": nats_server.url})
    backbone = await Backbone.connect(own, service="planning")
    service = Service("planning", backbone, relays=["planning"])
    try:
        await service.start()
        async with connected(as_owner(postgres_url)) as owner:

            async def published() -> bool:
                sql = """select (c.xid, c.seq) >= (e.xid, e.seq) from ledger.relay_cursors c, ledger.events e
                    where c.producer = 'planning' order by e.seq desc limit 1"""
                return bool(await owner.fetchval(sql))

            await backbone.ledger.append("planning", "planning", [said()])
            await until(published, 20)
            await owner.execute("revoke update on ledger.relay_cursors from dream_planning")
            await backbone.ledger.append("planning", "planning", [said()])
            refused = metrics.LEDGER_REFUSED.labels("right")._value.get()
            await until(lambda: metrics.LEDGER_REFUSED.labels("right")._value.get() > refused, 10)
            missing = "dream_planning lacks update on ledger.relay_cursors: run dream admin migrate"
            assert missing in [problem.message for problem in await service.unready()]
            assert service.ended() == [], "no loop of it is over"
            assert not await published()
            await rights.grant(owner)
            await until(published, 20)
        assert [one.message for one in await service.unready() if one.check == "ledger-rights"] == []
    finally:
        await service.stop()
        await backbone.close()


async def test_a_service_waits_for_a_right_that_is_missing_when_it_starts(
    urls: dict[str, str], postgres_url: str, tmp_path: Path
) -> None:
    async with connected(as_owner(postgres_url)) as owner:
        await owner.execute("revoke update (reason) on ledger.dead_letters from dream_planning")
        with pytest.raises(LedgerUnavailable, match=r"lacks update \(reason\) on ledger.dead_letters"):
            await Backbone.connect(settings(urls["planning"], tmp_path), patience=0.1, service="planning")


def said() -> Append:
    run = uuid4()
    return Append(uuid4(), uuid4(), (Fact(MessageReceived(text="어제 매출?"), run, run, run, None),))


@pytest.mark.parametrize("service", WORKERS)
async def test_a_service_speaks_in_its_own_voice_alone(service: str, urls: dict[str, str]) -> None:
    own = {service, "timers"} if service == "execution" else {service}
    async with ledger_of(urls[service], role_of_service(service)) as ledger:
        for producer in (*WORKERS, "timers"):
            if producer in own:
                assert (await ledger.append(producer, "gateway", [said()]))[0].fresh
            else:
                with pytest.raises(LedgerUnavailable, match=f"dream_{service} does not speak for {producer}"):
                    await ledger.append(producer, "gateway", [said()])


async def test_the_administrator_audits_and_exports_and_appends_nothing(
    urls: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with ledger_of(urls["gateway"], "dream_gateway") as ledger:
        await ledger.append("gateway", "gateway", [said()])
    anchor, key, texts = tmp_path / "anchor", tmp_path / "key", Texts("en")
    assert await audit.anchor(urls[ADMIN], anchor, key, texts) == Exit.DONE
    assert await audit.verify(urls[ADMIN], None, anchor, key, texts) == Exit.DONE
    assert await export.export(urls[ADMIN], export.Wanted(), tmp_path / "out", texts) == Exit.DONE
    assert "어제 매출?" in (tmp_path / "out").read_text()
    async with ledger_of(urls[ADMIN], *READERS) as ledger:
        with pytest.raises(LedgerUnavailable, match="permission denied for function append"):
            await ledger.append("gateway", "gateway", [said()])


@pytest.mark.usefixtures("as_before")
async def test_processes_of_an_earlier_version_go_on_with_the_login_they_share(
    urls: dict[str, str], postgres_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The one that all had: it may do what any service may, and nobody has changed its password."""
    async with ledger_of(postgres_url) as ledger, connected(postgres_url) as shared:
        for producer in WORKERS:
            assert (await ledger.append(producer, "gateway", [said()]))[0].fresh
        for service in LOGINS:
            if service != ADMIN:
                assert await rights.lacking(shared, rights.rights_of(service)) == []
    with caplog.at_level(logging.WARNING):
        await migrate(as_owner(postgres_url), logins=urls.values())
    assert "dream_service may still log in" in caplog.text
    async with connected(postgres_url):
        pass


@pytest.mark.parametrize("whose", ["owner", "shared", "own"])
async def test_who_acts_for_a_service_follows_from_the_login(
    whose: str, urls: dict[str, str], postgres_url: str, tmp_path: Path
) -> None:
    """One login for everything is the owner's, who acts as each service; that of earlier versions acts as all."""
    url = {"owner": as_owner(postgres_url), "shared": postgres_url, "own": urls["cognitive"]}[whose]
    backbone = await Backbone.connect(settings(url, tmp_path), service="cognitive")
    try:
        acting = await backbone.pool.fetchval("select current_user::text")
        assert acting == (SERVICES if whose == "shared" else "dream_cognitive")
        assert await told(backbone) == {}
    finally:
        await backbone.close()


@pytest.mark.usefixtures("as_before")
async def test_a_password_that_is_changed_holds_from_the_next_migration_on(
    urls: dict[str, str], postgres_url: str
) -> None:
    later = login(postgres_url, "gateway", "한 말%3A".replace(" ", "%20"))
    with pytest.raises(asyncpg.InvalidPasswordError):
        await asyncpg.connect(later)
    await migrate(as_owner(postgres_url), logins=[later])
    async with connected(later), connected(urls["planning"]):
        pass
    with pytest.raises(asyncpg.InvalidPasswordError):
        await asyncpg.connect(urls["gateway"])


async def balance(tables: PackTables) -> int:
    try:
        async with tables.of("transfer").transaction() as rows:
            found = await rows.fetchrow("select count(*) as n from accounts")
            assert found is not None
            return int(found["n"])
    finally:
        await tables.close()


@pytest.mark.usefixtures("as_before")
async def test_packs_have_a_secret_of_their_own_that_no_password_of_a_service_gives_away(
    urls: dict[str, str], postgres_url: str
) -> None:
    secret = secrets.token_hex(32)
    owner = as_owner(postgres_url)
    await migrate(owner, services_url=postgres_url, logins=urls.values(), packs_secret=secret)
    assert await balance(PackTables(urls["execution"], secret)) >= 0
    later: Callable[[], str] = lambda: secret  # noqa: E731  # read from a file, say
    assert await balance(PackTables(urls["cognitive"], later)) >= 0
    for url in (*urls.values(), postgres_url):
        with pytest.raises(DatabaseUnavailable, match="DREAM_DATABASE_PACKS_SECRET"):
            await balance(PackTables(url))
    # what follows from the password that all shared still does, when that is the secret
    former = postgres_url.partition("@")[0].rpartition(":")[2]
    await migrate(owner, logins=urls.values(), packs_secret=former)
    assert await balance(PackTables(postgres_url)) == await balance(PackTables(urls["cognitive"], former)) >= 0
    await migrate(owner, services_url=postgres_url)
    async with connected(login_url(postgres_url, role_of("transfer"))):
        pass
