"""Reads runs from the ledger and folds them. What has been folded is kept: the next look reads only what is new."""

import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from pydantic import ValidationError

from backbone.ledger.port import Ledger, RunPlace
from backbone.liveness.fold import FOLDS, RunState, evolve
from backbone.liveness.turns import Margins
from contracts.envelope import Message
from contracts.registry import UnknownEvent

log = logging.getLogger(__name__)
PAGE = 1000
TOGETHER = 100
"""Runs whose events are read with one question."""


async def open_places(ledger: Ledger, page: int = PAGE) -> AsyncIterator[Sequence[RunPlace]]:
    """Every open run, the newest first, page by page."""
    before: RunPlace | None = None
    while True:
        places = await ledger.open_runs(page, before)
        if places:
            yield places
        if len(places) < page:
            return
        before = places[-1]


@dataclass(slots=True)
class _Known:
    head: int
    run: RunState


@dataclass(slots=True)
class Folded:
    """The runs that somebody looks at again and again."""

    ledger: Ledger
    margins: Margins = field(default_factory=Margins)
    _known: dict[UUID, _Known] = field(default_factory=dict)

    async def of(self, places: Sequence[RunPlace]) -> list[RunState]:
        """The state of each run at the head that its place names, or beyond."""
        moved = [place for place in places if self._head(place) < place.head]
        for start in range(0, len(moved), TOGETHER):
            await self._read(moved[start : start + TOGETHER])
        return [self._known[place.run_id].run for place in places]

    def keep(self, runs: set[UUID]) -> None:
        """Lets go of all others."""
        self._known = {run_id: known for run_id, known in self._known.items() if run_id in runs}

    def _head(self, place: RunPlace) -> int:
        known = self._known.get(place.run_id)
        return known.head if known else 0

    async def _read(self, places: Sequence[RunPlace]) -> None:
        after = {place.run_id: (place.session_id, max(self._head(place), place.version - 1)) for place in places}
        messages = await self.ledger.of_runs(after, FOLDS)
        for place in places:
            known = self._known.setdefault(place.run_id, _Known(0, RunState()))
            known.head = place.head
        for message in messages:
            assert message.run_id is not None
            known = self._known[message.run_id]
            # read after the places were: some may lie beyond them
            known.head = max(known.head, message.version)
            _fold(known.run, message, self.margins)


def _fold(run: RunState, message: Message, margins: Margins) -> None:
    try:
        evolve(run, message, margins)
    except (UnknownEvent, ValidationError) as error:
        # of a newer version of ourselves, during a deployment: whoever can read it goes on with the run
        log.warning("an event cannot be read", extra={"type": message.type, "reason": str(error)})
