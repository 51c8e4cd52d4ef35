"""Who committed an event publishes it; the relay publishes what nobody has said is out."""

import asyncio
from uuid import uuid4

import pytest

from backbone.ledger.port import START
from backbone.outgoing import Out
from backbone.relay import Relay
from contracts import subjects
from contracts.envelope import Message
from tests.conformance.facts import PRODUCER, append, fact, note
from tests.conformance.harness import Rig, running, until
from tests.fakes.bus import MemoryBus
from tests.fakes.ledger import MemoryLedger
from tests.unit.backbone.test_relay import comments, note_down


async def test_what_another_process_appends_and_publishes_is_not_published_again(rig: Rig) -> None:
    assert isinstance(rig.bus, MemoryBus)
    assert isinstance(rig.ledger, MemoryLedger)
    bus, ledger = rig.bus, rig.ledger
    here, there = Relay(ledger, bus, PRODUCER), Relay(ledger, bus, PRODUCER)
    await bus.on_signal(subjects.wake(PRODUCER), here._signalled)  # the leader is told by signal alone
    ledger.on_append(there._appended)
    async with running(here.run()):
        await until(lambda: here._leading)
        async with running(there.run()):
            await note_down(rig, "a", "b")
            await until(lambda: comments(bus) == ["a", "b"])
            bus._ids.clear()  # without dedupe a second publishing would show
            await until(lambda: ledger.cursors.get(PRODUCER, ("", START))[1] > ledger.rows[-1].position)
    assert comments(bus) == ["a", "b"]


@pytest.mark.parametrize("dies", ["before it could publish", "before it could say so"])
async def test_what_a_dying_process_appended_is_published_by_the_leader_within_a_quarter_of_a_second(
    rig: Rig, dies: str
) -> None:
    assert isinstance(rig.bus, MemoryBus)
    bus = rig.bus
    here = Relay(rig.ledger, bus, PRODUCER)
    async with running(here.run()):
        await until(lambda: here._leading)
        await asyncio.sleep(0.3)
        since = asyncio.get_running_loop().time()
        await note_down(rig, "a")
        if dies == "before it could say so":
            await bus.publish(await rig.ledger.read(rig.ledger.rows[-1].message.session_id))  # type: ignore[attr-defined]
        await until(lambda: comments(bus) == ["a"])
        assert asyncio.get_running_loop().time() - since < 0.25 + 0.1  # what the machine adds
        await asyncio.sleep(0.4)
    assert comments(bus) == ["a"], "the bus knows what it has"


async def test_commits_may_be_published_in_any_order_and_each_event_goes_out(rig: Rig) -> None:
    """Two transactions of one stream whose publishers are not equally fast."""
    assert isinstance(rig.bus, MemoryBus)
    bus, session = rig.bus, uuid4()
    told: list[tuple[int, list[Message]]] = []
    rig.ledger.on_append(lambda producer, xid, messages: told.append((xid, list(messages))))
    one = Relay(rig.ledger, bus, PRODUCER)
    for word in ("a", "b", "c"):
        await rig.ledger.append(PRODUCER, "test", [append(session, fact(note(word)))])
    async with running(one.run()):
        for xid, messages in (told[2], told[0]):
            one._appended(PRODUCER, xid, messages)
        await until(lambda: sorted(comments(bus)) == ["a", "b", "c"])


async def test_a_word_about_another_life_of_the_store_counts_for_nothing_whenever_it_comes(rig: Rig) -> None:
    assert isinstance(rig.bus, MemoryBus)
    assert isinstance(rig.ledger, MemoryLedger)
    bus, ledger = rig.bus, rig.ledger
    here = Relay(ledger, bus, PRODUCER)
    async with running(here.run()):
        await until(lambda: here._leading)
        await asyncio.sleep(0.1)
        gone = await bus.epoch()
        bus.wipe()
        await note_down(rig, "a")
        word = bytes(Out(gone, (ledger.xid,)))
        for _ in range(3):  # also after the leader has seen the new store
            await here._signalled(subjects.wake(PRODUCER), word)
            await asyncio.sleep(0.02)
        await until(lambda: comments(bus) == ["a"])


@pytest.mark.parametrize("word", [b"", b"17", b"17,x@e", b"@e", "１７@e".encode(), b"\xff@", b"-3@e"])
def test_what_is_no_word_about_transactions_is_none(word: bytes) -> None:
    assert Out.parse(word) is None
    assert Out.parse(bytes(Out("2026-11-23T03:00:00+00:00", (5, 7)))) == Out("2026-11-23T03:00:00+00:00", (5, 7))
