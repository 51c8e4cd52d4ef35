"""Spans on their way out: a bounded queue and one thread. It holds nobody up, and counts what it loses."""

import logging
import threading
import time
from collections import deque
from collections.abc import Iterable

from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from backbone.telemetry import metrics
from backbone.telemetry.readable import readable
from backbone.telemetry.spans import Span

log = logging.getLogger(__name__)
LIMIT = 16_384
"""Spans that wait at most; further ones are dropped."""
BATCH = 512
PAUSE = 2.0
"""Seconds between two looks, when there is not a whole batch before: a request costs as much as fifty spans."""
REPORT_EVERY = 60.0
"""Seconds between two lines about a collector that takes nothing."""


class Undelivered(Exception):
    """An exporter could not deliver; the message says why, without the address."""


class Outbox:
    """Gives spans to an exporter, in order. `put` may be called from one thread, and never waits.

    It is in the place of the SDK's BatchSpanProcessor, which takes spans only when their process ends them, waits as
    long as its exporter does when it is shut down, and says neither what it has lost nor how far it has come."""

    def __init__(self, exporter: SpanExporter, limit: int = LIMIT) -> None:
        self._exporter = exporter
        self._limit = limit
        self._queue: deque[Span] = deque()
        self._wake = threading.Event()
        self._stopping = False
        self._reported = 0.0
        self.taken = 0
        """Spans that were ever taken in."""
        self.settled = 0
        """How many of them, from the first on, have been sent or dropped."""
        self._thread = threading.Thread(target=self._work, name="spans", daemon=True)
        self._thread.start()

    def put(self, spans: Iterable[Span]) -> None:
        """What does not fit is dropped and counted."""
        for span in spans:
            if self._stopping or len(self._queue) >= self._limit:
                metrics.SPANS_DROPPED.labels("full").inc()
            else:
                self.taken += 1
                self._queue.append(span)
        if len(self._queue) >= BATCH:
            self._wake.set()

    def stop(self, seconds: float) -> None:
        """Sends what is left, for so long at most; the rest is dropped. The thread may go on, with nothing to do."""
        self._stopping = True
        self._wake.set()
        self._thread.join(seconds)
        if left := len(self._queue):
            self._queue.clear()
            self._lost(left, "the process stops")

    def _work(self) -> None:
        while not (self._stopping and not self._queue):
            if len(self._queue) < BATCH and not self._stopping:
                self._wake.wait(PAUSE)
            self._wake.clear()
            while self._queue:
                self._send()
        self._exporter.shutdown()

    def _send(self) -> None:
        batch: list[Span] = []
        while len(batch) < BATCH:
            try:
                batch.append(self._queue.popleft())
            except IndexError:  # stop() has taken the rest
                break
        try:
            if self._exporter.export([readable(span) for span in batch]) is not SpanExportResult.SUCCESS:
                self._lost(len(batch), "the exporter says no more")
        except Undelivered as error:
            self._lost(len(batch), str(error))
        except Exception as error:  # noqa: BLE001  # a thread that ends would leave everything behind it in the queue
            self._lost(len(batch), type(error).__name__)
        self.settled += len(batch)

    def _lost(self, number: int, why: str) -> None:
        metrics.SPANS_DROPPED.labels("undelivered").inc(number)
        now = time.monotonic()
        if now - self._reported > REPORT_EVERY or not self._reported:
            self._reported = now
            log.warning("%d spans are lost: %s. Traces are incomplete; see DREAM_OTLP_ENDPOINT", number, why)
