"""OpenTelemetry: one trace per run through all services, carried by `traceparent` in the envelope.

Without DREAM_OTLP_ENDPOINT no spans are made, and the trace context is passed on as it came."""

import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from contracts.envelope import Message

STOP_SECONDS = 3.0
_propagator = TraceContextTextMapPropagator()
_provider: TracerProvider | None = None


class TracingUnavailable(Exception):
    """An endpoint is configured but the exporter is not installed."""


def configure(service: str, endpoint: str | None, exporter: SpanExporter | None = None) -> None:
    """Records spans when there is somewhere to send them."""
    global _provider  # noqa: PLW0603  # one provider per process, as OpenTelemetry has it
    if endpoint and exporter is None:
        exporter = _otlp(endpoint)
    if exporter is None:
        return
    resource = Resource.create({"service.name": f"dream-{service}"})
    _provider = TracerProvider(shutdown_on_exit=False, resource=resource)
    _provider.add_span_processor(BatchSpanProcessor(exporter))


def _otlp(endpoint: str) -> SpanExporter:
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    except ImportError:
        raise TracingUnavailable(
            f"DREAM_OTLP_ENDPOINT is {endpoint!r} but the exporter is missing: install dream-agent[otlp]"
        ) from None
    exporter: SpanExporter = OTLPSpanExporter(endpoint=endpoint, timeout=2)
    return exporter


def shutdown() -> None:
    """Sends what is left, for STOP_SECONDS at most: a collector that is away holds nobody up."""
    if _provider is not None:
        thread = threading.Thread(target=_provider.shutdown, name="tracing", daemon=True)
        thread.start()
        thread.join(STOP_SECONDS)


def new_traceparent() -> str:
    """The context of a new run, sampled."""
    return f"00-{secrets.token_hex(16)}-{secrets.token_hex(8)}-01"


@contextmanager
def span(name: str, message: Message) -> Iterator[str | None]:
    """A span around the handling of a message, child of the one that made it; yields the traceparent of its results."""
    if _provider is None:
        yield message.traceparent
        return
    parent = _propagator.extract({"traceparent": message.traceparent or ""})
    attributes = {
        "dream.session": str(message.session_id),
        "dream.run": str(message.run_id),
        "dream.type": message.type,
    }
    with _provider.get_tracer("dream").start_as_current_span(name, parent, trace.SpanKind.CONSUMER, attributes):
        carrier: dict[str, str] = {}
        _propagator.inject(carrier)
        yield carrier.get("traceparent")
