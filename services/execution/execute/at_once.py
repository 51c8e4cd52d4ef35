"""Todos that the dispatcher does itself, in the transaction that dispatches them (docs/adr/0071): the tool has no
effects, no lease, no gate and no files, costs nothing, and does not wait."""

import logging
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from backbone.ledger.port import Append, Timer
from backbone.runner.handlers import Outcome, append_of
from backbone.telemetry import metrics
from contracts.envelope import Message
from contracts.execution import TodoDispatched, TodoFailed, TodoSucceeded
from contracts.shape import Event
from contracts.tools import ConfirmPolicy, Effects, Reuse, ToolSpec
from services.execution.agent.loop import AGENT_ENTRY
from services.execution.execute.executor import Executor, consumer
from services.execution.execute.job import SOLVER_ENTRY

log = logging.getLogger(__name__)

COSTS = 0.001
"""Seconds. Tools that say that a call takes no longer are tried."""
LONG = 0.005
"""Seconds of processor. A tool that was longer at it `TIMES` times in a row is not tried again in this process."""
TIMES = 3
"""The first call of a tool loads it."""


_ENDS = (TodoSucceeded, TodoFailed)
"""In whatever else an attempt may end, a person or a lease has a part."""


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
        if not isinstance(event, TodoDispatched) or message.run_id is None:
            return None
        served = self.executors.get(message.route)
        spec = served.shared.jobs.runner.catalogue.tools.get(event.todo.tool) if served else None
        if (
            served is None
            or spec is None
            or event.inputs
            or self._slow[event.todo.tool] >= TIMES
            or not _is_small(spec)
        ):
            return None
        since = time.thread_time()
        outcome = self._stepped(served, message, event)
        if outcome is not None:
            is_long = time.thread_time() - since > LONG
            self._slow[event.todo.tool] = self._slow[event.todo.tool] + 1 if is_long else 0
        if outcome is None or outcome.fence or not all(isinstance(one.event, _ENDS) for one in outcome.emits):
            return None
        metrics.HANDLED.labels(consumer(served.route), "done").inc()
        return append_of(message, consumer(served.route), outcome)

    def _stepped(self, served: Executor, message: Message, event: TodoDispatched) -> Outcome | None:
        """Runs the attempt as far as it comes without the event loop. None: not to its end."""
        attempt = served.handle(message, event, _nothing_is_recorded)
        try:
            attempt.send(None)
        except StopIteration as over:
            outcome: Outcome = over.value
            return outcome
        self._slow[event.todo.tool] = TIMES
        log.info("%s waits, so it is not done at once", event.todo.tool)
        try:
            attempt.close()
        except RuntimeError:
            log.warning("%s could not be stopped where it waits", event.todo.tool, exc_info=True)
        return None


def _is_small(spec: ToolSpec) -> bool:
    return (
        spec.cost.seconds <= COSTS
        and spec.effects is Effects.NONE
        and spec.confirm_policy is ConfirmPolicy.NEVER
        and spec.reuse is Reuse.NEVER
        and not (spec.isolated or spec.groups or spec.network)
        and not spec.entry.startswith((AGENT_ENTRY, SOLVER_ENTRY))
    )
