"""Spans over the wire: OTLP as protobuf over HTTP by OpenTelemetry's own exporter, with a time-out that holds."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import requests
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult

from backbone.telemetry.outbox import Undelivered

TIMEOUT = 2.0
"""Seconds for each step of one request (connecting, sending, the answer), and for all its repetitions."""


class _Session(requests.Session):
    """Remembers what came of the last request: the exporter says it to its log alone, and with the address."""

    why = "it was not sent"

    def request(self, *args: Any, **more: Any) -> requests.Response:
        try:
            answer = super().request(*args, **more)
        except requests.RequestException as error:
            self.why = type(error).__name__
            raise
        self.why = f"the collector answers {answer.status_code}"
        return answer


class Collector(OTLPSpanExporter):
    """Where spans go: one address, one connection that is kept. Raises ValueError for an address that cannot be one.
    OTEL_EXPORTER_OTLP_CERTIFICATE and its kin have the meaning that they have everywhere."""

    def __init__(self, endpoint: str, headers: Mapping[str, str] | None = None, timeout: float = TIMEOUT) -> None:
        parts = urlsplit(endpoint)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("it must be http://host:4318/v1/traces or https://…")
        # once for each failure, with the address; the outbox tells of them once a minute
        logging.getLogger(OTLPSpanExporter.__module__).setLevel(logging.CRITICAL)
        self._answers = _Session()
        endpoint = endpoint if parts.path.strip("/") else parts._replace(path="/v1/traces").geturl()
        super().__init__(endpoint, headers=dict(headers or {}), timeout=timeout, session=self._answers)

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Raises Undelivered where other exporters answer FAILURE, and say no more."""
        result = super().export(spans)
        if result is not SpanExportResult.SUCCESS:
            raise Undelivered(self._answers.why)
        return result
