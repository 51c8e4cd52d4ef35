"""Work: one task per message, its answer recorded once, whatever fails."""

import asyncio
import time
from dataclasses import replace
from uuid import uuid4, uuid5

import pytest

from backbone.errors import Poison, Rejected, Retryable
from backbone.runner import work
from backbone.runner.handlers import Outcome, Takes, WorkHandler, emit
from backbone.runner.intake import MAX_DELIVERIES
from backbone.runner.work import WorkRunner
from contracts import subjects
from contracts.errors import Code
from contracts.execution import TodoFailed, TodoStarted
from contracts.response import RunCompleted, RunFailed
from tests.conformance.facts import PRODUCER, note
from tests.conformance.harness import Rig, running, until
from tests.fakes.bus import MemoryBus
from tests.fakes.ledger import MemoryLedger

on_both = pytest.mark.parametrize("rig", ["memory", "real"], indirect=True)


class Worker:
    """A handler that does what the text of the message says, and remembers what it did."""

    def __init__(self, *, concurrency: int = 16) -> None:
        self.did: list[str] = []
        self.at_work = 0
        self.most_at_work = 0
        self.release = asyncio.Event()
        self.handler = WorkHandler(
            "worker", "response", (Takes(PRODUCER, "FeedbackGiven"),), self.handle, self.give_up, concurrency
        )

    async def handle(self, message, event, record) -> Outcome:
        self.did.append(event.comment)
        self.at_work += 1
        self.most_at_work = max(self.most_at_work, self.at_work)
        try:
            return await self.do(event.comment, record)
        finally:
            self.at_work -= 1

    async def do(self, text: str, record) -> Outcome:
        match text.split():
            case ["wait"]:
                await self.release.wait()
            case ["sleep", seconds]:
                await asyncio.sleep(float(seconds))
            case ["once", "more", seconds] if self.did.count(text) == 1:
                raise Retryable(Code.EXTERNAL_UNAVAILABLE, "not now", delay=float(seconds))
            case ["fail"] | ["fail", "twice"]:
                raise ZeroDivisionError("a bug")
            case ["poison"]:
                raise Poison(Code.TOOL_ARGUMENTS_INVALID, "never")
            case ["refuse"]:
                raise Rejected(Code.PLAN_EMPTY, "no")
            case ["cancelled"]:
                inner = asyncio.create_task(asyncio.sleep(10))
                inner.cancel()
                await inner
            case ["nul"]:
                return emit(note("\x00"))
            case ["progress"]:
                for key in ("a", "b", "a"):
                    await record(key, TodoStarted.model_validate(TodoStarted.example))
        return emit(RunCompleted())

    def give_up(self, message, event, error) -> Outcome:
        if event.comment == "fail twice":
            raise ZeroDivisionError("a bug in giving up")
        return emit(RunFailed(error=error))

    def runner(self, rig: Rig, ack_wait: float = 5.0, grace: float = 3.0) -> WorkRunner:
        return WorkRunner(self.handler, rig.ledger, rig.bus, ack_wait, grace)


async def done(rig: Rig, message, type_: str = "RunCompleted") -> None:
    await until(lambda: rig.recorded(message.session_id, type_))


@on_both
async def test_an_answer_is_recorded_with_its_cause_and_an_id_that_follows_from_it(rig: Rig) -> None:
    worker = Worker()
    async with running(worker.runner(rig).run()):
        asked = await rig.say("hello")
        await done(rig, asked)
    answer = (await rig.ledger.read(asked.session_id))[-1]
    assert answer.event_id == uuid5(asked.event_id, "worker:0")
    assert (answer.causation_id, answer.correlation_id) == (asked.event_id, asked.correlation_id)
    assert (answer.producer, answer.version) == ("response", 2)


@on_both
async def test_many_messages_are_worked_on_at_once_up_to_the_limit(rig: Rig) -> None:
    worker = Worker(concurrency=4)
    async with running(worker.runner(rig).run()):
        asked = [await rig.say("wait") for _ in range(12)]
        await until(lambda: worker.at_work == 4)
        worker.release.set()
        for message in asked:
            await done(rig, message)
    assert worker.most_at_work == 4
    assert len(worker.did) == 12


