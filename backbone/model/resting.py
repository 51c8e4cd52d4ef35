"""Models that have just failed are left alone for a while, so that not every sentence waits for one that hangs."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from contracts.model import ModelCalled

SHARE = 10
"""What is waited for a model that fails is one part in so many of the time: it is left alone so many times as long."""
LEAST, LONGEST = 5.0, 300.0
"""Seconds: whoever fails sooner keeps nobody waiting and is asked again at once; nobody is left alone for longer."""


@dataclass(slots=True)
class Resting:
    """By the model's name, until when, and the record of its failure. When the time is over the next request asks it;
    those that come meanwhile do not, until it has answered or failed again."""

    clock: Callable[[], float] = time.monotonic
    _until: dict[str, float] = field(init=False, default_factory=dict)
    _failed: dict[str, ModelCalled] = field(init=False, default_factory=dict)

    def now(self, name: str) -> ModelCalled | None:
        """Why a model is not asked now, as the record of a call that made no request; None: it is asked."""
        failed = self._failed.get(name)
        if failed is None:
            return None
        if self.clock() >= self._until[name]:
            self._until[name] = self.clock() + failed.latency_seconds
            return None
        spent = {"attempts": 0, "input_tokens": 0, "output_tokens": 0, "cost": 0.0, "latency_seconds": 0.0}
        return failed.model_copy(update=spent)

    def answered(self, name: str) -> None:
        self._failed.pop(name, None)

    def failed(self, name: str, called: ModelCalled) -> None:
        if called.latency_seconds < LEAST:
            self._failed.pop(name, None)
            return
        self._failed[name] = called
        self._until[name] = self.clock() + min(LONGEST, SHARE * called.latency_seconds)
