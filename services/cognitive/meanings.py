"""Vectors for what is remembered: of new items and for a new encoder in the background, of questions over the bus. Only
this service has the encoder."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from pydantic import ValidationError

from backbone.ledger.port import LedgerUnavailable
from backbone.memories.asking import LONGEST, PATIENCE
from backbone.memories.port import DIMENSIONS, Embedding, MemoryStore
from backbone.service import Service
from contracts import subjects
from contracts.memory import MeaningFound, MeaningWanted, MemoryItem, MemoryKind
from services.cognitive.reads import Encodes

log = logging.getLogger(__name__)
PLACES = 4
"""Of the numbers of vectors that are only compared: sixteen take 64 kB, and a cosine is off by a thousandth."""
BATCH = 16
"""Texts at once: about 30 ms of CPU, which a person's sentence may have to wait."""
POLL_SECONDS = 0.5
GIST = 120
"""Characters of an answer that count for the meaning of a turn: after them a list of everything that there is to know
makes all turns alike. The letters of all of it are looked at."""
LOOK_SECONDS = 20.0
"""Between two looks for vectors of another encoder: a third of USED, so that one that works stays in use."""


def gist(item: MemoryItem) -> str:
    """The text whose vector the item has: of a turn what was said, and how the answer begins."""
    if item.kind is not MemoryKind.TURN:
        return item.text
    said, _, answered = item.text.partition("\n")
    return f"{said}\n{answered[:GIST]}"


class Meanings:
    """The encoder, for memories. Its weights load with the first text."""

    def __init__(self, encoder: Encodes, store: MemoryStore) -> None:
        self._encoder = encoder
        self._store = store
        self._is_starting = True

    async def of(self, texts: Sequence[str]) -> list[Embedding]:
        """One per text."""
        vectors = await self._encoder.encode([text[:LONGEST] for text in texts])
        return [Embedding(self._encoder.name, vector) for vector in vectors]

    async def at_once(self, texts: Sequence[str]) -> Sequence[Embedding]:
        """As `of`, for who cannot wait for long: a row that gets its vector later is written twice. None while the
        encoder loads, is busy or fails: `catch_up` makes them then."""
        try:
            async with asyncio.timeout(PATIENCE):
                return await self.of(texts)
        except Exception as error:  # noqa: BLE001  # whatever an encoder raises, what was said is kept
            log.warning("new memories get their vectors later: %r", error)
            return ()

    async def answer(self, payload: bytes) -> bytes:
        """Of a MeaningWanted a MeaningFound, empty when it cannot be made."""
        try:
            wanted = MeaningWanted.model_validate_json(payload)
        except ValidationError:
            return MeaningFound().model_dump_json().encode()
        if wanted.texts:
            meanings = await self.of(wanted.texts)
            vectors = tuple(tuple(round(number, PLACES) for number in one.vector) for one in meanings)
            return MeaningFound(encoder=self._encoder.name, vectors=vectors).model_dump_json().encode()
        (meaning,) = await self.of([wanted.text])
        return MeaningFound(encoder=meaning.encoder, vector=tuple(meaning.vector)).model_dump_json().encode()

    async def run(self, service: Service) -> None:
        """Until cancelled: answers questions, gives new items their vectors, and makes those of another encoder anew.
        Replicas may do the same item; the first vector stays."""
        await service.bus.on_ask(subjects.meaning(), self.answer)
        async with asyncio.TaskGroup() as both:
            both.create_task(_again_and_again(self.catch_up, "new memories have no vectors yet"))
            both.create_task(_again_and_again(self.renew, "vectors of another encoder stay", LOOK_SECONDS))

    async def catch_up(self) -> bool:
        """Vectors for the oldest items that have none; whether there may be more."""
        waiting = await self._store.without_meaning(BATCH)
        await self._understand(waiting)
        return len(waiting) == BATCH

    async def renew(self) -> bool:
        """Vectors for items that have one of another encoder; whether there may be more. While two encoders are there,
        as in an update of one replica after the other, only the one in use does it."""
        in_use = await self._store.use(self._encoder.name, starting=self._is_starting)
        self._is_starting = False
        if not in_use:
            return False
        outdated = await self._store.outdated(self._encoder.name, BATCH)
        await self._understand(outdated, anew=True)
        if len(outdated) < BATCH:
            return False
        await asyncio.sleep(POLL_SECONDS)  # nobody waits for these, and somebody may wait for the processor
        return True

    async def _understand(self, items: Sequence[MemoryItem], *, anew: bool = False) -> None:
        if not items:
            return
        meanings = await self.of([gist(item) for item in items])
        if not meanings[0].is_kept:
            log.warning(
                "memories are found by letters alone: %r makes vectors of %d numbers, not %d",
                self._encoder.name, len(meanings[0].vector), DIMENSIONS,
            )  # fmt: skip
            await asyncio.Event().wait()
        keys = ((item.user, item.item_id) for item in items)
        await self._store.understand(dict(zip(keys, meanings, strict=True)), anew=anew)


async def _again_and_again(work: Callable[[], Awaitable[bool]], otherwise: str, pause: float = POLL_SECONDS) -> None:
    """At once while there is more to do, else after a pause."""
    while True:
        try:
            more = await work()
        except LedgerUnavailable as error:
            log.warning("%s: %s", otherwise, error)
            more = False
        if not more:
            await asyncio.sleep(pause)
