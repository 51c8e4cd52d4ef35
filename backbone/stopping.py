"""How long a service may take to stop: one sum, which the code keeps and manifests are made from.

terminationGracePeriodSeconds has to be longer than what comes before SIGTERM (preStop) and this together."""

import logging
import math
import os
import threading
from dataclasses import dataclass

from backbone.service import CLOSE_SECONDS, STOP_SECONDS
from backbone.telemetry.tracing import STOP_SECONDS as TELEMETRY_SECONDS

log = logging.getLogger(__name__)

GATEWAY = "gateway"
HTTP_SECONDS = 5.0
"""Sockets are told, waiting requests answered, and what is being recorded is recorded."""
EXIT_SECONDS = 2.0
PRE_STOP_SECONDS = 5.0
"""What a pod waits before SIGTERM, so that nobody is sent to it any more."""
MARGIN_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class StopBudget:
    """Seconds from SIGTERM to the end of the process, step by step, each at its longest."""

    steps: tuple[tuple[str, float], ...]

    @property
    def seconds(self) -> float:
        return sum(seconds for _, seconds in self.steps)

    @property
    def termination_grace(self) -> int:
        """terminationGracePeriodSeconds of a pod."""
        return math.ceil(PRE_STOP_SECONDS + self.seconds + MARGIN_SECONDS)


def stop_budget(service: str, grace_seconds: float) -> StopBudget:
    """That of a service; `grace_seconds` is its DREAM_STOP_GRACE_SECONDS."""
    http = (("connections of clients", 2 * HTTP_SECONDS),) if service == GATEWAY else ()
    return StopBudget(
        (
            *http,
            ("work in flight (`DREAM_STOP_GRACE_SECONDS`)", grace_seconds),
            ("loops end, what is left is given back", STOP_SECONDS),
            ("the bus, then the broker", 2 * CLOSE_SECONDS),
            ("the database", CLOSE_SECONDS),
            ("telemetry", TELEMETRY_SECONDS),
            ("the process", EXIT_SECONDS),
        )
    )


def end_after(seconds: float) -> None:
    """Ends the process then, whatever holds it up: a thread of a library, a file system that is gone. What it had in
    hand comes again elsewhere, as after a crash; it was told to stop, so its exit code is 0."""

    def end() -> None:
        log.error("it has not stopped within %.0f s, and is ended", seconds)
        logging.shutdown()
        os._exit(0)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