@on_both
async def test_retryable_work_comes_back_after_its_delay(rig: Rig) -> None:
    worker = Worker()
    async with running(worker.runner(rig).run()):
        since = time.monotonic()
        asked = await rig.say("once more 0.4")
        await done(rig, asked)
    assert time.monotonic() - since >= 0.35
    assert len(worker.did) == 2
    assert await rig.codes() == []


@on_both
@pytest.mark.usefixtures("quick_retries")
async def test_a_bug_is_retried_and_then_given_up_so_that_the_run_ends(rig: Rig) -> None:
    worker = Worker()
    async with running(worker.runner(rig).run()):
        asked = await rig.say("fail")
        await done(rig, asked, "RunFailed")
        await until(rig.codes)
    assert len(worker.did) == MAX_DELIVERIES
    (failed,) = await rig.recorded(asked.session_id, "RunFailed")
    assert failed.error.code == Code.INTERNAL
    assert await rig.codes() == [Code.INTERNAL]


async def test_poison_work_is_given_up_at_once(rig: Rig) -> None:
    worker = Worker()
    async with running(worker.runner(rig).run()):
        asked = await rig.say("poison")
        await done(rig, asked, "RunFailed")
    assert worker.did == ["poison"]
    assert await rig.codes() == [Code.TOOL_ARGUMENTS_INVALID]


async def test_refused_work_ends_its_run_and_is_no_dead_letter(rig: Rig) -> None:
    worker = Worker()
    async with running(worker.runner(rig).run()):
        asked = await rig.say("refuse")
        await done(rig, asked, "RunFailed")
    assert worker.did == ["refuse"]
    assert await rig.codes() == []


@pytest.mark.usefixtures("quick_retries")
async def test_a_bug_in_giving_up_does_not_keep_the_message_for_ever(rig: Rig) -> None:
    assert isinstance(rig.bus, MemoryBus)
    bus, worker = rig.bus, Worker()
    async with running(worker.runner(rig).run()):
        await rig.say("fail twice")
        await until(rig.codes)
        await until(lambda: bus.unsettled("worker") == 0)
    assert await rig.codes() == [Code.INTERNAL]


@pytest.mark.usefixtures("quick_retries")
async def test_a_cancellation_inside_the_work_is_a_failure_not_a_silence(rig: Rig) -> None:
    worker = Worker()
    async with running(worker.runner(rig).run()):
        await done(rig, await rig.say("cancelled"), "RunFailed")
    assert len(worker.did) == MAX_DELIVERIES


@on_both
async def test_an_answer_that_cannot_be_recorded_is_given_up_and_harms_no_other(rig: Rig) -> None:
    worker = Worker()
    asked, other = await rig.say("nul"), await rig.say("hello")
    async with running(worker.runner(rig).run()):
        await done(rig, other)
        await done(rig, asked, "RunFailed")
    assert await rig.codes() == [Code.INTERNAL]
    assert sorted(worker.did) == ["hello", "nul"]


async def test_an_answer_is_kept_while_the_ledger_is_away(rig: Rig) -> None:
    assert isinstance(rig.ledger, MemoryLedger)
    worker = Worker()
    async with running(worker.runner(rig).run()):
        asked = await rig.say("wait")
        await until(lambda: worker.at_work == 1)
        rig.ledger.up = False
        worker.release.set()
        await asyncio.sleep(0.3)
        rig.ledger.up = True
        await done(rig, asked)
    assert worker.did == ["wait"]


async def test_messages_that_arrive_while_the_ledger_is_away_wait_without_using_up_deliveries(rig: Rig) -> None:
    assert isinstance(rig.ledger, MemoryLedger)
    worker = Worker()
    asked = await rig.say("once more 0.01")
    async with running(worker.runner(rig, ack_wait=0.1).run()):
        rig.ledger.up = False
        await asyncio.sleep(1)
        rig.ledger.up = True
        await done(rig, asked)
    assert await rig.codes() == []


