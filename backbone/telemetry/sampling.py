"""Which new traces are recorded: all, up to a number a second for this process. Every run of a quiet installation is
traced, and a busy one pays for that many traces and no more."""

import time
from collections.abc import Callable
from uuid import UUID

from backbone.telemetry import metrics
from backbone.telemetry.spans import begun, sampled


class Sampler:
    """A share of all runs, and of these at most `per_second`: a reservoir that fills at this rate and holds a second's
    worth, at least one trace."""

    def __init__(self, ratio: float, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._ratio, self._rate, self._clock = ratio, per_second, clock
        self._holds = max(per_second, 1.0)
        self._left = self._holds
        self._filled = clock()

    def begin(self, run_id: UUID) -> str:
        """The traceparent of a run whose caller has none; the trace's id is that of the run."""
        if not sampled(run_id.int, self._ratio):
            metrics.RUNS_UNTRACED.labels("ratio").inc()
        elif not self._take():
            metrics.RUNS_UNTRACED.labels("rate").inc()
        else:
            return begun(run_id, sampled=True)
        return begun(run_id, sampled=False)

    def _take(self) -> bool:
        now = self._clock()
        self._left = min(self._holds, self._left + (now - self._filled) * self._rate)
        self._filled = now
        if self._left < 1:
            return False
        self._left -= 1
        return True
