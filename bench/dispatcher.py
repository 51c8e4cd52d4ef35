"""What a decision of the dispatcher costs per todo, in plans of 10 to 10,000: it must not grow with the plan."""

import argparse
import json
import statistics
import sys
import time
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from backbone import packs
from backbone.runner.handlers import Recorded
from contracts.execution import TodoDispatched, TodoSucceeded
from contracts.gateway import MessageReceived
from contracts.planning import Estimate, Plan, PlanApproved, PlanningOutput, TodoItem
from contracts.shape import Event
from services.execution.domain.dispatch import Dispatcher
from services.execution.domain.fold import Rules
from services.execution.domain.run import Session

SIZES = (10, 100, 1000, 10_000)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def run_through(size: int, rules: Rules) -> float:
    """Drives a plan of `size` parallel todos from its approval to the last result but one; seconds per todo.

    One todo is in flight at a time: every message does the same, a result taken in and the next todo dispatched. The
    ExecutionOutput at the end lists every result: it grows with the plan, once, and is left out."""
    dispatcher, session, run_id = Dispatcher(rules), Session(), uuid4()

    def fold(event: Event) -> Recorded:
        recorded = Recorded(event, uuid4(), run_id, NOW)
        dispatcher.evolve(session, recorded)
        return recorded

    def decide(recorded: Recorded) -> list[TodoDispatched]:
        outcome = dispatcher.decide(session, recorded)
        for emitted in outcome.emits:
            fold(emitted.event)
        return [emitted.event for emitted in outcome.emits if isinstance(emitted.event, TodoDispatched)]

    todos = tuple(TodoItem(id=f"t{n}", title="t", tool="bench.noop", executor="data") for n in range(size))
    plan = Plan(plan_id=run_id, todos=todos, estimate=Estimate(total_seconds=0, critical_path_seconds=0))
    fold(MessageReceived(text="go"))
    fold(PlanningOutput(plan=plan, language="en"))
    approved = PlanApproved(plan_id=run_id, plan_version=1, plan_hash="0" * 64, approved_by="policy")
    done = 0
    start = time.perf_counter()
    queue = decide(fold(approved))
    while done < size - 1:
        one = queue[done]
        result = TodoSucceeded(todo_id=one.todo.id, attempt=one.attempt, started_at=NOW, seconds=0)
        queue += decide(fold(result))
        done += 1
    return (time.perf_counter() - start) / size


def measure(rounds: int) -> dict[str, Any]:
    """Microseconds per todo by size, the median of some rounds."""
    rules = Rules(packs.load(("platform",)).say, most_in_flight=1)
    run_through(100, rules)
    return {
        f"n{size}_us_per_todo": round(statistics.median(run_through(size, rules) for _ in range(rounds)) * 1e6, 1)
        for size in SIZES
    }


def main(argv: list[str]) -> int:
    """Prints the figures; with --json as one object."""
    parser = argparse.ArgumentParser(prog="python -m bench dispatcher", description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args(argv)
    figures = measure(options.rounds)
    if options.json:
        sys.stdout.write(json.dumps(figures) + "\n")
    else:
        sys.stdout.writelines(
            f"{name[1:].split('_')[0]:>5} todos: {value} us per todo\n" for name, value in figures.items()
        )
    return 0
