"""Traces: one per run through all services ([docs/tracing.md](../../docs/tracing.md)).

What a run did is folded from the ledger when it is over (run_trace.py); what a process sees alone, the sending and the
handling of messages, is told as it happens. Without DREAM_OTLP_ENDPOINT there are no spans, and nothing is imported."""

import time
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from backbone.telemetry import names
from backbone.telemetry.edges import crosses, service_of
from backbone.telemetry.sampling import Sampler
from backbone.telemetry.spans import Attribute, Kind, Span, begun, nanoseconds, parse, run_span, send_span, span_id
from contracts.envelope import Message

if TYPE_CHECKING:
    from backbone.telemetry.outbox import Outbox

STOP_SECONDS = 3.0
"""What sending the last spans may take at most, whatever the collector does."""

EXEMPLAR_EVERY = 0.1
"""Seconds. An exemplar costs ten times the observation it goes with, and only the last of each bucket is kept."""

_outbox: "Outbox | None" = None
_exemplar_at = 0.0
_sampler: Sampler | None = None
_current: ContextVar[str | None] = ContextVar("traceparent", default=None)


class TracingUnavailable(Exception):
    """An endpoint is configured and cannot be used; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Handled:
    """A handler that is done with a message. Times are nanoseconds since 1970."""

    handler: str
    service: str
    since: int
    until: int
    attempt: int = 1
    batch: int = 1
    error: str = ""


def configure(
    endpoint: str | None, headers: Mapping[str, str] | None = None, ratio: float = 1.0, per_second: float = 5.0
) -> None:
    """Records spans when there is somewhere to send them. Of the runs that begin in this process a share of `ratio` is
    recorded, and at most `per_second`. Raises TracingUnavailable."""
    global _outbox, _sampler  # noqa: PLW0603  # one way out per process
    _sampler = Sampler(ratio, per_second)
    if not endpoint:
        return
    try:
        from backbone.telemetry.otlp import Collector
        from backbone.telemetry.outbox import Outbox
    except ImportError:
        raise TracingUnavailable(
            "DREAM_OTLP_ENDPOINT is set but OTLP is not installed: install dream-agent[otlp]"
        ) from None
    try:
        collector = Collector(endpoint, headers)
    except ValueError as error:
        raise TracingUnavailable(f"DREAM_OTLP_ENDPOINT cannot be used: {error}") from None
    if _outbox is None:
        _outbox = Outbox(collector)


def outbox() -> "Outbox | None":
    """Where spans of this process go; None when nobody wants them."""
    return _outbox


def shutdown(seconds: float = STOP_SECONDS) -> None:
    """Sends what is left; returns after `seconds` at most. Afterwards no spans are made."""
    global _outbox  # as above
    stopped, _outbox = _outbox, None
    if stopped is not None:
        stopped.stop(seconds)


def new_traceparent(run_id: UUID) -> str:
    """The trace context of a run whose caller has none; the trace's id is that of the run."""
    return _sampler.begin(run_id) if _sampler else begun(run_id, sampled=True)


def trace_id(traceparent: str | None) -> str | None:
    """32 hexadecimal digits, as every viewer of traces wants them."""
    context = parse(traceparent)
    return f"{context.trace_id:032x}" if context else None


def recorded(traceparent: str | None) -> bool:
    """Whether there will be a trace: the decision was made where the run began."""
    context = parse(traceparent)
    return context is not None and context.sampled


def enter(message: Message) -> None:
    """What follows in this task is done for `message`: exemplars and logs can say of which trace."""
    if _outbox is not None:
        _current.set(message.traceparent)


def exemplar(message: Message | None = None) -> dict[str, str] | None:
    """The trace of a message, or of the task, for `histogram.observe(value, …)`; None when it is not recorded."""
    global _exemplar_at  # noqa: PLW0603  # one of many in a process
    if _outbox is None or (now := time.monotonic()) < _exemplar_at:
        return None
    context = parse(message.traceparent if message else _current.get())
    if context is None or not context.sampled:
        return None
    _exemplar_at = now + EXEMPLAR_EVERY
    return {"trace_id": f"{context.trace_id:032x}"}


def sent(messages: Iterable[Message]) -> list[Span]:
    """The PRODUCER spans of events that the bus has now: from being recorded to being published."""
    now = time.time_ns()
    return [span for message in messages if (span := _sent(message, now))]


def _sent(message: Message, now: int) -> Span | None:
    if message.run_id is None or not crosses(message.producer, message.type):
        return None
    context = parse(message.traceparent)
    if context is None or not context.sampled:
        return None
    since, subject = nanoseconds(message.recorded_at), names.destination(message.producer, message.type)
    return Span(
        service_of(message.producer), names.sending(message.type), context.trace_id, send_span(message.event_id),
        run_span(message.run_id), since, max(now, since), Kind.PRODUCER, _messaging(message, subject, "send"),
    )  # fmt: skip


def handled(messages: Iterable[tuple[Message, Handled]]) -> None:
    """Tells the CONSUMER spans of messages that were settled. A message that comes again has the same span."""
    if _outbox is not None:
        _outbox.put([span for message, how in messages if (span := _handled(message, how))])


def _handled(message: Message, how: Handled) -> Span | None:
    if message.run_id is None or not crosses(message.producer, message.type, how.service):
        return None
    context = parse(message.traceparent)
    if context is None or not context.sampled:
        return None
    subject = names.destination(message.producer, message.type)
    attributes = _messaging(message, subject, "process")
    attributes[names.MESSAGING_CONSUMER_GROUP] = how.handler
    attributes[names.DELIVERY_ATTEMPT] = how.attempt
    if how.batch > 1:
        attributes[names.MESSAGING_BATCH_COUNT] = how.batch
    name, of = names.processing(message.type, how.handler), span_id(f"process {how.handler}", message.event_id)
    return Span(
        how.service, name, context.trace_id, of, send_span(message.event_id), how.since, how.until, Kind.CONSUMER,
        attributes, how.error,
    )  # fmt: skip


def _messaging(message: Message, subject: str, operation: str) -> dict[str, Attribute]:
    return {
        names.MESSAGING_SYSTEM: "nats",
        names.MESSAGING_OPERATION_NAME: operation,
        names.MESSAGING_OPERATION_TYPE: operation,
        names.MESSAGING_DESTINATION_TEMPLATE: subject,
        names.MESSAGING_MESSAGE_ID: str(message.event_id),
        names.MESSAGING_CONVERSATION_ID: str(message.run_id),
        names.SPAN_KIND: "CHAIN",
    }
