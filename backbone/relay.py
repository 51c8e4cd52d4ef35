"""Publishes what a producer appended, in ledger order. One leader per producer; everyone else waits for its end.

Nothing is published by a handler: an event is in the ledger first, and from there it always reaches the bus."""

import asyncio
import logging
import random
from contextlib import suppress
from datetime import UTC, datetime

from backbone import crash
from backbone.bus.port import Bus, BusUnavailable
from backbone.ledger.port import START, Ledger, LedgerUnavailable, Position, RelayTail
from backbone.owed import Owed, owed
from backbone.telemetry import metrics
from backbone.traces import Traces
from backbone.witness import Relayed, subject_of
from contracts import subjects
from contracts.envelope import RETRY_OF, Message, to_headers

log = logging.getLogger(__name__)

BATCH = 1000
POLL = 0.25
"""Seconds between looks when nobody wakes us: the fallback for a lost signal."""
HIDDEN_POLL = 0.001
"""Seconds between the first looks while a transaction we know to be committed is hidden behind an older open one."""
HIDDEN_POLL_LONGEST = 0.02
"""The older one may stay open for long, and every producer has a relay that waits for it."""
LEADER_RETRY = 1.0
SILENT_SECONDS = 30.0
"""Events that have waited for so long are a problem: people see nothing of what is recorded."""
RESEND_EVERY = 0.5
"""Seconds between looks for events that are to be published once more: people wait for a retried dead letter."""
SAVE_EVERY = 0.2
"""Seconds between savings of the cursor. What is published twice after a crash, the inboxes know."""


