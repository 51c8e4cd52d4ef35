"""How long a search of long-term memory takes: 100,000 memories of one person, and as many of a thousand people, in one
table; made sentences in three languages, made vectors around 200 topics. On an embedded Postgres.

`python -m bench memory [--items 100000] [--json]`"""

import argparse
import asyncio
import json
import random
import time
from typing import Any
from uuid import UUID

import psutil

from backbone.ledger.migrate import migrate
from backbone.ledger.pool import Pool, open_pool
from backbone.memories.letters import letters
from backbone.memories.port import Embedding, Query
from backbone.memories.postgres import PostgresMemories
from bench.load import quantile
from bench.sentences import sentence
from bench.servers import postgres

ONE = "one"
PEOPLE = 1000
TOPICS = 200
ENCODER = "made"
NEAR = 10
_NOISE = """create function pg_temp.noise(seed int, size float) returns public.halfvec language sql as $$
    select array_agg((random() - 0.5) * size + seed * 0)::public.halfvec from generate_series(1, 512) $$"""
_MAKE = f"""insert into memory.items (owner, item_id, kind, text, language, recorded_at, letters, encoder, vector)
    select s.owner, gen_random_uuid(), 'turn', s.text, 'ko', now(), s.letters, '{ENCODER}',
           public.l2_normalize(t.center + pg_temp.noise(s.number, 1.5))
      from staged s join topics t on t.number = s.number % {TOPICS}"""  # names of ours
_NEAREST = """select item_id from memory.items where owner = $1
    order by (vector OPERATOR(public.<#>) (select $2::text::public.halfvec)) + 0 limit 10"""
_LIKE = """select owner, text, vector::text as vector from memory.items tablesample system (1) where owner = any($1)
    limit $2"""


async def fill(url: str, items: int) -> float:
    """Makes the memories, half of them one person's; returns the seconds that the index over vectors took."""
    dice = random.Random(7)
    pool = await open_pool(url, roles=(), min_size=1, max_size=1, more={"search_path": "public"})
    try:
        async with pool.acquire() as connection:
            # all at once and then the index: to insert one by one is what a product does in months
            await connection.execute("drop index memory.items_signs")
            await connection.execute(_NOISE)
            await connection.execute("create temp table staged (owner text, number int, text text, letters text)")
            await connection.execute(
                "create temp table topics as select n as number, pg_temp.noise(n, 2) as center"
                f" from generate_series(0, {TOPICS - 1}) n"
            )
            for people in (0, PEOPLE):
                rows = [(_owner(n, people), n, text := sentence(dice), letters(text)) for n in range(items)]
                await connection.copy_records_to_table("staged", records=rows)
            await connection.execute(_MAKE, timeout=1800)
            since = time.perf_counter()
            await connection.execute("set maintenance_work_mem = '1GB'")
            await connection.execute(
                "create index items_signs on memory.items"
                " using hnsw ((binary_quantize(vector)::bit(512)) bit_hamming_ops)",
                timeout=3600,
            )
            built = time.perf_counter() - since
            await connection.execute("vacuum analyze memory.items", timeout=600)
            return built
    finally:
        await pool.close()


def _owner(number: int, people: int) -> str:
    return f"person-{number % people}" if people else ONE


async def search(pool: Pool, people: list[str], rounds: int) -> dict[str, float]:
    """Whole searches by letters and meaning, with queries like some of the memories: wall time, and the CPU of server
    and client, which does not depend on what else the machine does."""
    memories = PostgresMemories(pool)
    rows = await pool.fetch(_LIKE, people, rounds)
    queries = [_query(row) for row in rows]
    for query in queries[:20]:
        await memories.search(query)  # plans are made, pages are warm
    seconds, cpu = [], await _cpu_seconds(pool)
    for query in queries:
        since = time.perf_counter()
        await memories.search(query)
        seconds.append(time.perf_counter() - since)
    cpu = await _cpu_seconds(pool) - cpu
    letters_only = []
    for query in queries:
        since = time.perf_counter()
        await memories.search(Query(query.user, query.text))
        letters_only.append(time.perf_counter() - since)
    return {
        "p50_ms": round(quantile(seconds, 0.5) * 1000, 1),
        "p95_ms": round(quantile(seconds, 0.95) * 1000, 1),
        "cpu_ms": round(cpu / len(queries) * 1000, 1),
        "letters_p95_ms": round(quantile(letters_only, 0.95) * 1000, 1),
        "recall_at_10": round(await _recall(pool, memories, rows[:30]), 3),
        "n": len(seconds),
    }


async def _cpu_seconds(pool: Pool) -> float:
    """Of this process and of the server's that works for it."""
    used = 0.0
    for process in (psutil.Process(), psutil.Process(await pool.fetchval("select pg_backend_pid()"))):
        times = process.cpu_times()
        used += times.user + times.system
    return used


def _query(row: Any) -> Query:
    words = row["text"].split()
    vector = [float(number) for number in row["vector"].strip("[]").split(",")]
    return Query(row["owner"], " ".join(words[: max(3, len(words) // 2)]), meaning=Embedding(ENCODER, vector))


async def _recall(pool: Pool, memories: PostgresMemories, rows: list[Any]) -> float:
    """The part of the truly nearest ten that a search by meaning finds."""
    found = wanted = 0
    for row in rows:
        exact = {one["item_id"] for one in await pool.fetch(_NEAREST, row["owner"], row["vector"])}
        query = Query(row["owner"], "", limit=NEAR, meaning=_query(row).meaning)
        near: set[UUID] = {one.item.item_id for one in await memories.search(query)}
        found, wanted = found + len(exact & near), wanted + len(exact)
    return found / wanted


async def measure(url: str, items: int, rounds: int) -> dict[str, Any]:
    """Both figures, in a fresh database."""
    await migrate(url)
    built = await fill(url, items)
    pool = await open_pool(url, min_size=1, max_size=1)
    try:
        alone = await search(pool, [ONE], rounds)
        many = await search(pool, [f"person-{number}" for number in range(PEOPLE)], rounds)
        return {f"one person, {items}": alone, f"{PEOPLE} people, {items}": many, "index_seconds": round(built)}
    finally:
        await pool.close()


def main(argv: list[str]) -> int:
    """python -m bench memory [--items 100000] [--rounds 200] [--json]"""
    parser = argparse.ArgumentParser(prog="python -m bench memory", description="Search of long-term memory.")
    parser.add_argument("--items", type=int, default=100_000, help="memories of one person, and again of all others")
    parser.add_argument("--rounds", type=int, default=200, help="searches")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    given = parser.parse_args(argv)
    with postgres() as url:
        figures = asyncio.run(measure(url, given.items, given.rounds))
    if given.json:
        print(json.dumps(figures))
        return 0
    for name, values in figures.items():
        if isinstance(values, dict):
            told = "   ".join(f"{what} {value}" for what, value in values.items())
            print(f"{name:<24}{told}")
    print(f"the index over vectors took {figures['index_seconds']} s")
    return 0
