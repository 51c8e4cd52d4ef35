"""One person's memory, as tools see it (contracts.memory.Memories)."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid5

from backbone.memories.port import Embedding, MemoryStore, Query
from contracts.memory import Found, MemoryItem, MemoryKind

Encode = Callable[[str], Awaitable[Embedding | None]]
"""The meaning of a text; None when nobody can say it now."""
EncodeMany = Callable[[Sequence[str]], Awaitable[Sequence[Sequence[float]]]]
"""A vector of length 1 for each text; none at all when nobody can make them now."""


SessionOf = Callable[[UUID], Awaitable[UUID | None]]
"""The session of a run."""


async def no_session(_: UUID) -> UUID | None:
    """Where nobody knows."""
    return None


async def nobody_encodes(_: Sequence[str]) -> Sequence[Sequence[float]]:
    """Where there is no encoder."""
    return ()


@dataclass(frozen=True, slots=True)
class PersonalMemories:
    """See contracts.memory.Memories. The ids of what it keeps follow from the run, the call's key and the text."""

    store: MemoryStore
    encode: Encode
    user: str
    language: str
    run_id: UUID
    key: str
    now: datetime
    encode_many: EncodeMany = nobody_encodes
    session_of: SessionOf = no_session

    async def keep(self, kind: MemoryKind, text: str) -> UUID:
        item_id = uuid5(self.run_id, f"memory:{self.key}:{kind.value}:{text}")
        item = MemoryItem(
            item_id=item_id,
            user=self.user,
            kind=kind,
            text=text,
            language=self.language,
            run_id=self.run_id,
            recorded_at=self.now,
        )
        await self.store.keep([item])
        return item_id

    async def search(self, query: str, limit: int = 5, kinds: Sequence[MemoryKind] = ()) -> Sequence[Found]:
        return await self.store.search(Query(self.user, query, limit, tuple(kinds), await self.encode(query)))

    async def newest(self, limit: int = 20, kinds: Sequence[MemoryKind] = ()) -> Sequence[MemoryItem]:
        return await self.store.newest(self.user, limit, kinds)

    async def said_here(self, limit: int = 500) -> Sequence[MemoryItem]:
        session_id = await self.session_of(self.run_id)
        if session_id is None:
            return ()
        newest = await self.store.newest(self.user, limit + 1, (MemoryKind.TURN,), session_id)
        return [one for one in newest if one.run_id != self.run_id][:limit][::-1]

    async def forget(self, item_id: UUID) -> bool:
        return await self.store.forget(self.user, item_id)

    async def alike(self, text: str, others: Sequence[str]) -> Sequence[float]:
        vectors = await self.encode_many([text, *others]) if others else ()
        if len(vectors) != len(others) + 1:
            return ()
        asked, *known = vectors
        return [sum(a * b for a, b in zip(asked, one, strict=True)) for one in known]
