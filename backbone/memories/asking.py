"""Meanings by question and answer over the bus: only one service has the encoder, which is large; the others ask it."""

from collections.abc import Sequence
from contextlib import suppress

from pydantic import ValidationError

from backbone.bus.port import Bus
from backbone.memories.port import Embedding
from contracts import subjects
from contracts.memory import MOST_AT_ONCE, MeaningFound, MeaningWanted

PATIENCE = 1.0
"""Seconds; then the search goes by letters alone."""
LONGEST = 2000
"""Characters of a text that go into its vector; the rest would hardly turn it."""


class AskedMeanings:
    """See backbone.memories.personal.Encode. It has no bus until its service has one."""

    def __init__(self) -> None:
        self.bus: Bus | None = None

    async def __call__(self, text: str) -> Embedding | None:
        if self.bus is None:
            return None
        wanted = MeaningWanted(text=text[:LONGEST]).model_dump_json().encode()
        answer = await self.bus.ask(subjects.meaning(), wanted, PATIENCE)
        with suppress(ValidationError):
            found = MeaningFound.model_validate_json(answer or b"{}")
            return Embedding(found.encoder, found.vector) if found.vector else None
        return None

    async def many(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector for each; none at all while nobody can make them."""
        found: list[Sequence[float]] = []
        for at in range(0, len(texts), MOST_AT_ONCE):
            some = tuple(text[:LONGEST] for text in texts[at : at + MOST_AT_ONCE])
            vectors = await self._some(some)
            if len(vectors) != len(some):
                return ()
            found += vectors
        return found

    async def _some(self, texts: tuple[str, ...]) -> Sequence[Sequence[float]]:
        if self.bus is None:
            return ()
        wanted = MeaningWanted(text="", texts=texts).model_dump_json().encode()
        answer = await self.bus.ask(subjects.meaning(), wanted, PATIENCE)
        with suppress(ValidationError):
            return MeaningFound.model_validate_json(answer or b"{}").vectors
        return ()
