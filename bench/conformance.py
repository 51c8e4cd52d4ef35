"""LangGraph's own conformance suite against our checkpoint saver, on an embedded Postgres.

`python -m bench conformance [--json]`: what LangGraph asks of a saver, capability by capability."""

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncGenerator

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import BASE_CAPABILITIES
from langgraph.checkpoint.conformance.report import CapabilityReport

from backbone.checkpoints.postgres import PostgresSaver
from backbone.ledger.migrate import migrate
from backbone.ledger.pool import open_pool
from bench.servers import postgres


async def conformance(url: str) -> CapabilityReport:
    """Runs the suite in a migrated database, as the role that services act as."""
    pool = await open_pool(url, min_size=0, max_size=2)
    try:

        @checkpointer_test(name=PostgresSaver.__name__)
        async def saver() -> AsyncGenerator[BaseCheckpointSaver[int], None]:
            yield PostgresSaver(pool)

        return await validate(saver)
    finally:
        await pool.close()


def table(report: CapabilityReport) -> str:
    """A line for each capability, what failed below it, and the level reached."""
    lines = [f"{report.checkpointer_name}: {report.conformance_level()}", f"  {'capability':<18}passed  failed"]
    for name, result in report.results.items():
        kind = "base" if name in BASE_CAPABILITIES else "extended"
        counts = f"{result.tests_passed:>6}  {result.tests_failed:>6}" if result.detected else "   not implemented"
        lines.append(f"  {name:<18}{counts}  {kind}")
        lines += [f"      {failure}" for failure in result.failures]
    return "\n".join(lines)


def main(argv: list[str]) -> int:
    """0 when all that is implemented passes, and everything that LangGraph demands is implemented; else 1."""
    parser = argparse.ArgumentParser(prog="python -m bench conformance", description="Our LangGraph checkpoint saver.")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    given = parser.parse_args(argv)
    with postgres() as url:
        report = asyncio.run(_migrated(url))
    sys.stdout.write((json.dumps(report.to_dict()) if given.json else table(report)) + "\n")
    return 0 if report.passed_all() and report.passed_all_base() else 1


async def _migrated(url: str) -> CapabilityReport:
    await migrate(url)
    return await conformance(url)
