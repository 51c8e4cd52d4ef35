"""What goes and what stays: handled messages, dead letters, sessions put away and brought back, people forgotten."""

import gzip
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import asyncpg
import pytest

from backbone.artifacts.local import LocalArtifacts
from backbone.artifacts.port import ArtifactUnknown
from backbone.ledger.port import NotRecordable, Timer
from backbone.ledger.postgres import PostgresLedger
from backbone.ledger.retention import SessionGoesOn, retention
from contracts.artifacts import Attachment
from contracts.gateway import ArtifactUploaded, SessionOpened
from contracts.timers import TimerFired
from dream.failures import CommandFailed, DataDirInUse, Exit
from dream.local.data_dir import DataDir
from dream.ops import audit
from dream.ops.erase import Place, erase
from dream.ops.keys import listed, rotated
from dream.ops.prune import Limits, duration, prune, restore_session
from dream.texts import Texts
from tests.conformance.facts import CONSUMER, PRODUCER, append, fact, run_begins, run_ends
from tests.conftest import as_owner

SAID = Texts("en")
DAY = timedelta(days=1)


@pytest.fixture
def files(tmp_path: Path) -> LocalArtifacts:
    return LocalArtifacts(tmp_path / "files")


def upload(digest: str) -> ArtifactUploaded:
    file = Attachment(artifact_id=digest, name="a.csv", media_type="text/csv", size=1, type="file.table")
    return ArtifactUploaded(attachment=file)


async def talk(ledger: PostgresLedger, user: str, *digests: str, ends: bool = True) -> UUID:
    """A session with one run."""
    session, run = uuid4(), uuid4()
    opened = [fact(SessionOpened(user=user)), *(fact(upload(digest)) for digest in digests)]
    await ledger.append(PRODUCER, CONSUMER, [append(session, *opened), run_begins(session, run)])
    if ends:
        await ledger.append("response", CONSUMER, [run_ends(session, run)])
    return session


async def test_an_archived_session_is_gone_comes_back_as_it_was_and_the_anchor_tells(
    ledger: PostgresLedger, postgres_url: str, tmp_path: Path, files: LocalArtifacts, capsys
) -> None:
    session, other = await talk(ledger, "kim"), await talk(ledger, "lee", ends=False)
    before, anchor, key = await ledger.read(session), tmp_path / "a.anchor", tmp_path / "key"
    await audit.anchor(postgres_url, anchor, key, SAID)
    url, place = as_owner(postgres_url), (tmp_path / "files").as_uri()
    limits = Limits(30 * DAY, 30 * DAY, timedelta(0))
    assert await prune(url, place, limits, SAID, as_json=True) == Exit.DONE
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (told["sessions"], told["events"]) == (1, len(before)), "the one with an open run stays"
    assert (await ledger.read(session), len(await ledger.read(other))) == ([], 2)
    with pytest.raises(NotRecordable, match="taken away"):
        await ledger.append(PRODUCER, CONSUMER, [append(session)])  # by a gateway that has known it
    assert await audit.verify(postgres_url, None, anchor, key, SAID) == Exit.DONE
    assert f"ARCHIVED {session}" in capsys.readouterr().out
    assert await restore_session(url, place, session, SAID) == Exit.DONE
    assert await ledger.read(session) == before
    assert await audit.verify(postgres_url, None, anchor, key, SAID) == Exit.DONE
    assert "ARCHIVED" not in capsys.readouterr().out
    assert [run.session_id for run in await ledger.open_runs(10)] == [other]
    with pytest.raises(CommandFailed, match="not archived"):
        await restore_session(url, place, session, SAID)


async def test_an_archive_that_was_changed_is_not_let_back_in(
    ledger: PostgresLedger, owner, postgres_url: str, tmp_path: Path, files: LocalArtifacts
) -> None:
    session = await talk(ledger, "kim")
    url, place = as_owner(postgres_url), (tmp_path / "files").as_uri()
    await prune(url, place, Limits(30 * DAY, 30 * DAY, timedelta(0)), SAID, as_json=True)
    name = await owner.fetchval("select archive from ledger.removed")
    lines = gzip.decompress((await files.path(name)).read_bytes()).decode().replace('"kim"', '"lee"')
    forged, _ = await files.put(gzip.compress(lines.encode()))
    await owner.execute("update ledger.removed set archive = $1", forged)
    with pytest.raises(CommandFailed, match="not what was taken away"):
        await restore_session(url, place, session, SAID)
    assert await ledger.read(session) == []


