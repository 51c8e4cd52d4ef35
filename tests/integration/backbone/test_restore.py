"""A ledger in a server that is younger than it: restored, it is read to its end; copied row by row, it is refused."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from uuid import UUID, uuid4

import asyncpg
import pytest
from pydantic import SecretStr

from backbone.artifacts.local import LocalArtifacts
from backbone.ledger.backups import OLD_XID, RESTORED
from backbone.ledger.migrate import migrate
from backbone.ledger.port import Position
from backbone.ledger.postgres import PostgresLedger
from backbone.ledger.postgres_tail import ANOTHER_LIFE
from backbone.ledger.readable import NotRewritten
from backbone.ledger.retention import retention
from backbone.ledger.tables import PostgresTables
from backbone.service import Backbone
from backbone.settings import Settings
from contracts.artifacts import Attachment
from contracts.gateway import ArtifactUploaded
from dream.cli.database_commands import migrate_here
from dream.failures import CommandFailed, Exit
from dream.local.data_dir import DataDir
from dream.local.embedded import EmbeddedPostgres
from dream.local.postgres_tools import run, without_password
from dream.ops.backup import ARTIFACTS, DUMP, backup
from dream.ops.restore import RestoreTarget, embedded, restore
from dream.texts import Texts
from tests.conformance.facts import CONSUMER, PRODUCER, append, fact, run_begins, run_ends
from tests.conftest import as_owner
from tests.support.folders import own_folder

SAID = Texts("en")
AGE = 5_000
"""Transactions by which the old server is ahead: more than making a database and restoring into it takes."""
_numbers = count(1)


@pytest.fixture(scope="module")
def young_server() -> Iterator[EmbeddedPostgres]:
    with own_folder("young") as folder:
        server = EmbeddedPostgres(folder / "postgres")
        try:
            server.start()
            yield server
        finally:
            server.stop()


@pytest.fixture
async def empty(young_server: EmbeddedPostgres, tmp_path: Path) -> RestoreTarget:
    """An empty database of a server that has hardly given a transaction id."""
    name = f"restored_{next(_numbers)}"
    admin = await asyncpg.connect(young_server.admin_url)
    await admin.execute(f"create database {name} owner dream")
    await admin.close()
    urls = [url.replace("/postgres?", f"/{name}?") for url in (young_server.owner_url, young_server.url)]
    return RestoreTarget(urls[0], urls[1], (tmp_path / "new files").as_uri())


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[PostgresLedger]:
    ledger = await PostgresLedger.connect(url, min_size=1, max_size=2)
    try:
        yield ledger
    finally:
        await ledger.close()


@pytest.fixture
async def lived(postgres_url: str, tmp_path: Path) -> tuple[UUID, UUID, str]:
    """A ledger of an old server: an open run, one that is over, a file, a cursor. Session, run and the file's id."""
    owner = await asyncpg.connect(as_owner(postgres_url))
    await owner.execute(
        f"do $$ begin for i in 1..{AGE} loop perform pg_current_xact_id(); commit; end loop; end $$", timeout=60
    )
    await owner.close()
    digest, size = await LocalArtifacts(tmp_path / "files").put(b"a,b\n1,2\n", "text/csv")
    file = Attachment(artifact_id=digest, name="a.csv", media_type="text/csv", size=size, type="file.table")
    session, run_id, over = uuid4(), uuid4(), uuid4()
    async with opened(postgres_url) as ledger:
        await ledger.append(PRODUCER, CONSUMER, [append(session, fact(ArtifactUploaded(attachment=file)))])
        await ledger.append(PRODUCER, CONSUMER, [run_begins(session, over)])
        await ledger.append("response", CONSUMER, [run_ends(session, over)])
        async with ledger.lead(PRODUCER) as tail:
            assert tail is not None
            read = await tail.read(Position(0, 0), 10)
            await tail.save("the old stream", read[-1][0])
        await ledger.append(PRODUCER, CONSUMER, [run_begins(session, run_id)])
    return session, run_id, digest


