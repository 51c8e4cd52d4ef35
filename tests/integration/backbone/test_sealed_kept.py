"""What is sealed is kept: by prune, audits, exports, for as long as its person wants it; and found when it was changed."""

import json
import lzma
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from backbone.artifacts.local import LocalArtifacts
from backbone.ledger.port import (
    NotRecordable,
)
from backbone.ledger.postgres import PostgresLedger
from backbone.ledger.rights import READERS
from dream.failures import Exit
from dream.learning.export import Wanted, lines
from dream.ops import audit
from dream.ops.erase import Place, erase
from dream.ops.prune import Limits, prune
from tests.conformance.facts import CONSUMER, PRODUCER, append
from tests.conftest import as_owner
from tests.integration.backbone.sealing import DAY, NONE, SAID, published, seal, talk


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


async def test_a_history_that_was_changed_stops_neither_an_export_nor_an_archive(
    ledger: PostgresLedger, owner: Any, postgres_url: str, tmp_path: Path, capsys: Any
) -> None:
    session, _ = await talk(ledger)
    other, _ = await talk(ledger, "lee")
    for one in (session, other):
        await seal(owner, postgres_url, one)
    await owner.execute("update ledger.sealed set history = 'nonsense' where stream_id = $1", session)
    assert len([one async for one in lines(ledger, Wanted())]) == 2
    assert str(session) in capsys.readouterr().err
    url, place = as_owner(postgres_url), (tmp_path / "files").as_uri()
    assert await prune(url, place, Limits(3 * DAY, DAY, NONE, None), SAID, as_json=True) == Exit.DONE
    assert str(session) in capsys.readouterr().err
    assert await owner.fetchval("select array_agg(stream_id) from ledger.removed") == [other]
    assert await owner.fetchval("select array_agg(stream_id) from ledger.sealed") == [session]


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
