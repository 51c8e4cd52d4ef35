"""Between appends or rows and the arrays that the SQL functions take and give."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self
from uuid import UUID

from backbone.ledger.port import EVENT_BYTES, Append, NotRecordable
from contracts.envelope import Message
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
    def of(cls, appends: Sequence[Append]) -> Self:
        columns: tuple[list[Any], ...] = tuple([] for _ in range(10))
        for number, append in enumerate(appends, 1):
            for fact in append.facts:
                event = fact.event
                data = rendered(event)
                values = (
                    number, fact.event_id, type(event).__name__, event.schema_version, fact.route or None, fact.run_id,
                    fact.correlation_id, fact.causation_id, fact.traceparent, data,
                )  # fmt: skip
                for column, value in zip(columns, values, strict=True):
                    column.append(value)
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


def message_from_row(row: Any) -> Message:
    """A row of ledger.events (or of lock_and_tail, which leaves out what folding does not need)."""
    get = row.get
    run_id = row["run_id"]
    event_id = row["event_id"]
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
        data=row["data"].encode(),
        route=get("route") or "",
    )