async def test_what_is_appended_after_a_restore_is_read_and_histories_are_as_they_were(
    lived: tuple[UUID, UUID, str], empty: RestoreTarget, postgres_url: str, tmp_path: Path
) -> None:
    session, run_id, digest = lived
    saved, key = tmp_path / "saved", tmp_path / "audit.key"
    files = (tmp_path / "files").as_uri()
    assert await backup(as_owner(postgres_url), files, saved, key, SAID, as_json=False) == Exit.DONE
    async with opened(postgres_url) as ledger:
        before = await ledger.read(session)
        await ledger.append(PRODUCER, CONSUMER, [append(session)])  # of which the backup knows nothing
    assert await restore(saved, empty, key, SAID) == Exit.DONE
    async with opened(empty.services_url) as ledger:
        assert await ledger.read(session) == before
        assert [place.run_id for place in await ledger.open_runs(10)] == [run_id]
        async with ledger.lead(PRODUCER) as tail:
            assert tail is not None
            epoch, position = await tail.cursor()
            assert epoch == RESTORED, "relays fill whatever stream there is"
            late = fact()
            await ledger.append(PRODUCER, CONSUMER, [append(session, late)])
            waiting = [message.event_id for _, message in await tail.read(position, 10)]
            assert waiting == [before[-1].event_id, late.event_id], "what was not published yet, and what is new"
            assert (await tail.first_of([run_id])).xid == int(OLD_XID)
        assert await ledger.verify() == {}
    assert await LocalArtifacts(tmp_path / "new files").media_type(digest) == "text/csv"
    settings = Settings(database_url=SecretStr(empty.services_url), artifacts_url=tmp_path.as_uri())
    await (await Backbone.connect(settings)).close()
    with pytest.raises(CommandFailed, match="has a ledger already"):
        await restore(saved, empty, key, SAID)


async def test_a_sealed_session_is_in_a_backup_with_the_files_it_names(
    lived: tuple[UUID, UUID, str], empty: RestoreTarget, postgres_url: str, tmp_path: Path
) -> None:
    session, saved, key = uuid4(), tmp_path / "saved", tmp_path / "audit.key"
    digest, size = await LocalArtifacts(tmp_path / "files").put(b"c\n3\n", "text/csv")
    file = Attachment(artifact_id=digest, name="b.csv", media_type="text/csv", size=size, type="file.table")
    async with opened(postgres_url) as ledger:
        await ledger.append(PRODUCER, CONSUMER, [append(session, fact(ArtifactUploaded(attachment=file)), fact())])
        before = await ledger.read(session)
        async with ledger.lead(PRODUCER) as tail:
            assert tail is not None
            await tail.save("the old stream", (await tail.read(Position(0, 0), 100))[-1][0])
        async with retention(as_owner(postgres_url)) as administrator:
            later = datetime.now(UTC) + timedelta(days=1)
            (idle,) = [one async for one in administrator.idle_since(later)]
            await administrator.seal(idle)
    files = (tmp_path / "files").as_uri()
    assert await backup(as_owner(postgres_url), files, saved, key, SAID, as_json=False) == Exit.DONE
    assert await restore(saved, empty, key, SAID) == Exit.DONE
    assert await LocalArtifacts(tmp_path / "new files").media_type(digest) == "text/csv"
    async with opened(empty.services_url) as ledger:
        assert await ledger.verify() == {}
        assert await ledger.read(session) == before


async def test_a_ledger_that_was_copied_row_by_row_is_refused_with_a_sentence(
    lived: tuple[UUID, UUID, str], empty: RestoreTarget, postgres_url: str, tmp_path: Path
) -> None:
    saved = tmp_path / "saved"
    files, key = (tmp_path / "files").as_uri(), tmp_path / "audit.key"
    await backup(as_owner(postgres_url), files, saved, key, SAID, as_json=True)
    owner = await asyncpg.connect(empty.owner_url)
    try:
        for extension in ("vector", "pg_trgm", "btree_gin"):
            await owner.execute(f"create extension if not exists {extension} with schema public")
        await run("pg_restore", empty.owner_url, ["--no-owner", "--no-acl", str(saved / DUMP)], SAID)
        await owner.execute("grant usage on schema ledger, dream_meta to dream_service")
        await owner.execute("grant select on all tables in schema ledger, dream_meta to dream_service")
        settings = Settings(database_url=SecretStr(empty.services_url), artifacts_url=tmp_path.as_uri())
        with pytest.raises(NotRewritten, match=r"transaction ids were not rewritten.*dream admin restore"):
            await Backbone.connect(settings)
        # the same copy in a server that has given as many ids: its relays see all, nothing is to be refused
        wanted = await owner.fetchval("select max(xid)::text::bigint from ledger.events")
        have = await owner.fetchval("select pg_current_xact_id()::text::bigint")
        steps = f"do $$ begin for i in {have}..{wanted} loop perform pg_current_xact_id(); commit; end loop; end $$"
        await owner.execute(steps, timeout=60)
        await (await Backbone.connect(settings)).close()
    finally:
        await owner.close()


async def test_a_damaged_backup_is_not_restored(
    lived: tuple[UUID, UUID, str], empty: RestoreTarget, postgres_url: str, tmp_path: Path
) -> None:
    saved, key = tmp_path / "saved", tmp_path / "audit.key"
    await backup(as_owner(postgres_url), (tmp_path / "files").as_uri(), saved, key, SAID, as_json=False)
    with (saved / DUMP).open("r+b") as dump:
        dump.seek(900)
        dump.write(b"\x00\xff")
    with pytest.raises(CommandFailed, match=r"damaged: ledger\.dump"):
        await restore(saved, empty, key, SAID)


