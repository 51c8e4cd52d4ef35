"""Todos that the dispatcher does itself, in the transaction that dispatches them (docs/adr/0071): the tool has no
effects, no lease, no gate and no files, costs nothing, and does not wait."""

import logging
import time
from collections import Counter
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from uuid import UUID

from prometheus_client import Counter as Counted

from backbone.ledger.port import Append, Timer
from backbone.runner.handlers import Emit, Outcome, append_of
from backbone.telemetry import metrics
from contracts.envelope import Message
from contracts.execution import TodoDispatched
from contracts.shape import Event
from contracts.tools import ConfirmPolicy, Effects, Reuse, ToolError, ToolSpec
from services.execution.agent.loop import AGENT_ENTRY
from services.execution.execute.attempt import Attempt
from services.execution.execute.executor import Executor
from services.execution.execute.job import SOLVER_ENTRY

log = logging.getLogger(__name__)

COSTS = 0.001
"""Seconds. Tools that say that a call takes no longer are tried."""
LONG = 0.005
"""Seconds of processor. A tool that was longer at it `TIMES` times in a row is not tried again in this process."""
TIMES = 3
"""The first call of a tool loads it."""


async def _nothing_is_recorded(
    key: str,
    *events: Event,
    sure: bool = False,
    timers: tuple[Timer, ...] = (),
    cancel_timers: tuple[UUID, ...] = (),
) -> None:
    """The dispatch is not in the ledger yet; its start is told by its result alone."""


@dataclass(eq=False, slots=True)
class AtOnce:
    """The executors of this process, by route, for what needs no delivery."""

    executors: Mapping[str, Executor]
    _slow: Counter[str] = field(default_factory=Counter)
    """How often tools were long at it, at the last; those that wait are as good as `TIMES`."""

    def __call__(self, message: Message, event: Event) -> Append | None:
        """The end of the attempt, when it came in this very step. None: an executor takes it from the bus."""
        if not isinstance(event, TodoDispatched) or message.run_id is None or event.inputs:
            return None
        served = self.executors.get(message.route)
        spec = served.shared.jobs.runner.catalogue.tools.get(event.todo.tool) if served else None
        if served is None or spec is None or self._slow[event.todo.tool] >= TIMES or not _is_small(spec):
            return None
        outcome = self._timed(event.todo.tool, _attempted(served, spec, message, message.run_id, event))
        if outcome is None:
            return None
        _handled(served.consumer).inc()
        return append_of(message, served.consumer, outcome)

    def _timed(self, tool: str, attempt: Coroutine[None, None, Outcome]) -> Outcome | None:
        # the processor's clock costs more than most of these tools: it is asked about those that were long by the other
        clock = time.thread_time if self._slow[tool] else time.perf_counter
        since = clock()
        outcome = self._stepped(tool, attempt)
        if outcome is not None:
            self._slow[tool] = self._slow[tool] + 1 if clock() - since > LONG else 0
        return outcome

    def _stepped(self, tool: str, attempt: Coroutine[None, None, Outcome]) -> Outcome | None:
        """Runs the attempt as far as it comes without the event loop. None: not to its end."""
        try:
            attempt.send(None)
        except StopIteration as over:
            outcome: Outcome = over.value
            return outcome
        self._slow[tool] = TIMES
        log.info("%s waits, so it is not done at once", tool)
        try:
            attempt.close()
        except RuntimeError:
            log.warning("%s could not be stopped where it waits", tool, exc_info=True)
        return None


async def _attempted(
    served: Executor, spec: ToolSpec, message: Message, run_id: UUID, event: TodoDispatched
) -> Outcome:
    """What an executor makes of it. Of a tool that has neither effects nor lease, gate and files, and that is over in
    this step, nobody waits for the start, can stop it, or has to keep its time."""
    attempt = Attempt(message, event, _nothing_is_recorded, served.route, served.shared.live, _task=None)
    try:
        done = await served.shared.jobs.runner.step(run_id, spec, event, attempt)
        return Outcome((Emit(await attempt.succeeded(done)),), done.timers, done.cancel_timers)
    except ToolError as error:
        return await served.failed(attempt, None, run_id, error)
    finally:
        attempt.falls_silent()


@lru_cache(maxsize=64)
def _handled(consumer: str) -> Counted:
    return metrics.HANDLED.labels(consumer, "done")


def _is_small(spec: ToolSpec) -> bool:
    return (
        spec.cost.seconds <= COSTS
        and spec.effects is Effects.NONE
        and spec.confirm_policy is ConfirmPolicy.NEVER
        and spec.reuse is Reuse.NEVER
        and not (spec.isolated or spec.groups or spec.network)
        and not spec.entry.startswith((AGENT_ENTRY, SOLVER_ENTRY))
    )
