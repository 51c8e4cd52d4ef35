"""Conformance of ledgers: what deciders keep of sessions."""

import json
from uuid import UUID, uuid4

from backbone.ledger.port import Ledger
from backbone.ledger.snapshots import Snapshot
from tests.conformance.facts import CONSUMER, PRODUCER, append, fact, note


class SnapshotsConformance:
    """One state for each session and consumer, the newest; none where there is no session."""

    async def test_the_newest_state_that_the_same_code_has_made_is_answered(self, ledger: Ledger) -> None:
        session = await _begun(ledger)
        for version, text in ((3, "three"), (5, "five"), (4, "late")):
            await ledger.keep_snapshot("desk", "code", session, _state(version, text))
        found = await ledger.snapshots("desk", "code", [session, uuid4()])
        assert {one: (kept.version, json.loads(kept.state)) for one, kept in found.items()} == {session: (5, ["five"])}
        assert await ledger.snapshots("desk", "other code", [session]) == {}
        assert await ledger.snapshots("other desk", "code", [session]) == {}

    async def test_other_code_takes_the_place_of_what_it_cannot_use(self, ledger: Ledger) -> None:
        session = await _begun(ledger)
        await ledger.keep_snapshot("desk", "code", session, _state(9, "nine"))
        await ledger.keep_snapshot("desk", "newer code", session, _state(7, "seven"))
        assert await ledger.snapshots("desk", "code", [session]) == {}
        assert (await ledger.snapshots("desk", "newer code", [session]))[session].version == 7

    async def test_without_a_session_nothing_is_kept(self, ledger: Ledger) -> None:
        gone = uuid4()
        await ledger.keep_snapshot("desk", "code", gone, _state(1, "one"))
        assert await ledger.snapshots("desk", "code", [gone]) == {}


async def _begun(ledger: Ledger) -> UUID:
    session = uuid4()
    await ledger.append(PRODUCER, CONSUMER, [append(session, fact(note("hello")))])
    return session


def _state(version: int, text: str) -> Snapshot:
    return Snapshot(version, json.dumps([text]))
