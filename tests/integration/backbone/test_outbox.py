"""Telemetry holds nobody up, whatever the collector does; what it loses is counted."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from uuid import UUID

import pytest
from prometheus_client import REGISTRY

from backbone.telemetry import otlp, tracing
from backbone.telemetry.otlp import Collector as Way
from backbone.telemetry.outbox import Outbox, Undelivered
from backbone.telemetry.readable import readable
from backbone.telemetry.spans import Kind, Span
from tests.support.collector import Collector

SHORT = 0.2


def span(number: int, parent_id: int | None = None, error: str = "") -> Span:
    parent = number if parent_id is None else parent_id
    attributes = {"dream.attempt": number}
    return Span("planning", f"span {number}", 7, number + 1, parent, 1_000, 2_000, Kind.CLIENT, attributes, error)


def lost(reason: str) -> float:
    return REGISTRY.get_sample_value("dream_spans_dropped_total", {"reason": reason}) or 0.0


def settled(outbox: Outbox, seconds: float = 20.0) -> None:
    until = time.monotonic() + seconds
    while outbox.settled < outbox.taken:
        assert time.monotonic() < until, f"{outbox.settled} of {outbox.taken} spans are settled"
        time.sleep(0.01)


@pytest.fixture
def nobody() -> Iterator[str]:
    """An address at which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}/v1/traces"


def test_spans_arrive_as_they_are() -> None:
    with Collector() as collector:
        outbox = Outbox(Way(collector.url))
        outbox.put([span(0), span(1, error="6102", parent_id=1)])
        outbox.stop(10)
        first, second = collector.spans
    assert (first.service, first.name, first.kind) == ("dream-planning", "span 0", "CLIENT")
    assert (first.trace_id, first.span_id, first.parent_id) == (f"{7:032x}", f"{1:016x}", "")
    assert (first.start, first.end, first.attributes) == (1_000, 2_000, {"dream.attempt": 0})
    assert (second.parent_id, second.failed, second.attributes["error.type"]) == (f"{1:016x}", True, "6102")


def test_a_collector_that_closes_its_connections_loses_nothing() -> None:
    with Collector() as collector:
        way = Way(collector.url)
        for number in range(3):
            way.export([readable(span(number))])
            collector.hang_up()  # as after its idle time-out
        way.shutdown()
        assert len(collector.spans) == 3


def test_without_a_collector_what_is_lost_is_counted_and_stopping_is_quick(nobody: str) -> None:
    before = lost("undelivered")
    outbox = Outbox(Way(nobody))
    outbox.put(map(span, range(40)))
    since = time.monotonic()
    outbox.stop(tracing.STOP_SECONDS)
    assert time.monotonic() - since < 2 * tracing.STOP_SECONDS
    assert lost("undelivered") - before == 40


def test_a_collector_that_refuses_has_lost_them() -> None:
    before = lost("undelivered")
    with Collector(refusing=True) as collector:
        outbox = Outbox(Way(collector.url))
        outbox.put(map(span, range(3)))
        outbox.stop(10)
        assert (collector.requests > 0, collector.spans) == (True, [])
    assert lost("undelivered") - before == 3


def test_a_collector_that_hangs_holds_up_neither_work_nor_stopping() -> None:
    before = lost("undelivered")
    with Collector(hanging=True) as collector:
        outbox = Outbox(Way(collector.url, timeout=60))
        outbox.put(map(span, range(600)))
        while not collector.requests:
            time.sleep(0.01)
        since = time.monotonic()
        outbox.put([span(601)])
        outbox.stop(SHORT)
        assert time.monotonic() - since < 10, "a request may take 60 s here"
    assert lost("undelivered") - before >= 600 - 512


def test_a_request_ends_by_its_time_out() -> None:
    assert otlp.TIMEOUT == 2.0
    with Collector(hanging=True) as collector:
        since = time.monotonic()
        way = Way(collector.url, timeout=SHORT)
        with pytest.raises(Undelivered, match="ReadTimeout"):
            way.export([readable(span(1))])
        way.shutdown()
        assert SHORT <= time.monotonic() - since < 10


def test_what_does_not_fit_is_dropped_and_counted() -> None:
    before = lost("full")
    with Collector(hanging=True) as collector:
        outbox = Outbox(Way(collector.url, timeout=60), limit=10)
        outbox.put(map(span, range(25)))
        assert lost("full") - before == 15
        outbox.stop(SHORT)


def test_after_it_was_away_a_collector_gets_what_comes_then() -> None:
    with Collector(refusing=True) as collector:
        outbox = Outbox(Way(collector.url))
        outbox.put([span(1)])
        settled(outbox)
        collector.refusing = False
        outbox.put([span(2)])
        settled(outbox)
        outbox.stop(10)
        assert [one.name for one in collector.spans] == ["span 2"]


def test_without_an_endpoint_there_is_nothing() -> None:
    tracing.configure(None)
    assert tracing.outbox() is None
    tracing.shutdown()
    assert tracing.new_traceparent(UUID(int=7)).endswith("-01"), "whoever has an endpoint may tell of it"
    code = "import sys, backbone.process as p; from backbone.telemetry import tracing; tracing.configure(None);"
    heavy = ("opentelemetry.sdk", "opentelemetry.exporter", "opentelemetry.proto", "google.protobuf", "requests")
    code += f"print([name for name in sys.modules if name.startswith({heavy})])"
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert made.stdout.strip() == "[]", "nothing is imported for nobody"


@pytest.mark.parametrize("endpoint", ["collector:4318", "grpc://user:geheim@collector:4317", "http://"])
def test_an_endpoint_that_cannot_be_is_refused_with_a_sentence(endpoint: str) -> None:
    with pytest.raises(tracing.TracingUnavailable, match="DREAM_OTLP_ENDPOINT") as caught:
        tracing.configure(endpoint)
    assert "geheim" not in str(caught.value)
