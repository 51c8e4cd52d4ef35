"""Messages on the bus that are no events of ours become dead letters, off the path of everybody else's messages."""

import asyncio
import logging
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from backbone.ledger.port import Ledger, LedgerUnavailable
from backbone.runner.intake import DeadLetterWriter
from contracts.errors import Code

log = logging.getLogger(__name__)

LIMIT = 1000
BODIES = 32 * 1024 * 1024
"""Waiting letters and bytes at most: a flood of rubbish must not fill the memory."""
RETRY = 1.0


@dataclass(frozen=True, slots=True)
class SeenDelivery:
    """A message of the live fan-out, in the shape of a delivery: there is nothing to settle."""

    subject: str
    headers: Mapping[str, str]
    body: bytes
    attempt: int = 1
    known: None = None

    async def ack(self) -> None:
        return

    async def retry(self, delay: float) -> None:
        return

    async def extend(self) -> None:
        return


class DeadLetterQueue:
    """A bounded queue before the dead letter writer."""

    def __init__(self, ledger: Ledger, name: str) -> None:
        self._dead_letters = DeadLetterWriter(ledger, name)
        self._waiting: deque[tuple[SeenDelivery, Code, str]] = deque()
        self._bytes = 0
        self._wake = asyncio.Event()

    def add(self, subject: str, headers: Mapping[str, str], body: bytes, code: Code, reason: str) -> None:
        """Never blocks; above the limits the message is only counted."""
        if len(self._waiting) >= LIMIT or self._bytes + len(body) > BODIES:
            self._dead_letters.pass_over(code)
            return
        self._bytes += len(body)
        self._waiting.append((SeenDelivery(subject, headers, body), code, reason))
        self._wake.set()

    async def run(self) -> None:
        """Buries until cancelled; waits for the ledger when it is away."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting:
                seen, code, reason = self._waiting[0]
                try:
                    await self._dead_letters.dead_letter(seen, code, reason, stranger=True)
                except LedgerUnavailable as error:
                    log.warning("a dead letter waits: %s", error)
                    await asyncio.sleep(RETRY)
                    continue
                self._waiting.popleft()
                self._bytes -= len(seen.body)
