"""Runs work: one task per message, outside any transaction; answers that are ready together share one append. Recording
events while work goes on."""

import asyncio
import logging
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid5

from backbone import crash
from backbone.bus.port import GIVE_BACK, Subscribes, Subscription
from backbone.errors import HandlingError, Poison, Rejected, Retryable
from backbone.gathering import gathered
from backbone.ledger.port import Append, Fact, FenceLost, Ledger, LedgerUnavailable, NotInLedger, Timer
from backbone.runner import intake
from backbone.runner.deciding import Decider
from backbone.runner.handlers import NOTHING, DecisionHandler, WorkHandler, append_of, consumer_spec, traced
from backbone.runner.intake import MAX_DELIVERIES, DeadLetterWriter, Intake, ReceivedMessage
from backbone.telemetry import metrics, tracing
from backbone.witness import Witness
from contracts.envelope import Message
from contracts.errors import Code, ErrorInfo
from contracts.shape import Event


class Recorder:
    """See backbone.runner.handlers.Record."""

    def __init__(self, ledger: Ledger, handler: WorkHandler, taken: ReceivedMessage) -> None:
        self._ledger = ledger
        self._handler = handler
        self._message = taken.message
        self._evidence = taken.evidence

    async def __call__(
        self,
        key: str,
        *events: Event,
        sure: bool = False,
        timers: tuple[Timer, ...] = (),
        cancel_timers: tuple[UUID, ...] = (),
    ) -> None:
        cause = uuid5(self._message.event_id, f"{self._handler.name}:{key}")
        facts = tuple(self._fact(event, uuid5(cause, str(i)) if i else cause) for i, event in enumerate(events))
        timers = traced(timers, self._message)
        append = Append(self._message.session_id, cause, facts, timers, cancel_timers, evidence=self._evidence)
        try:
            await self._ledger.append(self._handler.producer, self._handler.name, [append])
        except LedgerUnavailable as error:
            if sure:
                raise
            # progress is for people who watch; the result itself waits for the ledger
            told = ", ".join(type(event).__name__ for event in events)
            log.warning("%s: %s is not recorded: %s", self._handler.name, told, error)
        crash.point(self._handler.producer, crash.RECORDED)

    def _fact(self, event: Event, event_id: UUID) -> Fact:
        message = self._message
        return Fact(event, event_id, message.run_id, message.correlation_id, message.event_id, message.traceparent)


log = logging.getLogger(__name__)
STOP_GRACE = 3.0
"""Seconds that work in flight has to end, and then its answers to be recorded."""
YOUNG_SECONDS = 1.0
"""A question to the inbox per drain costs 5 % of all CPU under load; nearly all messages are younger than this."""


@dataclass(frozen=True, slots=True)
class _Answer:
    """What is to be recorded for a message; with `letter` (code, reason) the message is also buried."""

    taken: ReceivedMessage
    append: Append
    since: float
    letter: tuple[Code, str] | None = None


