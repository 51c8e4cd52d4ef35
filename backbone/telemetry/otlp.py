"""Spans over the wire: OTLP as protobuf over HTTP, on one connection, with a time-out that holds.

OpenTelemetry's SDK takes 100 µs to encode a span; its protobuf classes, filled here, 6 µs (docs/adr/0032)."""

import http.client
import ssl
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.metadata import version
from urllib.parse import urlsplit

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import ScopeSpans, Status

from backbone.telemetry import names
from backbone.telemetry.spans import Attribute, Span

TIMEOUT = 2.0
"""Seconds for each step of one request: connecting, sending, the answer."""
_SAMPLED = 0x101
"""Flags of a span: sampled, and known to have no parent from elsewhere."""


class Undelivered(Exception):
    """The collector has not taken the spans; the message says why, without the address."""


def encoded(spans: Iterable[Span]) -> bytes:
    """An ExportTraceServiceRequest: spans by the service that they are of."""
    request = ExportTraceServiceRequest()
    scopes: dict[str, ScopeSpans] = {}
    for span in spans:
        scope = scopes.get(span.service)
        if scope is None:
            resource = request.resource_spans.add()
            resource.resource.attributes.append(_pair("service.name", names.service(span.service)))
            resource.resource.attributes.append(_pair("service.version", _version()))
            scope = scopes[span.service] = resource.scope_spans.add()
            scope.scope.name = "dream"
        pairs = [_pair(name, value) for name, value in span.attributes.items()]
        if span.error:
            pairs.append(_pair(names.ERROR_TYPE, span.error))
        scope.spans.add(
            name=span.name,
            trace_id=span.trace_id.to_bytes(16, "big"),
            span_id=span.span_id.to_bytes(8, "big"),
            parent_span_id=span.parent_id.to_bytes(8, "big") if span.parent_id else b"",
            kind=span.kind.value,
            start_time_unix_nano=span.start,
            end_time_unix_nano=span.end,
            flags=_SAMPLED,
            attributes=pairs,
            status=Status(code=Status.STATUS_CODE_ERROR) if span.error else None,
        )
    body: bytes = request.SerializeToString()
    return body


@lru_cache(4096)
def _pair(name: str, value: Attribute) -> KeyValue:
    return KeyValue(
        key=name, value=AnyValue(int_value=value) if isinstance(value, int) else AnyValue(string_value=value)
    )


@lru_cache(1)
def _version() -> str:
    return version("dream-agent")


class Collector:
    """Where spans go: one address, one connection that is kept. For one thread."""

    def __init__(self, endpoint: str, headers: Mapping[str, str] | None = None, timeout: float = TIMEOUT) -> None:
        parts = urlsplit(endpoint)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("it must be http://host:4318/v1/traces or https://…")
        self._path = (parts.path or "/v1/traces") + (f"?{parts.query}" if parts.query else "")
        self._headers = {"Content-Type": "application/x-protobuf", **(headers or {})}
        self._connection: http.client.HTTPConnection = (
            http.client.HTTPSConnection(
                parts.hostname, parts.port, timeout=timeout, context=ssl.create_default_context()
            )
            if parts.scheme == "https"
            else http.client.HTTPConnection(parts.hostname, parts.port, timeout=timeout)
        )

    def send(self, spans: Iterable[Span]) -> None:
        """Sends them once. Raises Undelivered."""
        body = encoded(spans)
        try:
            try:
                status = self._post(body)
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                # the connection was kept, and the other side had closed it meanwhile: that is no refusal
                self._connection.close()
                status = self._post(body)
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            raise Undelivered(f"{type(error).__name__}: {error}") from None
        if not 200 <= status < 300:
            raise Undelivered(f"the collector answers {status}")

    def _post(self, body: bytes) -> int:
        self._connection.request("POST", self._path, body, self._headers)
        answer = self._connection.getresponse()
        answer.read()
        return answer.status

    def close(self) -> None:
        """Ends the connection."""
        self._connection.close()
