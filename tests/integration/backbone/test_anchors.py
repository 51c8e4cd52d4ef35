"""Histories that were rewritten as a whole, by somebody who may write all of the database: found against an anchor."""

import os
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID, uuid4

import asyncpg
import pytest

from backbone.ledger import anchors
from backbone.ledger.postgres import PostgresLedger
from dream.failures import CommandFailed, Exit
from dream.ops import audit
from dream.texts import chosen
from tests.conformance.facts import CONSUMER, PRODUCER, append, fact, note
from tests.conftest import as_owner

RECHAINED = """with recursive again as (
    select e.version, ledger.chain_step(null, decode(repeat('00', 32), 'hex'), {content}) as hash
      from ledger.events e where e.stream_id = $1 and e.version = 1
    union all
    select e.version, ledger.chain_step(a.hash, a.hash, {content}) from again a join ledger.events e
        on e.stream_id = $1 and e.version = a.version + 1)
  update ledger.events e set hash = a.hash from again a where e.stream_id = $1 and e.version = a.version""".format(
    content="ledger.content(e.version, e.event_id, e.type, e.schema_version, e.producer, e.route, e.run_id, "
    "e.correlation_id, e.causation_id, e.traceparent, e.recorded_at, e.data, e.meta)"
)
HEAD = """update ledger.streams s set version = e.version, hash = e.hash from ledger.events e
    where s.stream_id = $1 and e.stream_id = $1 and e.version = (select max(version) from ledger.events where stream_id = $1)"""


@pytest.fixture
async def forger(postgres_url: str) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
    """Somebody with the owner's rights, who has switched off what stands in the way."""
    connection = await asyncpg.connect(as_owner(postgres_url))
    await connection.execute("alter table ledger.events disable trigger user")
    yield connection
    await connection.close()


