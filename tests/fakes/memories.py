"""The store of memories in memory, for unit tests: it finds what PostgresMemories finds, by comparing everything."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from backbone.memories.letters import letters, query_words
from backbone.memories.port import Embedding, Query
from backbone.memories.ranking import ALIKE, DEPTH, ENOUGH, SPELLED, Hit, by_letters, fused
from contracts.memory import Found, MemoryItem, MemoryKind

Key = tuple[str, UUID]


@dataclass(slots=True)
class MemoryMemories:
    """See backbone.memories.port.MemoryStore."""

    items: dict[Key, MemoryItem] = field(default_factory=dict)
    meanings: dict[Key, Embedding] = field(default_factory=dict)
    in_use: str | None = None

    async def keep(self, items: Sequence[MemoryItem], meanings: Sequence[Embedding] = ()) -> None:
        new = [(item.user, item.item_id) not in self.items for item in items]
        for item in items:
            self.items.setdefault((item.user, item.item_id), item)
        keys = [(item.user, item.item_id) for item in items]
        given = zip(keys, meanings, new, strict=True) if meanings else ()
        await self.understand({key: meaning for key, meaning, is_new in given if is_new})

    async def search(self, query: Query) -> list[Found]:
        own = {
            item_id: item
            for (user, item_id), item in self.items.items()
            if user == query.user and (not query.kinds or item.kind in query.kinds)
        }
        scores = fused(self._by_letters(query, own), self._by_meaning(query, own))
        return [Found(item=own[item_id], score=score) for item_id, score in scores.items()][: query.limit]

    def _by_letters(self, query: Query, own: Mapping[UUID, MemoryItem]) -> list[UUID]:
        written = {item_id: letters(item.text) for item_id, item in own.items()}
        words = query_words(query.text)
        hits = [Hit(word, item_id, 1.0) for word in words for item_id, text in written.items() if word in text]
        if len({hit.item_id for hit in hits}) < ENOUGH:
            missing = set(words) - {hit.word for hit in hits}
            alike = ((word, item_id, _similarity(word, text)) for word in missing for item_id, text in written.items())
            hits += [Hit(*one) for one in alike if one[2] >= SPELLED]
        return by_letters(hits)

    def _by_meaning(self, query: Query, own: Mapping[UUID, MemoryItem]) -> list[UUID]:
        if query.meaning is None or not query.meaning.is_kept:
            return []
        near = []
        for item_id in own:
            meaning = self.meanings.get((query.user, item_id))
            if meaning and meaning.encoder == query.meaning.encoder:
                cosine = sum(a * b for a, b in zip(meaning.vector, query.meaning.vector, strict=True))
                near.append((-cosine, item_id))
        return [item_id for distance, item_id in sorted(near)[:DEPTH] if -distance >= ALIKE]

    async def newest(
        self, user: str, limit: int, kinds: Sequence[MemoryKind] = (), session_id: UUID | None = None
    ) -> list[MemoryItem]:
        own = [one for one in self.items.values() if one.user == user and (not kinds or one.kind in kinds)]
        own = [one for one in own if session_id in (None, one.session_id)]
        return sorted(own, key=lambda one: (one.recorded_at, one.item_id), reverse=True)[:limit]

    async def forget(self, user: str, item_id: UUID) -> bool:
        self.meanings.pop((user, item_id), None)
        return self.items.pop((user, item_id), None) is not None

    async def without_meaning(self, limit: int) -> list[MemoryItem]:
        waiting = [item for key, item in self.items.items() if key not in self.meanings]
        return sorted(waiting, key=lambda item: item.recorded_at)[:limit]

    async def outdated(self, encoder: str, limit: int) -> list[MemoryItem]:
        return [self.items[key] for key, meaning in self.meanings.items() if meaning.encoder != encoder][:limit]

    async def understand(self, meanings: Mapping[Key, Embedding], *, anew: bool = False) -> None:
        for key, meaning in meanings.items():
            before = self.meanings.get(key)
            is_wanted = before is not None and before.encoder != meaning.encoder if anew else before is None
            if key in self.items and meaning.is_kept and is_wanted:
                self.meanings[key] = meaning

    async def use(self, encoder: str, *, starting: bool = False) -> bool:
        if starting or self.in_use is None:
            self.in_use = encoder
        return self.in_use == encoder


def _similarity(word: str, text: str) -> float:
    """The share of a word's trigrams in the word of the text that has most of them."""
    wanted = _trigrams(word)
    return max((len(wanted & _trigrams(one)) / len(wanted) for one in text.split()), default=0.0)


def _trigrams(word: str) -> set[str]:
    padded = f"  {word} "
    return {padded[place : place + 3] for place in range(len(padded) - 2)}
