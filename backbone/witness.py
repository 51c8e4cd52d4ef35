"""The bus is a courier, not a witness: what it brings is believed only if the ledger has it (docs/adr/0021)."""

import hashlib
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from backbone.ledger.port import Evidence, Ledger
from contracts import subjects
from contracts.envelope import Message, to_headers
from contracts.subjects import text_of

MESSAGES = 16_384
BYTES = 16 * 1024**2
"""Messages and bytes of their bodies that are remembered at most. What is forgotten is asked for."""


class _Sent:
    """A message, and how it is delivered when nobody has changed it. Worked out for those that come back only."""

    __slots__ = ("_delivered", "message")

    def __init__(self, message: Message) -> None:
        self.message = message
        self._delivered: tuple[str, Mapping[str, str]] | None = None

    def came_as(self, subject: str, headers: Mapping[str, str], body: bytes) -> bool:
        if self._delivered is None:
            self._delivered = subject_of(self.message), to_headers(self.message)
        where, said = self._delivered
        # what headers say beyond the event's own is not looked at by anybody
        return subject == where and body == self.message.body and said.items() <= headers.items()


class Relayed:
    """What the relays of this process have lately read from the ledger: it is known to be there, and need not be asked
    for when it comes back over the bus. By the text of their ids, the latest last."""

    def __init__(self, messages: int = MESSAGES, size: int = BYTES) -> None:
        self._messages = messages
        self._size = size
        self._left = size
        self._sent: OrderedDict[str, _Sent] = OrderedDict()

    def add(self, messages: Iterable[Message]) -> None:
        """Remembers what was read from the ledger, before it is published. What is on no stream does not come back."""
        for message in messages:
            key = text_of(message.event_id)
            if key in self._sent or subjects.is_settled(message.route):
                continue
            self._sent[key] = _Sent(message)
            self._left -= len(message.body)
        while len(self._sent) > self._messages or self._left < 0:
            _, old = self._sent.popitem(last=False)
            self._left += len(old.message.body)

    def find(self, subject: str, headers: Mapping[str, str], body: bytes) -> Message | None:
        """The ledger's message, when exactly that has come; None: the ledger has to be asked."""
        sent = self._sent.get(headers.get("ce-id", ""))
        return sent.message if sent is not None and sent.came_as(subject, headers, body) else None


class Witness:
    """Says whether the ledger has what the bus has brought: id, place, envelope and body."""

    def __init__(self, ledger: Ledger, relayed: Relayed | None = None) -> None:
        self._ledger = ledger
        self._relayed = relayed or Relayed()

    def find(self, subject: str, headers: Mapping[str, str], body: bytes) -> Message | None:
        """See Relayed.find."""
        return self._relayed.find(subject, headers, body)

    async def whole(self, messages: Sequence[Message]) -> list[Message]:
        """See Ledger.whole: for what was confirmed. Raises LedgerUnavailable."""
        return await self._ledger.whole(messages) if messages else []

    async def confirm(self, claims: Sequence[tuple[str, Message]]) -> list[bool]:
        """Which of these messages, each with the subject that it came on, are the ledger's: one question for all.
        Raises LedgerUnavailable."""
        if not claims:
            return []
        there = await self._ledger.at({(message.session_id, message.version) for _, message in claims})
        known = {(message.session_id, message.version): message for message in there}
        return [
            known.get((message.session_id, message.version)) == message and subject == subject_of(message)
            for subject, message in claims
        ]


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def evidence_of(message: Message) -> Evidence:
    """Everything that the message says, as ledger.has makes it of the event."""
    said = (
        str(message.version), text_of(message.event_id), message.type, str(message.schema_version), message.producer,
        message.route, text_of(message.run_id) if message.run_id else "", text_of(message.correlation_id),
        text_of(message.causation_id) if message.causation_id else "", message.traceparent or "",
        str((message.recorded_at - _EPOCH) // _MICROSECOND), "",
    )  # fmt: skip
    return Evidence(message.version, hashlib.sha256("\x1f".join(said).encode() + message.body).digest())


def subject_of(message: Message) -> str:
    """Where a message is published."""
    return subjects.event(message.session_id, message.producer, message.type, message.route)
