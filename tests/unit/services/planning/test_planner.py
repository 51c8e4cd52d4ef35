"""Planning's work handler over a ledger in memory: first plans, refusals, revisions."""

import inspect
import re
from typing import Any

import pytest

from backbone.kept.arrivals import Arrivals
from backbone.model.offline import OfflineProvider
from backbone.packs import Catalogue
from backbone.runner.handlers import NOTHING, WorkHandler
from contracts.cognitive import CognitiveOutput, Intent, PackCommand, Period, PlanHint
from contracts.decisions import DecisionRequested
from contracts.errors import Code, ErrorInfo
from contracts.model import ModelCalled, ModelRole
from contracts.packs import CommandSpec, CommandTodo, TopicSpec
from contracts.planning import Plan, PlanApproved, PlanningOutput, PlanRejected
from contracts.tools import ConfirmPolicy
from services.planning import planner as planning_planner
from services.planning.approval import ApprovalRequests
from services.planning.domain import dependency, editing
from services.planning.domain import plan as plans
from services.planning.domain.dependency import PlanInvalid
from services.planning.handlers import Planner
from services.planning.planner import PLANNER, PlanGenerator, PlannedStep, chain_offline
from services.planning.proposal import PlanProposer
from tests.fakes.kept import MemoryKept
from tests.fakes.ledger import MemoryLedger
from tests.unit.services.catalogues import LANGUAGES, catalogue, maker
from tests.unit.services.given import RUN, Happened, given_session, named
from tests.unit.services.plans import SAID, file
from understanding.offline.topics import TopicFinder

OBJECT: dict[str, Any] = {"type": "object", "additionalProperties": False}
PERIOD = OBJECT | {
    "properties": {"start": {"type": "string"}, "brand": {"type": "string"}, "size": {"type": "integer"}}
}
COMMAND = CommandSpec(
    name="many",
    args_schema=OBJECT | {"properties": {"n": {"type": "integer", "minimum": 1}}},
    positional=("n",),
    todos=(CommandTodo(tool="test.collector", repeat="n"), CommandTodo(tool="test.keyword")),
)
CATALOGUE = catalogue(
    maker("collector", "reviews.raw", "file.table").model_copy(update={"params_schema": PERIOD}),
    maker("sentiment", "insight.sentiment", "reviews.raw"),
    maker("keyword", "insight.keywords", "reviews.raw"),
    maker("report", "document.pdf", wants="insight.sentiment insight.keywords"),
    maker("a_tool_whose_name_is_longer_than_any_id_may_be_by_far", "goal.x"),
    texts={
        "ko": {
            "todo.sentiment": "감성 분석하기",
            "todo.keyword": "키워드 뽑기 {broken}",
            "todo.report": "리포트 {",
            "todo.collector": "읽기 {}",
            "artifact.insight.dreams": "꿈",
        },
        "en": {"todo.collector": "Read"},
    },
    commands=(COMMAND,),
)
TOPICS = TopicFinder([TopicSpec(goal="insight.keywords", label="x", words={"ko": ("키워드", "핵심어")})])
TABLE = file("file.table")


def planner(ledger: MemoryLedger, packs: Catalogue = CATALOGUE) -> WorkHandler:
    generator = PlanGenerator(packs)
    provider = OfflineProvider({ModelRole.PLANNER: (PLANNER, chain_offline)})
    desk = ApprovalRequests(packs, 60)
    return Planner(
        packs, generator, PlanProposer(provider, generator), desk, ledger, TOPICS, Arrivals(MemoryKept())
    ).handler()


def understood(*goals: str, command: dict[str, Any] | None = None, **fields: Any) -> CognitiveOutput:
    hint = PlanHint(goals=goals, command=PackCommand(name="many", args=command) if command is not None else None)
    return CognitiveOutput(
        **{"text": "x", "language": "ko", "intent": Intent(domain="ANALYSIS", confidence=1), "plan_hint": hint}
        | {"route": "plan", "attachments": (TABLE,)}
        | fields
    )


async def planning(event: CognitiveOutput) -> Happened:
    return await (await given_session(planner, SAID)).when(event)


def plan_of(happened: Happened) -> Plan:
    plan: Plan = happened.only(PlanningOutput).plan
    return plan


def tools(plan: Plan) -> list[str]:
    return [todo.tool.split(".")[1] for todo in plan.todos]