@on_both
async def test_a_message_that_was_handled_is_not_worked_on_again(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "YOUNG_SECONDS", 0)  # as if a while had passed
    worker = Worker()
    async with running(worker.runner(rig).run()):
        asked = await rig.say("hello")
        await done(rig, asked)
        await rig.repeat(asked, subjects.event(asked.session_id, PRODUCER, asked.type))
        await done(rig, await rig.say("behind it"))
    assert worker.did == ["hello", "behind it"]
    assert await rig.ledger.head(asked.session_id) == 2


@on_both
async def test_a_message_that_comes_twice_at_once_is_recorded_once(rig: Rig) -> None:
    worker = Worker()
    async with running(worker.runner(rig).run()):
        asked = await rig.say("hello")
        await done(rig, asked)
        await rig.repeat(asked, subjects.event(asked.session_id, PRODUCER, asked.type))
        await done(rig, await rig.say("behind it"))
    assert await rig.ledger.head(asked.session_id) == 2


async def test_a_message_delivered_again_while_it_is_worked_on_is_worked_on_once(rig: Rig) -> None:
    assert isinstance(rig.bus, MemoryBus)
    bus, worker = rig.bus, Worker()
    async with running(worker.runner(rig, ack_wait=0.6).run()):
        asked = await rig.say("wait")
        await until(lambda: worker.at_work == 1)
        await rig.repeat(asked, subjects.event(asked.session_id, PRODUCER, asked.type))
        await asyncio.sleep(0.1)
        worker.release.set()
        await done(rig, asked)
        await until(lambda: bus.unsettled("worker") == 0)
    assert worker.did == ["wait"]


@on_both
async def test_the_heartbeat_keeps_long_work_from_being_done_twice(rig: Rig) -> None:
    worker = Worker()
    async with running(worker.runner(rig, ack_wait=0.5).run()):
        await done(rig, await rig.say("sleep 1.6"))
    assert worker.did == ["sleep 1.6"]


@on_both
async def test_shutdown_gives_unfinished_work_back_at_once(rig: Rig) -> None:
    first, second = Worker(concurrency=2), Worker()
    asked = [await rig.say("wait") for _ in range(4)]
    async with running(first.runner(rig, ack_wait=30, grace=0.1).run()):
        await until(lambda: first.at_work == 2)
    second.release.set()
    async with running(second.runner(rig, ack_wait=30).run()):
        for message in asked:
            await done(rig, message)
    assert len(second.did) == 4


@on_both
async def test_shutdown_waits_for_work_that_is_nearly_done(rig: Rig) -> None:
    worker = Worker()
    asked = await rig.say("sleep 0.3")
    async with running(worker.runner(rig).run()):
        await until(lambda: worker.at_work == 1)
    assert len(await rig.recorded(asked.session_id, "RunCompleted")) == 1


async def test_progress_is_recorded_once_per_key(rig: Rig) -> None:
    worker = Worker()
    async with running(worker.runner(rig).run()):
        asked = await rig.say("progress")
        await done(rig, asked)
    assert len(await rig.recorded(asked.session_id, "TodoStarted")) == 2
    assert not await rig.recorded(asked.session_id, TodoFailed.__name__)


async def test_what_says_that_it_is_nothing_to_the_handler_is_acknowledged_and_the_ledger_not_asked(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = Worker()
    worker.handler = replace(worker.handler, concerns=lambda message, event: event != note("other"))
    at = MemoryLedger.at
    asked: list[int] = []

    async def counted(ledger: MemoryLedger, places):
        asked.extend(version for _, version in places)
        return await at(ledger, places)

    monkeypatch.setattr(MemoryLedger, "at", counted)
    session = uuid4()
    for text in ("other", "ours"):
        await rig.say(text, session=session)
    async with running(WorkRunner(worker.handler, rig.ledger, rig.bus, 5.0).run()):
        await until(lambda: worker.did == ["ours"])
        bus = rig.bus
        assert isinstance(bus, MemoryBus)
        await until(lambda: not bus.unsettled("worker"))
    assert asked == [2]
    assert await rig.codes() == []
