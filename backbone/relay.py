"""Publishes what a producer appended and nobody else has published. One leader per producer reads it in the ledger.

Nothing is published by a handler: an event is in the ledger first, and from there it always reaches the bus. Mostly the
process that has appended it publishes it right after the commit (outgoing.py), and says so to the leader.

What somebody waits for in the ledger when the bus was lost: that much is published again, and no more. A run that
waits for its person may wait for days, beside thousands that come and go: nobody owes it anything."""

import asyncio
import logging
import random
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import UUID

from backbone import crash
from backbone.bus.port import Bus, BusUnavailable
from backbone.handover import Handover
from backbone.ledger.port import START, Ledger, LedgerUnavailable, Position, RelayTail
from backbone.liveness.fold import RunState
from backbone.liveness.reading import Folded, open_places
from backbone.liveness.turns import PERSON
from backbone.outgoing import HANDED, Out, Outgoing
from backbone.telemetry import metrics
from backbone.traces import Traces
from backbone.witness import Relayed, subject_of
from contracts import subjects
from contracts.envelope import RETRY_OF, Message, to_headers

QUIET = timedelta(minutes=5)
"""What is younger is published in any case: it may not have been handled by all whom it concerns."""


@dataclass(frozen=True, slots=True)
class Owed:
    """The open runs in which somebody other than a person has to do something, and since when all is published."""

    runs: frozenset[UUID]
    since: datetime

    def __contains__(self, message: Message) -> bool:
        return message.run_id is None or message.run_id in self.runs or message.recorded_at > self.since


async def owed(ledger: Ledger, now: datetime) -> Owed:
    """Folds every open run. Raises LedgerUnavailable."""
    since = now - QUIET
    runs: set[UUID] = set()
    async for places in open_places(ledger):
        states = await Folded(ledger).of(places)
        runs |= {place.run_id for place, state in zip(places, states, strict=True) if not _waits(state, since)}
    return Owed(frozenset(runs), since)


def _waits(run: RunState, since: datetime) -> bool:
    """Whether only a person can go on with it, and for so long that everybody else has done their part."""
    turns = run.turns()
    last = [run.line] if run.line else []
    return bool(turns) and all(turn.actor == PERSON for turn in turns) and all(t.since < since for t in turns + last)


log = logging.getLogger(__name__)

BATCH = 1000
POLL = 0.15
"""Seconds between looks for what nobody has published."""
SOON = 0.05
"""Seconds that whoever appended has to publish it, before the relay does."""
LEADER_RETRY = 1.0
SILENT_SECONDS = 30.0
"""Events that have waited for so long are a problem: people see nothing of what is recorded."""
RESEND_EVERY = 0.5
"""Seconds between looks for events that are to be published once more: people wait for a retried dead letter."""
SAVE_EVERY = 0.2
"""Seconds between savings of the cursor. What is published twice after a crash, the inboxes know."""


@dataclass(slots=True)
class _Reading:
    """How far a leader has come. `again` and `until`: what is owed of what an old store had, and how far that went."""

    tail: RelayTail
    epoch: str
    position: Position
    horizon: int = 0
    """All transactions before it are over, and mostly were so for a while: who appended has published, or will not."""
    saved: Position = field(init=False)
    moved: bool = False
    """Past an event since it was saved: to be past transactions of others alone is not worth one more."""
    again: Owed | None = None
    until: Position = START

    def __post_init__(self) -> None:
        self.saved = self.position

    def owes(self, at: Position, message: Message) -> bool:
        return self.again is None or at > self.until or message in self.again


