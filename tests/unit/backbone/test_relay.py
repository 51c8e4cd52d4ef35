"""The relay: everything a producer appends reaches the bus, in order, whoever dies."""

import asyncio
from uuid import uuid4

import asyncpg
import pytest

from backbone import relay
from backbone.bus.port import ConsumerSpec
from backbone.ledger.port import START
from backbone.relay import Relay
from contracts import registry
from tests.conformance.deliveries import drained, text
from tests.conformance.facts import PRODUCER, append, fact, note, run_begins, run_ends
from tests.conformance.harness import Rig, running, until
from tests.conftest import as_owner
from tests.fakes.bus import MemoryBus
from tests.fakes.ledger import MemoryLedger

on_both = pytest.mark.parametrize("rig", ["memory", "real"], indirect=True)
WATCH = ConsumerSpec("watch", ("evt.>",), ack_wait=30)


async def started(rig: Rig, producer: str = PRODUCER) -> Relay:
    one = Relay(rig.ledger, rig.bus, producer)
    await one.start()
    return one


async def note_down(rig: Rig, *texts: str) -> None:
    for one in texts:
        await rig.ledger.append(PRODUCER, "test", [append(uuid4(), fact(note(one)))])


def comments(bus: MemoryBus) -> list[str]:
    events = [
        registry.parse("FeedbackGiven", 1, stored.body) for stored in bus.store if "FeedbackGiven" in stored.subject
    ]
    return [str(event.model_dump()["comment"]) for event in events]


@on_both
async def test_everything_appended_is_published_in_order(rig: Rig) -> None:
    await note_down(rig, "a", "b")
    watch = await rig.bus.subscribe(WATCH, 64)
    async with running((await started(rig)).run()):
        assert [text(d) for d in await drained(watch, 2)] == ["a", "b"]
        await note_down(rig, "c", "d")
        assert [text(d) for d in await drained(watch, 2)] == ["c", "d"]


@on_both
async def test_only_its_own_producer_is_relayed(rig: Rig) -> None:
    watch = await rig.bus.subscribe(WATCH, 64)
    async with running((await started(rig)).run()):
        await rig.ledger.append("another", "test", [append(uuid4())])
        await note_down(rig, "mine")
        assert [text(d) for d in await drained(watch, 1)] == ["mine"]


@on_both
async def test_an_append_is_published_at_once_not_at_the_next_poll(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay, "POLL", 30)
    watch = await rig.bus.subscribe(WATCH, 64)
    async with running((await started(rig)).run()):
        await note_down(rig, "a")
        await drained(watch, 1)
        await note_down(rig, "b")
        await drained(watch, 1, timeout=2)


async def test_nothing_is_lost_when_publishing_fails_half_way(rig: Rig) -> None:
    assert isinstance(rig.bus, MemoryBus)
    bus, words = rig.bus, [str(n) for n in range(10)]
    await note_down(rig, *words)
    bus.refuse_after = 3
    async with running((await started(rig)).run()):
        await until(lambda: comments(bus) == words)


async def test_a_leader_goes_on_where_the_last_one_stopped(rig: Rig) -> None:
    assert isinstance(rig.bus, MemoryBus)
    assert isinstance(rig.ledger, MemoryLedger)
    bus, ledger = rig.bus, rig.ledger
    await note_down(rig, "a", "b")
    async with running((await started(rig)).run()):
        await until(lambda: ledger.cursors.get(PRODUCER, ("", START))[1] > ledger.rows[-1].position)
    bus._ids.clear()  # without dedupe a second publishing would show
    await note_down(rig, "c")
    async with running((await started(rig)).run()):
        await until(lambda: comments(bus) == ["a", "b", "c"])


async def test_outages_of_bus_and_ledger_pass(rig: Rig) -> None:
    assert isinstance(rig.bus, MemoryBus)
    assert isinstance(rig.ledger, MemoryLedger)
    bus, ledger = rig.bus, rig.ledger
    async with running((await started(rig)).run()):
        await note_down(rig, "a")
        await until(lambda: comments(bus) == ["a"])
        bus.up = False
        await note_down(rig, "b")
        await asyncio.sleep(0.1)
        bus.reconnect()
        await until(lambda: comments(bus) == ["a", "b"])
        ledger.up = False
        await asyncio.sleep(0.4)
        ledger.up = True
        await note_down(rig, "c")
        await until(lambda: comments(bus) == ["a", "b", "c"])


async def test_events_that_wait_for_the_bus_are_a_problem_until_they_are_published(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relay, "SILENT_SECONDS", 0.2)
    assert isinstance(rig.bus, MemoryBus)
    bus, one = rig.bus, await started(rig)
    async with running(one.run()):
        await note_down(rig, "a")
        await until(lambda: comments(bus) == ["a"])
        await asyncio.sleep(0.3)
        assert one.problem() == "", "nothing waits"
        bus.up = False
        await note_down(rig, "b")
        await until(lambda: one.problem() != "")
        assert "has published nothing for 0 s while events wait: the bus is down" in one.problem()
        bus.reconnect()
        await until(lambda: comments(bus) == ["a", "b"])
        await until(lambda: one.problem() == "")


async def test_events_that_another_relay_has_to_publish_are_no_problem_of_this_one(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relay, "SILENT_SECONDS", 0.05)
    async with rig.ledger.lead(PRODUCER):
        one = await started(rig)
        async with running(one.run()):
            await note_down(rig, "a")
            await asyncio.sleep(0.3)
            assert one.problem() == ""


