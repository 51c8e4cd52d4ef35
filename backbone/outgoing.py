"""Publishes what this process has just committed, while its rows are at hand (docs/adr/0047), or hands it over to who
takes it in this process (0082). The relay is the guarantee behind it: whatever does not get out here, it finds in the
ledger and publishes."""

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from backbone import crash
from backbone.bus.port import Bus, BusUnavailable
from backbone.handover import Given, Handover
from backbone.telemetry import metrics
from backbone.witness import Relayed
from contracts.envelope import Message

log = logging.getLogger(__name__)
MOST = 8192
"""Events that may wait to be published. With more the bus is slow or away, and the relay reads them in its time."""
SOON = 1.0
"""Seconds in which what was handed over has to be settled; later the bus has it too."""
HANDED = "handed"
"""In the place of a life of the store: what was handed over, and settled, is out in any."""


@dataclass(frozen=True, slots=True)
class Out:
    """Transactions all of whose events the bus has stored, in this life of its store, or that were handed over."""

    epoch: str
    xids: tuple[int, ...]

    def __bytes__(self) -> bytes:
        """As one process tells another."""
        return f"{','.join(map(str, self.xids))}@{self.epoch}".encode()

    @classmethod
    def parse(cls, payload: bytes) -> "Out | None":
        """None for what is no such word; anybody of the producer's own may say one."""
        xids, at, epoch = payload.decode(errors="replace").partition("@")
        numbers = xids.split(",")
        if not at or not all(number.isascii() and number.isdigit() for number in numbers):
            return None
        return cls(epoch, tuple(map(int, numbers)))


class Outgoing:
    """The events of one producer on their way from commit to bus. `told` is called with what is out."""

    def __init__(
        self, bus: Bus, producer: str, relayed: Relayed, told: Callable[[Out], None], handover: Handover | None = None
    ) -> None:
        self._bus = bus
        self._producer = producer
        self._relayed = relayed
        self._told = told
        self._handover = handover
        self._waiting: deque[tuple[int, Sequence[Message]]] = deque()
        self._size = 0
        self._wake = asyncio.Event()
        self._given: dict[int, Given] = {}
        self._due: deque[tuple[float, int]] = deque()
        self._parts: Counter[int] = Counter()
        self._epochs: dict[int, str] = {}
        self._failed: set[int] = set()
        self._over = False

    @property
    def pending(self) -> Collection[int]:
        """Transactions that are on their way; nobody else has to publish them."""
        return self._parts.keys()

    def add(self, xid: int, messages: Sequence[Message]) -> None:
        """Takes what was committed, unless too much waits already."""
        if self._over:
            return
        if self._handover is not None:
            messages = self._hand(self._handover, xid, messages)
        if not messages:
            return
        if self._size + len(messages) <= MOST:
            self._wait(xid, messages)
        elif xid in self._parts:
            self._failed.add(xid)

    def _wait(self, xid: int, messages: Sequence[Message]) -> None:
        self._size += len(messages)
        self._parts[xid] += 1
        self._waiting.append((xid, messages))
        self._wake.set()

    def _hand(self, handover: Handover, xid: int, messages: Sequence[Message]) -> Sequence[Message]:
        """Returns what nobody takes here."""
        given = Given(partial(self._settled, xid), lambda message: self._wait(xid, [replace(message, apart=True)]))
        left = handover.hand(messages, given)
        if given:
            self._parts[xid] += 1
            self._given[xid] = given
            loop = asyncio.get_running_loop()
            if not self._due:
                loop.call_later(SOON, self._publish_due)
            self._due.append((loop.time() + SOON, xid))
        elif not left:
            self._told(Out(HANDED, (xid,)))
        return left

    def _settled(self, xid: int) -> None:
        """All that was handed over of a transaction is settled, or goes by the bus."""
        if self._given.pop(xid, None) is not None:
            self._ended([xid])

    def _publish_due(self) -> None:
        """What has not been settled soon is published: whoever is at it may be long at it, and may die."""
        loop = asyncio.get_running_loop()
        while self._due and self._due[0][0] <= loop.time():
            _, xid = self._due.popleft()
            if given := self._given.pop(xid, None):
                self._wait(xid, given.give_up())
                self._ended([xid])
        if self._due:
            loop.call_at(self._due[0][0], self._publish_due)

    def _ended(self, xids: Iterable[int]) -> None:
        """A part of each is on its way no more; told are those of which nothing is, and all has arrived."""
        over: dict[str, list[int]] = {}
        for xid in xids:
            self._parts[xid] -= 1
            if self._parts[xid] <= 0:
                del self._parts[xid]
                epoch = self._epochs.pop(xid, HANDED)
                if xid in self._failed:
                    self._failed.discard(xid)
                else:
                    over.setdefault(epoch, []).append(xid)
        for epoch, arrived in over.items():
            self._told(Out(epoch, tuple(arrived)))

    def _arrived(self, xids: Iterable[int], epoch: str) -> None:
        """The bus has stored what was to be published, in this life of its store."""
        for xid in xids:
            if self._epochs.setdefault(xid, epoch) != epoch:
                self._failed.add(xid)

    async def run(self) -> None:
        """Until cancelled. What waits then is the relay's."""
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                # what is committed while this is on its way goes together next
                taken, self._waiting, self._size = tuple(self._waiting), deque(), 0
                if taken:
                    await self._publish(taken)
        finally:
            self._over = True
            for left in (self._parts, self._waiting, self._given, self._due, self._epochs, self._failed):
                left.clear()
            self._size = 0

    async def _publish(self, taken: Sequence[tuple[int, Sequence[Message]]]) -> None:
        messages = [message for _, some in taken for message in some]
        xids = [xid for xid, _ in taken]
        try:
            self._relayed.add(messages)
            epoch = await self._bus.epoch()
            await self._bus.publish(messages, first=True)
        except BusUnavailable as error:
            log.debug("%d events of %s are left to the relay: %s", len(messages), self._producer, error)
            self._failed.update(xids)
            self._ended(xids)
        except Exception:
            log.warning("%d events of %s are left to the relay", len(messages), self._producer, exc_info=True)
            self._failed.update(xids)
            self._ended(xids)
        else:
            metrics.RELAYED.labels(self._producer).inc(len(messages))
            self._arrived(xids, epoch)
            self._ended(xids)
            crash.point(self._producer, "published")
