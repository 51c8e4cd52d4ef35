"""Sealed sessions (docs/adr/0085): smaller, and otherwise as they were for whoever asks for them."""

import asyncio
import json
import lzma
import random
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest

from backbone.artifacts.local import LocalArtifacts
from backbone.ledger.logins import role_of_service
from backbone.ledger.migrate import migrate
from backbone.ledger.port import (
    DIALOGUE,
    Append,
    Decision,
    Evidence,
    LedgerUnavailable,
    NotInLedger,
    NotRecordable,
    Tail,
    VersionConflict,
)
from backbone.ledger.postgres import PostgresLedger
from backbone.ledger.retention import SessionGoesOn, retention
from backbone.ledger.rights import READERS
from backbone.witness import evidence_of
from contracts.artifacts import Attachment
from contracts.gateway import ArtifactUploaded, MessageReceived, SessionOpened
from contracts.response import RunCompleted
from dream.failures import Exit
from dream.learning.export import Wanted, lines
from dream.ops import audit
from dream.ops.erase import Place, erase
from dream.ops.prune import Limits, prune
from dream.texts import Texts
from tests.conformance.facts import CONSUMER, PRODUCER, append, fact, note, run_begins, run_ends, timer
from tests.conftest import as_owner

SAID = Texts("en")
DAY = timedelta(days=1)
NONE = timedelta(0)
CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture
async def ledger(postgres_url: str) -> AsyncIterator[PostgresLedger]:
    ledger = await PostgresLedger.connect(postgres_url, min_size=1, max_size=2)
    try:
        yield ledger
    finally:
        await ledger.close()


@pytest.fixture
async def owner(postgres_url: str) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
    connection = await asyncpg.connect(as_owner(postgres_url))
    try:
        yield connection
    finally:
        await connection.close()


async def published(owner: Any) -> None:
    """Relays have published all there is."""
    await owner.execute(
        """insert into ledger.relay_cursors (producer, epoch, xid, seq)
           select distinct on (producer) producer, 'one', xid, seq from ledger.events order by producer, xid desc, seq desc
           on conflict (producer) do update set xid = excluded.xid, seq = excluded.seq"""
    )


async def talk(
    ledger: PostgresLedger, user: str = "kim", runs: int = 2, file: str = "a" * 64
) -> tuple[UUID, list[UUID]]:
    """A session, and its runs; the first is of a caller's trace."""
    session, made = uuid4(), [uuid4() for _ in range(runs)]
    brought = Attachment(artifact_id=file, name="표.csv", media_type="text/csv", size=1, type="file.table")
    first = [
        fact(SessionOpened(user=user)),
        fact(ArtifactUploaded(attachment=brought)),
        fact(note('"\\\n\x1f 안녕 💬')),
    ]
    await ledger.append(PRODUCER, CONSUMER, [append(session, *first)])
    for run in made:
        said = fact(MessageReceived(text="hello"), run_id=run)
        traced = said._replace(traceparent=CALLER) if run is made[0] else said
        await ledger.append(PRODUCER, CONSUMER, [append(session, traced, fact(note("1.10"), run_id=run))])
        await ledger.append("response", CONSUMER, [run_ends(session, run)])
    return session, made


async def seal(owner: Any, url: str, session: UUID) -> None:
    await published(owner)
    async with retention(as_owner(url)) as administrator:
        found = [one async for one in administrator.idle_since(datetime.now(UTC) + DAY) if one.session_id == session]
        await administrator.seal(found[0])
    assert await owner.fetchval("select count(*) from ledger.events where stream_id = $1", session) == 0


async def test_whatever_is_asked_of_a_sealed_session_is_as_it_was(
    ledger: PostgresLedger, owner: Any, postgres_url: str
) -> None:
    session, runs = await talk(ledger)
    other, _ = await talk(ledger, "lee")
    before = await ledger.read(session)
    places = {(session, 2), (session, 9), (other, 1), (session, 99)}

    async def talked() -> object:
        head = await ledger.head(session)
        newest = await ledger.latest(session, DIALOGUE, 3)
        return head, newest, await ledger.brought(session, 5), await ledger.find(session, DIALOGUE)

    async def at() -> object:
        return sorted((one.session_id, one.version) for one in await ledger.at(places))

    questions: list[Callable[[], Awaitable[object]]] = [
        lambda: ledger.read(session),
        lambda: ledger.read(session, 4, 2),
        lambda: ledger.read(session, len(before)),
        talked,
        at,
        lambda: ledger.run(runs[1]),
        lambda: ledger.run(uuid4()),
        lambda: ledger.of_trace(runs[1], 5),
        lambda: ledger.of_trace(UUID(CALLER[3:35]), 5),
        lambda: ledger.heads([session, other]),
    ]
    for question in questions:
        told = await question()
        await seal(owner, postgres_url, session)
        assert await question() == told
        assert await ledger.read(session) == before
    assert await ledger.verify() == {}


