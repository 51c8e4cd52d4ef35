"""An OTLP receiver over real HTTP, for tests: what arrives is decoded with OpenTelemetry's own classes."""

import socket
import threading
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span as OtlpSpan

KINDS = {name.removeprefix("SPAN_KIND_"): number for name, number in OtlpSpan.SpanKind.items()}


@dataclass(frozen=True)
class Received:
    """A span as it arrived."""

    service: str
    name: str
    trace_id: str
    span_id: str
    parent_id: str
    kind: str
    start: int
    end: int
    attributes: dict[str, object]
    failed: bool
    resource: dict[str, object]

    @property
    def said(self) -> list[str]:
        """Every text in it."""
        told = self.attributes | self.resource
        return [self.name, *told, *map(str, told.values())]


@dataclass
class Collector:
    """`with Collector() as collector:` listens at `collector.url`. `refusing` answers 503; `hanging` never answers."""

    refusing: bool = False
    hanging: bool = False
    requests: int = 0
    spans: list[Received] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    url: str = ""

    def __enter__(self) -> Self:
        self._over = threading.Event()
        self._kept: list[socket.socket] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1/traces"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def hang_up(self) -> None:
        """Closes the connections that were kept."""
        while self._kept:
            with suppress(OSError):
                self._kept.pop().shutdown(socket.SHUT_RDWR)

    def trace(self, trace_id: str) -> list[Received]:
        """The spans of a trace, each id once, as a viewer shows them."""
        return [*{span.span_id: span for span in [*self.spans] if span.trace_id == trace_id}.values()]

    def copies(self, trace_id: str) -> dict[str, list[Received]]:
        """By span id, everything that came of it."""
        found: dict[str, list[Received]] = defaultdict(list)
        for span in [*self.spans]:
            if span.trace_id == trace_id:
                found[span.span_id].append(span)
        return found

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        collector = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                super().setup()
                collector._kept.append(self.connection)

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.requests += 1
                if collector.hanging:
                    collector._over.wait()
                    return
                if not collector.refusing:
                    collector.headers.append(dict(self.headers))
                    collector.spans += decoded(body)
                self.send_response(503 if collector.refusing else 200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Quiet."""

        return Handler


def decoded(body: bytes) -> list[Received]:
    """The spans of one request."""
    request = ExportTraceServiceRequest.FromString(body)
    return [
        Received(
            service=str(told["service.name"]),
            name=span.name,
            trace_id=span.trace_id.hex(),
            span_id=span.span_id.hex(),
            parent_id=span.parent_span_id.hex(),
            kind=OtlpSpan.SpanKind.Name(span.kind).removeprefix("SPAN_KIND_"),
            start=span.start_time_unix_nano,
            end=span.end_time_unix_nano,
            attributes=_values(span.attributes),
            failed=span.status.code == 2,
            resource=told,
        )
        for resource in request.resource_spans
        for told in [_values(resource.resource.attributes)]
        for scope in resource.scope_spans
        for span in scope.spans
    ]


def _values(pairs: Iterable[KeyValue]) -> dict[str, object]:
    return {pair.key: _value(pair.value) for pair in pairs}


def _value(value: AnyValue) -> object:
    return getattr(value, value.WhichOneof("value") or "string_value")


def drawn(spans: list[Received]) -> str:
    """The tree, for the message of a failed test and for eyes."""
    children = defaultdict(list)
    known = {span.span_id for span in spans}
    for span in sorted(spans, key=lambda one: one.start):
        children[span.parent_id if span.parent_id in known else ""].append(span)
    began = min((span.start for span in spans), default=0)

    def lines(parent: str, depth: int) -> list[str]:
        found = []
        for span in children[parent]:
            times = f"{(span.start - began) / 1e6:9.1f} +{(span.end - span.start) / 1e6:8.1f} ms"
            orphan = " ORPHAN" if parent == "" and span.parent_id else ""
            found.append(f"{times} {'  ' * depth}{span.name} [{span.service} {span.kind}]{orphan}")
            found += lines(span.span_id, depth + 1)
        return found

    return "\n".join(lines("", 0))
