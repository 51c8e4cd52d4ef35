"""Answers of work that are recorded together with what is decided about them (docs/adr/0084): nobody is told of them, and
everything else is as if they had come over the bus."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pytest

from backbone.ledger.port import Fence, Timer
from backbone.runner import deciding
from backbone.runner.deciding import Decider
from backbone.runner.decisions import DecisionRunner
from backbone.runner.handlers import DecisionHandler, Outcome, Recorded, Takes, WorkHandler, emit
from backbone.runner.work import WorkRunner
from backbone.toolbox.port import Lease
from contracts import subjects
from contracts.envelope import Message
from contracts.errors import Code
from contracts.response import RunCompleted, RunFailed
from contracts.timers import ReminderDue
from tests.conformance.facts import PRODUCER, append, fact, note
from tests.conformance.harness import Rig, running, until
from tests.conformance.wants import want
from tests.unit.backbone.test_fenced_work import toolbox_of

on_both = pytest.mark.parametrize("rig", ["memory", "real"], indirect=True)
SETTLED = subjects.SETTLED


@dataclass(slots=True)
class Told:
    """What was answered, in place."""

    ends: list[str] = field(default_factory=list)


class House:
    """A worker that answers a word, and a decider that counts answers, in one process or in two."""

    def __init__(self, rig: Rig, *, apart: bool = False) -> None:
        self.rig = rig
        self.broken = False
        self.came: list[str] = []
        self.decides = DecisionHandler(
            "counts", "response", (Takes("response", "RunCompleted"), Takes("response", "RunFailed")),
            frozenset({"RunCompleted", "RunFailed"}), Told, self.evolve, self.decide,
            is_settled=lambda state: True, settles=frozenset({"RunCompleted"}),
        )  # fmt: skip
        self.works = WorkHandler(
            "works", "response", (Takes(PRODUCER, "FeedbackGiven"),), self.handle,
            lambda message, event, error: emit(RunFailed(error=error)), decided_by=self.decides,
        )  # fmt: skip
        self.committed: asyncio.Queue[Sequence[Message]] = asyncio.Queue()
        rig.ledger.on_append(lambda producer, xid, messages: self.committed.put_nowait(messages))
        self.decider = Decider(self.decides, rig.ledger)
        self.worker = WorkRunner(self.works, rig.ledger, rig.bus, 5.0, decider=None if apart else self.decider)
        self.runner = DecisionRunner(self.decides, rig.ledger, rig.bus, 5.0, decider=self.decider)

    def evolve(self, state: Told, seen: Recorded) -> Told:
        state.ends.append(type(seen.event).__name__)
        return state

    def decide(self, state: Told, message: Recorded) -> Outcome:
        self.came.append(type(message.event).__name__)
        if self.broken:
            raise ZeroDivisionError
        return emit(note(f"{len(state.ends)} answers"))

    async def handle(self, message, event, record) -> Outcome:
        return await self.answer(event.comment)

    async def answer(self, word: str) -> Outcome:
        return emit(RunFailed.model_validate(RunFailed.example) if word == "bad" else RunCompleted())

    async def history(self, session: UUID) -> list[Message]:
        return await self.rig.ledger.read(session)

    async def has_counted(self, session: UUID, answers: int) -> bool:
        told = [event.comment for event in await self.rig.recorded(session, "FeedbackGiven")]
        return [one for one in told if "answers" in one] == [f"{n} answers" for n in range(1, answers + 1)]

    async def publish(self) -> None:
        """What is committed here, as a relay would."""
        while True:
            await self.rig.bus.publish(await self.committed.get())


@on_both
async def test_an_answer_and_what_is_decided_about_it_are_one_transaction(rig: Rig) -> None:
    house = House(rig)
    commits: list[list[str]] = []
    rig.ledger.on_append(lambda producer, xid, messages: commits.append([one.type for one in messages]))
    asked = await rig.say("fine")
    async with running(house.worker.run()):  # whoever takes answers from the bus is somewhere else, or nowhere
        await until(lambda: house.has_counted(asked.session_id, 1))
    _, answer, counted = await house.history(asked.session_id)
    assert [answer.type, counted.type] == ["RunCompleted", "FeedbackGiven"]
    assert (answer.route, counted.route) == (SETTLED, "")
    assert answer.recorded_at == counted.recorded_at
    assert counted.causation_id == answer.event_id
    assert ["RunCompleted", "FeedbackGiven"] in commits
    assert await rig.ledger.handled("works", [asked.event_id]) == {asked.event_id}


@on_both
async def test_it_is_the_same_as_over_the_bus(rig: Rig) -> None:
    """The same ids, causes and counts, in the order of a session's answers."""
    together, session = House(rig), UUID(int=7)
    over_the_bus = House(Rig.in_memory(), apart=True)
    said = [fact(note(word)) for word in ("fine", "bad", "fine")]
    for house in (together, over_the_bus):
        async with running(house.worker.run(), house.runner.run(), house.publish()):
            for number, one in enumerate(said, 1):
                await house.rig.ledger.append(PRODUCER, "test", [append(session, one)])
                await until(lambda house=house, number=number: house.has_counted(session, number))
    ones, others = await together.history(session), await over_the_bus.history(session)
    assert [_outline(one) for one in ones] == [_outline(one) for one in others]
    # what others take as well has gone over the bus
    assert [one.route for one in ones if one.type.startswith("Run")] == [SETTLED, "", SETTLED]
    assert {one.route for one in others} == {""}