async def test_a_session_that_has_gone_on_or_waits_for_a_timer_stays(ledger: PostgresLedger, postgres_url: str) -> None:
    session = await talk(ledger, "kim")
    async with retention(as_owner(postgres_url)) as administrator:
        (ended,) = await administrator.of_user("kim")
        await ledger.append(PRODUCER, CONSUMER, [append(session)])
        with pytest.raises(SessionGoesOn):
            await administrator.remove(ended, archive="0" * 64, user="kim")
        at = datetime.now(UTC) + DAY
        timer = Timer(uuid4(), None, at, TimerFired(timer_id=uuid4(), purpose="todo_retry", due_at=at))
        waits = append(session)
        await ledger.append(PRODUCER, CONSUMER, [type(waits)(session, waits.cause, waits.facts, (timer,))])
        assert [one async for one in administrator.ended_before(at)] == []


async def test_no_service_takes_a_session_away_nor_brings_one_back(ledger: PostgresLedger) -> None:
    session = await talk(ledger, "kim")
    for statement in (
        f"select ledger.remove_session('{session}', 3, '', 'erased', null, null, 'me')",
        f"select ledger.readmit_session('{session}', '[]')",
        f"select set_config('dream.removing', '{session}', false); delete from ledger.events",
        f"insert into ledger.removed values ('{session}', 1, '', 'erased')",
    ):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await ledger.pool.execute(statement)


async def test_the_owner_takes_no_event_away_by_accident(ledger: PostgresLedger, owner) -> None:
    session, other = await talk(ledger, "kim"), await talk(ledger, "lee")
    for statement in ("delete from ledger.events", "update ledger.events set data = '{}'"):
        async with owner.transaction():
            await owner.execute("select set_config('dream.removing', $1, true)", str(session))
            with pytest.raises(asyncpg.PostgresError, match="append-only"):
                async with owner.transaction():
                    await owner.execute(f"{statement} where stream_id = '{other}'")


async def test_handled_messages_are_kept_for_as_long_as_anybody_can_bring_them_again(
    ledger: PostgresLedger, owner, postgres_url: str, tmp_path: Path, capsys
) -> None:
    async def rows() -> int:
        return int(await owner.fetchval("select count(*) from ledger.inbox where consumer = 'old'"))

    url, place, limits = as_owner(postgres_url), tmp_path.as_uri(), Limits(3 * DAY, DAY, None)
    letter = uuid4()
    await owner.execute(
        "insert into ledger.inbox select 'old', gen_random_uuid(), now() - n * interval '1 day' from generate_series(1, 9) n"
    )
    await owner.execute("insert into ledger.inbox values ('old', $1, now() - interval '8 days')", letter)
    await owner.execute(
        """insert into ledger.dead_letters select gen_random_uuid(), 'x', 's', $1, '{}', '', 9005, '', 6, state,
           now() - interval '8 days' from unnest(array['dead', 'retried', 'discarded']) state""",
        letter,
    )
    await prune(url, place, limits, SAID, as_json=True)
    assert await rows() == 2 + 1, "those younger than three days, and that of a letter somebody may retry"
    assert await owner.fetchval("select array_agg(state) from ledger.dead_letters") == ["dead"]
    await owner.execute("delete from ledger.inbox")
    await owner.execute(
        "insert into ledger.inbox select 'old', gen_random_uuid(), now() - n * interval '1 day' from generate_series(1, 9) n"
    )
    await talk(ledger, "kim", ends=False)
    await owner.execute("update ledger.open_runs set recorded_at = now() - interval '6 days 12 hours'")
    await prune(url, place, limits, SAID, as_json=True)
    assert await rows() == 6, "a bus that is rebuilt brings what came since the oldest open run"
    with pytest.raises(CommandFailed, match="at least 48h"):
        await prune(url, place, Limits(duration("47h", SAID), DAY, None), SAID, as_json=True)


