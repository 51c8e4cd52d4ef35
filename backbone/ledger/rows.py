"""Between appends or rows and the arrays that the SQL functions take and give."""

import hashlib
import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self
from uuid import UUID

from backbone.ledger.port import EVENT_BYTES, Append, DeadLetter, NotRecordable
from contracts import subjects
from contracts.dataref import INLINE_BYTES, Dataref, dataref, reference
from contracts.envelope import Message
from contracts.errors import Code
from contracts.registry import render
from contracts.shape import Event

COLUMNS = """stream_id, version, event_id, type, schema_version, producer, route, run_id, correlation_id,
    causation_id, traceparent, recorded_at, data::text as data"""
"""Of ledger.events, as message_from_row takes them."""


def rendered(event: Event) -> str:
    """The event as JSON text; raises NotRecordable when it is too large to be published."""
    data = render(event)
    # a character is four bytes at most; counting them is left to the few that may be too large
    if len(data) * 4 > EVENT_BYTES and (size := len(data.encode())) > EVENT_BYTES:
        raise NotRecordable(
            f"{type(event).__name__} is {size} bytes, the limit is {EVENT_BYTES}: larger things go into artifacts"
        )
    return data


_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


class PayloadsMissing(Exception):
    """Data that are too large for a row have to be in the artifact store first: SHA-256 -> bytes."""

    def __init__(self, data: dict[str, bytes]) -> None:
        super().__init__(f"{len(data)} payloads are not stored yet")
        self.data = data


def row_data(event: Event, stored: Collection[str] | None, missing: dict[str, bytes]) -> str:
    """What stands in the row: the event, or a reference to it when that is large. What is referred to and not among
    `stored` is added to `missing`. None: there is nowhere to put it."""
    data = rendered(event)
    if stored is None or len(data) * 4 <= INLINE_BYTES or len(payload := data.encode()) <= INLINE_BYTES:
        return data
    if _NUL.search(data):
        raise NotRecordable(f"{type(event).__name__} holds a NUL character")  # as Postgres says it of a row
    digest = hashlib.sha256(payload).hexdigest()
    if digest not in stored:
        missing[digest] = payload
    return reference(event, Dataref(digest, len(payload)))


@dataclass(frozen=True, slots=True)
class AppendArrays:
    """The array parameters of ledger.append after producer and consumer, in its order."""

    streams: list[UUID]
    causes: list[UUID]
    expected: list[int | None] | None
    events: tuple[list[Any], ...]
    timers: str | None
    cancel: list[UUID] | None
    cancel_rows: list[int] | None

    @classmethod
    def of(cls, appends: Sequence[Append], stored: Collection[str] | None = None) -> Self:
        """Raises PayloadsMissing, NotRecordable."""
        missing: dict[str, bytes] = {}
        columns: tuple[list[Any], ...] = tuple([] for _ in range(10))
        for number, append in enumerate(appends, 1):
            for fact in append.facts:
                event = fact.event
                data = row_data(event, stored, missing)
                values = (
                    number, fact.event_id, type(event).__name__, event.schema_version, fact.route or None, fact.run_id,
                    fact.correlation_id, fact.causation_id, fact.traceparent, data,
                )  # fmt: skip
                for column, value in zip(columns, values, strict=True):
                    column.append(value)
        if missing:
            raise PayloadsMissing(missing)
        expected = [append.expected_version for append in appends]
        cancel = [(timer_id, row) for row, append in enumerate(appends, 1) for timer_id in append.cancel_timers]
        return cls(
            streams=[append.session_id for append in appends],
            causes=[append.cause for append in appends],
            expected=expected if any(e is not None for e in expected) else None,
            events=columns,
            timers=_timers(appends),
            cancel=[timer_id for timer_id, _ in cancel] or None,
            cancel_rows=[row for _, row in cancel] or None,
        )

    def __iter__(self) -> Iterator[Any]:
        yield from (self.streams, self.causes, self.expected, *self.events, self.timers, self.cancel, self.cancel_rows)