async def test_a_request_is_planned_recorded_with_its_model_call_and_asked_about():
    happened = await planning(understood("insight.sentiment"))
    happened.then_types(ModelCalled, PlanningOutput, DecisionRequested)
    plan = plan_of(happened)
    assert tools(plan) == ["collector", "sentiment"]
    assert [todo.id for todo in plan.todos] == ["t1-collector", "t2-sentiment"]
    assert plan.todos[1].depends_on == ("t1-collector",)
    assert plan.plan_id == named("plan")
    (timer,) = happened.outcome.timers
    assert timer.timer_id == happened.only(DecisionRequested).decision_id


async def test_titles_are_the_packs_in_the_language_then_in_english_and_never_break_a_plan():
    plan = plan_of(await planning(understood("document.pdf")))
    # a title with a placeholder that nobody fills is no title; the tool's key is
    titles = {todo.title for todo in plan.todos}
    assert titles == {"test.collector", "감성 분석하기", "test.keyword", "test.report"}
    plan = plan_of(await planning(understood("insight.sentiment", language="ja")))
    assert [todo.title for todo in plan.todos] == ["Read", "test.sentiment"]


async def test_a_person_who_approved_beforehand_is_not_asked():
    happened = await planning(understood("insight.sentiment", auto_approve=True))
    happened.then_types(ModelCalled, PlanningOutput, PlanApproved)
    assert happened.only(PlanApproved).approved_by == "policy"
    assert not happened.only(PlanningOutput).requires_approval
    assert happened.outcome.timers == ()


@pytest.mark.parametrize(("number", "then"), [(1, PlanApproved), (2, DecisionRequested)])
async def test_a_single_call_that_asks_by_itself_is_not_asked_about_as_a_plan_and_several_are(number, then):
    gated = maker("gated", "goal.x").model_copy(update={"confirm_policy": ConfirmPolicy.ALWAYS})
    command = CommandSpec(name="many", args_schema=OBJECT, todos=(CommandTodo(tool="test.gated"),) * number)
    packs = catalogue(gated, texts={}, commands=(command,))
    happened = await (await given_session(lambda ledger: planner(ledger, packs), SAID)).when(understood(command={}))
    happened.then_types(PlanningOutput, then)


@pytest.mark.parametrize(
    "event",
    [
        understood("insight.sentiment", route="answer"),
        understood("insight.sentiment", requires_clarification=True),
        understood("insight.sentiment", error=ErrorInfo(code=Code.INTENT_UNSUPPORTED, message="x")),
        understood(command={"n": 1}, error=ErrorInfo(code=Code.PLAN_ARGUMENTS_INVALID, message="x")),
    ],
    ids=["answered", "asked", "refused", "refused command"],
)
async def test_what_is_not_to_be_planned_is_left_alone(event):
    (await planning(event)).then_nothing()


async def test_a_file_that_is_missing_is_asked_for_in_words():
    rejected = (await planning(understood("insight.sentiment", attachments=()))).only(PlanRejected)
    assert rejected.final
    assert rejected.error.code is Code.INPUT_MISSING
    assert rejected.error.message == "그 일에는 데이터 파일이 필요해요 (CSV·JSON·엑셀 파일)."
    assert rejected.error.detail == {"goal": "insight.sentiment", "missing": "file.table"}


@pytest.mark.parametrize(("goal", "name"), [("insight.dreams", "꿈"), ("insight.unheard_of", "insight.unheard_of")])
async def test_a_goal_that_no_tool_makes_is_named_in_the_packs_words(goal, name):
    error = (await planning(understood(goal))).only(PlanRejected).error
    assert error.code is Code.GOAL_UNREACHABLE
    assert f"‘{name}’" in error.message


@pytest.mark.parametrize("goals", [(), ("file.table",)], ids=["no goals", "a goal that is there"])
async def test_nothing_to_do_is_said(goals):
    error = (await planning(understood(*goals))).only(PlanRejected).error
    assert (error.code, error.message) == (Code.PLAN_EMPTY, "계획을 세우지 못했어요: 할 일이 없어요.")


async def test_period_and_filters_go_to_the_tools_that_declare_them_and_can_take_them():
    hint = PlanHint(
        goals=("reviews.raw",), period=Period(start="2025-01-01"), filters={"brand": "A", "size": "large", "other": 1}
    )
    plan = plan_of(await planning(understood(plan_hint=hint)))
    assert plan.todos[0].params == {"start": "2025-01-01", "brand": "A"}


async def test_a_long_name_of_a_tool_still_makes_an_id():
    plan = plan_of(await planning(understood("goal.x")))
    assert len(plan.todos[0].id) <= 48


