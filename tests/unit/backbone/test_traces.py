"""A relay tells of what it published, at least once whoever is killed, and always the same."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid4

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from backbone import traces
from backbone.ledger.port import START, Append, Fact, Position
from backbone.relay import Relay
from backbone.telemetry import tracing
from backbone.telemetry.outbox import Outbox
from backbone.telemetry.spans import begun
from backbone.traces import Traces
from contracts.envelope import Message
from contracts.gateway import MessageReceived
from contracts.response import RunCompleted
from contracts.shape import Event
from tests.conformance.harness import running, until
from tests.fakes.bus import MemoryBus
from tests.fakes.ledger import MemoryLedger

pytestmark = pytest.mark.asyncio


class Held(Outbox):
    """An outbox whose thread sends nothing before `release`."""

    def _work(self) -> None:
        self._wake.wait()
        while self._queue:
            self._send()


@pytest.fixture
def exported() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture(autouse=True)
def gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traces, "GATHER", 0)
    monkeypatch.setattr("backbone.relay.SAVE_EVERY", 0)


async def say(ledger: MemoryLedger, *events: tuple[str, Event], sampled: bool = True) -> UUID:
    run = uuid4()
    session = uuid4()
    for producer, event in events:
        first = isinstance(event, MessageReceived)
        fact = Fact(event, run if first else uuid4(), run, run, None if first else run, begun(run, sampled=sampled))
        await ledger.append(producer, producer, [Append(session, uuid4(), (fact,))])
    return run


SAID = ("gateway", MessageReceived(text="hello"))
ENDED = ("response", RunCompleted())


async def test_what_is_published_is_told_as_sent_with_the_run_as_its_parent(exported: InMemorySpanExporter) -> None:
    ledger, bus, outbox = MemoryLedger(), MemoryBus(), Outbox(exported)
    run = await say(ledger, SAID)
    async with running(Relay(ledger, bus, "gateway", traces=Traces(ledger, outbox)).run()):
        await until(lambda: outbox.taken == 1)
    outbox.stop(5)
    (sent,) = exported.get_finished_spans()
    assert (sent.name, sent.kind.name, sent.context.trace_id) == ("send MessageReceived", "PRODUCER", run.int)


async def test_the_end_of_a_run_is_its_whole_trace(exported: InMemorySpanExporter) -> None:
    ledger, outbox = MemoryLedger(), Outbox(exported)
    told = Traces(ledger, outbox)
    await say(ledger, SAID, ENDED)
    relay = Relay(ledger, MemoryBus(), "response", traces=told)
    async with running(relay.run()), running(told.run()):
        await until(lambda: outbox.taken == 3)
    outbox.stop(5)
    assert [span.name for span in exported.get_finished_spans()] == [
        "layer cognitive",
        "layer response",
        "invoke_workflow dream.run",
    ]


async def test_the_cursor_waits_for_the_spans_and_a_kill_loses_none(exported: InMemorySpanExporter) -> None:
    ledger, bus, held = MemoryLedger(), MemoryBus(), Held(exported)
    await say(ledger, SAID)
    async with running(Relay(ledger, bus, "gateway", traces=Traces(ledger, held)).run()):
        await until(lambda: held.taken == 1)
        await until(lambda: len(bus.store) == 1)
    killed = list(held._queue)  # of the process that is gone
    outbox = Outbox(exported)
    relay = Relay(ledger, bus, "gateway", traces=Traces(ledger, outbox))
    async with running(relay.run()):
        await until(lambda: outbox.settled == 1)
        await say(ledger, SAID)
        await until(lambda: outbox.settled == 2)
    assert [span.context.span_id for span in exported.get_finished_spans()[:1]] == [span.span_id for span in killed]
    outbox.stop(5)
    held._wake.set()


async def test_what_was_told_is_not_told_again_by_whoever_leads_next(exported: InMemorySpanExporter) -> None:
    ledger, bus, outbox = MemoryLedger(), MemoryBus(), Outbox(exported)
    await say(ledger, SAID)

    async def cursor() -> Position:
        async with ledger.lead("gateway") as tail:
            return (await tail.cursor())[1] if tail else START

    relay = Relay(ledger, bus, "gateway", traces=Traces(ledger, outbox))
    async with running(relay.run()):
        await until(lambda: outbox.settled == 1)
        await until(lambda: relay._traces is not None and not relay._traces._marks)
    assert await cursor() > START
    async with running(Relay(ledger, bus, "gateway", traces=Traces(ledger, outbox)).run()):
        await say(ledger, SAID)
        await until(lambda: outbox.settled == 2)
    assert len({span.context.trace_id for span in exported.get_finished_spans()}) == 2 == outbox.taken
    outbox.stop(5)


async def test_of_a_run_that_is_not_sampled_the_ledger_is_asked_nothing(exported: InMemorySpanExporter) -> None:
    asked: list[UUID] = []

    class Asked(MemoryLedger):
        async def of_runs(self, after: Mapping[UUID, tuple[UUID, int]], *rest: Any) -> list[Message]:
            asked.extend(after)
            return await super().of_runs(after, *rest)

    ledger, bus, outbox = Asked(), MemoryBus(), Outbox(exported)
    await say(ledger, SAID, ENDED, sampled=False)
    traced = await say(ledger, SAID, ENDED)
    told = Traces(ledger, outbox)
    async with running(Relay(ledger, bus, "response", traces=told).run()), running(told.run()):
        await until(lambda: outbox.taken == 3)
    outbox.stop(5)
    assert asked == [traced]


async def test_nobody_who_wants_no_spans_has_any() -> None:
    assert tracing.outbox() is None
    assert Traces.following(MemoryLedger()) is None
