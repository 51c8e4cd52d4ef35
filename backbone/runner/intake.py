"""From deliveries to messages we trust, and the one way in which messages are given up."""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar
from uuid import NAMESPACE_OID, UUID, uuid5

from pydantic import ValidationError

from backbone.bus.port import GIVE_BACK, Delivery
from backbone.errors import Poison
from backbone.ledger.port import LAST_VERSION, DeadLetter, Evidence, Ledger, LedgerUnavailable
from backbone.runner.handlers import never
from backbone.telemetry import metrics
from backbone.witness import Witness, evidence_of, subject_of
from contracts import registry
from contracts.envelope import RETRY_OF, DataElsewhere, EnvelopeError, Message, from_headers
from contracts.errors import Code
from contracts.retry import RetryPolicy
from contracts.shape import Event
from contracts.subjects import SubjectError

log = logging.getLogger(__name__)
T = TypeVar("T")

BREATH = 8
"""Messages handled without a pause: a burst of them must not keep a transaction, with its locks, from its commit."""
STRANGERS = 50
MINUTE = 60.0
"""Dead letters of a handler in so many seconds, of messages that the ledger does not have. The others are all kept."""
DELIVERIES = RetryPolicy(maximum_attempts=6, maximum_interval=16.0)
"""After so many failed deliveries a message is given up. Retries wait 1, 2, 4, 8, 16 s."""
MAX_DELIVERIES = DELIVERIES.maximum_attempts


@dataclass(frozen=True, slots=True)
class ReceivedMessage:
    """A delivery whose message the ledger has, and whose contract is valid. With `evidence` the ledger has not been
    asked: it is with what follows."""

    delivery: Delivery
    message: Message
    event: Event
    evidence: Evidence | None = None


@dataclass(slots=True, eq=False)
class _Read:
    """A delivery as far as it could be read; `poison` says what is wrong with it."""

    delivery: Delivery
    message: Message | None = None
    event: Event | None = None
    poison: Poison | None = None
    recorded: bool = False
    """The ledger has it."""


def _read(delivery: Delivery, known: Message | None) -> _Read:
    """Validates envelope and contract; `known` is the message when that much is certain."""
    read = _Read(delivery, known, recorded=known is not None)
    try:
        if read.message is None:
            read.message = from_headers(delivery.headers, delivery.subject, delivery.body)
    except (EnvelopeError, SubjectError) as error:
        read.poison = Poison(Code.MESSAGE_UNREADABLE, str(error))
    # what lies elsewhere is read for messages that the ledger has, and for no others
    if read.message is not None and not read.message.elsewhere:
        _parse(read, read.message)
    return read


def _parse(read: _Read, message: Message) -> None:
    """Validates the contract."""
    try:
        read.event = message.event
    except DataElsewhere as error:
        read.poison = Poison(Code.EVENT_DATA_LOST, str(error))
    except registry.UnknownType as error:
        read.poison = Poison(Code.MESSAGE_TYPE_UNKNOWN, str(error))
    except registry.UnknownVersion as error:
        read.poison = Poison(Code.MESSAGE_VERSION_UNKNOWN, str(error))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "body"
        read.poison = Poison(Code.MESSAGE_UNREADABLE, f"{read.delivery.subject}: {where}: {first['msg']}")


def stranger(message: Message) -> str:
    """What is said of a message that the ledger does not have."""
    return (
        f"the ledger has no {message.type} {message.event_id} of this content at version {message.version}"
        f" of session {message.session_id}"
    )


def retry_delay(attempt: int) -> float:
    """Seconds before delivery `attempt` + 1."""
    return DELIVERIES.pause(attempt)


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