class Relay:
    """The relay of one producer."""

    def __init__(
        self,
        ledger: Ledger,
        bus: Bus,
        producer: str,
        relayed: Relayed | None = None,
        traces: Traces | None = None,
        handover: Handover | None = None,
    ) -> None:
        self._traces = traces
        self._relayed = relayed or Relayed()
        self._ledger = ledger
        self._bus = bus
        self._producer = producer
        self._wake = asyncio.Event()
        self._outgoing = Outgoing(bus, producer, self._relayed, self._told, handover)
        self._out: dict[int, str] = {}
        self._urgent = False
        self._leading = False
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
        self._bus.on_reconnect(self._hurry)

    def _appended(self, producer: str, xid: int, messages: Sequence[Message]) -> None:
        if producer == self._producer:
            self._outgoing.add(xid, messages)

    def _told(self, out: Out) -> None:
        """This process has published something."""
        if self._leading:
            self._note(out)
            return
        # kept by the loop until done; when the word is lost, the leader publishes what the bus then knows already
        task = asyncio.get_running_loop().create_task(self._bus.signal(subjects.wake(self._producer), bytes(out)))
        task.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def _signalled(self, subject: str, payload: bytes) -> None:
        if out := Out.parse(payload):
            if self._leading:
                self._note(out)
        else:
            self._hurry()  # from a process of an earlier version: it has appended, and publishes nothing itself

    def _note(self, out: Out) -> None:
        self._out.update(dict.fromkeys(out.xids, out.epoch))

    def _hurry(self) -> None:
        self._urgent = True
        self._wake.set()

    async def run(self) -> None:
        """Publishes what is committed here, and leads whenever it can; until cancelled."""
        async with asyncio.TaskGroup() as loops:
            loops.create_task(self._outgoing.run(), name=f"outgoing:{self._producer}")
            await self._lead()

    async def _lead(self) -> None:
        delay = 0.05
        clock = asyncio.get_running_loop().time
        while True:
            since = clock()
            try:
                async with self._ledger.lead(self._producer) as tail:
                    self._in_charge = tail is not None  # who leads says how it fares
                    if tail is not None:
                        self._leading, self._out = True, {}
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
        reading = _Reading(tail, epoch, position)
        if self._traces:
            self._traces.begin(position)
        clock = asyncio.get_running_loop().time
        saved_at, asked_at = 0.0, -RESEND_EVERY
        self._urgent = True  # of what was appended before we led, nobody knows whether it is out
        while True:
            self._wake.clear()
            await self._follow_epoch(reading)
            if clock() - asked_at > RESEND_EVERY:
                asked_at = clock()
                await self._resend(tail)
            is_urgent, self._urgent = self._urgent, False
            reading.horizon = await tail.horizon()
            if reading.horizon > reading.position.xid and not is_urgent:
                await self._rest(SOON)
            is_more = await self._look(reading)
            told = self._traces.safe(reading.position) if self._traces else reading.position
            if reading.moved and told != reading.saved and clock() - saved_at > SAVE_EVERY:
                await tail.save(reading.epoch, told)
                reading.saved, saved_at, reading.moved = told, clock(), told != reading.position
            if is_more:
                self._urgent = True
            elif not self._urgent:
                await self._rest(POLL)

    async def _follow_epoch(self, reading: "_Reading") -> None:
        """What the relay begins again when the bus has another store than before."""
        live = await self._bus.epoch()
        if live == reading.epoch:
            return
        if reading.epoch:
            # nobody is owed what was published before, but for the runs that go on
            reading.again = await owed(self._ledger, datetime.now(UTC))
            reading.until = max(reading.until, reading.position)
            reading.position = min(reading.position, await reading.tail.first_of(reading.again.runs))
        log.info("relay of %s: bus epoch %s, publishing from %s", self._producer, live, reading.position)
        reading.epoch, reading.saved, reading.moved = live, START, True
        self._urgent = True
        if self._traces:
            self._traces.begin(reading.position)

    async def _look(self, reading: "_Reading") -> bool:
        """Publishes what is over and not out; returns whether there is more."""
        before = min((reading.horizon, *self._outgoing.pending))
        if before <= reading.position.xid:
            return False
        # a word about another life of the store says nothing about this one, whenever it comes
        out = frozenset(xid for xid, epoch in self._out.items() if epoch in (reading.epoch, HANDED))
        # traces tell of all events, whoever has published them
        batch = await reading.tail.read(reading.position, BATCH, before, frozenset() if self._traces else out)
        missing = [(at, message) for at, message in batch if at.xid not in out]
        if missing:
            self._waits("")
            # what a stream had that was emptied it still takes for repetitions
            owed_again = reading.again is not None
            await self._publish([one for at, one in missing if reading.owes(at, one)], first=owed_again)
            crash.point(self._producer, "published")
        self._waits_no_more()
        if self._traces and batch:
            # what an old store had was told then
            self._traces.published(batch[-1][0], [message for at, message in batch if at > reading.until])
        is_more = len(batch) == BATCH
        reading.position = batch[-1][0] if is_more else Position(before, 0)
        if reading.position >= reading.until:
            reading.again = None
        reading.moved = reading.moved or bool(batch) or any(xid < reading.position.xid for xid in out)
        self._out = {xid: epoch for xid, epoch in self._out.items() if xid >= reading.position.xid}
        return is_more

    async def _resend(self, tail: RelayTail) -> None:
        """What others have asked to be published once more. Killed in between, it is published again with the same key,
        which the bus knows for two minutes; after that the inboxes do."""
        for key, message, letter in await tail.resends(BATCH):
            headers = {**to_headers(message), **({RETRY_OF: str(letter)} if letter else {})}
            await self._bus.resend(subject_of(message), headers, message.body, key)
            crash.point(self._producer, "resent")
            await tail.resent([key])

    async def _publish(self, messages: list[Message], *, first: bool = False) -> None:
        self._relayed.add(messages)
        try:
            await self._bus.publish(messages, first=first)
        except BusUnavailable:
            raise
        except Exception:
            if len(messages) > 1:
                for message in messages:
                    await self._publish([message], first=first)
                return
            # the ledger has it, and whoever follows the session reads it there; the others must not wait for ever
            log.critical("relay of %s: an event cannot be published: %s", self._producer, messages[0], exc_info=True)
        else:
            metrics.RELAYED.labels(self._producer).inc(len(messages))

    async def _rest(self, seconds: float) -> None:
        # not wait_for: on 3.11 it can swallow a cancellation, and then a service never stops
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wake.wait()
