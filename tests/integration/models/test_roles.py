"""Every role once over each maker, over real HTTP; and what models may not do in them."""

from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from llmock.pytest_plugin import LLMock
from prometheus_client import REGISTRY

from backbone.model.port import Conversation, ModelProvider, ModelRequest
from backbone.model.prompts import PromptBook
from contracts.cognitive import CognitiveOutput, Intent, PlanHint, Route, Turn
from contracts.model import ModelCalled, ModelRole
from contracts.packs import SlotSpec
from contracts.planning import Plan
from services.cognitive.roles import summarize
from services.execution.execute.solver import SOLVER, SolverAnswer, SolverQuestion, solve_offline
from services.planning.planner import PLANNER, PlanGenerator, chain_offline
from services.planning.proposal import PlanProposer
from services.response.reporter import Reporter
from tests.support.llm import MAKERS, settings, told
from tests.unit.services.catalogues import catalogue, maker
from understanding.llm.grounding import grounded
from understanding.offline.tasks import clause_of
from understanding.port import PROMPTS, interpret

ROOT = Path(__file__).parents[3] / "services"
NAMES = ("cognitive", "planning", "execution", "response")
BOOK = PromptBook({**PROMPTS, **{name: ROOT / name / "prompts" for name in NAMES}})
NOW = datetime(2026, 3, 2, 9, 30, tzinfo=ZoneInfo("Asia/Seoul"))
makers = pytest.mark.parametrize("model", MAKERS)
FromSettings = Callable[..., ModelProvider]

CATALOGUE = catalogue(
    maker("collector", "reviews.raw", "file.table"),
    maker("sentiment", "insight.sentiment", "reviews.raw"),
    maker("report", "document.pdf", wants="insight.sentiment"),
)
UNDERSTOOD = CognitiveOutput(
    text="리뷰 감성 분석해서 리포트로 만들어 줘",
    language="ko",
    intent=Intent(domain="ANALYSIS", category="sentiment", confidence=0.9),
    plan_hint=PlanHint(goals=("insight.sentiment", "document.pdf")),
    route=Route.PLAN,
)
GOOD = {
    "steps": [
        {"tool": "test.sentiment"},
        {"tool": "test.collector"},
        {"tool": "test.report", "after": ["test.sentiment"]},
    ]
}


async def planned(provider: ModelProvider, understood: CognitiveOutput = UNDERSTOOD) -> tuple[Plan, ModelCalled]:
    from tests.unit.services.plans import file

    brought = understood.model_copy(update={"attachments": (file("file.table"),)})
    plan, called, _ = await PlanProposer(provider, PlanGenerator(CATALOGUE)).propose(UUID(int=1), brought)
    return plan, called


def planner(llmock: LLMock, from_settings: FromSettings, model: str) -> ModelProvider:
    return from_settings(settings(llmock, model), {ModelRole.PLANNER: (PLANNER, chain_offline)}, BOOK)


@makers
async def test_the_planner_chooses_tools_and_code_wires_them(llmock: LLMock, from_settings: FromSettings, model: str):
    llmock.call_tool("answer", GOOD)
    plan, called = await planned(planner(llmock, from_settings, model))
    assert [(todo.tool, len(todo.depends_on)) for todo in plan.todos] == [
        ("test.collector", 0), ("test.sentiment", 1), ("test.report", 1)
    ]  # fmt: skip
    assert (called.provider, called.repaired) == (model.partition(":")[0], False)
    assert '"produces": ["insight.sentiment"]' in told(llmock)


@makers
@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ([{"tool": "test.invented"}], "there is no tool test.invented"),
        ([{"tool": "test.sentiment"}], "nothing in it produces document.pdf"),
        ([{"tool": "test.sentiment"}, {"tool": "test.report"}], "test.sentiment needs reviews.raw"),
    ],
)
async def test_a_plan_that_cannot_be_is_mended_once_then_chained_offline(
    llmock: LLMock, from_settings: FromSettings, model: str, steps: list[Any], why: str
):
    llmock.call_tool("answer", {"steps": steps}).call_tool("answer", GOOD)
    _, called = await planned(planner(llmock, from_settings, model))
    assert (called.repaired, called.provider) == (True, model.partition(":")[0])
    assert why in told(llmock)
    llmock.call_tool("answer", {"steps": steps}, times=2)
    plan, called = await planned(planner(llmock, from_settings, model))
    assert (called.provider, called.fell_back_from, len(plan.todos)) == ("offline", (model,), 3)