def _outline(message: Message) -> tuple[object, ...]:
    return message.type, message.event_id, message.causation_id, message.correlation_id, message.event


@on_both
async def test_what_comes_twice_is_answered_and_decided_once(rig: Rig) -> None:
    house = House(rig)
    asked = await rig.say("fine")
    async with running(house.worker.run(), house.runner.run()):
        await until(lambda: house.has_counted(asked.session_id, 1))
        await rig.repeat(asked, subjects.event(asked.session_id, PRODUCER, "FeedbackGiven"))
        later = await rig.say("fine", session=asked.session_id)
        await until(lambda: house.has_counted(later.session_id, 2))
    assert len(await house.history(asked.session_id)) == 6


@on_both
async def test_an_answer_that_cannot_be_decided_about_is_recorded_all_the_same(rig: Rig) -> None:
    """It comes over the bus then, and is decided when that is possible."""
    house = House(rig)
    house.broken = True
    asked = await rig.say("fine")
    async with running(house.worker.run()):
        await until(lambda: rig.recorded(asked.session_id, "RunCompleted"))
    _, answer = await house.history(asked.session_id)
    assert answer.route == ""
    house.broken = False
    await rig.bus.publish([answer])
    async with running(house.runner.run()):
        await until(lambda: house.has_counted(asked.session_id, 1))
    assert house.came == ["RunCompleted"] * 2


@on_both
async def test_an_answer_that_lost_its_lease_leaves_nothing_behind(rig: Rig) -> None:
    """Not in the state either: the next answer is the first one that counts."""
    toolbox = toolbox_of(rig)
    house, session = House(rig), UUID(int=8)

    async def answer(word: str) -> Outcome:
        lease = await toolbox.acquire(want("g"), enqueue=False)
        assert isinstance(lease, Lease)
        if word == "loses":
            await toolbox.release(lease)
        return emit(RunCompleted())._replace(fence=Fence(lease.lease_id, lease.fencing_token))

    house.answer = answer  # type: ignore[method-assign]
    async with running(house.worker.run(), house.runner.run(), house.publish()):
        await rig.say("loses", session=session)
        await until(lambda: rig.recorded(session, "RunFailed"))
        await until(lambda: house.has_counted(session, 1))
        await rig.say("fine", session=session)
        await until(lambda: house.has_counted(session, 2))
    (failed,) = await rig.recorded(session, "RunFailed")
    assert failed.error.code == Code.LEASE_LOST
    assert house.decider._states[session].state.ends == ["RunFailed", "RunCompleted"]
    assert [(use.group_key, use.held) for use in await toolbox.usage()] == [("g", 0)]


