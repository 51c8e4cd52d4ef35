"""The bus is a courier, not a witness: what it brings is believed only if the ledger has it, word for word."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, timedelta
from uuid import UUID, uuid4

import pytest
from prometheus_client import REGISTRY

from backbone.ledger.port import Evidence
from backbone.relay import Relay
from backbone.runner import intake
from backbone.runner.decisions import DecisionRunner
from backbone.runner.handlers import DecisionHandler, Outcome, Recorded, Takes, WorkHandler, always, emit, never
from backbone.runner.work import WorkRunner
from backbone.witness import Relayed, Witness, evidence_of
from contracts import subjects
from contracts.envelope import Message, to_headers
from contracts.errors import Code
from contracts.planning import PlanRejected
from tests.conformance.facts import PRODUCER, append, fact, message, note
from tests.conformance.harness import Rig, running, until
from tests.fakes.ledger import MemoryLedger

on_both = pytest.mark.parametrize("rig", ["memory", "real"], indirect=True)
kinds = pytest.mark.parametrize("kind", ["decides", "works", "works without effects"])
TAKES = (Takes(PRODUCER, "FeedbackGiven"),)
Forgery = tuple[str, Mapping[str, str], bytes]


def sent(message: Message, body: bytes | None = None, **headers: str) -> Forgery:
    """The message as it is delivered, with some of it changed."""
    changed = to_headers(message) | {name.replace("_", "-"): value for name, value in headers.items()}
    session, producer = changed["ce-subject"], changed["ce-source"].removeprefix("/dream/")
    partition = subjects.event(message.session_id, producer, message.type).split(".")[1]
    return f"evt.{partition}.{session}.{producer}.{message.type}", changed, message.data if body is None else body


def an_hour_before(message: Message) -> str:
    return (message.recorded_at - timedelta(hours=1)).astimezone(UTC).isoformat()


FORGED: dict[str, Callable[[Message, Message], Forgery]] = {
    # what it is -> the forgery, of a true message and another true one
    "an id of its own at the place of another": lambda m, _: sent(m, ce_id=str(uuid4())),
    "an id of its own beyond the head": lambda m, _: sent(m, ce_id=str(uuid4()), ce_streamversion="2"),
    "before the first version": lambda m, _: sent(m, ce_streamversion="0"),
    "a version that no stream reaches": lambda m, _: sent(m, ce_streamversion="99999999999999999999"),
    "a session that nobody opened": lambda m, _: sent(m, ce_subject=str(uuid4())),
    "a true id in another true session": lambda m, other: sent(m, ce_subject=str(other.session_id)),
    "a true id with another body": lambda m, _: sent(m, b'{"about":"answer","comment":"pay"}'),
    "a true id with the body of another": lambda m, other: sent(m, other.data),
    "a true event of another run": lambda m, _: sent(m, ce_runid=str(uuid4())),
    "a true event with another cause": lambda m, _: sent(m, ce_causationid=str(uuid4())),
    "a true event of another conversation": lambda m, _: sent(m, ce_correlationid=str(uuid4())),
    "a true event of another time": lambda m, _: sent(m, ce_time=an_hour_before(m)),
    "a true event on another partition": lambda m, _: (
        f"evt.77.{m.session_id}.{PRODUCER}.{m.type}", to_headers(m), m.data
    ),
    "a true event for another route": lambda m, _: sent(m, ce_route="elsewhere"),
}  # fmt: skip


class Reader:
    """A handler of a kind, and the comments that it was shown."""

    def __init__(self, rig: Rig, kind: str, witness: Witness | None = None) -> None:
        self.shown: list[str] = []
        self.runner: DecisionRunner | WorkRunner
        if kind == "decides":
            handler: DecisionHandler[None] = DecisionHandler(
                "reader", "planning", TAKES, frozenset(), lambda: None, lambda state, seen: None, self.decide
            )
            self.runner = DecisionRunner(handler, rig.ledger, rig.bus, 5.0, witness)
        else:
            work = WorkHandler(
                "reader", "planning", TAKES, self.work, lambda message, event, error: emit(),
                effectless=always if kind == "works without effects" else never,
            )  # fmt: skip
            self.runner = WorkRunner(work, rig.ledger, rig.bus, 5.0, witness=witness)

    def decide(self, state: None, message: Recorded) -> Outcome:
        return self.answer(message.event)

    async def work(self, message: Message, event: object, record: object) -> Outcome:
        return self.answer(event)

    def answer(self, event: object) -> Outcome:
        comment = str(getattr(event, "comment", ""))
        self.shown.append(comment)
        if comment == "nothing follows":
            return emit()
        return emit(PlanRejected(plan_id=uuid4(), plan_version=1, final=True, reason=comment))


async def believed(rig: Rig, messages: Sequence[Message]) -> list[str]:
    """The comments that something was recorded about, in the sessions of these messages."""
    found = []
    for session in {one.session_id for one in messages}:
        found += [answer.reason for answer in await rig.recorded(session, "PlanRejected")]
    return sorted(found)


@on_both
@kinds
async def test_no_forgery_is_believed_and_each_is_a_dead_letter(rig: Rig, kind: str) -> None:
    reader = Reader(rig, kind)
    true = [(await rig.tell(note(name), run=uuid4()), await rig.say(f"beside {name}")) for name in FORGED]
    for pair, forge in zip(true, FORGED.values(), strict=True):
        await rig.put(*forge(*pair))
    last = await rig.say("the last")
    async with running(reader.runner.run()):
        for message in [*(one for pair in true for one in pair), last]:
            await until(lambda message=message: rig.recorded(message.session_id, "PlanRejected"))

        async def all_buried() -> bool:
            return len(await rig.codes()) == len(FORGED)

        await until(all_buried)
    everything = [*(one for pair in true for one in pair), last]
    assert await believed(rig, everything) == sorted([*FORGED, *(f"beside {name}" for name in FORGED), "the last"])
    assert kind != "works" or "pay" not in reader.shown
    assert set(await rig.codes()) == {Code.MESSAGE_NOT_IN_LEDGER}
    assert await rig.ledger.verify() == {}


@kinds
async def test_what_a_relay_of_this_process_has_read_is_not_asked_for(
    rig: Rig, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(rig.ledger, MemoryLedger)
    relayed = Relayed()
    reader = Reader(rig, kind, Witness(rig.ledger, relayed))
    relay = Relay(rig.ledger, rig.bus, PRODUCER, relayed)
    await relay.start()
    asked: list[object] = []
    at = MemoryLedger.at

    async def counted(self: MemoryLedger, places):
        asked.extend(places)
        return await at(self, places)

    monkeypatch.setattr(MemoryLedger, "at", counted)
    async with running(relay.run(), reader.runner.run()):
        for number in range(3):
            await rig.ledger.append(PRODUCER, "test", [append(uuid4(), fact(note(str(number))))])
        await until(lambda: len(reader.shown) == 3)
        assert asked == []
        victim = rig.ledger.rows[0].message
        await rig.put(*sent(victim, b'{"about":"answer","comment":"another"}'))
        await until(rig.codes)
    assert asked == [(victim.session_id, victim.version)]
    assert "another" not in await believed(rig, [victim])


@on_both
@kinds
async def test_a_forgery_that_leads_to_nothing_is_a_dead_letter_too(rig: Rig, kind: str) -> None:
    reader = Reader(rig, kind)
    true, beside = await rig.say("nothing follows"), await rig.say("true")
    await rig.put(*sent(beside, ce_id=str(uuid4()), body=true.data))
    async with running(reader.runner.run()):
        await until(lambda: rig.recorded(beside.session_id, "PlanRejected"))
        await until(rig.codes)
    assert await rig.codes() == [Code.MESSAGE_NOT_IN_LEDGER]


@on_both
@pytest.mark.parametrize("kind", ["decides", "works without effects"])
async def test_true_messages_cost_no_look_of_their_own_until_somebody_lies(
    rig: Rig, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = Reader(rig, kind)
    asked: list[UUID] = []
    confirm = Witness.confirm

    async def counted(self: Witness, claims):
        asked.extend(message.event_id for _, message in claims)
        return await confirm(self, claims)

    monkeypatch.setattr(Witness, "confirm", counted)
    true = [await rig.say(f"true {number}") for number in range(5)]
    async with running(reader.runner.run()):
        for message in true:
            await until(lambda message=message: rig.recorded(message.session_id, "PlanRejected"))
        assert asked == []
        forged = uuid4()
        await rig.put(*sent(true[0], b'{"about":"answer","comment":"pay"}', ce_id=str(forged)))
        await until(rig.codes)
        assert asked == [forged]
        after = await rig.say("after")
        await until(lambda: rig.recorded(after.session_id, "PlanRejected"))
    assert asked == [forged, after.event_id]
    assert "pay" not in await believed(rig, true)


async def test_work_that_has_effects_for_some_messages_is_shown_no_forgery_of_these(rig: Rig) -> None:
    reader = Reader(rig, "works without effects")
    handler = reader.runner._handler
    assert isinstance(handler, WorkHandler)
    some = replace(handler, effectless=lambda _, event: "file" not in getattr(event, "comment", ""))
    first, second = await rig.say("true"), await rig.say("a file")
    await rig.put(*sent(second, b'{"about":"answer","comment":"a file to look at"}', ce_id=str(uuid4())))
    async with running(WorkRunner(some, rig.ledger, rig.bus, 5.0).run()):
        for one in (first, second):
            await until(lambda one=one: rig.recorded(one.session_id, "PlanRejected"))
        await until(rig.codes)
    assert sorted(reader.shown) == ["a file", "true"]
    assert await rig.codes() == [Code.MESSAGE_NOT_IN_LEDGER]


@kinds
async def test_a_lie_among_true_messages_costs_none_of_them_its_answer(rig: Rig, kind: str) -> None:
    reader = Reader(rig, kind)
    true = [await rig.say(f"true {number}") for number in range(8)]
    await rig.put(*sent(true[3], ce_id=str(uuid4())))
    more = [await rig.say(f"more {number}") for number in range(8)]
    async with running(reader.runner.run()):
        for message in (*true, *more):
            await until(lambda message=message: rig.recorded(message.session_id, "PlanRejected"))
        await until(rig.codes)
    assert len(await believed(rig, [*true, *more])) == 16
    assert await rig.codes() == [Code.MESSAGE_NOT_IN_LEDGER]


async def test_a_decision_folds_what_the_ledger_has_and_not_what_a_message_says_that_it_has(rig: Rig) -> None:
    folded: list[str] = []

    def evolve(state: None, seen: Recorded) -> None:
        folded.append(str(getattr(seen.event, "comment", "")))

    handler: DecisionHandler[None] = DecisionHandler(
        "reader", "planning", TAKES, frozenset({"FeedbackGiven"}), lambda: None, evolve, lambda state, seen: emit()
    )
    true = await rig.tell(note("true"))
    await rig.put(*sent(true, b'{"about":"answer","comment":"pay"}'))
    async with running(DecisionRunner(handler, rig.ledger, rig.bus, 5.0).run()):
        await until(rig.codes)
    assert set(folded) == {"true"}


def test_what_is_remembered_is_bounded() -> None:
    some = [message("x" * 50) for _ in range(20)]
    few = Relayed(messages=5)
    few.add(some)
    small = Relayed(size=3 * len(some[0].data))
    small.add(some)
    for relayed, left in ((few, 5), (small, 3)):
        known = [one for one in some if relayed.find(sent(one)[0], to_headers(one), one.data)]
        assert known == some[-left:]


@kinds
async def test_a_true_message_waits_for_a_ledger_that_is_away(rig: Rig, kind: str) -> None:
    assert isinstance(rig.ledger, MemoryLedger)
    reader = Reader(rig, kind)
    asked = await rig.say("true")
    rig.ledger.up = False
    async with running(reader.runner.run()):
        await asyncio.sleep(0.3)
        rig.ledger.up = True
        await until(lambda: rig.recorded(asked.session_id, "PlanRejected"))
    assert await rig.codes() == []


@kinds
async def test_a_flood_of_strangers_is_counted_and_summed_up_in_one_line(
    rig: Rig, kind: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(intake, "MINUTE", 0.5)
    reader = Reader(rig, kind)
    true = await rig.say("true")
    before = _passed_over()
    for _ in range(130):
        await rig.put(*sent(true, ce_id=str(uuid4())))
    async with running(reader.runner.run()):
        with caplog.at_level(logging.ERROR):
            await until(lambda: any("were dropped" in record.message for record in caplog.records))
    letters = len(await rig.codes())
    assert intake.STRANGERS <= letters < 130
    assert _passed_over() - before == 130 - letters
    assert len([record for record in caplog.records if "were dropped" in record.message]) <= 2


async def test_what_the_ledger_has_is_buried_whole_however_many_strangers_came(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "STRANGERS", 0)
    reader = Reader(rig, "works")
    await rig.put(*sent(await rig.say("true"), ce_id=str(uuid4())))
    # recorded by a program of tomorrow: nobody here can read it, but it must not get lost
    assert isinstance(rig.ledger, MemoryLedger)
    tomorrow = await rig.say("tomorrow")
    rig.ledger.tamper(tomorrow.session_id, 1, b'{"about":"answer","mood":"sunny"}')
    (kept,) = await rig.ledger.read(tomorrow.session_id)
    await rig.put(*sent(kept))
    async with running(reader.runner.run()):
        await until(rig.codes)
        await until(lambda: reader.shown == ["true"])
    assert await rig.codes() == [Code.MESSAGE_UNREADABLE]


@kinds
async def test_a_message_that_nobody_foresaw_stands_in_nobody_s_way(
    rig: Rig, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "retry_delay", lambda attempt: 0.01)
    reader = Reader(rig, kind)
    good = [await rig.say(f"good {number}") for number in range(3)]
    bad = await rig.say("bad")
    confirm = Witness.confirm

    async def stumbles(self: Witness, claims):
        if any(message.event_id == bad.event_id for _, message in claims):
            raise ArithmeticError("nobody foresaw this")
        return await confirm(self, claims)

    def stumbles_too(message: Message) -> Evidence:
        if message.event_id == bad.event_id:
            raise ArithmeticError("nobody foresaw this either")
        return evidence_of(message)

    monkeypatch.setattr(Witness, "confirm", stumbles)
    monkeypatch.setattr(intake, "evidence_of", stumbles_too)
    async with running(reader.runner.run()):
        for message in [*good, await rig.say("after")]:
            await until(lambda message=message: rig.recorded(message.session_id, "PlanRejected"))
        await until(rig.codes)
    assert await rig.codes() == [Code.INTERNAL]
    assert "bad" not in reader.shown


@on_both
@kinds
@pytest.mark.parametrize("time", ["2026-03-04T05:06:07", "2026-03-04", "2026-03-04T05:06:07.000001"])
async def test_a_time_without_an_offset_harms_only_its_message(rig: Rig, kind: str, time: str) -> None:
    reader = Reader(rig, kind)
    await rig.put(*sent(await rig.say("true"), ce_id=str(uuid4()), ce_time=time))
    after = await rig.say("after")
    async with running(reader.runner.run()):
        await until(lambda: rig.recorded(after.session_id, "PlanRejected"))
        await until(rig.codes)
    assert await rig.codes() == [Code.MESSAGE_UNREADABLE]


def _passed_over() -> float:
    labels = {"handler": "reader", "code": str(int(Code.MESSAGE_NOT_IN_LEDGER))}
    return REGISTRY.get_sample_value("dream_dead_letters_passed_over_total", labels) or 0.0
