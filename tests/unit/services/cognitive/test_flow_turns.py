"""What a turn says to a flow: read with the state that the person had seen, and nothing of it decided."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from backbone.errors import Retryable
from backbone.runner.handlers import WorkHandler
from contracts.artifacts import Attachment
from contracts.cognitive import CognitiveInput, CognitiveOutput, FlowAct, FlowAdvanced, Intent, Profile, Route, Task
from contracts.errors import Code
from contracts.gateway import TEXT_LIMIT, MessageReceived, SessionOpened
from contracts.model import ModelCalled, ModelRole
from contracts.reading import Clause
from contracts.shape import JsonObject
from contracts.tables import DatabaseUnavailable, PackDatabase
from services.cognitive.clarifier import Question
from services.cognitive.domain.ambiguity import QuestionKind
from services.cognitive.flow_turns import FlowTurns
from services.cognitive.flows import Flow
from services.cognitive.handlers import Understanding
from services.cognitive.person import Speaking
from tests.fakes.ledger import MemoryLedger
from tests.unit.services.catalogues import catalogue
from tests.unit.services.cognitive.dialogue import RULES
from tests.unit.services.given import Working, _nothing, given_session, named

CALLED = ModelCalled(
    role=ModelRole.CLASSIFIER, provider="test", model="m", prompt_id="p@1", prompt_hash="0" * 64, latency_seconds=0
)
OPENED = SessionOpened(user="kim", profile=Profile(name="Kim", timezone="America/New_York"))
READY = FlowAdvanced(flow="pay", turn=7, stage="READY", slots={"target": "엄마", "amount": 5}, message="보낼까요?")
FILLING = FlowAdvanced(
    flow="pay", turn=3, stage="FILLING", slots={"target": "엄마"}, missing=("amount",), queue=({"target": "용걸이"},),
    message="얼마를?",
)  # fmt: skip
DONE = FlowAdvanced(flow="pay", turn=9, stage="EXECUTED", slots={"target": "엄마", "amount": 5}, message="완료")
MINUTES = Attachment(artifact_id="a" * 64, name="회의록.md", media_type="text/markdown", size=9, type="file.document")
PAUSES = {"recall.none": "없어요", "recall.total": "총 {total}원이에요", "flow.pay.ready_again": "{target} {amount}원?"}


def read(clause: Clause) -> Sequence[JsonObject]:
    """A reader that also claims what is not its business."""
    amounts = [entity.value for entity in clause.entities if entity.type == "money"]
    targets = re.findall("엄마|용걸이", clause.text)
    slots: JsonObject = {"amount": amounts[0]} if amounts else {}
    slots |= {"target": targets[0]} if targets else {}
    return [slots | {"stage": "CONFIRMED", "approval": True, "date": None}] if slots else []


def recall(
    text: str, executed: Sequence[JsonObject], language: str, waiting: Sequence[JsonObject] = ()
) -> tuple[str, Mapping[str, str]]:
    if "얼마 보냈" not in text:
        return "", {}
    total = sum(slots["amount"] for slots in executed if isinstance(slots["amount"], int))
    return ("recall.total", {"total": str(total)}) if executed else ("recall.none", {})


class People:
    """A resolver that keeps what it was asked about."""

    def __init__(self, fault: Exception | None = None) -> None:
        self.fault = fault
        self.asked: list[JsonObject] = []

    async def __call__(
        self, tasks: Sequence[JsonObject], user: str, database: PackDatabase, *, today: date, config: Mapping[str, str]
    ) -> JsonObject:
        if self.fault is not None:
            raise self.fault
        self.asked = list(tasks)
        return {"user": user, "database": str(database)}


class Graph:
    """Instead of the graph: says what it was told to say, and keeps what it was given."""

    def __init__(
        self, *tasks: Task, intent: str = "PAY", route: str = "flow", asks: QuestionKind | None = None
    ) -> None:
        domain, _, category = intent.partition(".")
        self.intent = Intent(domain=domain, category=category or None, confidence=0.9)
        self.route, self.tasks, self.asks = Route(route), tasks, asks
        self.given: list[CognitiveInput] = []
        self.now: Any = None

    async def understand(self, given: CognitiveInput, now: Any, asked: Any) -> Any:
        self.given.append(given)
        self.now = now
        question = Question(self.asks, "무엇을 할까요?", (), {}, {"question": self.asks.value}) if self.asks else None
        output = CognitiveOutput(
            text=given.text, language="ko", intent=self.intent, route=self.route, tasks=self.tasks,
            requires_clarification=question is not None,
        )  # fmt: skip
        return output, question, (CALLED,)


def say(language: str, key: str, **values: object) -> str:
    return PAUSES.get(key, key).format(**values)


def flow(**fields: Any) -> Flow:
    plain = Flow(
        pack="test",
        intent="PAY",
        rules=replace(RULES, say=say),
        reader=read,
        confirm=(re.compile("확인|네"),),
        cancel=(re.compile("취소|아니"),),
        recall=recall,
    )
    return replace(plain, **fields)


def layer(graph: Graph, *, flows: Mapping[str, Flow] | None = None, **turns: Any) -> Any:
    async def ready() -> Any:
        return graph

    def make(ledger: MemoryLedger) -> WorkHandler:
        known = {"pay": flow()} if flows is None else flows
        asks = FlowTurns(known, lambda pack: f"tables of {pack}", **turns) if known else None  # type: ignore[arg-type,return-value]  # never opened
        waiting = asyncio.ensure_future(ready())
        return Understanding(waiting, {}, catalogue(), ledger, 60, timezone="Asia/Seoul", turns=asks).handler()

    return make


async def hears(
    text: str, *history: Any, graph: Graph | None = None, files: tuple[Attachment, ...] = (), **how: Any
) -> CognitiveOutput:
    session: Working = await given_session(layer(graph or Graph(), **how), OPENED, *history)
    happened = await session.when(MessageReceived(text=text, attachments=files), named("turn"))
    output: CognitiveOutput = happened.only(CognitiveOutput)
    return output


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("확인", FlowAct.CONFIRM),
        ("  확인!! ", FlowAct.CONFIRM),
        ("네", FlowAct.CONFIRM),
        ("취소.", FlowAct.CANCEL),
        ("아니?", FlowAct.CANCEL),
    ],
)
async def test_a_turn_that_is_nothing_but_a_word_is_that_word_about_the_question_that_was_seen(text, act):
    graph = Graph()
    output = await hears(text, READY, graph=graph)
    assert output.flow is not None
    assert (output.route, output.flow.act, output.flow.turn, output.flow.tasks) == (Route.FLOW, act, 7, ())
    assert graph.given == []  # nobody else is asked about it


@pytest.mark.parametrize(
    "text", ["확인 말고 3원", "확인했다고 하지 마", "다시 확인", "취소하지 말고 보내", "확인" * 50]
)
async def test_a_sentence_with_such_a_word_in_it_is_no_confirmation(text):
    output = await hears(text, READY)
    assert output.flow is not None
    assert output.flow.act is (FlowAct.DROP if text == "확인했다고 하지 마" else FlowAct.FILL)


async def test_a_word_that_was_said_before_the_question_is_not_an_answer_to_it():
    session = await given_session(layer(Graph(asks=QuestionKind.WHAT)), OPENED)
    message = await session.record(MessageReceived(text="확인"), named("early"))
    await session.record(READY, named("other"))
    handler = session.make(session.ledger)
    outcome = await handler.handle(message, message.event, _nothing)
    (output,) = [one.event for one in outcome.emits if isinstance(one.event, CognitiveOutput)]
    assert (output.flow, output.requires_clarification) == (None, True)


async def test_a_word_while_the_work_is_done_or_just_after_it_goes_to_the_flow_that_asked():
    confirmed = FlowAdvanced(flow="pay", turn=8, stage="CONFIRMED")
    for last in (confirmed, DONE):
        output = await hears("확인", READY, last)
        assert output.flow is not None
        assert (output.flow.act, output.flow.turn) == (FlowAct.CONFIRM, last.turn)


async def test_slots_are_read_for_the_question_that_is_open_and_nothing_else_is_recorded_of_them():
    people = People()
    output = await hears("3만원", FILLING, flows={"pay": flow(resolver=people)})
    assert output.flow is not None
    assert (output.flow.act, output.flow.turn, output.flow.tasks) == (FlowAct.FILL, 3, ({"amount": 30_000},))
    assert output.flow.facts == {"user": "kim", "database": "tables of test"}
    assert people.asked == [
        {"target": "엄마"}, {"target": "엄마", "amount": 30_000}, {"amount": 30_000}, {"target": "용걸이"},
    ]  # fmt: skip
    assert output.tasks == (Task(intent="PAY", slots={"amount": 30_000}, text="3만원"),)


async def test_a_turn_of_as_many_tasks_as_a_message_holds_can_be_recorded():
    def many(clause: Clause) -> Sequence[JsonObject]:
        return [{"target": "엄마", "amount": 10_000}] * (len(clause.text) // 12)

    output = await hears("엄마한테 1만원, " * (TEXT_LIMIT // 12), FILLING, flows={"pay": flow(reader=many)})
    assert len(output.tasks) > 100
    assert output.model_dump_json().count("엄마한테") < 2 * TEXT_LIMIT // 12


async def test_a_sure_other_wish_leaves_the_flow_as_it_is():
    graph = Graph(intent="ANALYSIS.sentiment", route="plan")
    output = await hears("리뷰 감성 분석해줘", FILLING, graph=graph)
    assert (output.route, output.flow) == (Route.PLAN, None)
    assert output.still_asked == "ask.amount"
    assert (graph.given[0].flow, graph.given[0].expecting) == ("pay", ("amount",))
    output = await hears("리뷰 분석", FILLING, graph=Graph(intent="ANALYSIS", route="plan", asks=QuestionKind.FILE))
    assert output.requires_clarification


async def test_what_is_not_complete_is_asked_for_behind_one_other_answer_and_what_waits_for_a_yes_behind_each():
    turns = FlowTurns({"pay": flow()}, lambda pack: pack)  # type: ignore[arg-type,return-value]  # never opened
    for state, after in ((FILLING, ""), (READY, "shown")):
        asked = Speaking(
            "me", Profile(), datetime(2026, 5, 12, tzinfo=UTC), [(datetime(2026, 5, 12, tzinfo=UTC), state)]
        )
        first, later = (turns.still_asked(replace(asked, just_asked=just), "ko") for just in (True, False))
        assert first
        assert bool(later) == bool(after)


@pytest.mark.parametrize("kind", [QuestionKind.WHAT, QuestionKind.SUBJECT, QuestionKind.LANGUAGE])
async def test_what_nobody_makes_anything_of_is_a_turn_that_fills_nothing(kind):
    output = await hears("음 글쎄", FILLING, graph=Graph(intent="UNKNOWN", route="plan", asks=kind))
    assert output.flow is not None
    assert (output.route, output.flow.act, output.flow.tasks) == (Route.FLOW, FlowAct.FILL, ())
    assert output.flow.turn == 3


async def test_a_flow_begins_with_what_was_understood():
    tasks = [Task(intent="PAY", slots={"target": name, "stage": "READY"}) for name in ("엄마", "용걸이")]
    output = await hears("엄마랑 용걸이한테 보내줘", graph=Graph(*tasks))
    assert output.flow is not None
    assert (output.flow.turn, output.flow.tasks) == (0, ({"target": "엄마"}, {"target": "용걸이"}))


async def test_a_wish_whose_flow_is_not_there_is_declined():
    output = await hears("엄마한테 보내줘", flows={})
    assert output.error is not None
    assert output.error.code is Code.INTENT_UNSUPPORTED


async def test_a_question_about_the_past_is_answered_from_what_was_carried_out():
    graph = Graph()
    output = await hears("총 얼마 보냈어?", DONE, DONE, READY, graph=graph)
    # and the open question again, behind the answer
    assert (output.route, output.answer, output.flow) == (Route.ANSWER, "총 10원이에요\n엄마 5원?", None)
    assert output.intent.name == "GENERAL"  # source design 002 section 6
    assert graph.given == []
    assert (await hears("나 얼마 보냈지?")).answer == "없어요"


async def test_a_question_that_comes_with_a_file_is_of_the_past_only_where_something_was_carried_out():
    graph = Graph()
    await hears("강사한테 얼마 보냈대?", graph=graph, files=(MINUTES,))
    assert [one.text for one in graph.given] == ["강사한테 얼마 보냈대?"]
    assert (await hears("총 얼마 보냈어?", DONE, graph=graph, files=(MINUTES,))).answer == "총 5원이에요"


async def test_the_persons_day_is_that_of_their_time_zone():
    graph = Graph()
    output = await hears("엄마한테 3만원", graph=graph)  # 12:00 UTC on the first of January
    assert (graph.now.isoformat(), output.profile) == ("2026-01-01T07:00:00-05:00", OPENED.profile)
    assert graph.given[0].profile.name == "Kim"
    assert output.flow is not None
    assert output.flow.today == date(2026, 1, 1)


async def test_a_database_that_is_away_is_waited_for():
    with pytest.raises(Retryable):
        await hears("3만원", FILLING, flows={"pay": flow(resolver=People(DatabaseUnavailable("away")))})


class Liar:
    """An interpreter that claims everything it can think of."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def __call__(self, clause: Clause, slots: Any, conversation: Any) -> Any:
        self.asked.append(clause.text)
        claim: JsonObject = {"amount": -5, "act": "confirm", "stage": "CONFIRMED", "approval": {"tool": "test.pay"}}
        return [claim], CALLED


async def test_a_model_may_add_slots_where_code_reads_none_and_nothing_else():
    liar = Liar()
    output = await hears("적당히 좀", FILLING, interpreter=liar)
    assert output.flow is not None
    assert (output.flow.act, output.flow.tasks) == (FlowAct.FILL, ({"amount": -5},))  # which no validator keeps
    await hears("3만원", FILLING, interpreter=liar)
    await hears("확인", READY, interpreter=liar)
    assert liar.asked == ["적당히 좀"]


async def test_a_bare_foreign_word_does_not_change_the_language_of_a_flow():
    english = FILLING.model_copy(update={"language": "en"})
    assert (await hears("KB", FILLING, graph=Graph(asks=QuestionKind.WHAT))).language == "ko"
    assert (await hears("용걸이", english)).language == "ko"