class Relay:
    """The relay of one producer."""

    def __init__(
        self,
        ledger: Ledger,
        bus: Bus,
        producer: str,
        relayed: Relayed | None = None,
        traces: Traces | None = None,
    ) -> None:
        self._traces = traces
        self._relayed = relayed or Relayed()
        self._ledger = ledger
        self._bus = bus
        self._producer = producer
        self._wake = asyncio.Event()
        self._awaited = 0
        self._leading = False
        self._hidden_poll = HIDDEN_POLL
        self._waits_since: float | None = None
        self._waits_for = ""
        self._in_charge = True

    def problem(self) -> str:
        """Why nobody hears of what was appended; empty when nothing waits, or not for long."""
        if self._waits_since is None or not self._in_charge:
            return ""
        if (waited := asyncio.get_running_loop().time() - self._waits_since) < SILENT_SECONDS:
            return ""
        why = f": {self._waits_for}" if self._waits_for else ""
        return f"relay of {self._producer} has published nothing for {waited:.0f} s while events wait{why}"

    def _waits(self, why: str) -> None:
        if self._waits_since is None:
            self._waits_since = asyncio.get_running_loop().time()
        self._waits_for = why

    def _waits_no_more(self) -> None:
        self._waits_since, self._waits_for = None, ""

    async def start(self) -> None:
        """Listens for appends, here and in other processes."""
        self._ledger.on_append(self._appended)
        await self._bus.on_signal(subjects.wake(self._producer), self._signalled)
        self._bus.on_reconnect(self._wake.set)

    def _appended(self, producer: str, xid: int) -> None:
        if producer != self._producer:
            return
        self._look(xid)
        if not self._leading:
            # kept by the loop until done; a lost signal costs one POLL
            task = asyncio.get_running_loop().create_task(self._bus.signal(subjects.wake(producer), str(xid).encode()))
            task.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def _signalled(self, subject: str, payload: bytes) -> None:
        if payload.isdigit():
            self._look(int(payload))

    def _look(self, xid: int) -> None:
        self._awaited = max(self._awaited, xid)
        self._wake.set()

    async def run(self) -> None:
        """Leads whenever it can, until cancelled."""
        delay = 0.05
        clock = asyncio.get_running_loop().time
        while True:
            since = clock()
            try:
                async with self._ledger.lead(self._producer) as tail:
                    self._in_charge = tail is not None  # who leads says how it fares
                    if tail is not None:
                        self._leading = True
                        await self._pump(tail)
                await asyncio.sleep(LEADER_RETRY * random.uniform(0.5, 1.0))  # noqa: S311  # jitter, not a secret
                delay = 0.05
            except (LedgerUnavailable, BusUnavailable) as error:
                if clock() - since > LEADER_RETRY:
                    delay = 0.05  # it had worked
                self._waits(str(error))
                log.warning("relay of %s: %s; again in %.2f s", self._producer, error, delay)
                await asyncio.sleep(delay)
                delay = min(delay * 2, 2.0)
            finally:
                self._leading = False

    async def _pump(self, tail: RelayTail) -> None:
        epoch, position = await tail.cursor()
        again: Owed | None = None
        until = START  # so far the old store had it
        saved, saved_at = position, 0.0
        if self._traces:
            self._traces.begin(position)
        clock = asyncio.get_running_loop().time
        asked_at = -RESEND_EVERY
        while True:
            self._wake.clear()
            live = await self._bus.epoch()
            if live != epoch:
                if epoch:
                    # nobody is owed what was published before, but for the runs that go on
                    again, until = await owed(self._ledger, datetime.now(UTC)), max(until, position)
                    position = min(position, await tail.first_of(again.runs))
                log.info("relay of %s: bus epoch %s, publishing from %s", self._producer, live, position)
                epoch, saved = live, START
                if self._traces:
                    self._traces.begin(position)
            if clock() - asked_at > RESEND_EVERY:
                asked_at = clock()
                await self._resend(tail)
            batch = await tail.read(position, BATCH)
            if batch:
                self._waits("")
                await self._publish(
                    [message for at, message in batch if again is None or at > until or message in again]
                )
                position = batch[-1][0]
                if self._traces:
                    # what an old store had was told then
                    self._traces.published(position, [message for at, message in batch if at > until])
                again = again if position < until else None
                self._waits_no_more()
                crash.point(self._producer, "published")
            told = self._traces.safe(position) if self._traces else position
            if told != saved and clock() - saved_at > SAVE_EVERY:
                await tail.save(epoch, told)
                saved, saved_at = told, clock()
            if len(batch) < BATCH:
                await self._rest(position)

    async def _resend(self, tail: RelayTail) -> None:
        """What others have asked to be published once more. Killed in between, it is published again with the same key,
        which the bus knows for two minutes; after that the inboxes do."""
        for key, message, letter in await tail.resends(BATCH):
            headers = {**to_headers(message), **({RETRY_OF: str(letter)} if letter else {})}
            await self._bus.resend(subject_of(message), headers, message.body, key)
            crash.point(self._producer, "resent")
            await tail.resent([key])

    async def _publish(self, messages: list[Message]) -> None:
        self._relayed.add(messages)
        try:
            await self._bus.publish(messages)
        except BusUnavailable:
            raise
        except Exception:
            if len(messages) > 1:
                for message in messages:
                    await self._publish([message])
                return
            # the ledger has it, and whoever follows the session reads it there; the others must not wait for ever
            log.critical("relay of %s: an event cannot be published: %s", self._producer, messages[0], exc_info=True)
        else:
            metrics.RELAYED.labels(self._producer).inc(len(messages))

    async def _rest(self, position: Position) -> None:
        hidden = position.xid < self._awaited
        if hidden:
            self._waits("an older transaction is open")
        else:
            self._waits_no_more()
        if hidden and not self._wake.is_set():
            await asyncio.sleep(self._hidden_poll)
            self._hidden_poll = min(self._hidden_poll * 1.5, HIDDEN_POLL_LONGEST)
            return
        self._hidden_poll = HIDDEN_POLL
        # not wait_for: on 3.11 it can swallow a cancellation, and then a service never stops
        with suppress(TimeoutError):
            async with asyncio.timeout(POLL):
                await self._wake.wait()