class Intake:
    """What a handler may believe: the ledger has it, and its contract is valid. The rest is buried.

    Of messages that it `asks_late` about the ledger is asked with what is recorded of them. Not of one that comes
    again, and not for a minute after a message that nobody had recorded: then each is asked for before it is taken."""

    def __init__(
        self,
        dead_letters: "DeadLetterWriter",
        witness: Witness,
        filters: Sequence[str],
        concerns: Callable[[Message, Event], bool] | None = None,
        *,
        asks_late: Callable[[Message, Event], bool] = never,
    ) -> None:
        self._dead_letters = dead_letters
        self._witness = witness
        self._concerns = concerns
        self._taken = frozenset(_kind(pattern) for pattern in filters)
        self._asks_late = asks_late
        self._wary_until = 0.0

    async def take(self, deliveries: list[Delivery]) -> list[ReceivedMessage]:
        """The believable ones, in order. Raises LedgerUnavailable: then nothing can be believed yet. Whatever else goes
        wrong with them together is tried one by one, and ends with whose fault it is."""
        try:
            return await self._take(deliveries)
        except LedgerUnavailable:
            raise
        except Exception as error:  # noqa: BLE001  # one bad message must not end the loop of all others
            if len(deliveries) > 1:
                return [taken for delivery in deliveries for taken in await self.take([delivery])]
            await self._dead_letters.refuse(deliveries[0], error)
            return []

    async def _take(self, deliveries: list[Delivery]) -> list[ReceivedMessage]:
        reads = []
        for number, delivery in enumerate(deliveries, 1):
            if number % BREATH == 0:
                await asyncio.sleep(0)
            known = delivery.known or self._witness.find(delivery.subject, delivery.headers, delivery.body)
            read = _read(delivery, known)
            if self._concerns and read.message and read.event and not self._concerns(read.message, read.event):
                await delivery.ack()
            else:
                reads.append(read)
        wary = asyncio.get_running_loop().time() < self._wary_until
        late = set() if wary else {read for read in reads if self._is_late(read)}
        asked = [read for read in reads if read.message is not None and not read.recorded and read not in late]
        claims = [(read.delivery.subject, read.message) for read in asked if read.message is not None]
        for read, recorded in zip(asked, await self._witness.confirm(claims), strict=True):
            read.recorded = recorded
        await self._complete([read for read in reads if read.recorded and read.message and read.message.elsewhere])
        taken = []
        for read in reads:
            if read in late and read.message is not None and read.event is not None:
                taken.append(ReceivedMessage(read.delivery, read.message, read.event, evidence_of(read.message)))
            elif read.recorded and _kind(read.delivery.subject) not in self._taken:
                await self._dead_letters.leave(read.delivery)
            elif read.recorded and read.message is not None and read.event is not None:
                taken.append(ReceivedMessage(read.delivery, read.message, read.event))
            else:
                await self._bury(read)
        return taken

    def _is_late(self, read: _Read) -> bool:
        """Whether it may be taken before the ledger is asked."""
        subject, message = read.delivery.subject, read.message
        if message is None or read.event is None or read.recorded or read.delivery.attempt > 1:
            return False
        there = 0 < message.version <= LAST_VERSION and subject == subject_of(message)
        return there and _kind(subject) in self._taken and self._asks_late(message, read.event)

    async def known(self, taken: Sequence[ReceivedMessage]) -> list[ReceivedMessage]:
        """Those that the ledger has; it is asked about those with evidence. The others are buried. Raises
        LedgerUnavailable."""
        asked = [one for one in taken if one.evidence]
        found = await self._witness.confirm([(one.delivery.subject, one.message) for one in asked])
        strangers = [one for one, recorded in zip(asked, found, strict=True) if not recorded]
        for one in strangers:
            await self._bury(_Read(one.delivery, one.message))
        return [one for one in taken if one not in strangers]

    async def _complete(self, reads: Sequence[_Read]) -> None:
        for read, message in zip(
            reads, await self._witness.whole([read.message for read in reads if read.message]), strict=True
        ):
            read.message = message
            _parse(read, message)

    async def _bury(self, read: _Read) -> None:
        if not read.recorded:
            self._wary_until = asyncio.get_running_loop().time() + MINUTE
        code, reason = Code.MESSAGE_NOT_IN_LEDGER, stranger(read.message) if read.message else ""
        if read.poison is not None:
            code, reason = read.poison.code, read.poison.message
        await self._dead_letters.dead_letter(read.delivery, code, reason, stranger=not read.recorded)


