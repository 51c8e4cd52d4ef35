"""Whether a run costs the same when the ledger is full: no-op runs over two installations in turns, one that is new and
one whose ledger has many sessions, before somebody has analysed those and after it. Rounds of both alternate, so that a
machine that drifts drifts for both; medians count."""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Sequence
from statistics import median
from typing import Any

import asyncpg
import websockets

from bench.cost import per_run, seconds_of, servers_in
from bench.overhead import SERVICES, Connection, ours
from bench.servers import product
from dream.local.processes import ProcessStack

PRODUCER = "history"
"""Nobody relays for it, and no service may speak for it."""
EVENTS = 10
"""Of each session, with as many rows in the inbox."""
BATCH = 20_000
Figures = dict[str, float]
_SESSIONS = """insert into ledger.streams (stream_id, version, hash)
    select ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $3, sha256('')
      from generate_series($1::int, $2) n"""
_EVENTS = """insert into ledger.events (stream_id, version, event_id, type, schema_version, producer, run_id,
      correlation_id, causation_id, data, hash)
    select s, v, gen_random_uuid(), 'TodoSucceeded', 1, $4, s, s, s,
      '{"todo_id": "t1", "tool": "bench.noop", "result": {"summary": "as it was"}}', sha256('')
      from (select ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid s, v
              from generate_series($1::int, $2) n, generate_series(1, $3) v) made"""
_INBOX = """insert into ledger.inbox (consumer, cause)
    select 'history-' || v % 5, gen_random_uuid() from generate_series($1::int, $2) n, generate_series(1, $3) v"""


async def fill(url: str, sessions: int) -> None:
    """Puts sessions of the past into the ledger: rows as real ones are, of no use to anybody. They have no chain."""
    connection = await asyncpg.connect(url)
    try:
        # nobody analyses what was just loaded: that is what is measured
        for table in ("streams", "inbox", *(f"events_{number}" for number in range(4))):
            await connection.execute(f"alter table ledger.{table} set (autovacuum_enabled = off)")
        for first in range(1, sessions + 1, BATCH):
            last = min(first + BATCH - 1, sessions)
            await connection.execute(_SESSIONS, first, last, EVENTS)
            await connection.execute(_EVENTS, first, last, EVENTS, PRODUCER)
            await connection.execute(_INBOX, first, last, EVENTS)
            sys.stderr.write(f"\r{last} of {sessions} sessions")
    finally:
        sys.stderr.write("\n")
        await connection.close()


async def measure(sessions: int, runs: int, rounds: int) -> list[dict[str, Any]]:
    """The figures of each state, medians: runs a second, processor time a run, lone latency, rows read whole, and the
    start of the services with the first frame after it; and what the full ledger has of the empty one's, by rounds."""
    async with product(DREAM_PACKS="bench") as new, product(DREAM_PACKS="bench") as old:
        await fill(old.postgres.admin_url, sessions)
        states = await _compared(new, old, f"{sessions} sessions more", runs, rounds)
        connection = await asyncpg.connect(old.postgres.admin_url)
        await connection.execute("analyze")
        await connection.close()
        return states + await _compared(new, old, "after analyze", runs, rounds)


async def _compared(new: ProcessStack, old: ProcessStack, name: str, runs: int, rounds: int) -> list[dict[str, Any]]:
    """Rounds of both, the one that is first in turns."""
    seen: dict[str, list[Figures]] = {"empty": [], name: []}
    for number in range(rounds):
        order = [("empty", new), (name, old)]
        for state, stack in order if number % 2 == 0 else reversed(order):
            seen[state].append(await _state(stack, runs))
            sys.stderr.write(f"round {number + 1} of {rounds}, {state}: {seen[state][-1]}\n")
    empty, full = ({one: round(median(it[one] for it in all_of), 2) for one in all_of[0]} for all_of in seen.values())
    pairs = list(zip(*seen.values(), strict=True))
    part = {one: round(median(b[one] / a[one] for a, b in pairs), 2) if empty[one] else None for one in empty}
    return [{"ledger": "empty", **empty}, {"ledger": name, **full}, {"ledger": "of the empty one's", **part}]


async def _begun(stack: ProcessStack) -> Figures:
    """Seconds until all services are ready after a start, and milliseconds from a request, the first one, to the first
    frame at its socket."""
    began = time.perf_counter()
    for name in SERVICES:
        await stack.restart(name)
    await stack.wait_ready()
    ready = time.perf_counter() - began
    connection, began = Connection(stack.url), time.perf_counter()
    begun = await connection.post("/agent/run-async", {"text": "/noop 8", "auto_approve": True})
    connection.close()
    async with websockets.connect(f"{stack.url.replace('http', 'ws', 1)}/ws/{begun['session_id']}?after=0") as socket:
        await socket.recv()
        first = time.perf_counter() - began
        while json.loads(await socket.recv())["type"] != "complete":
            pass
    return {"start_s": round(ready, 1), "first_frame_ms": round(1000 * first, 1)}


async def _state(stack: ProcessStack, runs: int) -> Figures:
    start = await _begun(stack)
    await ours(stack.url, 8, 50, 4)
    pids = {**{one: stack.pid(one) for one in SERVICES}, **servers_in(str(stack.place.folder))}
    read, before = await _read_whole(stack.postgres.admin_url), seconds_of(pids)
    load = await ours(stack.url, 8, runs, 16)
    cpu = per_run(before, seconds_of(pids), runs)
    read = await _read_whole(stack.postgres.admin_url) - read
    lone = await ours(stack.url, 8, max(runs // 3, 5), 1)
    return {
        "runs_per_second": round(load.per_second, 1),
        "cpu_ms": cpu["all"],
        "postgres_cpu_ms": cpu["postgres"],
        "lone_p50_ms": round(lone.quantile_ms(0.5), 1),
        "rows_read_whole_a_run": round(read / runs),
        **start,
    }


async def _read_whole(url: str) -> int:
    await asyncio.sleep(1.2)  # backends tell what they did once a second
    connection = await asyncpg.connect(url)
    try:
        sql = "select sum(seq_tup_read) from pg_stat_user_tables where schemaname = 'ledger'"
        return int(await connection.fetchval(sql))
    finally:
        await connection.close()


def main(argv: Sequence[str]) -> int:
    """python -m bench growth [--sessions 50000] [--runs 300] [--rounds 5] [--json]"""
    parser = argparse.ArgumentParser(prog="python -m bench growth", description=__doc__)
    parser.add_argument("--sessions", type=int, default=50_000, help=f"sessions of the past, of {EVENTS} events each")
    parser.add_argument("--runs", type=int, default=300, help="runs of a round in each state")
    parser.add_argument("--rounds", type=int, default=5, help="rounds before and after analyze, alternating")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    options = parser.parse_args(argv)
    states = asyncio.run(measure(options.sessions, options.runs, options.rounds))
    if options.json:
        sys.stdout.writelines(json.dumps(state) + "\n" for state in states)
        return 0
    sys.stdout.write("".join(f"{name:>24}" for name in states[0]) + "\n")
    sys.stdout.writelines("".join(f"{value!s:>24}" for value in state.values()) + "\n" for state in states)
    return 0
