"""A span as a value, and its ids: they come from the ledger, so that whoever emits a span again emits the same one."""

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import IntEnum
from functools import cache, lru_cache
from hashlib import blake2b
from types import MappingProxyType
from typing import NamedTuple
from uuid import UUID

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SAMPLED = 1
_MASK = (1 << 64) - 1
_RANDOM_BITS = 56
"""The right-most bits of a trace id are random (W3C, level 2), those of a UUID of version 7 too."""

Attribute = str | int


class Kind(IntEnum):
    """As OTLP numbers them."""

    INTERNAL = 1
    CLIENT = 3
    PRODUCER = 4
    CONSUMER = 5


class TraceContext(NamedTuple):
    """What `traceparent` says: the trace, the span of whoever spoke, and whether the run is recorded."""

    trace_id: int
    span_id: int
    sampled: bool


class Span(NamedTuple):
    """A finished span. Times are nanoseconds since 1970; `parent_id` 0 = it is a root; `error` is its error.type."""

    service: str
    name: str
    trace_id: int
    span_id: int
    parent_id: int
    start: int
    end: int
    kind: Kind = Kind.INTERNAL
    attributes: Mapping[str, Attribute] = MappingProxyType({})
    error: str = ""


@lru_cache(1024)
def parse(traceparent: str | None) -> TraceContext | None:
    """None for what is no trace context of version 00."""
    parts = (traceparent or "").split("-")
    if len(parts) != 4 or parts[0] != "00" or [len(part) for part in parts] != [2, 32, 16, 2]:
        return None
    try:
        trace_id, span_id, flags = (int(part, 16) for part in parts[1:])
    except ValueError:
        return None
    return TraceContext(trace_id, span_id, bool(flags & SAMPLED)) if trace_id and span_id else None


def begun(run_id: UUID, *, sampled: bool) -> str:
    """The traceparent of a run that nobody else traces. The trace has the id of the run; whether it is recorded goes
    with it through the ledger, so that a run is whole or absent."""
    flags = SAMPLED if sampled else 0
    return f"00-{run_id.hex}-{run_span(run_id):016x}-{flags:02x}"


def sampled(trace_id: int, ratio: float) -> bool:
    """Whether a share `ratio` of all traces has this one; the same answer wherever it is asked."""
    return trace_id % (1 << _RANDOM_BITS) >= (1 - ratio) * (1 << _RANDOM_BITS)


def span_id(what: str, of: UUID) -> int:
    """The id of a span that stands for `what` of an event, or of a run: the random bits of its id, and a mark."""
    return (of.int & _MASK) ^ _mark(what) or 1


@cache
def _mark(what: str) -> int:
    return int.from_bytes(blake2b(what.encode(), digest_size=8).digest(), "big")


def run_span(run_id: UUID) -> int:
    """The root."""
    return span_id("run", run_id)


def send_span(event_id: UUID) -> int:
    """The publishing of an event."""
    return span_id("send", event_id)


def nanoseconds(moment: datetime) -> int:
    """Since 1970, without the rounding of a float."""
    since = moment - EPOCH
    return ((since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds) * 1000
