"""The store of memories on Postgres, on the ledger's pool: pg_trgm over letters, pgvector over meanings."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

from backbone.ledger.pool import Pool, guarded
from backbone.memories.letters import TRIGRAM, letters, query_words
from backbone.memories.port import USED, Embedding, Query
from backbone.memories.ranking import ALIKE, DEPTH, ENOUGH, SPELLED, Hit, by_letters, fused
from contracts.memory import Found, MemoryItem, MemoryKind

FEW = 4000
"""Items of one person that are compared one by one. An index over everybody's vectors would have to walk past all the
others to find them; of a person who has more, it soon meets enough."""
SIGNED = 4 * DEPTH
"""Items that are nearest by the signs of their vectors; the vectors themselves say which of them are."""

_COLUMNS = "owner, item_id, kind, text, language, session_id, run_id, recorded_at"
_KEEP = f"""insert into memory.items ({_COLUMNS}, letters, encoder, vector)
    select owner, id, kind, text, language, session, run, at, letters, encoder, vector::halfvec
      from unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::uuid[], $7::uuid[], $8::timestamptz[],
                  $9::text[], $10::text[], $11::text[])
           kept(owner, id, kind, text, language, session, run, at, letters, encoder, vector)
    on conflict do nothing"""  # noqa: S608  # our own columns
# a few of each word: how often a common one comes up does not matter, that it is common does
_HOLDING = f"""select w.word, h.item_id, 1.0::real as similarity from unnest($2::text[], $3::text[]) w(word, other)
    cross join lateral (
      select item_id from memory.items
       where owner = $1 and letters like '%' || w.word || '%' and letters like '%' || w.other || '%'
         and (cardinality($4::text[]) = 0 or kind = any($4))
       limit {DEPTH}
    ) h"""  # noqa: S608  # a number of ours
_SPELLED_ALIKE = f"""select w.word, h.item_id, h.similarity from unnest($2::text[]) w(word)
    cross join lateral (
      select item_id, word_similarity(w.word, letters) as similarity from memory.items
       where owner = $1 and letters %> w.word and (cardinality($3::text[]) = 0 or kind = any($3))
       limit {DEPTH}
    ) h"""  # noqa: S608  # a number of ours
# the query's vector is read from its text once, in a subquery, and not once per row
_OF_ONE = """memory.items
    where owner = $1 and encoder = $3 and vector is not null and (cardinality($4::text[]) = 0 or kind = any($4))"""
_NEAREST_IN = f"""select item_id, -(vector <#> (select $2::text::halfvec)) as cosine from {{}}
    order by 2 desc limit {DEPTH}"""  # noqa: S608  # a number of ours
_NEAREST = _NEAREST_IN.format(
    f"""(select item_id, vector from {_OF_ONE}
    order by binary_quantize(vector)::bit(512) <~> (select binary_quantize($2::text::halfvec)::bit(512))
    limit {SIGNED}) signed"""  # noqa: S608  # as above
)
# all of a person's few vectors, and nobody else's
_NEAREST_OF_FEW = _NEAREST_IN.format(_OF_ONE)
_HAS_MANY = f"select count(*) > {FEW} from (select from memory.items where owner = $1 limit {FEW + 1}) some_of_them"  # noqa: S608  # as above
_ITEMS = f"select {_COLUMNS} from memory.items where owner = $1 and item_id = any($2)"  # noqa: S608  # as above
_NEWEST = f"""select {_COLUMNS} from memory.items where owner = $1
    and (cardinality($3::text[]) = 0 or kind = any($3)) and ($4::uuid is null or session_id = $4)
    order by recorded_at desc, item_id desc limit $2"""  # noqa: S608  # as above
_FORGET = "delete from memory.items where owner = $1 and item_id = $2 returning true"
_WITHOUT = f"select {_COLUMNS} from memory.items where vector is null order by recorded_at limit $1"  # noqa: S608  # as above
_UNDERSTAND = """update memory.items i set encoder = w.encoder, vector = w.vector::halfvec
    from unnest($1::text[], $2::uuid[], $3::text[], $4::text[]) w(owner, item_id, encoder, vector)
    where i.owner = w.owner and i.item_id = w.item_id and i.vector is null"""
# two ranges of an index, where "is not" would read the whole table to find nothing
_OF_OTHERS = f"select {_COLUMNS} from memory.items where vector is not null"  # noqa: S608  # our own columns
_OUTDATED = f"""({_OF_OTHERS} and encoder < $1 order by encoder limit $2) union all
    ({_OF_OTHERS} and encoder > $1 order by encoder limit $2) limit $2"""
_UNDERSTAND_ANEW = _UNDERSTAND.replace("i.vector is null", "i.encoder <> w.encoder")
_USE = f"""insert into memory.encoder_in_use as u (encoder, seen_at) values ($1, now())
    on conflict (one) do update set encoder = $1, seen_at = now()
      where u.encoder = $1 or $2 or u.seen_at < now() - interval '{USED} seconds'
    returning true"""  # noqa: S608  # a number of ours
# For the transaction only: the pool is the ledger's. A sort looks cheap to a planner that does not know how many items
# this person has, and would fetch all of them.
_SETTINGS = f"""set local pg_trgm.word_similarity_threshold = {SPELLED}; set local hnsw.iterative_scan = relaxed_order;
    set local hnsw.ef_search = {SIGNED}; set local hnsw.max_scan_tuples = 8000; set local enable_sort = off"""


class PostgresMemories:
    """See backbone.memories.port.MemoryStore."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def keep(self, items: Sequence[MemoryItem], meanings: Sequence[Embedding] = ()) -> None:
        if not items:
            return
        known = [(one.encoder, _written(one)) if one.is_kept else (None, None) for one in meanings]
        rows = [
            (one.user, one.item_id, one.kind.value, one.text, one.language, one.session_id, one.run_id, one.recorded_at,
             letters(one.text), *meaning)
            for one, meaning in zip(items, known or [(None, None)] * len(items), strict=True)
        ]  # fmt: skip
        columns = [list(column) for column in zip(*rows, strict=True)]
        await guarded(lambda: self._pool.execute(_KEEP, *columns))

    async def search(self, query: Query) -> list[Found]:
        async def look() -> tuple[list[UUID], list[UUID]]:
            async with self._connection() as connection:
                return await self._by_letters(connection, query), await self._by_meaning(connection, query)

        scores = fused(*await guarded(look))
        best = list(scores)[: query.limit]
        rows = await guarded(lambda: self._pool.fetch(_ITEMS, query.user, best)) if best else []
        items = {row["item_id"]: _item(row) for row in rows}
        # one may have been forgotten between the two looks
        return [Found(item=items[item_id], score=scores[item_id]) for item_id in best if item_id in items]

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Any]:
        async with self._pool.acquire() as connection, connection.transaction(readonly=True):
            await connection.execute(_SETTINGS)
            yield connection

    async def _by_letters(self, connection: Any, query: Query) -> list[UUID]:
        words = query_words(query.text)
        if not words:
            return []
        kinds = _kinds(query)
        # the two that tell most, together too: each alone may be in more items than are looked at
        pairs = [(word, word) for word in words if len(word) >= TRIGRAM]
        pairs += [(pairs[0][0], pairs[1][0])] if len(pairs) > 1 else []
        first, second = [one for one, _ in pairs], [other for _, other in pairs]
        rows = await connection.fetch(_HOLDING, query.user, first, second, kinds)
        if len({row["item_id"] for row in rows}) < ENOUGH:
            missing = sorted(set(words) - {row["word"] for row in rows})
            rows += await connection.fetch(_SPELLED_ALIKE, query.user, missing, kinds)
        hits = {(row["word"], row["item_id"]): row["similarity"] for row in rows}
        return by_letters([Hit(word, item_id, similarity) for (word, item_id), similarity in hits.items()])

    async def _by_meaning(self, connection: Any, query: Query) -> list[UUID]:
        meaning = query.meaning
        if meaning is None or not meaning.is_kept:
            return []
        statement = _NEAREST if await connection.fetchval(_HAS_MANY, query.user) else _NEAREST_OF_FEW
        rows = await connection.fetch(statement, query.user, _written(meaning), meaning.encoder, _kinds(query))
        near = sorted((-row["cosine"], row["item_id"]) for row in rows)
        return [item_id for distance, item_id in near if -distance >= ALIKE]

    async def newest(
        self, user: str, limit: int, kinds: Sequence[MemoryKind] = (), session_id: UUID | None = None
    ) -> list[MemoryItem]:
        wanted = [kind.value for kind in kinds]
        return [_item(row) for row in await guarded(lambda: self._pool.fetch(_NEWEST, user, limit, wanted, session_id))]

    async def forget(self, user: str, item_id: UUID) -> bool:
        return bool(await guarded(lambda: self._pool.fetchval(_FORGET, user, item_id)))

    async def without_meaning(self, limit: int) -> list[MemoryItem]:
        return [_item(row) for row in await guarded(lambda: self._pool.fetch(_WITHOUT, limit))]

    async def outdated(self, encoder: str, limit: int) -> list[MemoryItem]:
        return [_item(row) for row in await guarded(lambda: self._pool.fetch(_OUTDATED, encoder, limit))]

    async def use(self, encoder: str, *, starting: bool = False) -> bool:
        return bool(await guarded(lambda: self._pool.fetchval(_USE, encoder, starting)))

    async def understand(self, meanings: Mapping[tuple[str, UUID], Embedding], *, anew: bool = False) -> None:
        rows = [(*key, one.encoder, _written(one)) for key, one in meanings.items() if one.is_kept]
        if rows:
            columns = [list(column) for column in zip(*rows, strict=True)]
            await guarded(lambda: self._pool.execute(_UNDERSTAND_ANEW if anew else _UNDERSTAND, *columns))


def _item(row: Any) -> MemoryItem:
    values = dict(row)
    return MemoryItem(user=values.pop("owner"), **values)


def _kinds(query: Query) -> list[str]:
    return [kind.value for kind in query.kinds]


def _written(meaning: Embedding) -> str:
    """As pgvector reads it; it keeps two bytes of each number."""
    return "[" + ",".join(f"{number:.5g}" for number in meaning.vector) + "]"
