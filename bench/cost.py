"""What a load costs, whoever else uses the machine: processor time of all that serves it, and what it wrote."""

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Self

import asyncpg
import psutil

_DRAINED = """select count(*)::int n from ledger.inbox
    where handled_at >= (select min(recorded_at) from ledger.events where xid > $1::text::xid8)
    group by handled_at order by 1"""

Times = Mapping[str, float]
"""Processor seconds so far, user and system, by the name of a part."""


def family_seconds(pid: int, without: Collection[int] = ()) -> float:
    """A process with its children, also those that have ended and were waited for; `without` some, and theirs."""
    total = 0.0
    with suppress(psutil.NoSuchProcess):
        one = psutil.Process(pid)
        times = one.cpu_times()
        total = times.user + times.system + times.children_user + times.children_system
        total += sum(family_seconds(child.pid, without) for child in one.children() if child.pid not in without)
    return total


def servers_in(folder: str) -> dict[str, int]:
    """The process ids of the embedded servers whose command lines name the folder: "postgres" and "nats"."""
    found = {}
    for one in psutil.process_iter(["name", "cmdline"]):
        name, command = one.info["name"] or "", one.info["cmdline"] or ()
        for server in ("postgres", "nats"):
            if name.startswith(server) and len(command) > 1 and any(folder in part for part in command):
                found[server] = one.pid
    return found


def seconds_of(pids: Mapping[str, int]) -> dict[str, float]:
    """Processor seconds so far of each part; what is a part by itself belongs to no other."""
    return {name: family_seconds(pid, set(pids.values())) for name, pid in pids.items()}


def per_run(before: Times, after: Times, runs: int) -> dict[str, float]:
    """Milliseconds of processor a run, by part and as "all"."""
    spent = {name: (after[name] - before[name]) * 1000 / runs for name in after}
    return {"all": round(sum(spent.values()), 2), **{name: round(spent[name], 2) for name in sorted(spent)}}


@dataclass(frozen=True, slots=True)
class Written:
    """What a load wrote into the ledger: counts, and the sizes of its transactions, smallest first."""

    events: int
    commits: int
    inbox: int
    dead: int
    sizes: tuple[int, ...]
    """Events of each transaction."""
    drained: tuple[int, ...]
    """Messages whose handling shares a transaction, of those that leave a row in the inbox."""

    @classmethod
    async def since(cls, url: str, xid: int) -> Self:
        """Everything in transactions after `xid`; see `last_xid`."""
        connection = await asyncpg.connect(url)
        try:
            sizes = await connection.fetch(
                "select count(*)::int n from ledger.events where xid > $1::text::xid8 group by xid order by 1", str(xid)
            )
            drained = await connection.fetch(_DRAINED, str(xid))
            dead = await connection.fetchval("select count(*) from ledger.dead_letters")
        finally:
            await connection.close()
        of, drains = tuple(row["n"] for row in sizes), tuple(row["n"] for row in drained)
        return cls(sum(of), len(of), sum(drains), int(dead), of, drains)

    def per_run(self, runs: int) -> dict[str, Any]:
        """Counts a run, and quantiles of the sizes."""
        return {
            "events": round(self.events / runs, 1),
            "commits": round(self.commits / runs, 2),
            "inbox_rows": round(self.inbox / runs, 1),
            "dead_letters": self.dead,
            "events_a_commit": spread(self.sizes),
            "messages_a_commit": spread(self.drained),
        }


async def last_xid(url: str) -> int:
    """The transaction that is begun now: what comes is later."""
    connection = await asyncpg.connect(url)
    try:
        return int(await connection.fetchval("select pg_current_xact_id()::text"))
    finally:
        await connection.close()


def spread(sizes: Iterable[int]) -> dict[str, float]:
    """Mean, median, 90th percentile and greatest."""
    ordered = sorted(sizes) or [0]
    return {
        "mean": round(sum(ordered) / len(ordered), 1),
        "p50": ordered[len(ordered) // 2],
        "p90": ordered[int(len(ordered) * 0.9)],
        "max": ordered[-1],
    }