async def test_a_sealed_session_goes_on_where_it_ended(ledger: PostgresLedger, owner: Any, postgres_url: str) -> None:
    session, _ = await talk(ledger)
    before = await ledger.read(session)
    await seal(owner, postgres_url, session)
    (appended,) = await ledger.append(PRODUCER, CONSUMER, [append(session, expected=len(before))])
    assert appended.last_version == len(before) + 1
    await seal(owner, postgres_url, session)
    with pytest.raises(VersionConflict):
        await ledger.append(PRODUCER, CONSUMER, [append(session, expected=3)])
    seen: list[int] = []

    def decision(tails, handled):
        seen.append(tails[session].head)
        assert [one.version for one in tails[session].messages] == [1, 4, 7]
        return [append(session)]

    types = frozenset({"SessionOpened", "MessageReceived"})
    (appended,) = await ledger.decide(PRODUCER, CONSUMER, {session: 0}, types, [], decision)
    assert (seen, appended.last_version) == ([10], 11)
    assert (await ledger.read(session))[:9] == before
    assert await ledger.verify() == {}


async def test_a_message_that_comes_late_is_known_though_its_session_is_sealed(
    ledger: PostgresLedger, owner: Any, postgres_url: str
) -> None:
    session, _ = await talk(ledger)
    late = (await ledger.read(session))[4]
    for known in (True, False):
        await seal(owner, postgres_url, session)
        evidence = evidence_of(late) if known else Evidence(late.version, bytes(32))
        follows = Append(session, late.event_id, (fact(),), evidence=evidence)
        if known:
            await ledger.append(PRODUCER, "late", [follows])
        else:
            with pytest.raises(NotInLedger):
                await ledger.append(PRODUCER, "later", [follows])


async def test_what_a_service_opens_again_is_in_the_voices_of_those_who_said_it(
    ledger: PostgresLedger, owner: Any, postgres_url: str
) -> None:
    session, _ = await talk(ledger)
    before = await ledger.read(session)
    await seal(owner, postgres_url, session)
    role = role_of_service("gateway")
    login = f"postgresql://{role}:{secrets.token_hex(32)}@{postgres_url.partition('@')[2]}"
    await migrate(as_owner(postgres_url), services_url=postgres_url, logins=[login])
    gateway = await PostgresLedger.connect(login, roles=[role], min_size=1, max_size=2)
    try:
        assert await gateway.read(session) == before
        assert {one.producer for one in before} == {"gateway", "response"}
        history = json.dumps(
            [[1, str(uuid4()), "RunCompleted", 1, "response", *[None] * 2, str(uuid4()), None, None, 0, "{}", "{}"]]
        )
        await seal(owner, postgres_url, session)
        for forged in (history, "[]", "null", "[[1]]"):
            with pytest.raises((asyncpg.PostgresError, NotRecordable)):
                await gateway.pool.execute("select ledger.unseal($1, $2)", session, forged)
        assert await gateway.pool.fetchval("select ledger.unseal($1, '[]')", uuid4()) is False
        with pytest.raises(asyncpg.PostgresError):
            await gateway.pool.execute("select ledger.seal($1, 1, '', '')", session)
        with pytest.raises(LedgerUnavailable, match="does not speak"):
            await gateway.append("response", CONSUMER, [append(session, fact(RunCompleted()))])
    finally:
        await gateway.close()
    assert await ledger.read(session) == before


async def test_two_who_ask_at_once_open_it_once(ledger: PostgresLedger, owner: Any, postgres_url: str) -> None:
    session, _ = await talk(ledger)
    before = await ledger.read(session)
    await seal(owner, postgres_url, session)
    written = [ledger.append(PRODUCER, CONSUMER, [append(session)]) for _ in range(4)]
    asked, _ = await asyncio.gather(asyncio.gather(*(ledger.read(session) for _ in range(8))), asyncio.gather(*written))
    assert all(told[: len(before)] == before for told in asked)
    assert await ledger.head(session) == len(before) + 4


