"""Conversations that are sealed, for tests."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from backbone.ledger.postgres import PostgresLedger
from backbone.ledger.retention import retention
from contracts.artifacts import Attachment
from contracts.gateway import ArtifactUploaded, MessageReceived, SessionOpened
from dream.texts import Texts
from tests.conformance.facts import CONSUMER, PRODUCER, append, fact, note, run_ends
from tests.conftest import as_owner

SAID = Texts("en")
DAY = timedelta(days=1)
NONE = timedelta(0)
CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


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
