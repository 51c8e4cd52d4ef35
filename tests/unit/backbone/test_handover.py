"""What a process commits and takes itself: handed over, and by the bus whenever that does not work."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from backbone import handover, outgoing
from backbone.bus.port import Backlog
from backbone.handover import Handover, Joined
from backbone.ledger.port import START, Append
from backbone.relay import Relay
from backbone.runner.decisions import DecisionRunner
from backbone.runner.handlers import DecisionHandler, Takes, consumer_spec, emit
from backbone.runner.work import WorkRunner
from contracts.envelope import Message
from contracts.errors import Code, ErrorInfo
from contracts.response import RunCompleted, RunFailed
from tests.conformance.facts import PRODUCER, append, fact, note
from tests.conformance.harness import Rig, running, until
from tests.fakes.bus import MemoryBus
from tests.fakes.ledger import MemoryLedger
from tests.unit.backbone.test_work_runner import Worker

on_both = pytest.mark.parametrize("rig", ["memory", "real"], indirect=True)
DECIDER: DecisionHandler[int] = DecisionHandler(
    "decider", "planning", (Takes(PRODUCER, "FeedbackGiven"),), frozenset({"FeedbackGiven"}), int,
    lambda count, _: count + 1, lambda count, _: emit(RunFailed(error=ErrorInfo(code=Code.INTERNAL, message=f"{count}"))),
)  # fmt: skip


class Screen:
    """Shows what it is told of."""

    def __init__(self) -> None:
        self.shown: list[Message] = []
        self.recorded: dict[str, int] = {}

    def published(self, message: Message) -> None:
        self.shown.append(message)

    def on_recorded(self, session_id: str, version: int) -> None:
        self.recorded[session_id] = version


class House:
    """One process with all that it takes: a relay, a worker, and whoever shows."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.worker = Worker()
        self.screen = Screen()
        self.handover = Handover()
        self.handover.expect({"worker": consumer_spec(self.worker.handler, 5).subjects})
        self.handover.shown_by(self.screen)
        self.handover.is_open = True
        self.on_bus: list[str] = []

    def relay(self) -> Relay:
        return Relay(self.rig.ledger, self.rig.bus, PRODUCER, handover=self.handover)

    def runner(self, ack_wait: float = 5.0, grace: float = 3.0) -> WorkRunner:
        return WorkRunner(self.worker.handler, self.rig.ledger, Joined(self.handover, self.rig.bus), ack_wait, grace)

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[Relay]:
        async def heard(subject: str, headers: Mapping[str, str], body: bytes) -> None:
            if f".{PRODUCER}." in subject:
                self.on_bus.append(headers["ce-id"])

        await self.rig.bus.follow(heard)
        relay, runner = self.relay(), self.runner()
        await relay.start()
        async with running(relay.run(), runner.run()):
            await until(lambda: relay._leading and runner.subscription is not None)
            yield relay

    async def say(self, *texts: str, session: UUID | None = None) -> UUID:
        session = session or uuid4()
        await self.rig.ledger.append(PRODUCER, "test", [append(session, *(fact(note(text)) for text in texts))])
        return session

    async def answered(self, session: UUID, count: int = 1) -> None:
        async def there() -> bool:
            return len(await self.rig.recorded(session, "RunCompleted")) == count

        await until(there)


@on_both
async def test_what_is_taken_here_does_not_go_by_the_bus_and_is_shown(rig: Rig) -> None:
    house = House(rig)
    async with house.at_work():
        session = await house.say("a", "b")
        await house.answered(session, 2)
        await asyncio.sleep(0.6)  # the relay has looked meanwhile
    assert sorted(house.worker.did) == ["a", "b"]
    assert house.on_bus == []
    assert [message.version for message in house.screen.shown] == [1, 2]


@on_both
async def test_decisions_are_handed_what_they_take(rig: Rig) -> None:
    house = House(rig)
    house.handover.expect({"decider": consumer_spec(DECIDER, 5).subjects})
    decider = DecisionRunner(DECIDER, rig.ledger, Joined(house.handover, rig.bus), 5.0)
    async with house.at_work(), running(decider.run()):
        await until(lambda: decider.subscription is not None)
        session = await house.say("a", "b")
        await house.answered(session, 2)
        await until(lambda: rig.recorded(session, "RunFailed"))
    reasons = [event.error.message for event in await rig.recorded(session, "RunFailed")]
    assert reasons == ["2", "2"], "each was decided once, with both of them folded"
    assert house.on_bus == []