@on_both
async def test_timers_of_an_answer_are_set_and_those_that_the_decision_cancels_are_gone(rig: Rig) -> None:
    house = House(rig)
    reminder = ReminderDue.model_validate(ReminderDue.example)

    async def answer(word: str) -> Outcome:
        timers = tuple(Timer(UUID(int=n), None, reminder.due_at, reminder) for n in (1, 2))
        return Outcome(emit(RunCompleted()).emits, timers)

    def decide(state: Told, message: Recorded) -> Outcome:
        return Outcome(emit(note("1 answers")).emits, cancel_timers=(UUID(int=1),))

    house.answer = answer  # type: ignore[method-assign]
    house.decides = DecisionHandler(
        "counts", "response", house.decides.takes, house.decides.folds, Told, house.evolve, decide,
        settles=house.decides.settles,
    )  # fmt: skip
    worker = WorkRunner(house.works, rig.ledger, rig.bus, 5.0, decider=Decider(house.decides, rig.ledger))
    asked = await rig.say("fine")
    async with running(worker.run()):
        await until(lambda: house.has_counted(asked.session_id, 1))
    fired = await rig.ledger.fire_due(reminder.due_at.replace(year=9000), 10, lambda due: reminder)
    assert fired == 1


@on_both
async def test_what_was_decided_with_answers_is_kept_as_well(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run ends with an answer: then its session is small, and the process that starts next begins there."""
    monkeypatch.setattr(deciding, "EVERY", 2)
    house = House(rig)
    asked = await rig.say("fine")
    async with running(house.worker.run()):
        await until(lambda: house.has_counted(asked.session_id, 1))
        await until(lambda: _kept(house, asked.session_id))
    assert await _kept(house, asked.session_id) == (3, Told(["RunCompleted"]))


async def _kept(house: House, session: UUID) -> tuple[int, Told] | None:
    found = await deciding.Snapshots(house.decides, house.rig.ledger).of({session: (3, 3)})
    return found.get(session)


class Counting:
    """A ledger that counts how its answers were recorded."""

    def __init__(self, rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
        self.in_one: list[bool] = []
        self.locked = 0
        believed, decide = rig.ledger.append_believed, rig.ledger.decide

        async def count_believed(*args: Any) -> Any:
            answer = await believed(*args)
            self.in_one.append(answer is not None)
            return answer

        async def count_decide(*args: Any) -> Any:
            self.locked += 1
            return await decide(*args)

        monkeypatch.setattr(type(rig.ledger), "append_believed", staticmethod(count_believed))
        monkeypatch.setattr(type(rig.ledger), "decide", staticmethod(count_decide))


@on_both
async def test_while_nobody_else_adds_to_a_session_its_answers_are_one_statement(rig: Rig, monkeypatch) -> None:
    house = House(rig)
    counting = Counting(rig, monkeypatch)
    first = await rig.say("fine")
    session = first.session_id
    async with running(house.worker.run()):
        await until(lambda: house.has_counted(session, 1))
        for number in range(2, 5):
            await rig.say("fine", session=session)
            await until(lambda number=number: house.has_counted(session, number))
    told = await house.history(session)
    # a word that is said now is no answer: it is not folded, and moves nothing
    assert (counting.locked, counting.in_one) == (1, [True] * 3)
    assert [one.version for one in told] == list(range(1, len(told) + 1))
    assert [one.recorded_at for one in told] == sorted(one.recorded_at for one in told)


@on_both
async def test_an_answer_that_somebody_else_has_given_meanwhile_counts(rig: Rig, monkeypatch) -> None:
    """The state that was decided with is forgotten, and of this session nothing is believed any more."""
    house, elsewhere = House(rig), Decider(House(rig).decides, rig.ledger)
    counting = Counting(rig, monkeypatch)
    first = await rig.say("fine")
    session = first.session_id
    async with running(house.worker.run()):
        await until(lambda: house.has_counted(session, 1))
        given = fact(RunCompleted())
        await elsewhere.record("elsewhere", [(first, first.event, append(session, given))])
        await until(lambda: house.has_counted(session, 2))
        for number in (3, 4):
            await rig.say("fine", session=session)
            await until(lambda number=number: house.has_counted(session, number))
    assert counting.in_one == [False]
    assert counting.locked == 4