async def test_a_command_is_a_plan_of_its_todos_without_a_model():
    happened = await planning(understood(command={"n": 2}))
    happened.then_types(PlanningOutput, DecisionRequested)
    todos = plan_of(happened).todos
    assert [(todo.id, todo.tool) for todo in todos] == [
        ("t1", "test.collector"), ("t2", "test.collector"), ("t3", "test.keyword"),
    ]  # fmt: skip
    assert (todos[0].consumes, todos[0].produces) == (("file.table",), ("reviews.raw",))
    assert todos[2].depends_on == ("t1", "t2")


@pytest.mark.parametrize("args", [{}, {"n": 0}, {"n": "many"}, {"n": 10**17}, {"m": 1}], ids=str)
async def test_a_command_with_arguments_that_do_not_fit_is_answered_with_its_usage(args):
    error = (await planning(understood(command=args))).only(PlanRejected).error
    assert error.code is Code.PLAN_ARGUMENTS_INVALID
    assert error.message == "계획을 세우지 못했어요: 이렇게 써 주세요: /many <n>"


async def test_a_command_that_no_pack_has_is_refused():
    hint = PlanHint(command=PackCommand(name="gone", args={}))
    error = (await planning(understood(plan_hint=hint))).only(PlanRejected).error
    assert (error.code, error.detail["tool"]) == (Code.PLAN_TOOL_UNKNOWN, "/gone")


def test_a_tool_that_a_model_invented_is_refused():
    with pytest.raises(PlanInvalid) as caught:
        PlanGenerator(CATALOGUE).from_steps(RUN, understood(), [PlannedStep(tool="test.invented")])
    assert caught.value.code is Code.PLAN_TOOL_UNKNOWN


async def rejected(reason: str, *goals: str, language: str = "ko") -> Happened:
    session = await given_session(planner, SAID)
    first = await session.when(understood(*goals, language=language))
    plan = plan_of(first)
    return await session.when(PlanRejected(plan_id=plan.plan_id, plan_version=1, reason=reason, final=False))


@pytest.mark.parametrize(
    "reason", ["핵심어는 빼고 감성 분석은 해 주세요", "감성만 해 주세요", "키워드는 필요 없어요", "no keyword please"]
)
async def test_a_rejection_with_a_reason_is_answered_by_a_revised_plan(reason):
    happened = await rejected(reason, "insight.sentiment", "insight.keywords")
    happened.then_types(PlanningOutput, DecisionRequested)
    plan = plan_of(happened)
    assert (tools(plan), plan.version) == (["collector", "sentiment"], 2)
    question = happened.only(DecisionRequested)
    assert "test.keyword 제외" in question.question
    assert question.subject["plan_version"] == 2


@pytest.mark.parametrize("reason", ["그냥 싫어요 {x}", "리뷰는 읽지 마세요", "collector 빼 주세요"])
async def test_a_reason_that_names_nothing_that_can_go_is_asked_about(reason):
    happened = await rejected(reason, "insight.sentiment", "insight.keywords")
    question = happened.then_types(DecisionRequested).only(DecisionRequested)
    assert reason in question.question
    assert question.subject["plan_version"] == 1


@pytest.mark.parametrize(
    ("reason", "stay"),
    [
        ("세 번째는 빼 줘", ["collector", "sentiment"]), ("leave out step 2", ["collector", "keyword"]), ("最後は抜いて", ["collector", "sentiment"]),
        ("only the first two", ["collector", "sentiment"]), ("2번 빼고 다 해 줘", ["collector", "keyword"]), ("3番だけ", ["collector", "keyword"]),
    ],
)  # fmt: skip
async def test_a_reason_may_name_steps_by_their_place(reason, stay):
    happened = await rejected(reason, "insight.sentiment", "insight.keywords")
    assert (tools(plan_of(happened)), plan_of(happened).version) == (stay, 2)


async def test_what_alone_is_wanted_brings_what_it_needs_and_this_is_said():
    happened = await rejected("3번만", "insight.sentiment", "insight.keywords")
    assert happened.only(PlanningOutput).cannot == ("함께 남는 단계(앞 단계라서 필요해요): test.collector",)


async def test_a_step_that_others_need_stays_and_it_is_said_which_ones():
    happened = await rejected("첫 번째 단계는 빼 줘", "insight.sentiment", "insight.keywords")
    question = happened.then_types(DecisionRequested).only(DecisionRequested)
    assert "감성 분석하기" in question.question and "함께 빼거나" in question.question
    assert question.subject["plan_version"] == 1
    together = await rejected("1번이랑 2번이랑 3번은 빼 줘", "insight.sentiment", "insight.keywords")
    assert "할 일이 없어요" in together.then_types(DecisionRequested).only(DecisionRequested).question


