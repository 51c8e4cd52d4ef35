"""Spans go out through the SDK's port: whatever exporter it has takes them, whole."""

from collections.abc import Iterator, Sequence

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client import REGISTRY

from backbone.telemetry import readable as module
from backbone.telemetry.outbox import Outbox
from backbone.telemetry.readable import readable
from backbone.telemetry.spans import Kind, Span

POD = "k8s.namespace.name=shop, k8s.pod.name=execution-7f, deployment.environment.name=prod, host.name=n1"


def a_span(kind: Kind = Kind.CLIENT, parent_id: int = 0, error: str = "", service: str = "execution") -> Span:
    return Span(service, "chat m", 2**127, 2**63, parent_id, 10, 20, kind, {"a": 1, "b": "x"}, error)


@pytest.fixture
def deployed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", POD)
    monkeypatch.setenv("OTEL_SERVICE_NAME", "everything")
    module.resource.cache_clear()
    yield
    module.resource.cache_clear()


@pytest.mark.parametrize("kind", list(Kind))
def test_a_span_is_the_same_to_the_sdk(kind: Kind) -> None:
    exporter = InMemorySpanExporter()
    outbox = Outbox(exporter)
    outbox.put([a_span(kind), a_span(kind, parent_id=5, error="6102")])
    outbox.stop(10)
    root, child = exporter.get_finished_spans()
    assert (root.name, root.kind.name, root.start_time, root.end_time) == ("chat m", kind.name, 10, 20)
    assert (root.context.trace_id, root.context.span_id, root.context.trace_flags.sampled) == (2**127, 2**63, True)
    assert root.parent is None and root.status.is_ok and dict(root.attributes or {}) == {"a": 1, "b": "x"}
    assert child.parent is not None and (child.parent.trace_id, child.parent.span_id) == (2**127, 5)
    assert not child.status.is_ok and (child.attributes or {})["error.type"] == "6102"


@pytest.mark.usefixtures("deployed")
def test_a_span_says_of_which_deployment_it_is_and_of_which_pod_only_where_that_is_known() -> None:
    seen, folded = (dict(readable(a_span(kind)).resource.attributes) for kind in (Kind.CONSUMER, Kind.INTERNAL))
    assert seen["service.name"] == folded["service.name"] == "dream-execution"
    assert seen["service.version"] == folded["service.version"] != ""
    assert (seen["k8s.namespace.name"], seen["deployment.environment.name"]) == ("shop", "prod")
    assert (seen["k8s.pod.name"], seen["host.name"]) == ("execution-7f", "n1")
    assert seen.keys() - folded.keys() == {"k8s.pod.name", "host.name", "service.instance.id"}


def test_spans_of_a_service_have_one_resource() -> None:
    one, same, other = (readable(a_span(service=name)).resource for name in ("planning", "planning", "gateway"))
    assert one is same
    assert hash(one) == hash(same) != hash(other) and one != other


class Failing(SpanExporter):
    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        return SpanExportResult.FAILURE


def test_what_an_exporter_has_not_delivered_is_counted_as_lost() -> None:
    def lost() -> float:
        return REGISTRY.get_sample_value("dream_spans_dropped_total", {"reason": "undelivered"}) or 0.0

    before, outbox = lost(), Outbox(Failing())
    outbox.put([a_span(), a_span()])
    outbox.stop(10)
    assert (lost() - before, outbox.settled) == (2, 2)