async def test_a_person_is_forgotten_and_everybody_else_is_not(
    ledger: PostgresLedger, owner, postgres_url: str, tmp_path: Path, files: LocalArtifacts, capsys
) -> None:
    own, mine, shared, theirs = [(await files.put(text))[0] for text in (b"own", b"mine", b"shared", b"theirs")]
    first, second = await talk(ledger, "kim", own), await talk(ledger, "kim", mine, shared)
    other = await talk(ledger, "lee", shared, theirs)
    sent, both = [(await files.put(text))[0] for text in (b"sent", b"both")]  # and never said in any session
    for user, digest in (("kim", sent), ("kim", both), ("lee", both), ("kim", theirs)):
        await owner.execute("insert into access.files values ($1, decode($2, 'hex'))", user, digest)
    url, place, key = as_owner(postgres_url), (tmp_path / "files").as_uri(), tmp_path / "key"
    for user in ("kim", "lee"):
        await owner.execute("insert into pack_assistant.calendar_items values ($1, 'u', 'chore', 'BEGIN')", user)
        await owner.execute(
            "insert into memory.items (owner, item_id, kind, text, language, recorded_at, letters)"
            " values ($1, gen_random_uuid(), 'note', 't', 'en', now(), '')",
            user,
        )
    await prune(url, place, Limits(30 * DAY, DAY, timedelta(0)), SAID, as_json=True)
    archive = await owner.fetchval("select archive from ledger.removed where stream_id = $1", first)
    await restore_session(url, place, second, SAID)  # the others stay in their archives
    await audit.anchor(postgres_url, tmp_path / "anchor", key, SAID)
    assert await erase(Place(url, place, None), "kim", SAID, as_json=True) == Exit.DONE
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (told["sessions"], told["rows"]["memory.items"], told["rows"]["pack_assistant.calendar_items"]) == (2, 1, 1)
    assert await ledger.read(second) == []
    await restore_session(url, place, other, SAID)
    assert len(await ledger.read(other)) == 5
    assert told["rows"]["access.files"] == 3
    for digest in (archive, own, mine, sent):
        with pytest.raises(ArtifactUnknown):
            await files.path(digest)
    assert await files.size(shared) and await files.size(theirs) and await files.size(both)
    assert await owner.fetchval("select array_agg(user_id) from access.files") == ["lee"]
    assert await owner.fetchval("select count(*) from memory.items where owner = 'lee'") == 1
    dump = await owner.fetchval("select string_agg(r::text, ' ') from ledger.removed r")
    assert "kim" not in dump
    assert await audit.verify(postgres_url, None, tmp_path / "anchor", key, SAID) == Exit.DONE
    assert f"ERASED {second}: 5 events were erased on" in capsys.readouterr().out
    with pytest.raises(CommandFailed, match="not archived"):
        await restore_session(url, place, first, SAID)


async def test_a_person_with_an_open_run_is_not_erased_under_it(
    ledger: PostgresLedger, postgres_url: str, tmp_path: Path
) -> None:
    session = await talk(ledger, "kim", ends=False)
    with pytest.raises(CommandFailed, match="open runs"):
        await erase(Place(as_owner(postgres_url), tmp_path.as_uri(), None), "kim", SAID, as_json=False)
    assert await ledger.read(session)


async def test_a_secret_of_the_ledger_is_renewed_and_never_shown(
    ledger: PostgresLedger, postgres_url: str, tmp_path: Path, capsys
) -> None:
    before = await ledger.secret("gateway.idempotency")
    url = as_owner(postgres_url)
    assert await listed(url, tmp_path, SAID, as_json=False) == Exit.DONE
    told = capsys.readouterr().out
    assert "secret gateway.idempotency" in told and "login dream_service" in told
    assert before.hex() not in told
    assert await rotated("gateway.idempotency", url, tmp_path, SAID) == Exit.DONE
    assert await ledger.secret("gateway.idempotency") != before
    with pytest.raises(CommandFailed, match="no secret"):
        await rotated("another", url, tmp_path, SAID)


async def test_a_password_of_a_data_folder_goes_while_nobody_uses_it(tmp_path: Path) -> None:
    place = DataDir(tmp_path / "data")
    place.lock()
    password = place.folder / "nats/password"
    password.parent.mkdir()
    password.write_text("old")
    with pytest.raises(DataDirInUse):
        await rotated("bus", None, place.folder, SAID)
    place.unlock()
    assert await rotated("bus", None, place.folder, SAID) == Exit.DONE
    assert not password.exists()