async def test_whoever_seals_all_the_time_loses_nothing_and_is_noticed_by_nobody(
    ledger: PostgresLedger, owner: Any, postgres_url: str
) -> None:
    sessions = [(await talk(ledger, runs=1))[0] for _ in range(3)]
    written: dict[UUID, list[UUID]] = {session: [] for session in sessions}
    sealings = 0
    over = asyncio.Event()
    types = frozenset({"SessionOpened", "FeedbackGiven"})

    async def seals() -> None:
        nonlocal sealings
        async with retention(as_owner(postgres_url)) as administrator:
            while not over.is_set():
                await published(owner)
                async for ended in administrator.idle_since(datetime.now(UTC) + DAY):
                    with suppress(SessionGoesOn):
                        await administrator.seal(ended)
                        sealings += 1

    async def works(dice: random.Random) -> None:
        for number in range(40):
            session, noted = dice.choice(sessions), fact(note(str(number)))
            one = append(session, noted)
            if dice.random() < 0.5:
                await ledger.append(PRODUCER, CONSUMER, [one])
            else:
                await ledger.decide(PRODUCER, CONSUMER, {session: 0}, types, [one.cause], _opened_and(session, one))
            written[session].append(noted.event_id)
            told = await ledger.read(session)
            assert [event.version for event in told] == list(range(1, len(told) + 1))
            assert noted.event_id in {event.event_id for event in told}
            await asyncio.sleep(dice.random() / 100)

    sealing = asyncio.create_task(seals())
    await asyncio.gather(*(works(random.Random(number)) for number in range(4)))
    over.set()
    await sealing
    assert sealings >= 5
    for session in sessions:
        there = [event.event_id for event in await ledger.read(session)]
        assert sorted(there[6:]) == sorted(written[session])
    assert await ledger.verify() == {}


def _opened_and(session: UUID, one: Append) -> Decision:
    """Appends where the session's beginning is seen, as every decision that folds it wants it."""

    def decision(tails: Mapping[UUID, Tail], handled: AbstractSet[UUID]) -> Sequence[Append]:
        assert tails[session].messages[0].type == "SessionOpened"
        assert tails[session].head >= len(tails[session].messages)
        return [one]

    return decision


async def test_what_is_open_unpublished_young_or_was_just_looked_at_is_not_sealed(
    ledger: PostgresLedger, owner: Any, postgres_url: str
) -> None:
    session, _ = await talk(ledger)
    async with retention(as_owner(postgres_url)) as administrator:

        async def idle(until: timedelta = DAY) -> list[Any]:
            return [one async for one in administrator.idle_since(datetime.now(UTC) + until)]

        (ended,) = await idle()
        assert await idle(-DAY) == []
        with pytest.raises(SessionGoesOn, match="open"):
            await administrator.seal(ended)  # no relay has published it
        await published(owner)
        letter = (await ledger.read(session))[3].event_id
        await owner.execute(
            """insert into ledger.dead_letters select gen_random_uuid(), 'x', 's', $1, '{}', '', 9005, '', 6, 'dead'""",
            letter,
        )
        with pytest.raises(SessionGoesOn, match="open"):
            await administrator.seal(ended)
        await owner.execute("update ledger.dead_letters set state = 'discarded'")
        await ledger.append(PRODUCER, CONSUMER, [append(session)])
        await published(owner)
        with pytest.raises(SessionGoesOn, match="gone on"):
            await administrator.seal(ended)
        (ended,) = await idle()
        await administrator.seal(ended)
        assert await idle() == []
        assert await ledger.head(session) == ended.version
        await owner.execute("update ledger.streams set unsealed_at = now() + interval '2 days'")
        assert await idle() == [], "somebody has looked at it since"
        await owner.execute("update ledger.streams set unsealed_at = null")
        await ledger.append(PRODUCER, CONSUMER, [append(session)._replace(timers=(timer(3600),))])
        assert await idle() == []
        await owner.execute("delete from ledger.timers")
        await ledger.append(PRODUCER, CONSUMER, [run_begins(session, uuid4())])
        assert await idle() == []


async def test_prune_seals_and_archives_what_is_sealed(
    ledger: PostgresLedger, owner: Any, postgres_url: str, tmp_path: Path, capsys: Any
) -> None:
    session, _ = await talk(ledger)
    before = await ledger.read(session)
    await published(owner)
    url, place, key = as_owner(postgres_url), (tmp_path / "files").as_uri(), tmp_path / "key"
    await audit.anchor(postgres_url, tmp_path / "early", key, SAID)
    for dry_run, there in ((True, len(before)), (False, 0)):
        await prune(url, place, Limits(3 * DAY, DAY, None, NONE, dry_run), SAID, as_json=True)
        assert json.loads(capsys.readouterr().out.splitlines()[-1])["sealed"] == 1
        assert await owner.fetchval("select count(*) from ledger.events") == there
    await audit.anchor(postgres_url, tmp_path / "late", key, SAID)
    for anchored in ("early", "late"):
        assert await audit.verify(postgres_url, None, tmp_path / anchored, key, SAID) == Exit.DONE
    assert await audit.verify(postgres_url, session, None, key, SAID) == Exit.DONE
    assert await owner.fetchval("select sealed from ledger.streams"), "an audit opens nothing"
    oldest = await owner.fetchval("select migration from dream_meta.min_reader")
    assert oldest == 31, "a program that knows nothing of seals does not start here any more"
    await prune(url, place, Limits(3 * DAY, DAY, NONE, NONE), SAID, as_json=True)
    assert await owner.fetchval("select archive from ledger.removed where stream_id = $1", session)
    assert await ledger.read(session) == []


