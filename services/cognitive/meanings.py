"""Vectors for what is remembered: of new items in the background, of questions over the bus. Only this service has the
encoder."""

import asyncio
import logging
from collections.abc import Sequence

from pydantic import ValidationError

from backbone.ledger.port import LedgerUnavailable
from backbone.memories.asking import LONGEST
from backbone.memories.port import DIMENSIONS, Meaning, MemoryStore
from backbone.model.offline.encoder import SentenceEncoder
from backbone.service import Service
from contracts import subjects
from contracts.memory import MeaningFound, MeaningWanted

log = logging.getLogger(__name__)
BATCH = 16
"""Texts at once: about 30 ms of CPU, which a person's sentence may have to wait."""
POLL_SECONDS = 0.5


class Meanings:
    """The encoder, for memories. Its weights load with the first text."""

    def __init__(self, encoder: SentenceEncoder, store: MemoryStore) -> None:
        self._encoder = encoder
        self._store = store

    async def of(self, texts: Sequence[str]) -> list[Meaning]:
        """One per text."""
        vectors = await asyncio.to_thread(self._encoder.encode, [text[:LONGEST] for text in texts])
        return [Meaning(self._encoder.name, vector.tolist()) for vector in vectors]

    async def answer(self, payload: bytes) -> bytes:
        """Of a MeaningWanted a MeaningFound, empty when it cannot be made."""
        try:
            (meaning,) = await self.of([MeaningWanted.model_validate_json(payload).text])
        except ValidationError:
            return MeaningFound().model_dump_json().encode()
        return MeaningFound(encoder=meaning.encoder, vector=tuple(meaning.vector)).model_dump_json().encode()

    async def run(self, service: Service) -> None:
        """Until cancelled: answers questions, and gives new items their vectors. Replicas may do the same item; the
        first vector stays."""
        await service.bus.on_ask(subjects.meaning(), self.answer)
        while True:
            try:
                done = await self.catch_up()
            except LedgerUnavailable as error:
                log.warning("new memories have no vectors yet: %s", error)
                done = 0
            if done < BATCH:
                await asyncio.sleep(POLL_SECONDS)

    async def catch_up(self) -> int:
        """Vectors for the oldest items that have none; how many."""
        waiting = await self._store.without_meaning(BATCH)
        if not waiting:
            return 0
        meanings = await self.of([item.text for item in waiting])
        if not meanings[0].is_kept:
            log.warning(
                "memories are found by letters alone: %r makes vectors of %d numbers, not %d",
                self._encoder.name, len(meanings[0].vector), DIMENSIONS,
            )  # fmt: skip
            await asyncio.Event().wait()
        keys = ((item.user, item.item_id) for item in waiting)
        await self._store.understand(dict(zip(keys, meanings, strict=True)))
        return len(waiting)