class WorkRunner:
    """The consume loop of one WorkHandler."""

    def __init__(  # noqa: PLR0913  # as DecisionRunner's, and how it works
        self,
        handler: WorkHandler,
        ledger: Ledger,
        bus: Subscribes,
        ack_wait: float,
        grace: float = STOP_GRACE,
        witness: Witness | None = None,
        *,
        decider: Decider | None = None,
    ) -> None:
        self._handler = handler
        self._ledger = ledger
        self._bus = bus
        self._ack_wait = ack_wait
        self._grace = grace
        self._decider = decider
        self._dead_letters = DeadLetterWriter(ledger, handler.name)
        subjects = consumer_spec(handler, ack_wait).subjects
        self._intake = Intake(
            self._dead_letters, witness or Witness(ledger), subjects, handler.concerns, asks_late=handler.effectless
        )
        self._tasks: dict[asyncio.Task[None], ReceivedMessage] = {}
        self._free = asyncio.Event()
        self._seconds = metrics.HANDLE_SECONDS.labels(handler.name)
        self._answers: asyncio.Queue[_Answer] = asyncio.Queue()
        self._unsettled: dict[Message, ReceivedMessage] = {}
        self._alone: dict[UUID, asyncio.Event] = {}
        self.subscription: Subscription | None = None

    async def run(self) -> None:
        """Until cancelled; then lets work in flight end, within a grace, and gives the rest back."""
        self.subscription = await self._bus.subscribe(
            consumer_spec(self._handler, self._ack_wait), self._handler.concurrency
        )
        async with asyncio.TaskGroup() as loops:
            commits = loops.create_task(self._commit_forever(), name=f"commit:{self._handler.name}")
            beats = loops.create_task(self._heartbeat(), name=f"heartbeat:{self._handler.name}")
            try:
                while True:
                    await self._drain(self.subscription)
            finally:
                await self._stop(self.subscription)
                commits.cancel()
                beats.cancel()

    async def _drain(self, subscription: Subscription) -> None:
        while len(self._tasks) >= self._handler.concurrency:
            self._free.clear()
            await self._free.wait()
        deliveries = await subscription.drain(self._handler.concurrency - len(self._tasks))
        crash.point(self._handler.producer, "received")

        async def look() -> tuple[list[ReceivedMessage], set[UUID]]:
            taken = await self._intake.take(deliveries)
            now = datetime.now(UTC)
            doubtful = [t.message.event_id for t in taken if _may_be_repeated(t, now)]
            done = await self._ledger.handled(self._handler.name, doubtful) if doubtful else set()
            # what only has the id of something that was done is buried, and not taken for it
            strangers = [one for one in taken if one.message.event_id in done and not await self._known(one)]
            return [one for one in taken if one not in strangers], done

        taken, done = await intake.hold(deliveries, self._ack_wait, look)
        for number, one in enumerate(taken, 1):
            if number % intake.BREATH == 0:
                await asyncio.sleep(0)
            event_id = one.message.event_id
            if event_id in done:
                await one.delivery.ack()
                continue
            # Redelivered while we are still at it: the work goes on once, and this delivery is the one to settle.
            known = one.message in self._unsettled
            self._unsettled[one.message] = one
            if known:
                continue
            work = self._attempt if not self._handler.alone(one.message, one.event) else self._attempt_alone
            task = asyncio.create_task(work(one))
            self._tasks[task] = one
            task.add_done_callback(self._over)

    def _over(self, task: asyncio.Task[None]) -> None:
        self._tasks.pop(task, None)
        self._free.set()

    async def _attempt_alone(self, taken: ReceivedMessage) -> None:
        """Nobody else is at this message until its answer is recorded. What was answered meanwhile, wherever that was,
        is not done again."""
        event_id = taken.message.event_id
        settled = self._alone[event_id] = asyncio.Event()
        try:
            async with self._ledger.claimed(f"{event_id}"):
                if await self._ledger.handled(self._handler.name, [event_id]):
                    await self._settled(taken).delivery.ack()
                    return
                await self._attempt(taken)
                await settled.wait()
        except Exception as error:  # noqa: BLE001  # of the ledger: the work itself never raises
            await self._failed(taken, error, time.monotonic())
        finally:
            self._alone.pop(event_id, None)

    def _settled(self, taken: ReceivedMessage) -> ReceivedMessage:
        """The latest delivery of a message that is done with here."""
        event_id = taken.message.event_id
        if alone := self._alone.get(event_id):
            alone.set()
        return self._unsettled.pop(taken.message, taken)

    async def _attempt(self, taken: ReceivedMessage) -> None:
        since = time.monotonic()
        try:
            tracing.enter(taken.message)
            record = Recorder(self._ledger, self._handler, taken)
            outcome = await self._handler.handle(taken.message, taken.event, record)
            append = append_of(taken.message, self._handler.name, outcome)
            if append.is_empty and not await self._known(taken):
                return
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            # not we: something that the handler waited for was cancelled
            await self._failed(taken, error, since)
            return
        except Exception as error:  # noqa: BLE001  # the one place where any failure of a handler becomes a settlement
            await self._failed(taken, error, since)
            return
        crash.point(self._handler.producer, "decided")
        self._answers.put_nowait(_Answer(taken, append, since))

    async def _known(self, taken: ReceivedMessage) -> bool:
        """Whether the ledger has the message; one that it does not have is buried. Raises LedgerUnavailable."""
        if taken.evidence is None or await self._intake.known([taken]):
            return True
        latest = self._settled(taken)
        if latest is not taken:
            await latest.delivery.ack()
        return False

    async def _failed(self, taken: ReceivedMessage, error: BaseException, since: float) -> None:
        try:
            if not await self._known(taken):
                return
        except LedgerUnavailable as away:
            error = away
        attempt = taken.delivery.attempt
        name = self._handler.name
        unavailable = isinstance(error, LedgerUnavailable)
        if not unavailable and not isinstance(error, HandlingError):
            log.error("%s failed on %s", name, taken.message.type, exc_info=error)
        if unavailable or (not isinstance(error, Poison | Rejected) and attempt < MAX_DELIVERIES):
            delay = error.delay if isinstance(error, Retryable) else intake.retry_delay(attempt)
            metrics.HANDLED.labels(name, "retried").inc()
            await self._settled(taken).delivery.retry(delay)
            return
        code = error.code if isinstance(error, HandlingError) else Code.INTERNAL
        # a refusal is an answer too: it ends the message, and nobody needs to look at it
        letter = None if isinstance(error, Rejected) else (code, f"given up after {attempt} deliveries: {error!r}")
        self._answers.put_nowait(_Answer(taken, self._given_up(taken, code, str(error) or repr(error)), since, letter))

    def _given_up(self, taken: ReceivedMessage, code: Code, message: str) -> Append:
        try:
            outcome = self._handler.give_up(taken.message, taken.event, ErrorInfo(code=code, message=message))
        except Exception:
            log.exception("%s cannot even give up %s", self._handler.name, taken.message.type)
            outcome = NOTHING
        return append_of(taken.message, self._handler.name, outcome)

    async def _commit_forever(self) -> None:
        while True:
            answers = [await self._answers.get()]
            await gathered(self._answers.qsize, self._handler.concurrency - 1)
            while not self._answers.empty() and len(answers) < self._handler.concurrency:
                answers.append(self._answers.get_nowait())
            await self._commit(answers)
            for _ in answers:
                self._answers.task_done()

    async def _commit(self, answers: list[_Answer]) -> None:
        delay, in_doubt = 0.05, False
        while True:
            try:
                if in_doubt:
                    if not await self._known(answers[0].taken):
                        return
                    answers, in_doubt = [_undoubted(answers[0])], False
                for answer in answers:
                    if answer.letter:
                        await self._dead_letters.keep(answer.taken.delivery, *answer.letter)
                await self._record([answer for answer in answers if not answer.append.is_empty])
                break
            except NotInLedger:
                if len(answers) > 1:
                    await self._commit_each(answers)
                    return
                in_doubt = True
            except LedgerUnavailable as error:
                # An answer has been paid for: it is kept until the ledger is back, not asked for again.
                log.warning("%s: %d answers wait: %s", self._handler.name, len(answers), error)
                await asyncio.sleep(delay)
                delay = min(delay * 2, 2.0)
            except Exception as error:  # noqa: BLE001  # one bad answer must not take the others with it
                await self._commit_apart(answers, error)
                return
        crash.point(self._handler.producer, "appended")
        await self._settle(answers)

    async def _record(self, answers: Sequence[_Answer]) -> None:
        """Answers that somebody decides about in this process, with the decision; if that fails, and the others, alone:
        then it is decided when they come over the bus."""
        name, decider = self._handler.name, self._decider
        together = [answer for answer in answers if decider and _is_decided_by(decider.handler, answer)]
        if decider and together:
            try:
                await decider.record(name, [(one.taken.message, one.taken.event, one.append) for one in together])
            except (LedgerUnavailable, FenceLost):
                raise
            except Exception:
                log.warning("%s: %d answers are recorded undecided", name, len(together), exc_info=True)
            else:
                answers = [answer for answer in answers if answer not in together]
        if answers:
            appends = [answer.append._replace(evidence=answer.taken.evidence) for answer in answers]
            await self._ledger.append(self._handler.producer, name, appends)

    async def _commit_each(self, answers: list[_Answer]) -> None:
        for answer in answers:
            await self._commit([answer])

    async def _commit_apart(self, answers: list[_Answer], error: Exception) -> None:
        if len(answers) > 1:
            await self._commit_each(answers)
        elif isinstance(error, FenceLost):
            # Somebody else may have the tool by now, or the todo: what we found out under the lease does not count.
            log.warning("%s: an answer came too late: %s", self._handler.name, error)
            append = self._given_up(answers[0].taken, Code.LEASE_LOST, "the lease was lost")
            await self._commit([replace(answers[0], append=append._replace(fence=None))])
        elif answers[0].letter is None:
            # What cannot be recorded is given up in a way that can, so that the run ends.
            reason = f"its answer cannot be recorded: {error!r}"
            append = self._given_up(answers[0].taken, Code.INTERNAL, "the answer cannot be recorded")
            await self._commit([replace(answers[0], append=append, letter=(Code.INTERNAL, reason))])
        else:
            log.critical("%s: not even giving up can be recorded", self._handler.name, exc_info=error)
            await self._settle(answers)

    async def _settle(self, answers: list[_Answer]) -> None:
        now = time.monotonic()
        name = self._handler.name
        for answer in answers:
            await self._settled(answer.taken).delivery.ack()
            self._seconds.observe(now - answer.since, tracing.exemplar(answer.taken.message))
        metrics.HANDLED.labels(name, "done").inc(len(answers))
        metrics.BATCH_SIZE.labels(name).observe(len(answers))
        if tracing.outbox():
            wall = time.time_ns()
            tracing.handled((answer.taken.message, self._told(answer, now, wall)) for answer in answers)
        crash.point(self._handler.producer, "settled")

    def _told(self, answer: _Answer, now: float, wall: int) -> tracing.Handled:
        since, error = wall - int((now - answer.since) * 1e9), str(int(answer.letter[0])) if answer.letter else ""
        attempt = answer.taken.delivery.attempt
        return tracing.Handled(self._handler.name, self._handler.producer, since, wall, attempt, error=error)

    async def _heartbeat(self) -> None:
        while True:
            await asyncio.sleep(self._ack_wait / 3)
            for taken in list(self._unsettled.values()):
                await taken.delivery.extend()

    async def _stop(self, subscription: Subscription) -> None:
        await subscription.close()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=self._grace)
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=1)
        # answers that are there have been paid for
        with suppress(TimeoutError):
            async with asyncio.timeout(STOP_GRACE):
                await self._answers.join()
        for taken in self._unsettled.values():
            await taken.delivery.retry(GIVE_BACK)


def _is_decided_by(handler: DecisionHandler[Any], answer: _Answer) -> bool:
    """What is only said to follow from the ledger is not decided about."""
    settles = any(type(fact.event).__name__ in handler.settles for fact in answer.append.facts)
    return settles and answer.taken.evidence is None


def _undoubted(answer: _Answer) -> _Answer:
    """Of a message that the ledger was found to have."""
    return replace(answer, taken=replace(answer.taken, evidence=None))


def _may_be_repeated(taken: ReceivedMessage, now: datetime) -> bool:
    """Whether the inbox has to be asked before the work. A young message at its first delivery is new; should a bus
    that is lost in that second bring it twice, the work is done twice and recorded once. Work that must not be done
    twice is done alone."""
    return taken.delivery.attempt > 1 or (now - taken.message.recorded_at).total_seconds() > YOUNG_SECONDS
