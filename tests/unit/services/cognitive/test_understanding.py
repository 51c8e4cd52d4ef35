"""Layer 1's handler over a ledger in memory: what is understood, asked, answered, given up."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from backbone.runner.handlers import NOTHING, WorkHandler
from contracts.cognitive import CognitiveInput, CognitiveOutput, Intent, Route
from contracts.decisions import DecisionAnswered, DecisionExpired, DecisionKind, DecisionRequested
from contracts.envelope import Message
from contracts.errors import Code, ErrorInfo
from contracts.gateway import ArtifactUploaded, MessageReceived, RunControl, RunControlRequested, SessionOpened
from contracts.model import ModelCalled, ModelRole
from contracts.packs import CommandSpec, CommandTodo
from contracts.response import RunCompleted
from services.cognitive.clarifier import AmbiguityDetector, Question
from services.cognitive.domain.ambiguity import QuestionKind
from services.cognitive.graph import CognitiveGraph
from services.cognitive.handlers import Understanding
from tests.fakes.ledger import MemoryLedger
from tests.unit.services.catalogues import catalogue
from tests.unit.services.given import NOW, Happened, Working, given_session, named, types
from tests.unit.services.plans import SAID, file
from understanding.offline.adapter import OfflineUnderstander

NOOP = CommandSpec(name="noop", args_schema={}, positional=("n",), todos=(CommandTodo(tool="test.noop"),))
CALLED = ModelCalled(
    role=ModelRole.CLASSIFIER, provider="test", model="m", prompt_id="p@1", prompt_hash="0" * 64, latency_seconds=0
)
TABLE, OTHER = file("file.table", digest="a"), file("file.table", name="b.csv", digest="b")
IMAGE = file("file.image", digest="c")


class Listener:
    """Instead of the graph: keeps what it was given, and asks as long as it is told to."""

    def __init__(self, asks: int = 0) -> None:
        self.asks = asks
        self.given: list[CognitiveInput] = []
        self.asked: list[QuestionKind] = []

    async def understand(self, given: CognitiveInput, now: Any, asked: Any) -> Any:
        self.given.append(given)
        self.asked = list(asked)
        question = None
        if len(self.asked) < self.asks:
            question = Question(QuestionKind.FILE, "어느 파일인가요?", (), {}, {"question": "file"})
        output = CognitiveOutput(
            text=given.text, language="ko", intent=Intent(domain="ANALYSIS", confidence=1), route=Route.PLAN,
            attachments=given.attachments, requires_clarification=question is not None,
        )  # fmt: skip
        return output, question, (CALLED,)

    @property
    def last(self) -> CognitiveInput:
        return self.given[-1]


def layer(graph: Any) -> Callable[[MemoryLedger], WorkHandler]:
    async def ready() -> Any:
        return graph

    def make(ledger: MemoryLedger) -> WorkHandler:
        waiting = asyncio.ensure_future(ready()) if graph is not None else None
        return Understanding(waiting, {"noop": NOOP}, catalogue(), ledger, 60).handler()

    return make


async def hears(listener: Any, message: Any, *history: Any) -> Happened:
    return await (await given_session(layer(listener), SessionOpened(), *history)).when(message)


def answer(**said: Any) -> DecisionAnswered:
    return DecisionAnswered(decision_id=named("d"), kind=DecisionKind.CLARIFY, answer=said, answered_by="anonymous")


class Counted(MemoryLedger):
    """Counts what is read of it."""

    rows_read = 0

    async def find(self, *args: Any, **how: Any) -> list[Message]:
        return self._count(await super().find(*args, **how))

    async def read(self, *args: Any, **how: Any) -> list[Message]:
        return self._count(await super().read(*args, **how))

    async def latest(self, *args: Any, **how: Any) -> list[Message]:
        return self._count(await super().latest(*args, **how))

    async def brought(self, *args: Any, **how: Any) -> list[Message]:
        return self._count(await super().brought(*args, **how))

    def _count(self, found: list[Message]) -> list[Message]:
        self.rows_read += len(found)
        return found


async def test_the_files_of_a_session_cost_the_same_after_520_turns_as_after_20():
    costs = []
    for turns in (20, 520):
        listener = Listener()
        ledger = Counted(clock=lambda: NOW)
        working = Working(layer(listener), ledger)
        await working.record(SessionOpened())
        # brought at the beginning, without an upload into the session
        await working.record(MessageReceived(text="이걸 봐줘", attachments=(TABLE,)), named("first"))
        for turn in range(turns):
            await working.record(MessageReceived(text="그래"), named(f"turn {turn}"))
        ledger.rows_read = 0
        await working.when(MessageReceived(text="분석해줘"))
        assert listener.last.attachments == (TABLE,)
        costs.append(ledger.rows_read)
    assert costs[0] == costs[1] <= 5


def plan_asked() -> DecisionRequested:
    return DecisionRequested(
        decision_id=named("p"), kind=DecisionKind.PLAN, question="?", language="ko", answer_schema={},
        deadline=NOW + timedelta(hours=1),
    )  # fmt: skip


async def after_a_plan(listener: Listener, *between: tuple[Any, str]) -> tuple[CognitiveOutput, Happened]:
    working = Working(layer(listener), MemoryLedger(clock=lambda: NOW))
    await working.record(SessionOpened())
    await working.record(MessageReceived(text="대시보드  만들어줘"), named("plan run"))
    await working.record(plan_asked(), named("plan run"))
    for event, run in between:
        await working.record(event, named(run))
    happened = await working.when(MessageReceived(text="부산 날씨 어때"))
    return happened.only(CognitiveOutput), happened


async def test_a_plan_that_a_message_does_not_answer_is_said_to_wait_once():
    output, _ = await after_a_plan(Listener())
    assert "대시보드 만들어줘" in output.left_plan
    assert "기다리고" in output.left_plan
    other = (MessageReceived(text="잔액 얼마야?"), "other"), (RunCompleted(), "other")
    assert (await after_a_plan(Listener(), *other))[0].left_plan == "", "it was said with that answer"


async def test_a_plan_that_a_message_has_closed_is_said_to_be_closed_also_with_a_question():
    closed = RunControlRequested(control=RunControl.CANCEL, reason="")
    output, happened = await after_a_plan(Listener(asks=1), (closed, "plan run"))
    assert "대시보드 만들어줘" in output.left_plan
    assert "닫았어요" in output.left_plan
    assert output.left_plan in happened.only(DecisionRequested).question


async def test_a_message_is_understood_and_the_models_work_recorded():
    happened = await hears(Listener(), MessageReceived(text="분석해줘", auto_approve=True))
    happened.then_types(ModelCalled, CognitiveOutput)
    assert happened.only(CognitiveOutput).auto_approve


async def test_a_command_needs_no_model():
    listener = Listener()
    happened = await hears(listener, MessageReceived(text="/noop 8"))
    happened.then_types(CognitiveOutput)
    assert listener.given == []


async def test_a_question_has_a_deadline_and_is_asked_once():
    happened = await hears(Listener(asks=1), SAID)
    happened.then_types(ModelCalled, CognitiveOutput, DecisionRequested)
    question = happened.only(DecisionRequested)
    assert (question.kind, question.question) == (DecisionKind.CLARIFY, "어느 파일인가요?")
    (timer,) = happened.outcome.timers
    assert (timer.timer_id, timer.due_at) == (question.decision_id, question.deadline)
    assert isinstance(timer.event, DecisionExpired)
    assert (timer.event.decision_id, timer.event.default) == (question.decision_id, None)


async def clarified(listener: Listener, *answers: DecisionAnswered, before: tuple[Any, ...] = ()) -> Working:
    session = await given_session(layer(listener), SessionOpened(), *before)
    await session.when(MessageReceived(text="분석해줘", language="ko"))
    for one in answers:
        await session.when(one)
    return session


async def test_an_answer_continues_the_run_with_all_that_was_said():
    listener = Listener(asks=2)
    await clarified(listener, answer(text="감성"), answer(choice="ANALYSIS.sentiment", text="지난달"))
    assert listener.last.text == "분석해줘"
    assert listener.last.answers == ("감성", "ANALYSIS.sentiment", "지난달")
    assert listener.asked == [QuestionKind.FILE, QuestionKind.FILE]


async def test_a_file_that_answers_a_question_is_there_for_this_run_and_the_next_ones():
    listener = Listener(asks=1)
    session = await clarified(listener, answer(attachments=[TABLE.model_dump(mode="json")]))
    assert listener.last.attachments == (TABLE,)
    assert listener.last.answers == ("",)  # a round without words
    listener.asks = 0
    await session.when(MessageReceived(text="이제 트렌드도"), named("next run"))
    assert listener.last.attachments == (TABLE,)


async def test_a_file_may_be_named_by_the_id_of_what_was_uploaded():
    listener = Listener(asks=1)
    uploads = (ArtifactUploaded(attachment=TABLE), ArtifactUploaded(attachment=OTHER))
    await clarified(listener, answer(attachments=["a" * 64, "f" * 64]), before=uploads)
    assert listener.last.attachments == (TABLE,)


async def test_a_file_that_was_uploaded_just_before_somebody_spoke_came_with_what_they_say():
    listener = Listener()
    session = await given_session(layer(listener), SessionOpened(), ArtifactUploaded(attachment=TABLE))
    for run, came in (("first", True), ("second", False)):
        await session.when(MessageReceived(text="x"), named(run))
        assert [one.now for one in listener.last.context.files] == [came], run


async def test_an_answer_that_is_words_alone_goes_with_what_the_session_has():
    listener = Listener(asks=1)
    await clarified(listener, answer(text="올린 것으로"), before=(ArtifactUploaded(attachment=TABLE),))
    assert listener.last.attachments == (TABLE,)


@pytest.mark.parametrize(
    ("message", "history", "expected"),
    [
        (MessageReceived(text="x"), (), ()),
        (MessageReceived(text="x", attachments=(IMAGE,)), (ArtifactUploaded(attachment=TABLE),), (IMAGE,)),
        (MessageReceived(text="x", attachments=(IMAGE, IMAGE)), (), (IMAGE,)),
        (MessageReceived(text="x"), (ArtifactUploaded(attachment=TABLE),), (TABLE,)),
        # who names a web address means that one, not what lies about from before
        (MessageReceived(text="https://shop.example/r.csv"), (ArtifactUploaded(attachment=TABLE),), ()),
        (
            MessageReceived(text="http://a.example", attachments=(IMAGE,)),
            (ArtifactUploaded(attachment=TABLE),),
            (IMAGE,),
        ),
        (MessageReceived(text="x"), (MessageReceived(text="y", attachments=(TABLE,)),), (TABLE,)),
        (
            MessageReceived(text="x"),
            (
                ArtifactUploaded(attachment=TABLE),
                ArtifactUploaded(attachment=IMAGE),
                ArtifactUploaded(attachment=OTHER),
            ),
            (OTHER, IMAGE),
        ),
        (
            MessageReceived(text="x"),
            (
                ArtifactUploaded(attachment=TABLE),
                ArtifactUploaded(attachment=OTHER),
                ArtifactUploaded(attachment=TABLE),
            ),
            (TABLE,),
        ),
    ],
    ids=[
        "none",
        "its own",
        "doubled",
        "uploaded",
        "on the web",
        "its own and the web",
        "of an earlier message",
        "newest of each type",
        "uploaded again",
    ],
)
async def test_a_message_has_its_own_files_else_the_newest_of_the_session(message, history, expected):
    listener = Listener()
    await hears(listener, message, *history)
    assert {one.artifact_id: one for one in listener.last.attachments} == {one.artifact_id: one for one in expected}
    assert len(listener.last.attachments) == len(expected)


@pytest.mark.parametrize(
    "event",
    [answer(text="x").model_copy(update={"kind": DecisionKind.PLAN}), answer(text="x")],
    ids=["of a plan", "of a run without a message"],
)
async def test_an_answer_that_is_not_ours_changes_nothing(event):
    (await hears(Listener(), event)).then_nothing()


async def test_without_a_pack_that_understands_the_run_ends_with_a_sentence():
    happened = await hears(None, MessageReceived(text="안녕", language="ko"))
    error = happened.then_types(CognitiveOutput).only(CognitiveOutput).error
    assert error.code is Code.INTENT_UNSUPPORTED
    assert error.message.startswith("일할 수 있는 팩이 없어요.")


@pytest.mark.parametrize(
    "event", [MessageReceived(text="안녕", language="ja"), answer(text="x")], ids=["message", "answer"]
)
async def test_a_message_or_an_answer_that_is_given_up_ends_the_run(event):
    handler = layer(None)(MemoryLedger())
    session = await given_session(lambda _: handler)
    message = await session.record(event)
    error = ErrorInfo(code=Code.DELIVERIES_EXHAUSTED, message="boom")
    (emitted,) = handler.give_up(message, event, error).emits
    assert isinstance(emitted.event, CognitiveOutput)
    assert (emitted.event.error, emitted.event.route) == (error, Route.ANSWER)
    stray = await session.record(event, run_id=None)
    assert handler.give_up(stray, event, error) == NOTHING
    assert await handler.handle(stray, event, None) == NOTHING  # type: ignore[arg-type]


async def test_an_answer_about_a_plan_that_is_given_up_is_planning_s_to_end():
    handler = layer(None)(MemoryLedger())
    session = await given_session(lambda _: handler)
    event = answer(text="x").model_copy(update={"kind": DecisionKind.PLAN})
    message = await session.record(event)
    assert handler.give_up(message, event, ErrorInfo(code=Code.INTERNAL, message="x")) == NOTHING


async def test_clarifying_with_the_real_model_goes_from_a_vague_sentence_to_a_plan(understander, pack):
    graph = CognitiveGraph(OfflineUnderstander(understander), AmbiguityDetector((pack,)))
    session = await given_session(layer(graph), SessionOpened())
    asked = await session.when(MessageReceived(text="분석해줘"))
    assert types(asked.events) == ["ModelCalled", "CognitiveOutput", "DecisionRequested"]
    value = asked.only(DecisionRequested).options[0].value
    asked = await session.when(answer(choice=value))
    assert asked.only(DecisionRequested).subject["question"] == "file"
    done = await session.when(answer(attachments=[TABLE.model_dump(mode="json")]))
    output = done.then_types(ModelCalled, CognitiveOutput).only(CognitiveOutput)
    assert (output.route, output.requires_clarification, output.attachments) == (Route.PLAN, False, (TABLE,))
    assert output.plan_hint.goals


async def test_the_real_model_answers_small_talk_without_a_plan(understander, pack, platform):
    graph = CognitiveGraph(OfflineUnderstander(understander), AmbiguityDetector((pack, platform)))
    output = (await hears(graph, MessageReceived(text="뭘 할 수 있어?"))).only(CognitiveOutput)
    assert output.route is Route.ANSWER
    assert output.answer
