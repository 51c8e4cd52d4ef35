"""A message that nobody can read harms only itself, and says why among the dead letters."""

from collections.abc import Callable, Mapping
from uuid import uuid4

import pytest

from backbone.runner.decisions import DecisionRunner
from backbone.runner.handlers import DecisionHandler, Outcome, Recorded, Takes, WorkHandler, emit
from backbone.runner.work import WorkRunner
from contracts import subjects
from contracts.envelope import Message, to_headers
from contracts.errors import Code
from contracts.planning import PlanRejected
from tests.conformance.facts import PRODUCER
from tests.conformance.harness import Rig, running, until

TAKES = (Takes(PRODUCER, "FeedbackGiven"), Takes(PRODUCER, "Nonsense"))
ANSWER = PlanRejected(plan_id=uuid4(), plan_version=1, final=True)
Forgery = tuple[str, Mapping[str, str], bytes]


def subject_of(message: Message, type_: str = "FeedbackGiven") -> str:
    return subjects.event(message.session_id, PRODUCER, type_)


def with_headers(message: Message, **changes: str) -> dict[str, str]:
    return to_headers(message) | {name.replace("_", "-"): value for name, value in changes.items()}


FORGERIES: dict[str, tuple[Code, Callable[[Message], Forgery]]] = {
    "a body that is no JSON": (Code.MESSAGE_UNREADABLE, lambda m: (subject_of(m), to_headers(m), b"{")),
    "a field that nobody knows": (
        Code.MESSAGE_UNREADABLE,
        lambda m: (subject_of(m), to_headers(m), b'{"about":"answer","x":1}'),
    ),
    "an unknown type": (
        Code.MESSAGE_TYPE_UNKNOWN,
        lambda m: (subject_of(m, "Nonsense"), with_headers(m, ce_type="Nonsense"), m.data),
    ),
    "a version of tomorrow": (
        Code.MESSAGE_VERSION_UNKNOWN,
        lambda m: (subject_of(m), with_headers(m, ce_dataversion="99"), m.data),
    ),
    "the subject of another session": (
        Code.MESSAGE_UNREADABLE,
        lambda m: (subjects.event(uuid4(), PRODUCER, m.type), to_headers(m), m.data),
    ),
    "no headers": (Code.MESSAGE_UNREADABLE, lambda m: (subject_of(m), {}, m.data)),
    "an id that is none": (Code.MESSAGE_UNREADABLE, lambda m: (subject_of(m), with_headers(m, ce_id="7"), m.data)),
    "a header too few": (
        Code.MESSAGE_UNREADABLE,
        lambda m: (subject_of(m), {k: v for k, v in to_headers(m).items() if k != "ce-time"}, m.data),
    ),
}
BEYOND = {
    "a version beyond the head": (
        Code.MESSAGE_NOT_IN_LEDGER,
        lambda m: (subject_of(m), with_headers(m, ce_streamversion="99", ce_id=str(uuid4())), m.data),
    )
}


def deciding(rig: Rig) -> DecisionRunner:
    def evolve(state: None, seen: Recorded) -> None: ...

    def decide(state: None, message: Recorded) -> Outcome:
        return emit(ANSWER)

    handler: DecisionHandler[None] = DecisionHandler(
        "reader", "planning", TAKES, frozenset(), lambda: None, evolve, decide
    )
    return DecisionRunner(handler, rig.ledger, rig.bus, 5.0)


def working(rig: Rig) -> WorkRunner:
    async def handle(message, event, record) -> Outcome:
        return emit(ANSWER)

    return WorkRunner(
        WorkHandler("reader", "planning", TAKES, handle, lambda message, event, error: emit(ANSWER)),
        rig.ledger,
        rig.bus,
        5.0,
    )


@pytest.mark.parametrize("forgery", [*FORGERIES, *BEYOND])
async def test_a_decider_buries_it_and_goes_on(rig: Rig, forgery: str) -> None:
    await buries_it_and_goes_on(rig, deciding(rig), *(FORGERIES | BEYOND)[forgery])


@pytest.mark.parametrize("forgery", FORGERIES)
async def test_a_worker_buries_it_and_goes_on(rig: Rig, forgery: str) -> None:
    await buries_it_and_goes_on(rig, working(rig), *FORGERIES[forgery])


@pytest.mark.parametrize("rig", ["real"], indirect=True)
async def test_on_real_servers_each_is_buried_with_its_code(rig: Rig) -> None:
    victims = [await rig.say(name) for name in FORGERIES | BEYOND]
    for victim, (_, forge) in zip(victims, (FORGERIES | BEYOND).values(), strict=True):
        await rig.put(*forge(victim))
    after = await rig.say("after")
    async with running(deciding(rig).run()):
        for message in (*victims, after):
            await until(lambda message=message: rig.recorded(message.session_id, "PlanRejected"))

        async def all_buried() -> bool:
            return len(await rig.codes()) == len(FORGERIES | BEYOND)

        await until(all_buried)
    assert sorted(await rig.codes()) == sorted(int(code) for code, _ in (FORGERIES | BEYOND).values())


async def buries_it_and_goes_on(
    rig: Rig, runner: DecisionRunner | WorkRunner, code: Code, forge: Callable[[Message], Forgery]
) -> None:
    before = await rig.say("before")
    await rig.put(*forge(before))
    after = await rig.say("after")
    async with running(runner.run()):
        for message in (before, after):
            await until(lambda message=message: rig.recorded(message.session_id, "PlanRejected"))
        await until(rig.codes)
    assert await rig.codes() == [code]