async def test_the_cursor_goes_on_once_all_is_settled(rig: Rig) -> None:
    assert isinstance(rig.ledger, MemoryLedger)
    ledger, house = rig.ledger, House(rig)
    async with house.at_work() as relay:
        await house.say("wait")
        await until(lambda: house.worker.at_work == 1)
        await asyncio.sleep(0.4)
        position = ledger.rows[-1].position
        assert ledger.cursors.get(PRODUCER, ("", START))[1] < position, "a process that dies now must find it"
        house.worker.release.set()
        await until(lambda: ledger.cursors.get(PRODUCER, ("", START))[1] >= position)
        assert not relay._outgoing.pending


@on_both
async def test_a_consumer_that_is_not_there_gets_it_by_the_bus_and_so_do_the_others(rig: Rig) -> None:
    house = House(rig)
    house.handover.expect({"elsewhere": ("evt.*.*.gateway.FeedbackGiven",)})
    async with house.at_work():
        session = await house.say("a")
        await house.answered(session)
    assert house.worker.did == ["a"]
    assert len(house.on_bus) == 1


@pytest.mark.parametrize("why", ["closed", "followed", "nobody shows", "full"])
async def test_it_goes_by_the_bus(rig: Rig, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    house = House(rig)
    match why:
        case "closed":
            house.handover.is_open = False
        case "followed":
            house.handover.by_bus(["evt.*.*.gateway.FeedbackGiven"])
        case "nobody shows":
            house.handover._shows = None
        case _:
            monkeypatch.setattr(handover.JoinedSubscription, "has_room", False)
    async with house.at_work():
        session = await house.say("a")
        await house.answered(session)
    assert house.worker.did == ["a"]
    assert len(house.on_bus) == 1
    assert house.screen.shown == []


@on_both
async def test_work_that_lasts_is_known_to_the_bus_and_done_once(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outgoing, "SOON", 0.2)
    house = House(rig)
    async with house.at_work() as relay:
        session = await house.say("sleep 0.8")
        await until(lambda: bool(house.on_bus))
        assert house.worker.at_work == 1, "published while it is being done"
        await house.answered(session)
        await until(lambda: not relay._outgoing.pending)
        await asyncio.sleep(0.3)
    assert house.worker.did == ["sleep 0.8"]


@on_both
async def test_what_is_given_back_comes_by_the_bus_after_its_delay(rig: Rig) -> None:
    house = House(rig)
    async with house.at_work():
        since = time.monotonic()
        session = await house.say("once more 0.5")
        await house.answered(session)
        lasted = time.monotonic() - since
    assert lasted >= 0.45
    assert len(house.worker.did) == 2
    assert len(house.on_bus) == 1
    assert await rig.codes() == []


@pytest.mark.usefixtures("quick_retries")
async def test_what_fails_is_tried_as_often_as_by_the_bus(rig: Rig) -> None:
    house, plain = House(rig), House(Rig.in_memory())
    plain.handover.is_open = False
    tries = []
    for one in (house, plain):
        async with one.at_work():
            session = await one.say("fail")
            await until(lambda: one.rig.recorded(session, "RunFailed"))  # noqa: B023
            tries.append(len(one.worker.did))
    assert tries[0] == tries[1]


async def test_what_was_handed_over_and_waits_counts_as_backlog(rig: Rig) -> None:
    house = House(rig)
    house.worker.handler = replace(house.worker.handler, concurrency=1)
    async with house.at_work():
        subscription = house.handover._takers["worker"]
        await house.say("wait")
        await until(lambda: house.worker.at_work == 1)
        session = await house.say("a")
        assert await subscription.backlog() == Backlog(1, 0)
        house.worker.release.set()
        await house.answered(session)
        assert await subscription.backlog() == Backlog(0, 0)


async def test_what_a_process_left_behind_is_published_by_the_next(rig: Rig) -> None:
    house = House(rig)
    async with house.at_work():
        session = await house.say("wait", "a")
        await until(lambda: house.worker.at_work == 1 and "a" in house.worker.did)
        house.handover.is_open = False
        rig.bus.up = False  # type: ignore[attr-defined]
    rig.bus.up = True  # type: ignore[attr-defined]
    later = House(rig)
    later.worker.release.set()
    async with later.at_work():
        await later.answered(session, 2)


async def test_work_goes_on_without_the_bus(rig: Rig) -> None:
    assert isinstance(rig.bus, MemoryBus)
    house = House(rig)
    async with house.at_work():
        rig.bus.up = False
        session = await house.say("a")
        await house.answered(session)
        rig.bus.up = True
        await asyncio.sleep(0.5)
    assert house.on_bus == [], "it is over, and owed to nobody"


async def test_a_service_that_was_started_again_hands_over_once(rig: Rig) -> None:
    house = House(rig)
    async with house.at_work():
        await house.answered(await house.say("a"))
        await asyncio.sleep(0.5)  # the relay has saved how far it is
    async with house.at_work():  # the first relay still hears of what is appended
        await house.answered(await house.say("b"))
    assert house.worker.did == ["a", "b"]
    assert [message.event.comment for message in house.screen.shown] == ["a", "b"]  # type: ignore[attr-defined]


async def test_of_what_no_stream_has_the_screen_is_told_the_version(rig: Rig) -> None:
    house = House(rig)
    session = uuid4()
    async with house.at_work():
        await rig.ledger.append(
            PRODUCER, "test", [Append(session, uuid4(), (fact(note("a"))._replace(route="settled"),))]
        )
        await until(lambda: bool(house.screen.recorded))
    assert house.screen.recorded == {f"{session}": 1}
    assert house.on_bus == []


async def test_what_nobody_takes_is_shown_and_what_an_executor_elsewhere_takes_goes_by_the_bus(rig: Rig) -> None:
    house, session = House(rig), uuid4()
    tells, asks = fact(RunCompleted()), fact(note("to do"))._replace(route="elsewhere")
    async with house.at_work() as relay:
        await rig.ledger.append(PRODUCER, "test", [append(session, tells, asks)])
        await until(lambda: bool(house.on_bus) and not relay._outgoing.pending)
        await asyncio.sleep(0.4)
    assert house.on_bus == [f"{asks.event_id}"]
    assert [message.event_id for message in house.screen.shown] == [tells.event_id]


async def test_a_transaction_is_out_when_both_of_its_ways_are_over(rig: Rig) -> None:
    assert isinstance(rig.ledger, MemoryLedger)
    ledger, house, session = rig.ledger, House(rig), uuid4()
    async with house.at_work():
        other = fact(RunCompleted())._replace(route="elsewhere")
        await rig.ledger.append(PRODUCER, "test", [append(session, fact(note("wait")), other)])
        await until(lambda: house.on_bus == [f"{other.event_id}"])
        position = ledger.rows[-1].position
        await asyncio.sleep(0.4)
        assert ledger.cursors.get(PRODUCER, ("", START))[1] < position
        house.worker.release.set()
        await until(lambda: ledger.cursors.get(PRODUCER, ("", START))[1] >= position)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.usefixtures("quick_retries")
async def test_whatever_ends_in_between_each_is_answered_once(
    rig: Rig, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Relays and runners that are cancelled and come again, outages, work that lasts."""
    assert isinstance(rig.bus, MemoryBus)
    monkeypatch.setattr(outgoing, "SOON", 0.05)
    chance = random.Random(seed)
    house, bus = House(rig), rig.bus
    house.worker.release.set()
    sessions: list[UUID] = []
    for _ in range(4):
        relay, runner = house.relay(), house.runner(ack_wait=0.3, grace=chance.choice((0.0, 0.1)))
        await relay.start()
        async with running(relay.run(), runner.run()):
            for _ in range(6):
                word = chance.choice(("a", "sleep 0.02", "sleep 0.1", "once more 0.05"))
                sessions.append(await house.say(f"{word}", *("b" for _ in range(chance.randrange(3)))))
                if chance.random() < 0.3:
                    bus.up = not bus.up
                if chance.random() < 0.3:
                    house.handover.is_open = not house.handover.is_open
                await asyncio.sleep(chance.choice((0, 0, 0.01, 0.06)))
    bus.up = house.handover.is_open = True
    async with running(house.relay().run(), house.runner(ack_wait=0.3).run()):
        for session in sessions:
            asked = len(await rig.recorded(session, "FeedbackGiven"))
            await house.answered(session, asked)
    assert await rig.codes() == []
