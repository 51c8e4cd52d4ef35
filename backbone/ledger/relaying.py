"""The ledger as relays read it: across streams, in the order of transactions. A part of the ledger's port. Events that
are to be published once more: whoever wants that asks for it in the ledger, and the relay of the event's producer,
which alone may publish it, does it (docs/adr/0030)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol
from uuid import UUID

from contracts.envelope import Message


class Resend(NamedTuple):
    """A request: the same `key` is the same one. `retry_of` is the dead letter that was retried, if it was one."""

    key: UUID
    message: Message
    retry_of: UUID | None


class ResendAsked(Protocol):
    """Of backbone.ledger.port.Ledger. Raises LedgerUnavailable."""

    async def ask_resend(self, key: UUID, session_id: UUID, version: int, retry_of: UUID | None = None) -> bool:
        """Asks for an event to be published once more; asking again with a key changes nothing. False: there is no such
        event."""


class ResendTail(Protocol):
    """Of backbone.ledger.port.RelayTail: what its producer is asked for."""

    async def resends(self, limit: int) -> list[Resend]:
        """The oldest requests that are not done."""

    async def resent(self, keys: Sequence[UUID]) -> None:
        """They are done."""


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