async def test_a_relay_fills_the_stream_again_when_the_database_has_begun_another_life(postgres_url: str) -> None:
    """As after a restore to a point in time, or a failover: the same server, on another timeline."""
    async with opened(postgres_url) as ledger:
        await ledger.append(PRODUCER, CONSUMER, [append(uuid4())])
        async with ledger.lead(PRODUCER) as tail:
            assert tail is not None
            await tail.cursor()
            ((position, _),) = await tail.read(Position(0, 0), 10)
            await tail.save("a stream", position)
            assert await tail.cursor() == ("a stream", position)
            change = "update ledger.relay_cursors set epoch = regexp_replace(epoch, '[0-9A-F]{8}$', '0000002A')"
            await ledger.pool.execute(change)
            assert await tail.cursor() == (ANOTHER_LIFE, position)
            await ledger.pool.execute("update ledger.relay_cursors set epoch = 'of an earlier version'")
            assert await tail.cursor() == ("of an earlier version", position)


@pytest.mark.parametrize(
    ("url", "place", "password"),
    [
        ("postgresql://a:s%40t@h:5/d", "postgresql://a@h:5/d", "s@t"),
        ("postgresql://a@/d?host=/x%20y&password=q", "postgresql://a@/d?host=/x%20y", "q"),
        ("postgresql://h/d", "postgresql://h/d", ""),
    ],
)
def test_a_password_goes_on_no_command_line(url: str, place: str, password: str) -> None:
    told, secret = without_password(url)
    assert told.replace("%2F", "/") == place
    assert secret == password


@pytest.mark.parametrize("wrong", ["no key", "another key", "damaged", "missing"])
async def test_what_cannot_be_restored_is_refused_before_anything_is_written(
    wrong: str, lived: tuple[UUID, UUID, str], empty: RestoreTarget, postgres_url: str, tmp_path: Path
) -> None:
    session, _, digest = lived
    saved, key, other = tmp_path / "saved", tmp_path / "audit.key", tmp_path / "other.key"
    files = (tmp_path / "files").as_uri()
    assert await backup(as_owner(postgres_url), files, saved, key, SAID, as_json=False) == Exit.DONE
    file = saved / ARTIFACTS / digest
    whole = file.read_bytes()
    if wrong == "another key":
        other.write_text("00" * 32)
        other.chmod(0o600)
    elif wrong == "damaged":
        file.chmod(0o600)
        file.write_bytes(whole[:-1])
    elif wrong == "missing":
        file.rename(tmp_path / "away")
    with pytest.raises(CommandFailed) as refused:
        await restore(saved, empty, other if "key" in wrong else key, SAID)
    assert (str(other) if wrong == "no key" else digest if "key" not in wrong else "FORGED") in str(refused.value)
    if wrong == "damaged":
        file.write_bytes(whole)
    elif wrong == "missing":
        (tmp_path / "away").rename(file)
    assert await restore(saved, empty, key, SAID) == Exit.DONE, "the place is as empty as it was"
    async with opened(empty.services_url) as ledger:
        assert await ledger.head(session) == 4


async def half_way(folder: Path) -> None:
    async with embedded(folder):
        await LocalArtifacts(folder / "artifacts").put(b"half")
        raise ZeroDivisionError


async def test_a_restore_that_fails_leaves_no_folder_that_would_start() -> None:
    with own_folder("restored") as folder:
        with pytest.raises(ZeroDivisionError):
            await half_way(folder / "new")
        assert not {"postgres", "artifacts"} & {one.name for one in (folder / "new").iterdir()}
        async with embedded(folder / "new"):
            pass
        with pytest.raises(ZeroDivisionError):
            await half_way(folder / "new")
        assert (folder / "new/postgres/PG_VERSION").exists(), "what was there before stays"


async def test_migrating_a_data_folder_leaves_its_packs_the_password_that_its_services_have(
    young_server: EmbeddedPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    await migrate(young_server.owner_url, ["transfer"], **young_server.passwords())
    data = Path(young_server.log).parent
    running = SimpleNamespace(database_url=young_server.url)
    monkeypatch.setattr(DataDir, "running", lambda self: running)
    monkeypatch.delenv("DREAM_DATABASE_URL", raising=False)
    monkeypatch.delenv("DREAM_DATABASE_OWNER_URL", raising=False)
    assert await migrate_here(None, data, SAID) == Exit.DONE
    tables = PostgresTables(young_server.url_of("execution"), "transfer", young_server.packs_secret)
    async with tables.transaction() as rows:
        assert dict(await rows.fetchrow("select 1 as one") or {}) == {"one": 1}
    await tables.close()
