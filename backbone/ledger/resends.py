"""Events that are to be published once more: whoever wants that asks for it in the ledger, and the relay of the event's
producer, which alone may publish it, does it (docs/adr/0030)."""

from collections.abc import Sequence
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