async def test_for_a_week_after_an_update_nothing_is_sealed(
    ledger: PostgresLedger, owner: Any, postgres_url: str, tmp_path: Path
) -> None:
    await talk(ledger)
    await published(owner)

    async def sealed(updated: int, installed: int) -> int:
        sql = "update dream_meta.migrations set applied_at = now() - $1::interval where (name = '0031_sealed.sql') = $2"
        await owner.execute(sql, timedelta(days=installed), False)  # a parameter
        await owner.execute(sql, timedelta(days=updated), True)  # as above
        limits = Limits(3 * DAY, DAY, None, NONE)
        await prune(as_owner(postgres_url), tmp_path.as_uri(), limits, SAID, as_json=True)
        return int(await owner.fetchval("select count(*) from ledger.sealed"))

    assert await sealed(updated=6, installed=90) == 0, "the version before may be wanted again"
    assert await sealed(updated=8, installed=90) == 1


@pytest.mark.parametrize("how", ["cut", "changed", "rewritten", "no events", "gone", "no archive at all"])
async def test_a_sealed_history_that_was_changed_is_found_and_not_let_back_in(
    ledger: PostgresLedger, owner: Any, postgres_url: str, tmp_path: Path, capsys: Any, how: str
) -> None:
    session, _ = await talk(ledger)
    key = tmp_path / "key"
    await audit.anchor(postgres_url, tmp_path / "anchor", key, SAID)
    await seal(owner, postgres_url, session)
    text = lzma.decompress(await owner.fetchval("select history from ledger.sealed")).decode()
    changed = {
        "cut": "\n".join(text.split("\n")[:-2]),
        "changed": text.replace("hello", "hallo", 1),
        "rewritten": text.replace("안녕", "잘 가"),
        "no events": '{"a": 1}\n[2]',
    }
    if how == "gone":
        await owner.execute("delete from ledger.sealed")
    else:
        history = lzma.compress(changed[how].encode()) if how in changed else b"nonsense"
        await owner.execute("update ledger.sealed set history = $1", history)
    assert await audit.verify(postgres_url, None, tmp_path / "anchor", key, SAID) == Exit.FAILED
    assert f"{session}" in capsys.readouterr().out
    if how != "gone":
        with pytest.raises(NotRecordable, match="damaged"):
            await ledger.read(session)
    with pytest.raises(NotRecordable, match="damaged"):
        await ledger.append(PRODUCER, CONSUMER, [append(session)])
    assert await owner.fetchval("select count(*) from ledger.events") == 0


async def test_an_erased_person_has_nothing_sealed_left(
    ledger: PostgresLedger, owner: Any, postgres_url: str, tmp_path: Path, capsys: Any
) -> None:
    files = LocalArtifacts(tmp_path / "files")
    mine, shared = (await files.put(b"mine"))[0], (await files.put(b"shared"))[0]
    first, _ = await talk(ledger, "kim", file=mine)
    second, _ = await talk(ledger, "kim", file=shared)
    theirs, _ = await talk(ledger, "lee", file=shared)
    for session in (first, theirs):
        await seal(owner, postgres_url, session)
    place = Place(as_owner(postgres_url), (tmp_path / "files").as_uri(), None)
    assert await erase(place, "kim", SAID, as_json=True) == Exit.DONE
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (told["sessions"], told["events"], told["files"]) == (2, 18, 1)
    assert await owner.fetchval("select array_agg(stream_id) from ledger.sealed") == [theirs]
    assert await files.size(shared)
    assert (await ledger.read(first), await ledger.read(second)) == ([], [])
    assert len(await ledger.read(theirs)) == 9


async def test_an_export_reads_what_is_sealed_and_opens_nothing(
    ledger: PostgresLedger, owner: Any, postgres_url: str
) -> None:
    session, _ = await talk(ledger)
    await talk(ledger, "lee")
    reader = await PostgresLedger.connect(postgres_url, roles=READERS, min_size=1, max_size=2)

    async def exported(wanted: Wanted) -> list[str]:
        found = [one async for one in lines(reader, wanted)]
        return sorted(json.dumps({name: value for name, value in one.items() if name != "user"}) for one in found)

    try:
        before = await exported(Wanted())
        await seal(owner, postgres_url, session)
        assert len(before) == 4
        assert await exported(Wanted()) == before
        assert len(await exported(Wanted(user="kim"))) == 2
        assert await exported(Wanted(since=datetime.now(UTC) + DAY)) == []
        assert await owner.fetchval("select count(*) from ledger.sealed") == 1
    finally:
        await reader.close()
