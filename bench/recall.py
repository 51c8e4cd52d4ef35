"""How often a past turn is found again by what a person remembers of it: 195 turns, and 100 queries that somebody wrote
who knew nothing of how they are searched (bench/data/recall.json). On an embedded Postgres, with our encoder. And how
often a message that asks for a past turn, by somebody who did not either, is understood as that: 80, and 40 that speak
of earlier talk and want something done.

`python -m bench recall [--json]`"""

import argparse
import asyncio
import json
import random
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from backbone.ledger.migrate import migrate
from backbone.ledger.pool import open_pool
from backbone.memories.port import Query
from backbone.memories.postgres import PostgresMemories
from bench.servers import postgres
from bench.understanding_memory import understander
from contracts.cognitive import CognitiveInput
from contracts.memory import MemoryItem, MemoryKind
from services.cognitive.meanings import Meanings, gist
from services.cognitive.memory import both_sides
from understanding.port import encoder

DATA = Path(__file__).parent / "data/recall.json"
ROUNDS = 6
"""Items that fit equally well are told in the order of their ids, which are drawn anew each time."""
TOLD = 5


class _Encoder:
    def __init__(self) -> None:
        self._encoder = encoder()
        self.name = self._encoder.name

    async def encode(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return [[float(number) for number in vector] for vector in self._encoder.encode(texts)]


async def measure() -> dict[str, Any]:
    """Shares of the queries whose turn is told first, and among the first five."""
    known = json.loads(DATA.read_text())
    with postgres() as url:
        await migrate(url)
        pool = await open_pool(url, roles=(), min_size=1, max_size=1, more={"search_path": "public"})
        memories = PostgresMemories(pool)
        meanings = Meanings(_Encoder(), memories)
        found: dict[str, list[tuple[bool, bool]]] = {}
        try:
            for number in range(ROUNDS):
                user, dice = f"round {number}", random.Random(number)
                items = [_item(user, UUID(int=dice.getrandbits(128)), *turn) for turn in known["turns"]]
                await memories.keep(items, await meanings.of([gist(item) for item in items]))
                places = {item.item_id: place for place, item in enumerate(items)}
                for query in known["queries"]:
                    (meaning,) = await meanings.of([query["query"]])
                    hits = await memories.search(Query(user, query["query"], TOLD, meaning=meaning))
                    told = [places[hit.item.item_id] in query["numbers"] for hit in hits]
                    for group in ("all", query["remembers"]):
                        found.setdefault(group, []).append((told[:1] == [True], any(told)))
        finally:
            await pool.close()
    return {
        f"{group}_{name}": round(sum(one[place] for one in told) / len(told), 3)
        for group, told in found.items()
        for place, name in enumerate(("first", "in_five"))
    } | _understood(known["requests"])


def _understood(requests: Sequence[Mapping[str, str]]) -> dict[str, float]:
    """Shares of requests, and of what is none, that are understood as a request for a past turn."""
    reader, now = understander(), datetime.now(UTC)
    wanted: dict[str, list[bool]] = {}
    for one in requests:
        understood = reader.understand(CognitiveInput(text=one["text"]), now)
        tasks = {task.intent for task in understood.tasks}
        wanted.setdefault(one["wants"], []).append("DOCUMENTS.search" in tasks)
    return {f"{name}_searched": round(sum(found) / len(found), 3) for name, found in wanted.items()}


def _item(user: str, item_id: UUID, said: str, answered: str) -> MemoryItem:
    return MemoryItem(
        item_id=item_id,
        user=user,
        kind=MemoryKind.TURN,
        text=both_sides((said, answered)),
        language="ko",
        recorded_at=datetime.now(UTC),
    )


def main(argv: Sequence[str]) -> int:
    """python -m bench recall [--json]"""
    parser = argparse.ArgumentParser(prog="python -m bench recall", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args(argv)
    figures = asyncio.run(measure())
    if options.json:
        sys.stdout.write(json.dumps(figures) + "\n")
        return 0
    sys.stdout.writelines(f"{name}: {value}\n" for name, value in figures.items())
    return 0
