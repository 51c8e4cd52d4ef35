"""Publishes what this process has just committed, while its rows are at hand (docs/adr/0047). The relay is the
guarantee behind it: whatever does not get out here, it finds in the ledger and publishes."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from backbone import crash
from backbone.bus.port import Bus, BusUnavailable
from backbone.telemetry import metrics
from backbone.witness import Relayed
from contracts.envelope import Message

log = logging.getLogger(__name__)
MOST = 8192
"""Events that may wait to be published. With more the bus is slow or away, and the relay reads them in its time."""


@dataclass(frozen=True, slots=True)
class Out:
    """Transactions all of whose events the bus has stored, in this life of its store."""

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
        if not at or not all(number.isdigit() for number in numbers):
            return None
        return cls(epoch, tuple(map(int, numbers)))


class Outgoing:
    """The events of one producer on their way from commit to bus. `told` is called with what is out."""

    def __init__(self, bus: Bus, producer: str, relayed: Relayed, told: Callable[[Out], None]) -> None:
        self._bus = bus
        self._producer = producer
        self._relayed = relayed
        self._told = told
        self._waiting: deque[tuple[int, Sequence[Message]]] = deque()
        self._size = 0
        self._wake = asyncio.Event()
        self.pending: set[int] = set()
        """Transactions that are being published; nobody else has to."""

    def add(self, xid: int, messages: Sequence[Message]) -> None:
        """Takes what was committed, unless too much waits already."""
        if self._size + len(messages) > MOST:
            return
        self._size += len(messages)
        self.pending.add(xid)
        self._waiting.append((xid, messages))
        self._wake.set()

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
            self.pending.clear()
            self._waiting.clear()
            self._size = 0

    async def _publish(self, taken: Sequence[tuple[int, Sequence[Message]]]) -> None:
        messages = [message for _, some in taken for message in some]
        try:
            self._relayed.add(messages)
            epoch = await self._bus.epoch()
            await self._bus.publish(messages)
        except BusUnavailable as error:
            log.debug("%d events of %s are left to the relay: %s", len(messages), self._producer, error)
        except Exception:
            log.warning("%d events of %s are left to the relay", len(messages), self._producer, exc_info=True)
        else:
            metrics.RELAYED.labels(self._producer).inc(len(messages))
            self._told(Out(epoch, tuple(xid for xid, _ in taken)))
            crash.point(self._producer, "published")
        finally:
            self.pending.difference_update(xid for xid, _ in taken)
