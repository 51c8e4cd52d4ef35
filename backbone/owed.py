"""What somebody waits for in the ledger when the bus was lost: that much is published again, and no more.

A run that waits for its person may wait for days, beside thousands that come and go: nobody owes it anything."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from backbone.ledger.port import Ledger
from backbone.liveness.fold import RunState
from backbone.liveness.reading import Folded, open_places
from backbone.liveness.turns import PERSON
from contracts.envelope import Message

QUIET = timedelta(minutes=5)
"""What is younger is published in any case: it may not have been handled by all whom it concerns."""


@dataclass(frozen=True, slots=True)
class Owed:
    """The open runs in which somebody other than a person has to do something, and since when all is published."""

    runs: frozenset[UUID]
    since: datetime

    def __contains__(self, message: Message) -> bool:
        return message.run_id is None or message.run_id in self.runs or message.recorded_at > self.since


async def owed(ledger: Ledger, now: datetime) -> Owed:
    """Folds every open run. Raises LedgerUnavailable."""
    since = now - QUIET
    runs: set[UUID] = set()
    async for places in open_places(ledger):
        states = await Folded(ledger).of(places)
        runs |= {place.run_id for place, state in zip(places, states, strict=True) if not _waits(state, since)}
    return Owed(frozenset(runs), since)


def _waits(run: RunState, since: datetime) -> bool:
    """Whether only a person can go on with it, and for so long that everybody else has done their part."""
    turns = run.turns()
    last = [run.line] if run.line else []
    return bool(turns) and all(turn.actor == PERSON for turn in turns) and all(t.since < since for t in turns + last)
