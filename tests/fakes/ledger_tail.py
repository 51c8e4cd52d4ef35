"""A relay leader's view of the ledger in memory."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from backbone.ledger.port import START, LedgerUnavailable, Position
from backbone.ledger.relaying import Resend
from contracts.envelope import Message

if TYPE_CHECKING:
    from tests.fakes.ledger import MemoryLedger


@dataclass(slots=True)
class Leadership:
    """Ends when the leader's connection dies."""

    alive: bool = True


@dataclass(frozen=True, slots=True)
class MemoryTail:
    """See backbone.ledger.port.RelayTail."""

    ledger: "MemoryLedger"
    producer: str
    leadership: Leadership

    def _check(self) -> None:
        if not (self.ledger.up and self.leadership.alive):
            raise LedgerUnavailable(f"the leader of {self.producer} has lost its connection")

    async def cursor(self) -> tuple[str, Position]:
        self._check()
        return self.ledger.cursors.get(self.producer, ("", START))

    async def horizon(self) -> int:
        self._check()
        return self.ledger.xid + 1

    async def read(
        self, after: Position, limit: int, before: int | None = None, but: Collection[int] = ()
    ) -> list[tuple[Position, Message]]:
        self._check()
        self.ledger.reads += 1
        mine = (
            row
            for row in self.ledger.rows
            if row.message.producer == self.producer
            and row.position > after
            and (before is None or row.position.xid < before)
            and row.position.xid not in but
        )
        return [(row.position, row.message) for row, _ in zip(mine, range(limit), strict=False)]

    async def save(self, epoch: str, position: Position) -> None:
        self._check()
        self.ledger.cursors[self.producer] = (epoch, position)

    async def resends(self, limit: int) -> list[Resend]:
        self._check()
        mine = [one for one in self.ledger.resend_requests.values() if one.message.producer == self.producer]
        return mine[:limit]

    async def resent(self, keys: Sequence[UUID]) -> None:
        self._check()
        for key in keys:
            self.ledger.resend_requests.pop(key, None)

    async def first_of(self, runs: Collection[UUID]) -> Position:
        self._check()
        rows = [row for run_id, row in self.ledger.open_rows().items() if run_id in runs]
        if not rows:
            return Position(self.ledger.xid + 1, 0)
        first = min(row.position for row in rows)
        return Position(first.xid, first.seq - 1)
