"""Idempotency-Keys as causes: the same key at the same endpoint is the same cause, in every process, after a restart.

All ids of what a command makes follow from its cause, that of a session too, and whoever has a session's id may use the
session. So a cause follows from the key and a secret of the server: people's keys are short and easily guessed."""

import hmac
from uuid import UUID

from backbone.ledger.port import Ledger
from contracts.errors import Code
from services.gateway.domain.refusal import Refused

SECRET = "gateway.idempotency"  # noqa: S105  # its name
KEY_LIMIT = 255


class IdempotencyKeys:
    """Usable once `load` has returned."""

    def __init__(self) -> None:
        self._secret = b""

    async def load(self, ledger: Ledger) -> None:
        """Asks the ledger, which all replicas share. Raises LedgerUnavailable."""
        self._secret = await ledger.secret(SECRET)

    def cause_of(self, key: str | None, endpoint: str) -> UUID | None:
        """The cause that a request's key stands for at this endpoint; None without one. Raises Refused."""
        if key is None:
            return None
        if not 0 < len(key) <= KEY_LIMIT:
            raise Refused(
                Code.INVALID_REQUEST,
                f"Idempotency-Key has {len(key)} characters: use 1 to {KEY_LIMIT}, a UUID for instance",
            )
        if not self._secret:
            raise RuntimeError("keys are used before the ledger was asked for the secret")
        # a header holds no NUL, so that no other endpoint and key say the same
        digest = hmac.digest(self._secret, f"{endpoint}\0{key}".encode(), "sha256")
        return UUID(bytes=digest[:16], version=4)