def _timers(appends: Sequence[Append]) -> str | None:
    rows = [
        {
            "row": row,
            "timer_id": str(timer.timer_id),
            "stream_id": str(append.session_id),
            "run_id": str(timer.run_id) if timer.run_id else None,
            "due_at": timer.due_at.isoformat(),
            "type": type(timer.event).__name__,
            "data": json.loads(render(timer.event)),
            "traceparent": timer.traceparent,
        }
        for row, append in enumerate(appends, 1)
        for timer in append.timers
    ]
    return json.dumps(rows) if rows else None


def fence_arrays(appends: Sequence[Append]) -> tuple[list[int], list[UUID], list[int]]:
    """The last parameters of ledger.append_fenced: rows, leases, tokens; empty without fences."""
    fences = [(row, append.fence) for row, append in enumerate(appends, 1) if append.fence]
    return [row for row, _ in fences], [f.lease_id for _, f in fences], [f.fencing_token for _, f in fences]


def evidence_arrays(appends: Sequence[Append]) -> tuple[list[int | None], list[bytes | None]] | None:
    """Versions and digests of what the appends follow from; None when all of it is known to be there."""
    given = [append.evidence for append in appends]
    if not any(given):
        return None
    return [one and one.version for one in given], [one and one.digest for one in given]


def message_from_row(row: Any) -> Message:
    """A row of ledger.events (or of lock_and_tail, which leaves out what folding does not need)."""
    get = row.get
    run_id = row["run_id"]
    event_id = row["event_id"]
    data = row["data"].encode()
    is_reference = dataref(data) is not None
    return Message(
        event_id=event_id,
        session_id=row["stream_id"],
        version=row["version"],
        type=row["type"],
        schema_version=row["schema_version"],
        producer=get("producer", ""),
        run_id=run_id,
        correlation_id=get("correlation_id") or run_id or event_id,
        causation_id=get("causation_id"),
        traceparent=row["traceparent"],
        recorded_at=row["recorded_at"],
        data=b"" if is_reference else data,
        route=get("route") or "",
        reference=data if is_reference else b"",
    )


def messages_of(producer: str, appends: Sequence[Append], rows: Sequence[Any]) -> list[Message]:
    """What was just appended as it is published, from the answers of ledger.append: those that are fresh, with the data
    as they are read from there. Of the settled ones of an append the last alone, which says how far the ledger is."""
    recorded_at, number, messages = rows[0]["recorded_at"], 0, []
    bodies = [body for body in rows[0]["bodies"] or () if body is not None]  # of what was handled before there is none
    for append, row in zip(appends, rows, strict=True):
        version = (row["last_version"] or 0) - len(append.facts)
        settled = [place for place, fact in enumerate(append.facts) if subjects.is_settled(fact.route)]
        for place, fact in enumerate(append.facts if row["fresh"] else ()):
            version += 1
            number += 1
            if settled and place < settled[-1] and subjects.is_settled(fact.route):
                continue
            data, event = bodies[number - 1].encode(), fact.event
            is_reference = dataref(data) is not None
            messages.append(
                Message(
                    fact.event_id, append.session_id, version, type(event).__name__, event.schema_version, producer,
                    fact.run_id, fact.correlation_id, fact.causation_id, fact.traceparent, recorded_at,
                    b"" if is_reference else data, fact.route, data if is_reference else b"", fact.apart,
                )
            )  # fmt: skip
    return messages


def unfired(timer_id: UUID, type_: str, data: str, error: Exception) -> DeadLetter:
    """What is kept of a timer that cannot fire."""
    reason, body = f"it cannot fire: {error!r}", data.encode()
    return DeadLetter(timer_id, "timers", f"timer.{type_}", timer_id, {}, body, Code.INTERNAL, reason, 1)
