"""One event in its envelope, and its CloudEvents 1.0 binary-mode form on NATS headers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

from contracts import registry, subjects
from contracts.dataref import Dataref, dataref
from contracts.shape import Event
from contracts.subjects import text_of

SPEC_VERSION = "1.0"
CONTENT_TYPE = "application/json"
RETRY_OF = "dream-retryof"
"""Header of a message that was published again from a dead letter: the letter's id."""


class EnvelopeError(ValueError):
    """The headers are not those of an event; the message says which, with the value."""


class DataElsewhere(registry.UnknownEvent):
    """The event's data were not read from the artifact store, or are not there any more."""


@dataclass(frozen=True, slots=True)
class Message:
    """An event as the ledger holds it. `version` is its gapless place in the session's stream, from 1;
    `data` is the contract as JSON bytes, parsed only when `event` is asked for. Large data lie in the artifact store:
    then `reference` is what stands for them in the ledger and on the bus, and `data` is empty until they are read."""

    event_id: UUID
    session_id: UUID
    version: int
    type: str
    schema_version: int
    producer: str
    run_id: UUID | None
    correlation_id: UUID
    causation_id: UUID | None
    traceparent: str | None
    recorded_at: datetime
    data: bytes
    route: str = ""
    reference: bytes = b""
    apart: bool = field(default=True, compare=False)
    """It is published by itself: who takes it may be long at it, or nobody knows. No part of the event."""

    @property
    def body(self) -> bytes:
        """What is published."""
        return self.reference or self.data

    @property
    def elsewhere(self) -> Dataref | None:
        """Where the data are, as long as they have not been read."""
        return dataref(self.reference) if self.reference and not self.data else None

    @property
    def event(self) -> Event:
        """The contract, upcast to today's shape. Raises registry.UnknownEvent or pydantic.ValidationError."""
        if self.reference and not self.data:
            raise DataElsewhere(
                f"the data of {self.type} {self.event_id}, version {self.version} of session {self.session_id}, are not"
                f" at hand: {self.reference.decode()}"
            )
        return registry.parse(self.type, self.schema_version, self.data)


class Outline(NamedTuple):
    """What is wanted of messages by somebody who needs little: the data of types in `read` alone ({} of all others),
    without the fields in `but`; neither route nor correlation."""

    read: frozenset[str]
    but: frozenset[str]


def to_headers(message: Message) -> dict[str, str]:
    """CloudEvents attributes. A correlation id equal to the run's, and absent ids, are left out."""
    headers = {
        "ce-specversion": SPEC_VERSION,
        "ce-id": text_of(message.event_id),
        "ce-source": f"/dream/{message.producer}",
        "ce-type": message.type,
        "ce-subject": text_of(message.session_id),
        "ce-time": message.recorded_at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
        "ce-dataversion": str(message.schema_version),
        "ce-streamversion": str(message.version),
        "content-type": CONTENT_TYPE,
    }
    if message.run_id is not None:
        headers["ce-runid"] = text_of(message.run_id)
    if message.correlation_id != message.run_id:
        headers["ce-correlationid"] = text_of(message.correlation_id)
    if message.causation_id is not None:
        headers["ce-causationid"] = text_of(message.causation_id)
    if message.traceparent:
        headers["traceparent"] = message.traceparent
    if message.route:
        headers["ce-route"] = message.route
    if message.reference and (there := dataref(message.reference)):
        headers["ce-dataref"] = f"sha256:{there.digest}"
    return headers


def from_headers(headers: Mapping[str, str] | None, subject: str, data: bytes) -> Message:
    """Reads an envelope back; raises EnvelopeError when an attribute is missing or malformed, SubjectError when the
    subject is not that of the event."""
    if not headers:
        raise EnvelopeError(f"no headers on {subject!r}: a CloudEvent in binary mode has its attributes there")
    try:
        if headers["ce-specversion"] != SPEC_VERSION:
            raise EnvelopeError(f"ce-specversion is {headers['ce-specversion']!r}, expected {SPEC_VERSION!r}")
        event_id = UUID(headers["ce-id"])
        run = headers.get("ce-runid")
        run_id = UUID(run) if run else None
        is_reference = dataref(data) is not None
        correlation = headers.get("ce-correlationid")
        causation = headers.get("ce-causationid")
        message = Message(
            event_id=event_id,
            session_id=UUID(headers["ce-subject"]),
            version=int(headers["ce-streamversion"]),
            type=headers["ce-type"],
            schema_version=int(headers["ce-dataversion"]),
            producer=headers["ce-source"].removeprefix("/dream/"),
            run_id=run_id,
            correlation_id=UUID(correlation) if correlation else (run_id or event_id),
            causation_id=UUID(causation) if causation else None,
            traceparent=headers.get("traceparent"),
            recorded_at=_moment(headers["ce-time"]),
            data=b"" if is_reference else data,
            route=headers.get("ce-route", ""),
            reference=data if is_reference else b"",
        )
    except KeyError as missing:
        raise EnvelopeError(f"header {missing.args[0]!r} is missing on {subject!r}") from None
    except ValueError as error:
        raise EnvelopeError(f"{error} in the headers on {subject!r}") from None
    subjects.check(subject, message.session_id, message.producer, message.type)
    return message


def _moment(text: str) -> datetime:
    """A moment. A time without an offset is none: nobody could say how long ago it was."""
    moment = datetime.fromisoformat(text)
    if moment.utcoffset() is None:
        raise EnvelopeError(f"ce-time {text!r} has no offset from UTC")
    return moment
