"""Our spans as OpenTelemetry's SDK has them, so that any of its exporters takes them.

Imported only where spans go out."""

from functools import cache
from importlib.metadata import version

from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, TraceFlags
from opentelemetry.trace.status import Status, StatusCode

from backbone.telemetry import names
from backbone.telemetry.spans import Kind, Span

OF_A_PROCESS = ("container.", "host.", "k8s.container.", "k8s.node.", "k8s.pod.", "process.", "service.instance.")
"""What OTEL_RESOURCE_ATTRIBUTES may say of the process alone that tells a span."""
_SEEN_HERE = frozenset({Kind.PRODUCER, Kind.CONSUMER})
_KINDS = {kind: SpanKind[kind.name] for kind in Kind}
_SCOPE = InstrumentationScope("dream")
_SAMPLED = TraceFlags(TraceFlags.SAMPLED)
_UNSET, _ERROR = Status(), Status(StatusCode.ERROR)


class _Service(Resource):
    """Exporters group spans by it, and the SDK renders JSON each time that a hash is asked for."""

    def __init__(self, told: Resource, *, of_process: bool) -> None:
        kept = {
            name: value for name, value in told.attributes.items() if of_process or not name.startswith(OF_A_PROCESS)
        }
        super().__init__(kept, told.schema_url)
        self._hash = super().__hash__()

    def __hash__(self) -> int:
        return self._hash


@cache
def resource(service: str, *, seen_here: bool) -> Resource:
    """Who did what a span stands for: its service, and what OTEL_RESOURCE_ATTRIBUTES says of the deployment. Which pod
    this is belongs to what the process saw itself; what is folded from the ledger was done by any of them."""
    ours = {SERVICE_NAME: names.service(service), SERVICE_VERSION: version("dream-agent")}
    return _Service(Resource.create(ours), of_process=seen_here)


def readable(span: Span) -> ReadableSpan:
    """The same span, with the same ids."""
    trace_id, parent_id = span.trace_id, span.parent_id
    return ReadableSpan(
        span.name,
        SpanContext(trace_id, span.span_id, is_remote=False, trace_flags=_SAMPLED),
        SpanContext(trace_id, parent_id, is_remote=False, trace_flags=_SAMPLED) if parent_id else None,
        resource(span.service, seen_here=span.kind in _SEEN_HERE),
        {**span.attributes, names.ERROR_TYPE: span.error} if span.error else span.attributes,
        kind=_KINDS[span.kind],
        status=_ERROR if span.error else _UNSET,
        start_time=span.start,
        end_time=span.end,
        instrumentation_scope=_SCOPE,
    )
