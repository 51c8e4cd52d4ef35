"""What a person wants remembered, and what was said: kept across sessions, found by meaning and by letters."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Protocol
from uuid import UUID

from pydantic import Field

from contracts.shape import Contract, Language


class MemoryKind(StrEnum):
    """`note`: the person asked to remember it; `turn`: one side of a conversation; `fact`: something that was done."""

    NOTE = "note"
    TURN = "turn"
    FACT = "fact"


class MemoryItem(Contract):
    """One thing remembered of a person. `item_id` follows from its cause, so that saying it twice keeps it once."""

    item_id: UUID
    user: str = Field(min_length=1)
    kind: MemoryKind
    text: str = Field(min_length=1, max_length=8000)
    language: Language
    session_id: UUID | None = None
    run_id: UUID | None = None
    recorded_at: datetime


class Found(Contract):
    """An item that a search found; `score` grows with how well it fits (reciprocal rank fusion)."""

    item: MemoryItem
    score: float


MOST_AT_ONCE = 16
"""Texts of one question: about 30 ms of work, which somebody's sentence may have to wait."""


class MeaningWanted(Contract):
    """A question for the vector of a text, or for those of several."""

    text: str = Field(max_length=8000)
    texts: tuple[str, ...] = Field(default=(), max_length=MOST_AT_ONCE, description="several, and `text` is not asked")


class MeaningFound(Contract):
    """The vector, and the encoder that made it; none while the encoder is not there."""

    encoder: str = ""
    vector: tuple[float, ...] = ()
    vectors: tuple[tuple[float, ...], ...] = Field(default=(), description="of several, to four places")


class Memories(Protocol):
    """The memory of one person."""

    async def keep(self, kind: MemoryKind, text: str) -> UUID:
        """Remembers; the same call made again keeps it once."""

    async def search(self, query: str, limit: int = 5, kinds: Sequence[MemoryKind] = ()) -> Sequence[Found]:
        """The items that fit best, best first; of some kinds, if given."""

    async def newest(self, limit: int = 20, kinds: Sequence[MemoryKind] = ()) -> Sequence[MemoryItem]:
        """What was kept last, the newest first; of some kinds, if given."""

    async def said_here(self, limit: int = 500) -> Sequence[MemoryItem]:
        """The newest turns of the conversation that this call belongs to, oldest first; not the one that goes on."""

    async def forget(self, item_id: UUID) -> bool:
        """Removes one; False when there is none."""

    async def alike(self, text: str, others: Sequence[str]) -> Sequence[float]:
        """How alike the text is to each of the others by what they mean, -1..1; none at all while nobody can say."""