class Auditor:
    """Who keeps anchors, and their key, elsewhere."""

    def __init__(self, url: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.url, self.folder, self._capsys = url, folder, capsys
        self.key = folder / "keys" / "audit.key"

    async def anchored(self, name: str = "then") -> Path:
        file = self.folder / f"{name}.anchor"
        assert await audit.anchor(self.url, file, self.key, chosen()) == Exit.DONE
        assert file.stat().st_mode & 0o777 == 0o600
        return file

    async def found(self, file: Path | None, session: UUID | None = None) -> list[str]:
        """What is told of; empty when all is well."""
        self._capsys.readouterr()
        code = await audit.verify(self.url, session, file, self.key, chosen())
        lines = self._capsys.readouterr().out.splitlines()
        assert code == (Exit.FAILED if any(str(s).isupper() for line in lines for s in line.split()[:1]) else Exit.DONE)
        return [line for line in lines if line.split()[0].isupper()]


@pytest.fixture
def auditor(
    postgres_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Auditor:
    monkeypatch.setenv("DREAM_LANG", "en")
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    monkeypatch.setattr(anchors, "PAGE", 3)
    return Auditor(postgres_url, tmp_path, capsys)


async def history(ledger: PostgresLedger, events: int) -> UUID:
    session = uuid4()
    await ledger.append(PRODUCER, CONSUMER, [append(session, *(fact(note(f"{n}")) for n in range(events)))])
    return session


async def test_an_end_cut_off_with_its_head_a_chain_made_anew_and_a_session_removed_are_found(
    ledger: PostgresLedger, forger: "asyncpg.Connection[asyncpg.Record]", auditor: Auditor
) -> None:
    cut, rewritten, removed, *kept = [await history(ledger, count) for count in (6, 5, 2, 3, 4, 1, 7)]
    anchor = await auditor.anchored()
    # afterwards life goes on, in old sessions and in new ones
    for session in (cut, rewritten, removed, kept[0], uuid4()):
        await ledger.append(PRODUCER, CONSUMER, [append(session)])
    assert await auditor.found(anchor) == []

    await forger.execute("delete from ledger.events where stream_id = $1 and version > 4", cut)
    await forger.execute(HEAD, cut)
    words = """update ledger.events set data = jsonb_set(data, '{comment}', '"never said"') where stream_id = $1 and version = 2"""
    await forger.execute(words, rewritten)
    await forger.execute(RECHAINED, rewritten)
    await forger.execute(HEAD, rewritten)
    for table in ("events", "streams"):
        await forger.execute(f"delete from ledger.{table} where stream_id = $1", removed)
    assert await auditor.found(None) == [], "this is what an anchor is for"
    assert set(await auditor.found(anchor)) == {
        f"MISSING {cut}: version 6 was there when it was anchored.",
        f"REWRITTEN {rewritten}: up to version 5 it is not what was anchored.",
        f"MISSING {removed}: version 2 was there when it was anchored.",
    }
    assert await auditor.found(anchor, cut) == [f"MISSING {cut}: version 6 was there when it was anchored."]
    assert await auditor.found(anchor, removed), "also when it is asked for by name"
    assert await auditor.found(anchor, kept[0]) == []


async def test_a_cut_that_was_filled_up_again_is_found_and_one_after_the_last_anchor_is_not(
    ledger: PostgresLedger, forger: "asyncpg.Connection[asyncpg.Record]", auditor: Auditor
) -> None:
    session = await history(ledger, 4)
    first = await auditor.anchored("first")
    await ledger.append(PRODUCER, CONSUMER, [append(session, fact(), fact(), fact())])
    second = await auditor.anchored("second")
    await forger.execute("delete from ledger.events where stream_id = $1 and version > 5", session)
    await forger.execute(HEAD, session)
    await ledger.append(PRODUCER, CONSUMER, [append(session, fact(), fact(), fact(), fact())])
    assert await auditor.found(first) == []
    assert await auditor.found(second) == [f"REWRITTEN {session}: up to version 7 it is not what was anchored."]


async def test_a_whole_history_put_in_place_of_another_is_found(
    ledger: PostgresLedger, forger: "asyncpg.Connection[asyncpg.Record]", auditor: Auditor
) -> None:
    """Two sessions change places, each sound in itself."""
    one, other, between = await history(ledger, 3), await history(ledger, 3), uuid4()
    anchor = await auditor.anchored()
    for table in ("streams", "events"):
        for before, after in ((one, between), (other, one), (between, other)):
            await forger.execute(f"update ledger.{table} set stream_id = $2 where stream_id = $1", before, after)
    assert await auditor.found(None) == []
    assert len(await auditor.found(anchor)) == 2


@pytest.mark.parametrize("how", ["a line", "a figure", "the key", "the signature"])
async def test_an_anchor_that_was_changed_or_has_another_key_is_no_witness(
    ledger: PostgresLedger, auditor: Auditor, how: str
) -> None:
    session = await history(ledger, 12)
    await history(ledger, 2)
    anchor = await auditor.anchored()
    lines = anchor.read_text().splitlines(keepends=True)
    match how:
        case "a line":
            lines = [line for line in lines if str(session) not in line]
        case "a figure":
            lines = [line.replace(f"{session} 12 ", f"{session} 11 ") for line in lines]
        case "the key":
            auditor.key.write_text("0" * 64)
        case _:
            lines[-1] = lines[-1].replace('hmac": "', 'hmac": "0')
    anchor.write_text("".join(lines))
    with pytest.raises(CommandFailed, match="FORGED") as refused:
        await auditor.found(anchor)
    assert refused.value.exit_code == Exit.FAILED


async def test_anchors_are_not_written_over_and_what_is_none_is_said(
    ledger: PostgresLedger, auditor: Auditor, tmp_path: Path
) -> None:
    await history(ledger, 1)
    anchor = await auditor.anchored()
    before = anchor.read_bytes()
    with pytest.raises(CommandFailed):
        await auditor.anchored()
    assert anchor.read_bytes() == before
    for content in (b"", b"no anchor\n", b"[]\n", b'{"dream_anchor": 7}\n{"hmac": "0"}\n', os.urandom(200)):
        other = tmp_path / "other"
        other.write_bytes(content)
        with pytest.raises(CommandFailed):
            await auditor.found(other)
    with pytest.raises(CommandFailed):
        await auditor.found(tmp_path / "nowhere")