async def open_and_closed_runs(rig: Rig) -> None:
    """Of three runs the first and the last have ended."""
    session, runs = uuid4(), [uuid4() for _ in range(3)]
    await note_down(rig, "long ago")
    await rig.ledger.append(PRODUCER, "test", [run_begins(session, runs[0])])
    await rig.ledger.append("response", "test", [run_ends(session, runs[0])])
    await note_down(rig, "before")
    await rig.ledger.append(PRODUCER, "test", [run_begins(session, runs[1])])
    await note_down(rig, "after")
    await rig.ledger.append(PRODUCER, "test", [run_begins(session, runs[2])])
    await rig.ledger.append("response", "test", [run_ends(session, runs[2])])


async def test_a_new_epoch_is_published_from_the_oldest_open_run_on(rig: Rig) -> None:
    assert isinstance(rig.bus, MemoryBus)
    bus = rig.bus
    await open_and_closed_runs(rig)
    async with running((await started(rig)).run()):
        await until(lambda: len(bus.store) == 6)
        bus.wipe()
        await until(lambda: len(bus.store) == 3)
        await asyncio.sleep(0.1)
    assert comments(bus) == ["after"]


@pytest.mark.parametrize("rig", ["real"], indirect=True)
async def test_a_wiped_nats_store_is_filled_again_from_the_oldest_open_run_on(rig: Rig, wipe) -> None:
    watch = await rig.bus.subscribe(WATCH, 64)
    await open_and_closed_runs(rig)
    async with running((await started(rig)).run()):
        await drained(watch, 6)
        await asyncio.to_thread(wipe)
        again = await drained(watch, 3)
    assert [delivery.subject.split(".")[4] for delivery in again] == [
        "MessageReceived",
        "FeedbackGiven",
        "MessageReceived",
    ]


@pytest.mark.parametrize("rig", ["real"], indirect=True)
async def test_an_idle_relay_fills_a_stream_that_somebody_has_made_anew(rig: Rig, make_anew) -> None:
    await open_and_closed_runs(rig)
    async with running((await started(rig)).run()):
        watch = await rig.bus.subscribe(WATCH, 64)
        await drained(watch, 6)
        await watch.close()  # nobody listens: only the relay itself can notice
        await make_anew()
        watch = await rig.bus.subscribe(ConsumerSpec("later", ("evt.>",), ack_wait=30), 64)
        again = await drained(watch, 3)
    assert text(again[1]) == "after"


async def test_one_event_that_cannot_be_published_holds_back_nobody(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    bus = rig.bus
    assert isinstance(bus, MemoryBus)
    publish = MemoryBus.publish

    async def stumbles(self: MemoryBus, messages, *, first: bool = False) -> None:
        if any("bad" in str(message.event) for message in messages):
            raise UnicodeError("nobody foresaw this")
        await publish(self, messages, first=first)

    monkeypatch.setattr(MemoryBus, "publish", stumbles)
    async with running((await started(rig)).run()):
        await note_down(rig, "a", "bad", "b")
        await note_down(rig, "c")
        await until(lambda: comments(bus) == ["a", "b", "c"])


async def test_another_relay_takes_over_when_the_leader_dies(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay, "LEADER_RETRY", 0.05)
    assert isinstance(rig.bus, MemoryBus)
    assert isinstance(rig.ledger, MemoryLedger)
    bus, one, two = rig.bus, await started(rig), await started(rig)
    async with running(one.run(), two.run()):
        await note_down(rig, "a")
        await until(lambda: comments(bus) == ["a"])
        assert one._leading != two._leading
        rig.ledger.cut_leader(PRODUCER)
        await note_down(rig, "b")
        await until(lambda: comments(bus) == ["a", "b"])


@pytest.mark.parametrize("rig", ["real"], indirect=True)
async def test_a_relay_survives_the_death_of_its_connection(rig: Rig, postgres_url: str) -> None:
    watch = await rig.bus.subscribe(WATCH, 64)
    async with running((await started(rig)).run()):
        await note_down(rig, "a")
        await drained(watch, 1)
        owner = await asyncpg.connect(as_owner(postgres_url))
        await owner.execute("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'dream'")
        await owner.close()
        await asyncio.sleep(0.2)
        await note_down(rig, "b")
        assert [text(d) for d in await drained(watch, 1)] == ["b"]


async def test_an_idle_relay_hardly_looks(rig: Rig) -> None:
    assert isinstance(rig.ledger, MemoryLedger)
    await note_down(rig, "a")
    async with running((await started(rig)).run()):
        await asyncio.sleep(0.2)
        before = rig.ledger.reads
        await asyncio.sleep(1)
        assert rig.ledger.reads - before <= 1 / relay.POLL + 1


async def test_a_relay_reads_nothing_for_what_was_published_and_looks_calmly_in_a_busy_database(rig: Rig) -> None:
    assert isinstance(rig.ledger, MemoryLedger)
    ledger, one = rig.ledger, await started(rig)
    async with running(one.run()):
        await until(lambda: one._leading)
        await asyncio.sleep(0.3)
        before = ledger.reads
        for _ in range(50):
            await ledger.append("another", "test", [append(uuid4())])
            await asyncio.sleep(0.02)
        assert 1 <= ledger.reads - before < 25
