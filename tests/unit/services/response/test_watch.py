"""What the watch does about stuck runs: once more, once more, once more, and then the reason."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID, uuid4

import pytest

from backbone import packs
from backbone.ledger.port import Append, Appended, Decision, Fact
from backbone.liveness.view import State
from contracts.errors import Code
from contracts.gateway import FeedbackGiven, RunControl
from contracts.response import ResponseOutput, RunFailed
from contracts.shape import Event
from services.response.watch import Watch
from tests.fakes.ledger import MemoryLedger
from tests.unit.backbone.runs_told import APPROVED, SAID, STARTED, UNDERSTOOD, asked, at, control, dispatched, planned

CATALOGUE = packs.load(("bench",))
AT_WORK = (SAID, UNDERSTOOD, planned(), APPROVED, STARTED)


class Story:
    """A ledger, a watch, and a clock that the test turns."""

    def __init__(self, ledger: MemoryLedger | None = None) -> None:
        self.now = at(0)
        self.ledger = ledger or MemoryLedger()
        self.ledger.clock = lambda: self.now
        self.watch = Watch(self.ledger, CATALOGUE)
        self.session = uuid4()

    async def tell(self, *events: Event, run: UUID, route: str = "") -> None:
        facts = tuple(Fact(event, uuid4(), run, run, None, route=route) for event in events)
        await self.ledger.append("gateway", "test", [Append(self.session, uuid4(), facts)])

    async def look(self, seconds: float) -> dict[State, int]:
        self.now = at(seconds)
        return {state: count for state, count in (await self.watch.look(self.now)).items() if count}

    async def types(self, run: UUID) -> list[str]:
        return [message.type for message in await self.ledger.read(self.session) if message.run_id == run]

    def sent(self) -> list[str]:
        return [asked.message.type for asked in self.ledger.resend_requests.values()]


async def until_parked(story: Story) -> None:
    for seconds in (31, 62, 183, 784):
        await story.look(seconds)


async def test_a_run_that_moves_is_left_alone() -> None:
    story, run = Story(), uuid4()
    await story.tell(SAID, run=run)
    assert await story.look(29) == {State.MOVING: 1}
    assert await story.look(30) == {State.MOVING: 1}
    assert story.sent() == []


async def test_the_message_that_nobody_handled_is_sent_three_times_and_then_the_run_ends_with_its_reason() -> None:
    story, run = Story(), uuid4()
    await story.tell(SAID, UNDERSTOOD, run=run)
    for seconds, sent in ((31, 1), (50, 1), (62, 2), (100, 2), (183, 3), (782, 3)):
        assert await story.look(seconds) == {State.STUCK: 1}
        assert story.sent() == ["CognitiveOutput"] * sent
    assert await story.types(run) == ["MessageReceived", "CognitiveOutput"]
    await story.look(784)
    *_, told, failed = [message.event for message in await story.ledger.read(story.session)]
    assert isinstance(told, ResponseOutput)
    assert isinstance(failed, RunFailed)
    assert (failed.error.code, told.language, told.text) == (Code.RUN_STUCK, "ko", failed.error.message)
    assert failed.error.detail == {
        "actor": "planning",
        "what": "plan",
        "since": at(0).isoformat(),
        "last_event": "CognitiveOutput",
    }
    assert await story.look(2000) == {}


async def test_a_todo_that_no_executor_takes_ends_its_run_with_the_route_and_the_setting() -> None:
    story, run = Story(), uuid4()
    await story.tell(*AT_WORK, run=run)
    await story.tell(dispatched(), run=run, route="video")
    assert await story.look(90) == {State.MOVING: 1}
    for seconds in (91, 122, 243, 844):
        await story.look(seconds)
    failed = (await story.ledger.read(story.session))[-1].event
    assert isinstance(failed, RunFailed)
    assert (failed.error.detail["route"], failed.error.detail["setting"]) == ("video", "DREAM_EXECUTORS")
    assert "video" in failed.error.message


@pytest.mark.parametrize("waiting", [asked(deadline=10**6), control(RunControl.PAUSE)], ids=["a question", "a pause"])
async def test_a_run_that_waits_for_a_person_is_never_touched(waiting: Event) -> None:
    story, run = Story(), uuid4()
    await story.tell(*AT_WORK, dispatched(), waiting, run=run)
    await until_parked(story)
    assert await story.look(100_000) in ({State.WAITING: 1}, {State.PAUSED: 1})
    assert (story.sent(), (await story.types(run))[-1]) == ([], type(waiting).__name__)


async def test_a_run_that_moves_after_it_was_helped_gets_all_its_chances_again() -> None:
    story, run = Story(), uuid4()
    await story.tell(SAID, run=run)
    await story.look(31)
    await story.look(62)
    await story.tell(UNDERSTOOD, run=run)
    assert await story.look(70) == {State.MOVING: 1}
    await story.look(93)
    assert story.sent() == ["MessageReceived", "MessageReceived", "CognitiveOutput"]


class Overtaken(MemoryLedger):
    """Somebody else's event comes between the look and the lock."""

    async def decide(
        self,
        producer: str,
        consumer: str,
        after: Mapping[UUID, int],
        types: frozenset[str],
        causes: Sequence[UUID],
        decision: Decision,
    ) -> list[Appended]:
        (session,) = after
        late = Fact(FeedbackGiven(about="answer"), uuid4(), None, uuid4(), None)
        await self.append("gateway", "test", [Append(session, uuid4(), (late,))])
        return await super().decide(producer, consumer, after, types, causes, decision)


async def test_a_run_whose_stream_has_moved_on_meanwhile_is_not_parked() -> None:
    story, run = Story(Overtaken()), uuid4()
    await story.tell(SAID, run=run)
    await until_parked(story)
    assert await story.types(run) == ["MessageReceived"]


async def test_two_watches_end_a_run_once() -> None:
    story, run = Story(), uuid4()
    await story.tell(SAID, run=run)
    other = Watch(story.ledger, CATALOGUE)
    for seconds in (31, 62, 183, 784, 785):
        moment: datetime = at(seconds)
        await story.watch.look(moment)
        await other.look(moment)
    assert (await story.types(run)).count("RunFailed") == 1
