"""Work that must not be done twice: one process at a time is at it, and what was answered is not done again."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from backbone.ledger.port import Ledger
from backbone.ledger.postgres import PostgresLedger
from backbone.runner.handlers import Outcome, Takes, WorkHandler, emit
from backbone.runner.work import WorkRunner
from contracts import subjects
from contracts.envelope import Message, to_headers
from contracts.response import RunCompleted, RunFailed
from contracts.shape import Event
from tests.conformance.facts import PRODUCER
from tests.conformance.harness import Rig, running, until
from tests.fakes.bus import MemoryBus
from tests.fakes.ledger import MemoryLedger

on_both = pytest.mark.parametrize("rig", ["memory", "real"], indirect=True)


class Payer:
    """A handler whose every call is an effect; it goes on when it is let."""

    def __init__(self) -> None:
        self.paid: list[str] = []
        self.go = asyncio.Event()
        self.handler = WorkHandler(
            "payer", "response", (Takes(PRODUCER, "FeedbackGiven"),), self.pay, self.give_up, alone=lambda m, e: True
        )

    async def pay(self, message, event, record) -> Outcome:
        self.paid.append(event.comment)
        await self.go.wait()
        return emit(RunCompleted())

    def give_up(self, message, event, error) -> Outcome:
        return emit(RunFailed(error=error))

    def runner(self, rig: Rig, ack_wait: float = 5.0) -> WorkRunner:
        return WorkRunner(self.handler, rig.ledger, rig.bus, ack_wait)


@pytest.fixture
async def elsewhere(rig: Rig, request: pytest.FixtureRequest) -> AsyncIterator[Rig]:
    """Another process: the same ledger over connections of its own, with a bus whose consumers know nothing."""
    if isinstance(rig.ledger, MemoryLedger):
        yield Rig(rig.ledger, bus := MemoryBus(), bus.put)
        return
    ledger: Ledger = await PostgresLedger.connect(request.getfixturevalue("postgres_url"), min_size=0)
    yield Rig(ledger, bus := MemoryBus(), bus.put)
    await ledger.close()


async def again(rig: Rig, message: Message) -> None:
    await rig.put(subjects.event(message.session_id, PRODUCER, message.type), to_headers(message), message.data)


async def done(rig: Rig, message: Message) -> None:
    await until(lambda: rig.recorded(message.session_id, "RunCompleted"), timeout=20)


@on_both
async def test_what_was_answered_this_very_moment_is_not_done_again(rig: Rig) -> None:
    payer = Payer()
    payer.go.set()
    async with running(payer.runner(rig).run()):
        for number in range(20):
            asked = await rig.say(str(number))
            await done(rig, asked)
            await again(rig, asked)  # milliseconds after its success, at its first delivery
        await done(rig, await rig.say("behind them"))
    assert payer.paid == [*map(str, range(20)), "behind them"]
    assert await rig.codes() == []


@on_both
async def test_another_process_waits_for_the_one_that_is_at_it_and_then_leaves_it(rig: Rig, elsewhere: Rig) -> None:
    here, there = Payer(), Payer()
    there.go.set()
    async with running(here.runner(rig, ack_wait=0.3).run(), there.runner(elsewhere, ack_wait=0.3).run()):
        asked = await rig.say("rent")
        await until(lambda: here.paid == ["rent"])
        for _ in range(3):
            await again(elsewhere, asked)
        behind = await rig.say("food")
        await again(elsewhere, behind)
        await asyncio.sleep(0.5)  # longer than the acknowledgement wait
        here.go.set()
        await done(rig, asked)
        await done(rig, behind)
        bus = elsewhere.bus
        assert isinstance(bus, MemoryBus)
        await until(lambda: bus.unsettled("payer") == 0)
    assert sorted([*here.paid, *there.paid]) == ["food", "rent"]


@on_both
async def test_another_process_takes_over_from_one_that_has_given_up(rig: Rig, elsewhere: Rig) -> None:
    here, there = Payer(), Payer()
    there.go.set()
    async with running(there.runner(elsewhere).run()):
        runner = WorkRunner(here.handler, rig.ledger, rig.bus, 5.0, grace=0.05)
        async with running(runner.run()):
            asked = await rig.say("rent")
            await until(lambda: here.paid == ["rent"])
            await again(elsewhere, asked)
        await done(rig, asked)
    assert (here.paid, there.paid) == (["rent"], ["rent"])


async def test_without_a_ledger_nothing_is_begun(rig: Rig) -> None:
    assert isinstance(rig.ledger, MemoryLedger)
    payer = Payer()
    payer.go.set()
    ledger = rig.ledger

    def goes_away(message: Message, event: Event) -> bool:
        ledger.up = False
        return True

    payer.handler = replace(payer.handler, alone=goes_away)
    async with running(payer.runner(rig).run()):
        asked = await rig.say("rent")
        await asyncio.sleep(0.3)
        assert payer.paid == []
        payer.handler = replace(payer.handler, alone=lambda m, e: True)
    async with running(payer.runner(rig).run()):
        ledger.up = True
        await done(rig, asked)
    assert payer.paid == ["rent"]