async def test_a_number_that_no_step_has_is_named():
    happened = await rejected("7번은 빼 줘", "insight.sentiment", "insight.keywords")
    assert "7번 단계는 없어요" in happened.then_types(DecisionRequested).only(DecisionRequested).question


DATED = {"date_from": {"type": "string"}, "date_to": {"type": "string"}}


def dated(ledger: MemoryLedger) -> WorkHandler:
    """With a reader that can look at some days alone."""
    reader = CATALOGUE.tools["test.collector"].model_copy(update={"params_schema": OBJECT | {"properties": DATED}})
    others = (one for one in CATALOGUE.tools.values() if one.pack == reader.pack and one.tool_key != reader.tool_key)
    return planner(ledger, catalogue(reader, *others))


@pytest.mark.parametrize(
    ("reason", "days"),
    [
        ("2025년 6월 이후 리뷰만 해줘", {"date_from": "2025-06-01"}), ("only 2024, please", {"date_from": "2024-01-01", "date_to": "2024-12-31"}),
        ("2024年9月だけで", {"date_from": "2024-09-01", "date_to": "2024-09-30"}),
    ],
)  # fmt: skip
async def test_days_that_a_reason_names_become_those_of_the_steps_that_can_look_at_some_days(reason, days):
    session = await given_session(dated, SAID)
    plan = plan_of(await session.when(understood("insight.sentiment", "insight.keywords")))
    happened = await session.when(PlanRejected(plan_id=plan.plan_id, plan_version=1, reason=reason, final=False))
    revised = plan_of(happened)
    assert tools(revised) == tools(plan), "the other words name no step"
    assert (revised.todos[0].params, revised.version) == (days, 2)


async def test_a_step_by_its_place_and_days_may_stand_in_one_reason():
    session = await given_session(dated, SAID)
    plan = plan_of(await session.when(understood("insight.sentiment", "insight.keywords")))
    reason = "2번은 빼고 2025년만"
    happened = await session.when(PlanRejected(plan_id=plan.plan_id, plan_version=1, reason=reason, final=False))
    revised = plan_of(happened)
    assert tools(revised) == ["collector", "keyword"]
    assert revised.todos[0].params == {"date_from": "2025-01-01", "date_to": "2025-12-31"}


async def test_where_no_step_can_look_at_some_days_this_is_said_and_the_plan_stays():
    question = (await rejected("6월 이후만", "insight.sentiment")).then_types(DecisionRequested).only(DecisionRequested)
    assert "기간" in question.question
    assert question.subject["plan_version"] == 1


async def test_the_question_about_a_plan_says_what_became_of_the_one_before():
    asked = (await planning(understood("insight.sentiment", left_plan="앞의 계획은 닫았어요."))).only(DecisionRequested)
    assert asked.question.endswith("\n앞의 계획은 닫았어요.")


async def test_a_final_rejection_is_not_planned_again():
    session = await given_session(planner, SAID, understood("insight.sentiment"))
    (await session.when(PlanRejected(plan_id=RUN, plan_version=1, final=True))).then_nothing()


async def test_a_rejection_without_a_plan_changes_nothing():
    session = await given_session(planner, SAID)
    (await session.when(PlanRejected(plan_id=RUN, plan_version=1, reason="x", final=False))).then_nothing()


async def test_a_message_that_is_given_up_ends_its_run():
    handler = planner(MemoryLedger())
    session = await given_session(lambda _: handler)
    error = ErrorInfo(code=Code.DELIVERIES_EXHAUSTED, message="boom")
    message = await session.record(understood("insight.sentiment"))
    (emitted,) = handler.give_up(message, message.event, error).emits
    assert isinstance(emitted.event, PlanRejected)
    assert (emitted.event.final, emitted.event.error) == (True, error)
    stray = await session.record(understood("insight.sentiment"), run_id=None)
    assert handler.give_up(stray, stray.event, error) == NOTHING


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_is_a_sentence_for_every_way_in_which_a_plan_can_be_invalid(language):
    source = "".join(inspect.getsource(one) for one in (planning_planner, dependency, editing, plans))
    raised = re.findall(r"PlanInvalid\(\s*Code\.(\w+)", source)
    whys = {None, *re.findall(r'why="(\w+)"', source)}
    assert {"needed", "doubled", "field", "patch", "command"} <= whys
    texts = CATALOGUE.packs["platform"].texts[language]
    for name in set(raised) - {"PLAN_EDIT_INVALID"}:
        assert f"error.{int(Code[name])}" in texts
    for why in ("command", "limit"):
        assert f"error.4004.{why}" in texts
    for why in whys - {None, "command", "limit"}:
        assert f"error.4006.{why}" in texts
    assert "error.4004.command" in texts
