"""From deliveries to messages we trust, and the one way in which messages are given up."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar
from uuid import NAMESPACE_OID, UUID, uuid5

from pydantic import ValidationError

from backbone.bus.port import GIVE_BACK, Delivery
from backbone.errors import Poison
from backbone.ledger.port import DeadLetter, Ledger, LedgerUnavailable
from backbone.telemetry import metrics
from contracts import registry
from contracts.envelope import EnvelopeError, Message, from_headers
from contracts.errors import Code
from contracts.shape import Event
from contracts.subjects import SubjectError

log = logging.getLogger(__name__)
T = TypeVar("T")

BREATH = 8
"""Messages handled without a pause: a burst of them must not keep a transaction, with its locks, from its commit."""
RETRY_OF = "dream-retryof"
"""Header of a message that was published again from a dead letter: the letter's id."""
MAX_DELIVERIES = 6
"""After so many failed deliveries a message is given up. Retries wait 1, 2, 4, 8, 16 s."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A delivery whose envelope and contract are valid."""

    delivery: Delivery
    message: Message
    event: Event


def read(delivery: Delivery) -> Taken:
    """Validates envelope and contract; raises Poison with the code that says what is wrong."""
    try:
        message = from_headers(delivery.headers, delivery.subject, delivery.body)
        return Taken(delivery, message, message.event)
    except registry.UnknownType as error:
        raise Poison(Code.MESSAGE_TYPE_UNKNOWN, str(error)) from None
    except registry.UnknownVersion as error:
        raise Poison(Code.MESSAGE_VERSION_UNKNOWN, str(error)) from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "body"
        raise Poison(Code.MESSAGE_UNREADABLE, f"{delivery.subject}: {where}: {first['msg']}") from None
    except (EnvelopeError, SubjectError) as error:
        raise Poison(Code.MESSAGE_UNREADABLE, str(error)) from None


def retry_delay(attempt: int) -> float:
    """Seconds before delivery `attempt` + 1."""
    return float(min(2 ** (attempt - 1), 16))


async def hold(deliveries: Sequence[Delivery], ack_wait: float, attempt: Callable[[], Awaitable[T]]) -> T:
    """Repeats an attempt until the ledger answers. Meanwhile the deliveries are kept: an outage must not use up their
    number. They are given back when we are cancelled."""
    delay = 0.05
    try:
        while True:
            try:
                return await attempt()
            except LedgerUnavailable as error:
                log.warning("%d messages wait: %s", len(deliveries), error)
            await asyncio.sleep(delay)
            delay = min(delay * 2, ack_wait / 3, 2.0)
            for delivery in deliveries:
                await delivery.extend()
    except asyncio.CancelledError:
        for delivery in deliveries:
            await delivery.retry(GIVE_BACK)
        raise


class Undertaker:
    """Buries messages: keeps them whole, counts them, and takes them off the bus."""

    def __init__(self, ledger: Ledger, handler: str) -> None:
        self._ledger = ledger
        self._handler = handler

    async def bury(self, delivery: Delivery, code: Code, reason: str) -> None:
        """Keeps the message as a dead letter and takes it off the bus."""
        await self.keep(delivery, code, reason)
        await delivery.ack()

    async def keep(self, delivery: Delivery, code: Code, reason: str) -> None:
        """Idempotent: the same message by the same handler is one dead letter."""
        named = delivery.headers.get("ce-id", "")
        key = f"{self._handler}:{delivery.subject}:{named}:{delivery.body[:4096]!r}"
        if retried := delivery.headers.get(RETRY_OF):
            key += f":{retried}"  # that letter is settled; this is what became of it
        await self._ledger.bury(
            DeadLetter(
                dead_letter_id=uuid5(NAMESPACE_OID, key),
                consumer=self._handler,
                subject=delivery.subject,
                event_id=_uuid(named),
                headers=dict(delivery.headers),
                body=delivery.body,
                code=code,
                reason=reason,
                deliveries=delivery.attempt,
            )
        )
        metrics.DEAD_LETTERS.labels(self._handler, str(int(code))).inc()
        log.error(
            "dead letter",
            extra={"handler": self._handler, "subject": delivery.subject, "code": int(code), "reason": reason},
        )

    async def split(self, deliveries: list[Delivery]) -> list[Taken]:
        """The readable ones; the others are buried."""
        taken = []
        for number, delivery in enumerate(deliveries, 1):
            if number % BREATH == 0:
                await asyncio.sleep(0)
            try:
                taken.append(read(delivery))
            except Poison as poison:
                await self.bury(delivery, poison.code, poison.message)
        return taken


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
