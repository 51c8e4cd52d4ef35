"""What services ask of the store of memories. Two adapters, one conformance suite
(tests.conformance.memories_conformance). Its errors are those of the ledger: LedgerUnavailable, NotRecordable."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from contracts.memory import Found, MemoryItem, MemoryKind

DIMENSIONS = 512
"""Of the vectors that are kept; an encoder that makes others is not used for searching."""

USED = 60.0
"""Seconds after which an encoder that nobody has named is not in use any more."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """A vector of length 1 and the name of the encoder that made it: two of different names are never compared."""

    encoder: str
    vector: Sequence[float]

    @property
    def is_kept(self) -> bool:
        return len(self.vector) == DIMENSIONS


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for in one person's memory. Without a meaning it is looked for by its letters alone."""

    user: str
    text: str
    limit: int = 5
    kinds: tuple[MemoryKind, ...] = ()
    meaning: Embedding | None = None


class MemoryStore(Protocol):
    """The memories of all people. No call reaches from one person's to another's."""

    async def keep(self, items: Sequence[MemoryItem], meanings: Sequence[Embedding] = ()) -> None:
        """Keeps items that are not there yet, by user and id. They can be found by their letters at once, and by their
        meanings if these are given, one for each."""

    async def search(self, query: Query) -> list[Found]:
        """What fits best, best first: by letters and by meaning, fused by reciprocal rank."""

    async def newest(
        self, user: str, limit: int, kinds: Sequence[MemoryKind] = (), session_id: UUID | None = None
    ) -> list[MemoryItem]:
        """A person's items, the newest first; of some kinds and of one session, if given."""

    async def forget(self, user: str, item_id: UUID) -> bool:
        """Removes an item; False when the person has none with this id."""

    async def without_meaning(self, limit: int) -> list[MemoryItem]:
        """Items that have no vector yet, the oldest first."""

    async def outdated(self, encoder: str, limit: int) -> list[MemoryItem]:
        """Items whose vector was made by another encoder: no search finds them by meaning."""

    async def understand(self, meanings: Mapping[tuple[str, UUID], Embedding], *, anew: bool = False) -> None:
        """Gives vectors to items, by user and id; those that are gone, or have one, stay as they are. `anew`: to those
        alone that have one of another encoder."""

    async def use(self, encoder: str, *, starting: bool = False) -> bool:
        """Whether this is the encoder in use. It becomes it when the one in use has not said so for USED seconds; who
        starts takes over at once."""
