"""Decisions: pure, in one transaction per drain, over states that equal a fresh fold."""

import asyncio
import time
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from uuid import uuid4, uuid5

import pytest

from backbone.errors import Rejected, Retryable
from backbone.ledger.port import Append
from backbone.runner.decisions import DecisionRunner
from backbone.runner.handlers import NOTHING, DecisionHandler, Outcome, Recorded, Takes, append_of, emit
from contracts import subjects
from contracts.envelope import Message
from contracts.errors import Code
from contracts.gateway import FeedbackGiven
from contracts.shape import Event
from contracts.timers import ReminderDue
from tests.conformance.facts import PRODUCER, append, fact, note
from tests.conformance.harness import Rig, running, until
from tests.fakes.bus import MemoryBus
from tests.fakes.ledger import MemoryLedger

on_both = pytest.mark.parametrize("rig", ["memory", "real"], indirect=True)


@dataclass
class Desk:
    """Counts what was said, and answers with the count; some words make it fail."""

    attempts: dict[str, int] = field(default_factory=dict)

    def handler(self) -> DecisionHandler[list[str]]:
        return DecisionHandler(
            name="desk",
            producer="planning",
            takes=(Takes(PRODUCER, "FeedbackGiven"),),
            folds=frozenset({"FeedbackGiven", "ReminderDue"}),
            initial=list,
            evolve=self.evolve,
            decide=self.decide,
        )

    def evolve(self, state: list[str], seen: Recorded) -> list[str]:
        said = seen.event
        if isinstance(said, FeedbackGiven):
            state.append(said.comment)
        elif isinstance(said, ReminderDue):
            state.append(f"({said.text})")
        return state

    def decide(self, state: list[str], message: Recorded) -> Outcome:
        assert isinstance(message.event, FeedbackGiven)
        word = message.event.comment
        times = self.attempts[word] = self.attempts.get(word, 0) + 1
        match word.split():
            case ["bug"]:
                raise ZeroDivisionError
            case ["refuse"]:
                raise Rejected(Code.DECISION_CLOSED, "no")
            case ["later", seconds] if times == 1:
                raise Retryable(Code.EXTERNAL_UNAVAILABLE, "not now", delay=float(seconds))
            case ["silence"]:
                return NOTHING
        answers = sum(said.startswith("(") for said in state)
        return emit(ReminderDue(reminder_id=uuid5(message.event_id, "t"), text=f"{word} {answers}", due_at=message.at))

    def runner(self, rig: Rig, ack_wait: float = 5.0) -> DecisionRunner:
        return DecisionRunner(self.handler(), rig.ledger, rig.bus, ack_wait)


async def answers(rig: Rig, session) -> list[str]:
    return [event.text for event in await rig.recorded(session, "ReminderDue")]


async def answered(rig: Rig, session, number: int = 1) -> None:
    async def enough() -> bool:
        return len(await answers(rig, session)) == number

    await until(enough)


@on_both
async def test_each_message_is_decided_over_all_that_came_before_it(rig: Rig) -> None:
    session = uuid4()
    for word in ("a", "silence", "b", "c"):
        await rig.say(word, session=session)
    async with running(Desk().runner(rig).run()):
        await answered(rig, session, 3)
        await rig.say("d", session=session)
        await answered(rig, session, 4)
    assert await answers(rig, session) == ["a 0", "b 1", "c 2", "d 3"]


@on_both
async def test_a_batch_with_one_bad_decision_still_commits_the_others(rig: Rig) -> None:
    session = uuid4()
    said = [await rig.say(word, session=session) for word in ("a", "refuse", "b")] + [await rig.say("c")]
    async with running(Desk().runner(rig).run()):
        await answered(rig, session, 2)
        await answered(rig, said[-1].session_id)
    assert await answers(rig, session) == ["a 0", "b 1"]
    assert await rig.codes() == []


@on_both
async def test_a_message_handled_twice_changes_nothing(rig: Rig) -> None:
    session = uuid4()
    said = await rig.say("a", session=session)
    async with running(Desk().runner(rig).run()):
        await answered(rig, session)
        await rig.repeat(said, subjects.event(session, PRODUCER, said.type))
        await rig.say("b", session=session)
        await answered(rig, session, 2)
    assert await answers(rig, session) == ["a 0", "b 1"]


async def test_what_was_handled_does_not_count_twice_for_those_in_the_same_drain(rig: Rig) -> None:
    session = uuid4()
    said = await rig.say("a", session=session)
    async with running(Desk().runner(rig).run()):
        await answered(rig, session)
    await rig.repeat(said, subjects.event(session, PRODUCER, said.type))
    await rig.say("b", session=session)
    await rig.repeat(said, subjects.event(session, PRODUCER, said.type))
    async with running(Desk().runner(rig).run()):
        await answered(rig, session, 2)
    assert await answers(rig, session) == ["a 0", "b 1"]


async def test_a_message_that_is_twice_in_one_drain_is_decided_once(rig: Rig) -> None:
    session = uuid4()
    said = await rig.say("a", session=session)
    await rig.repeat(said, subjects.event(session, PRODUCER, said.type))
    await rig.say("b", session=session)
    async with running(Desk().runner(rig).run()):
        await answered(rig, session, 2)
    assert await answers(rig, session) == ["a 0", "b 1"]


