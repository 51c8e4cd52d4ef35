"""The ledger as relays read it: across streams, in the order of transactions. A part of the ledger's port."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from backbone.ledger.resends import ResendTail
from contracts.envelope import Message


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in the ledger across streams: transaction id, then sequence number."""

    xid: int
    seq: int


START = Position(0, 0)


class RelayTail(ResendTail, Protocol):
    """The leader's view of one producer's events, in ledger order. Exists only while leadership is held."""

    async def cursor(self) -> tuple[str, Position]:
        """Bus epoch and position reached; ("", START) at first."""

    async def horizon(self) -> int:
        """A transaction: all before it are over."""

    async def read(
        self, after: Position, limit: int, before: int | None = None, but: Collection[int] = ()
    ) -> list[tuple[Position, Message]]:
        """Events after a position whose transactions, and all before these, are over: those before `before`, and
        without those that are told in `but`."""

    async def save(self, epoch: str, position: Position) -> None:
        """Remembers how far the bus has acknowledged."""

    async def first_of(self, runs: Collection[UUID]) -> Position:
        """Just before the oldest event of these runs, as far as they are open: where a rebuilt bus starts again.
        Without any a position after every event that is there."""