@makers
async def test_the_solver_writes_text_that_is_heard_while_it_is_written(
    llmock: LLMock, from_settings: FromSettings, model: str
):
    llmock.reply("Deliveries were late, and people minded.")
    heard: list[str] = []
    provider = from_settings(settings(llmock, model), {ModelRole.SOLVER: (SOLVER, solve_offline)}, BOOK)
    question = SolverQuestion(instruction="Why?", text="Late again. Bad.", language="en")
    talk = Conversation(summary="They sell tea.", history=(Turn(role="user", text="Hello"),))
    request = ModelRequest(
        ModelRole.SOLVER, "execution.solve@1", question, SolverAnswer, conversation=talk, on_chunk=heard.append
    )
    answered = await provider.ask(request)
    assert answered.answer.summary == (answered.answer.answer,) == ("Deliveries were late, and people minded.",)
    assert "".join(heard) == answered.answer.answer
    assert len(heard) > 1
    assert answered.called.output_tokens > 0
    assert answered.called.cost > 0
    counted = {"role": "solver", "provider": model.partition(":")[0]}
    assert (REGISTRY.get_sample_value("dream_model_cost_usd_total", counted) or 0) >= answered.called.cost
    assert (REGISTRY.get_sample_value("dream_model_seconds_count", counted) or 0) >= 1
    said = told(llmock)
    assert said.index("They sell tea.") < said.index("Hello") < said.index("Late again.")


@makers
async def test_the_summarizer_gets_the_turns_and_answers_in_text(
    llmock: LLMock, from_settings: FromSettings, model: str
):
    llmock.reply("엄마에게 10,000원을 이체했다.")
    provider = from_settings(settings(llmock, model), {}, BOOK)
    turns = [Turn(role="user", text="엄마한테 만원 보내줘"), Turn(role="assistant", text="이체가 완료됐어요.")]
    summary, called = await summarize(provider, turns, "", "ko")
    assert (summary, called.role) == ("엄마에게 10,000원을 이체했다.", ModelRole.SUMMARIZER)
    assert "엄마한테 만원 보내줘" in told(llmock)


SLOTS = tuple(
    SlotSpec(name=name, type=kind) for name, kind in (("target", "text"), ("amount", "money"), ("date", "date"))
)


@makers
@pytest.mark.parametrize(
    ("said", "slots", "believed"),
    [
        ("할머니께 3만원 부탁", {"target": "할머니", "amount": 30000}, {"target": "할머니", "amount": 30000}),
        ("할머니께 3만원 부탁", {"target": "할머니", "amount": 300000}, {"target": "할머니"}),
        ("할머니께 부탁", {"target": "사기꾼", "amount": 1, "date": "2026-03-05"}, {}),
        (
            "할머니께 내일",
            {"target": "할머니", "date": "2026-03-03", "stage": "CONFIRMED"},
            {"target": "할머니", "date": "2026-03-03"},
        ),
    ],
)
async def test_the_interpreter_is_believed_only_what_the_turn_says(
    llmock: LLMock, from_settings: FromSettings, model: str,
    said: str, slots: dict[str, Any], believed: dict[str, Any],
):  # fmt: skip
    llmock.call_tool("answer", {"tasks": [slots]})
    clause = clause_of(said, NOW, "ko", ("target",))
    tasks, called = await interpret(from_settings(settings(llmock, model), {}, BOOK), clause, SLOTS)
    assert tasks == ((believed,) if believed else ())
    assert called.role is ModelRole.INTERPRETER


async def test_an_interpreter_that_fails_says_nothing_and_is_recorded(llmock: LLMock, from_settings: FromSettings):
    llmock.fail(401)
    clause = clause_of("할머니께", NOW, "ko")
    tasks, called = await interpret(from_settings(settings(llmock), {}, BOOK), clause, SLOTS)
    assert (tasks, called.error is not None) == ((), True)


FACTS = ("2,400건 가운데 긍정이 61 %입니다.", "불만은 배송이 38건으로 가장 많습니다.")


@makers
async def test_the_reporter_may_retell_but_not_invent(llmock: LLMock, from_settings: FromSettings, model: str):
    reporter = Reporter(from_settings(settings(llmock, model), {}, BOOK))
    llmock.reply("2400건 중 61 %가 긍정이고, 배송 불만이 38건으로 가장 많아요.")
    lines, called = await reporter.retell("분석해 줘", FACTS, "ko")
    assert list(lines) == ["2400건 중 61 %가 긍정이고, 배송 불만이 38건으로 가장 많아요."]
    assert called
    for invented in ("긍정이 무려 91 %예요.", "자세한 것은 secret.pdf 를 보세요.", "https://evil.example 로 가세요."):
        llmock.reply(invented, times=2)
        lines, called = await reporter.retell("분석해 줘", FACTS, "ko")
        assert lines == FACTS
        assert called
        assert called.error


def test_what_is_grounded_is_what_the_sentence_says():
    known = {"title": (), "action": ("add", "list"), "date": ()}
    told = {"title": "치과 예약", "action": "list", "date": date(2026, 3, 3).isoformat(), "other": "치과"}
    assert grounded(told, "내일 치과  예약", (), known) == {"title": "치과 예약", "action": "list"}
    assert grounded({"action": "delete"}, "delete", (), known) == {}