@on_both
async def test_two_replicas_share_the_messages_and_agree(rig: Rig) -> None:
    sessions = [uuid4() for _ in range(4)]
    async with running(Desk().runner(rig).run(), Desk().runner(rig).run()):
        for number in range(5):
            for session in sessions:
                await rig.say(str(number), session=session)
        for session in sessions:
            await answered(rig, session, 5)
    for session in sessions:
        counted = [int(answer.split()[1]) for answer in await answers(rig, session)]
        assert counted == list(range(5))
    assert await rig.ledger.verify() == {}


async def test_a_retryable_decision_comes_back_after_its_delay(rig: Rig) -> None:
    session = uuid4()
    async with running(Desk().runner(rig).run()):
        since = time.monotonic()
        await rig.say("later 0.3", session=session)
        await answered(rig, session)
    assert time.monotonic() - since >= 0.25


@pytest.mark.usefixtures("quick_retries")
async def test_a_bug_in_a_decision_is_retried_and_then_buried(rig: Rig) -> None:
    desk, session = Desk(), uuid4()
    async with running(desk.runner(rig).run()):
        await rig.say("bug", session=session)
        await until(rig.codes)
        await rig.say("a", session=session)
        await answered(rig, session)
    assert await rig.codes() == [Code.DELIVERIES_EXHAUSTED]
    assert desk.attempts["bug"] == 6


async def test_decisions_wait_for_the_ledger_without_using_up_deliveries(rig: Rig) -> None:
    assert isinstance(rig.ledger, MemoryLedger)
    session = uuid4()
    await rig.say("later 0.01", session=session)
    async with running(Desk().runner(rig, ack_wait=0.1).run()):
        rig.ledger.up = False
        await asyncio.sleep(1)
        rig.ledger.up = True
        await answered(rig, session)
    assert await rig.codes() == []


async def test_shutdown_gives_back_what_waits_for_the_ledger(rig: Rig) -> None:
    assert isinstance(rig.ledger, MemoryLedger)
    assert isinstance(rig.bus, MemoryBus)
    bus, session = rig.bus, uuid4()
    await rig.say("a", session=session)
    rig.ledger.up = False
    async with running(Desk().runner(rig, ack_wait=30).run()):
        await until(lambda: bus.unsettled("desk") == 1)
        await asyncio.sleep(0.1)
    rig.ledger.up = True
    async with running(Desk().runner(rig, ack_wait=30).run()):
        await answered(rig, session)


async def test_events_that_others_record_are_seen_by_the_next_decision(rig: Rig) -> None:
    session = uuid4()
    async with running(Desk().runner(rig).run()):
        await rig.say("a", session=session)
        await answered(rig, session)
        other = ReminderDue.model_validate(ReminderDue.example)
        await rig.ledger.append("timers", "test", [append(session, fact(other)), append(session, fact(note("quiet")))])
        await rig.say("b", session=session)
        await answered(rig, session, 3)
    assert (await answers(rig, session))[-1] == "b 2"


def _settled(bus: MemoryBus) -> bool:
    return not bus.unsettled("desk")


async def test_what_the_last_decision_has_seen_and_nothing_follows_from_needs_no_transaction(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = uuid4()
    silent = await rig.say("silence", session=session)
    await rig.say("a", session=session)
    decide, decided = MemoryLedger.decide, 0

    async def counted(*values: Any) -> Any:
        nonlocal decided
        decided += 1
        return await decide(*values)

    monkeypatch.setattr(MemoryLedger, "decide", counted)
    async with running(Desk().runner(rig).run()):
        await answered(rig, session)
        once = decided
        await rig.repeat(silent, subjects.event(session, PRODUCER, silent.type))
        assert isinstance(rig.bus, MemoryBus)
        await until(partial(_settled, rig.bus))
        assert decided == once
        await rig.say("b", session=session)
        await answered(rig, session, 2)
        assert decided == once + 1
    assert await answers(rig, session) == ["a 0", "b 1"]


@on_both
async def test_what_is_done_at_once_is_recorded_with_the_decision_and_no_consumer_is_told(rig: Rig) -> None:
    """The desk answers every word with a reminder, and does at once what most of them ask for."""
    session = uuid4()
    desk = Desk()

    def at_once(message: Message, event: Event) -> Append | None:
        if not isinstance(event, ReminderDue) or event.text.startswith("slow"):
            return None
        return append_of(message, "clerk", emit(event.model_copy(update={"text": f"did {event.text}"})))

    def decide(state: list[str], message: Recorded) -> Outcome:
        return desk.decide(state, message) if isinstance(message.event, FeedbackGiven) else NOTHING

    handler = replace(desk.handler(), decide=decide, at_once=at_once)
    async with running(DecisionRunner(handler, rig.ledger, rig.bus, 5.0).run()):
        said = [await rig.say(word, session=session) for word in ("a", "slow", "b")]
        await answered(rig, session, 5)
        await rig.repeat(said[0], subjects.event(session, PRODUCER, said[0].type))
        await rig.say("c", session=session)
        await answered(rig, session, 7)
    recorded = [one for one in await rig.ledger.read(session) if one.type == "ReminderDue"]
    told = [(one.event.text.rsplit(" ", 1)[0], one.route) for one in recorded if isinstance(one.event, ReminderDue)]
    assert told == [
        ("a", "settled"), ("did a", "settled"), ("slow", ""), ("b", "settled"), ("did b", "settled"),
        ("c", "settled"), ("did c", "settled"),
    ]  # fmt: skip
    assert await rig.ledger.verify(session) == {}
    assert await rig.codes() == []
