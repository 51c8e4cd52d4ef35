"""Law: whatever happens in between, a runner's cached state is what a fresh fold of the ledger gives, and so is what it
has kept of it."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from unittest.mock import patch
from uuid import UUID, uuid5

from hypothesis import given, settings
from hypothesis import strategies as st

from backbone.runner import deciding, decisions
from backbone.runner.deciding import Decider
from backbone.runner.decisions import DecisionRunner
from backbone.runner.handlers import DecisionHandler, Outcome, Recorded, Takes, append_of, consumer_spec, emit
from contracts import subjects
from contracts.envelope import Message
from contracts.gateway import FeedbackGiven
from contracts.timers import ReminderDue
from tests.conformance.facts import PRODUCER, append, fact, note
from tests.conformance.harness import Rig
from tests.fakes.bus import MemoryBus
from tests.fakes.ledger import MemoryLedger

SESSIONS = [UUID(int=n) for n in range(1, 4)]
FOLDS = frozenset({"FeedbackGiven", "ReminderDue"})


@dataclass(slots=True)
class State:
    """The events that were folded."""

    told: tuple[tuple[str, UUID, datetime], ...] = ()


steps = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.sampled_from(SESSIONS), st.sampled_from(["fine", "twice", "bad"])),
        st.tuples(st.just("repeat"), st.sampled_from(SESSIONS), st.just("")),
        st.tuples(st.just("other"), st.sampled_from(SESSIONS), st.just("")),
        st.tuples(st.just("drain"), st.sampled_from(SESSIONS), st.just("")),
        st.tuples(st.just("work"), st.sampled_from(SESSIONS), st.sampled_from(["fine", "twice", "bad"])),
        st.tuples(st.just("forget"), st.sampled_from(SESSIONS), st.just("")),
    ),
    max_size=25,
)


def evolve(state: State, seen: Recorded) -> State:
    return State((*state.told, (type(seen.event).__name__, seen.event_id, seen.at)))


def decide(state: State, message: Recorded) -> Outcome:
    assert isinstance(message.event, FeedbackGiven)
    word = message.event.comment
    if word == "bad":
        raise ZeroDivisionError
    answers = (
        ReminderDue(reminder_id=uuid5(message.event_id, str(n)), text=str(len(state.told)), due_at=message.at)
        for n in (1, 2)
    )
    return emit(*list(answers)[: 2 if word == "twice" else 1])


def handler() -> DecisionHandler[State]:
    return DecisionHandler(
        "desk", "planning", (Takes(PRODUCER, "FeedbackGiven"),), FOLDS, State, evolve, decide, lambda _: True,
        settles=frozenset({"FeedbackGiven"}),
    )  # fmt: skip


def ticking() -> Iterator[datetime]:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    while True:
        yield now
        now += timedelta(milliseconds=7)


def folded(messages: list[Message]) -> State:
    state = State()
    for message in messages:
        if message.type in FOLDS:
            state = evolve(state, Recorded(message.event, message.event_id, message.run_id, message.recorded_at))
    return state


@given(steps)
@settings(max_examples=60)
def test_cached_states_equal_fresh_folds(history: list[tuple[str, UUID, str]]) -> None:
    with patch.object(deciding, "EVERY", 2):
        asyncio.run(lives_through(history))


async def lives_through(history: list[tuple[str, UUID, str]]) -> None:
    clock = ticking()
    bus = MemoryBus()
    rig = Rig(MemoryLedger(clock=lambda: next(clock)), bus, bus.put)
    decider = Decider(handler(), rig.ledger)
    runner = DecisionRunner(decider.handler, rig.ledger, bus, 5.0, decider=decider)
    subscription = await bus.subscribe(consumer_spec(handler(), 60.0), 64)
    said: dict[UUID, Message] = {}
    for step, session, word in [*history, ("drain", SESSIONS[0], "")]:
        match step:
            case "say":
                said[session] = await rig.say(word, session=session)
            case "repeat" if session in said:
                await rig.repeat(said[session], subjects.event(session, PRODUCER, "FeedbackGiven"))
            case "other":
                other = ReminderDue.model_validate(ReminderDue.example)
                await rig.ledger.append("timers", "test", [append(session, fact(other))])
            case "drain" if waiting := subscription._take(decisions.BATCH):
                await runner._settle(waiting)
            case "work" if session in said:
                asked = said[session]
                answer = append_of(asked, "worker", emit(note(word)))
                with suppress(ZeroDivisionError):
                    await decider.record("worker", [(asked, asked.event, answer)])
            case "forget":
                decider.forget(session)
        for known, cached in decider._states.items():
            assert cached.state == folded(await rig.ledger.read(known, limit=cached.version))
    assert isinstance(rig.ledger, MemoryLedger)
    for (session, _), (_, kept) in rig.ledger._snapshots.items():
        state = deciding.adapter_of(decider.handler).validate_json(kept.state)
        assert state == folded(await rig.ledger.read(session, limit=kept.version))
    for session in SESSIONS:
        answers = [message.event_id for message in await rig.ledger.read(session) if message.type == "ReminderDue"]
        assert len(answers) == len(set(answers))