class DeadLetterWriter:
    """Buries messages: keeps them whole, counts them, and takes them off the bus. Of strangers, which the ledger does
    not have, so many a minute: a flood of them must fill neither the table nor the log."""

    def __init__(self, ledger: Ledger, handler: str) -> None:
        self._ledger = ledger
        self._handler = handler
        self._until = 0.0
        self._kept = 0
        self._passed: Counter[int] = Counter()

    async def dead_letter(self, delivery: Delivery, code: Code, reason: str, *, stranger: bool = False) -> None:
        """Keeps the message as a dead letter and takes it off the bus."""
        if not stranger or self._has_room():
            await self.keep(delivery, code, reason)
        else:
            self.pass_over(code)
        await delivery.ack()

    async def leave(self, delivery: Delivery) -> None:
        """Gives back what this version of the handler does not take: the next one has widened its consumer, and one of
        its processes takes the message. Where there is none any more, it is kept as a dead letter."""
        if delivery.attempt < MAX_DELIVERIES:
            await delivery.retry(retry_delay(delivery.attempt))
        else:
            reason = f"{self._handler} does not take {_kind(delivery.subject)} in this version"
            await self.dead_letter(delivery, Code.MESSAGE_TYPE_UNKNOWN, reason)

    async def refuse(self, delivery: Delivery, error: Exception) -> None:
        """Takes away a delivery that stands in the way of all others: again later, and in the end a dead letter."""
        log.error("%s cannot take %s", self._handler, delivery.subject, exc_info=error)
        if delivery.attempt < MAX_DELIVERIES:
            await delivery.retry(retry_delay(delivery.attempt))
            return
        try:
            await self.dead_letter(delivery, Code.INTERNAL, f"after {delivery.attempt} deliveries: {error!r}")
        except LedgerUnavailable:
            raise
        except Exception:
            log.critical("%s cannot even bury %s", self._handler, delivery.subject, exc_info=True)
            await delivery.ack()

    def pass_over(self, code: Code) -> None:
        """Counts a stranger that is not kept; one line sums them up when the minute is over."""
        metrics.DEAD_LETTERS_PASSED_OVER.labels(self._handler, str(int(code))).inc()
        if not self._passed:
            loop = asyncio.get_running_loop()
            loop.call_later(max(self._until - loop.time(), 0.0) or MINUTE, self._sum_up)
        self._passed[int(code)] += 1

    def _has_room(self) -> bool:
        now = asyncio.get_running_loop().time()
        if now >= self._until:
            self._until, self._kept = now + MINUTE, 0
        self._kept += 1
        return self._kept <= STRANGERS

    def _sum_up(self) -> None:
        passed, self._passed = self._passed, Counter()
        log.error(
            "%d more messages that the ledger does not have were dropped without a dead letter",
            passed.total(),
            extra={"handler": self._handler, "codes": dict(passed)},
        )

    async def keep(self, delivery: Delivery, code: Code, reason: str) -> None:
        """Idempotent: the same message by the same handler is one dead letter."""
        named = delivery.headers.get("ce-id", "")
        key = f"{self._handler}:{delivery.subject}:{named}:{delivery.body[:4096]!r}"
        if retried := delivery.headers.get(RETRY_OF):
            key += f":{retried}"  # that letter is settled; this is what became of it
        await self._ledger.keep_dead_letter(
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


def _kind(subject: str) -> str:
    """Producer, type and route of a subject or of a filter: what comes after partition and session."""
    return subject.split(".", 3)[-1]


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
