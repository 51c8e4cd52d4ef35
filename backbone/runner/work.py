"""Runs work: one task per message, outside any transaction; answers that are ready together share one append."""

import asyncio
import logging
import time
from contextlib import suppress
from dataclasses import dataclass
from uuid import uuid5

from backbone import crash
from backbone.bus.port import Bus, Subscription
from backbone.errors import Poison, Retryable
from backbone.ledger.port import Append, Fact, Ledger, LedgerUnavailable
from backbone.runner.handlers import Outcome, WorkHandler, append_of, consumer_spec
from backbone.runner.intake import MAX_DELIVERIES, Taken, Undertaker, retry_delay
from backbone.telemetry import metrics, tracing
from contracts.errors import Code, ErrorInfo
from contracts.shape import Event

log = logging.getLogger(__name__)
STOP_GRACE = 3.0


@dataclass(frozen=True, slots=True)
class _Answer:
    taken: Taken
    append: Append
    since: float


class WorkRunner:
    """The consume loop of one WorkHandler."""

    def __init__(self, handler: WorkHandler, ledger: Ledger, bus: Bus, ack_wait: float) -> None:
        self._handler = handler
        self._ledger = ledger
        self._bus = bus
        self._ack_wait = ack_wait
        self._undertaker = Undertaker(ledger, handler.name)
        self._tasks: dict[asyncio.Task[None], Taken] = {}
        self._free = asyncio.Event()
        self._answers: asyncio.Queue[_Answer] = asyncio.Queue()
        self._unsettled: dict[int, Taken] = {}
        self.subscription: Subscription | None = None

    async def run(self) -> None:
        """Until cancelled; then lets work in flight end, within a grace, and gives the rest back."""
        self.subscription = await self._bus.subscribe(consumer_spec(self._handler, self._ack_wait), self._handler.concurrency)
        commits = asyncio.create_task(self._commit_forever(), name=f"commit:{self._handler.name}")
        beats = asyncio.create_task(self._heartbeat(), name=f"heartbeat:{self._handler.name}")
        try:
            while True:
                await self._drain(self.subscription)
        finally:
            await self._stop(commits, beats)

    async def _drain(self, subscription: Subscription) -> None:
        while len(self._tasks) >= self._handler.concurrency:
            self._free.clear()
            await self._free.wait()
        deliveries = await subscription.drain(self._handler.concurrency - len(self._tasks))
        crash.point(self._handler.producer, "received")
        try:
            taken = await self._undertaker.split(deliveries)
            done = await self._ledger.handled(self._handler.name, [t.message.event_id for t in taken])
        except LedgerUnavailable as error:
            log.warning("%s: %s", self._handler.name, error)
            for delivery in deliveries:
                await delivery.retry(1.0)
            return
        for one in taken:
            if one.message.event_id in done:
                await one.delivery.ack()
                continue
            self._unsettled[id(one)] = one
            task = asyncio.create_task(self._attempt(one))
            self._tasks[task] = one
            task.add_done_callback(self._over)

    def _over(self, task: asyncio.Task[None]) -> None:
        self._tasks.pop(task, None)
        self._free.set()

    async def _attempt(self, taken: Taken) -> None:
        since = time.monotonic()
        try:
            with tracing.span(self._handler.name, taken.message) as traceparent:
                outcome = await self._handler.handle(taken.message, taken.event, self._recorder(taken, traceparent))
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001  # the one place where any failure of a handler becomes a settlement
            await self._failed(taken, error, since)
            return
        crash.point(self._handler.producer, "decided")
        self._answer(taken, outcome, traceparent, since)

    def _answer(self, taken: Taken, outcome: Outcome, traceparent: str | None, since: float) -> None:
        append = append_of(taken.message, self._handler.name, outcome, traceparent)
        self._answers.put_nowait(_Answer(taken, append, since))

    async def _failed(self, taken: Taken, error: Exception, since: float) -> None:
        attempt = taken.delivery.attempt
        name = self._handler.name
        if not isinstance(error, Retryable | Poison):
            log.exception("%s failed on %s", name, taken.message.type, exc_info=error)
        if not isinstance(error, Poison) and attempt < MAX_DELIVERIES:
            delay = error.delay if isinstance(error, Retryable) else retry_delay(attempt)
            self._unsettled.pop(id(taken), None)
            metrics.HANDLED.labels(name, "retried").inc()
            await taken.delivery.retry(delay)
            return
        code = error.code if isinstance(error, Poison | Retryable) else Code.INTERNAL
        info = ErrorInfo(code=code, message=str(error) or repr(error))
        self._answer(taken, self._handler.give_up(taken.message, taken.event, info), taken.message.traceparent, since)
        await self._undertaker.bury(taken.delivery, code, f"given up after {attempt} deliveries: {error!r}")

    def _recorder(self, taken: Taken, traceparent: str | None) -> "_Recorder":
        return _Recorder(self._ledger, self._handler, taken, traceparent)

    async def _commit_forever(self) -> None:
        while True:
            answers = [await self._answers.get()]
            while not self._answers.empty() and len(answers) < self._handler.concurrency:
                answers.append(self._answers.get_nowait())
            await self._commit(answers)

    async def _commit(self, answers: list[_Answer]) -> None:
        delay = 0.05
        while True:
            try:
                await self._ledger.append(self._handler.producer, self._handler.name, [a.append for a in answers])
                break
            except LedgerUnavailable as error:
                # An answer has been paid for: it is kept until the ledger is back, not asked for again.
                log.warning("%s: %d answers wait: %s", self._handler.name, len(answers), error)
                await asyncio.sleep(delay)
                delay = min(delay * 2, 2.0)
            except Exception as error:  # noqa: BLE001  # one bad answer must not take the others with it
                if len(answers) > 1:
                    for answer in answers:
                        await self._commit([answer])
                else:
                    self._unsettled.pop(id(answers[0].taken), None)
                    await self._undertaker.bury(answers[0].taken.delivery, Code.INTERNAL, f"its answer cannot be recorded: {error!r}")
                return
        crash.point(self._handler.producer, "appended")
        await self._settle(answers)

    async def _settle(self, answers: list[_Answer]) -> None:
        now = time.monotonic()
        name = self._handler.name
        for answer in answers:
            await answer.taken.delivery.ack()
            self._unsettled.pop(id(answer.taken), None)
            metrics.HANDLE_SECONDS.labels(name).observe(now - answer.since)
        metrics.HANDLED.labels(name, "done").inc(len(answers))
        metrics.BATCH_SIZE.labels(name).observe(len(answers))
        crash.point(self._handler.producer, "settled")

    async def _heartbeat(self) -> None:
        while True:
            await asyncio.sleep(self._ack_wait / 3)
            for taken in list(self._unsettled.values()):
                await taken.delivery.extend()

    async def _stop(self, commits: asyncio.Task[None], beats: asyncio.Task[None]) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=STOP_GRACE)
        for task in list(self._tasks):
            task.cancel()
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._flush(), STOP_GRACE)
        for loop_task in (commits, beats):
            loop_task.cancel()
        for taken in self._unsettled.values():
            await taken.delivery.retry(0.01)

    async def _flush(self) -> None:
        while not self._answers.empty():
            await asyncio.sleep(0.01)


class _Recorder:
    """See backbone.runner.handlers.Record."""

    def __init__(self, ledger: Ledger, handler: WorkHandler, taken: Taken, traceparent: str | None) -> None:
        self._ledger = ledger
        self._handler = handler
        self._message = taken.message
        self._traceparent = traceparent

    async def __call__(self, key: str, event: Event) -> None:
        cause = uuid5(self._message.event_id, f"{self._handler.name}:{key}")
        message = self._message
        fact = Fact(event, cause, message.run_id, message.correlation_id, message.event_id, self._traceparent)
        try:
            await self._ledger.append(self._handler.producer, self._handler.name, [Append(message.session_id, cause, (fact,))])
        except LedgerUnavailable as error:
            # progress is for people who watch; the result itself waits for the ledger
            log.warning("%s: %s is not recorded: %s", self._handler.name, type(event).__name__, error)
