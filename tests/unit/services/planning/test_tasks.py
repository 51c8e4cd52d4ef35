"""Plans of what a person wants, one by one: workers in parallel, and a synthesis (source design 001)."""

from typing import Any

import pytest

from backbone.packs import Catalogue
from backbone.runner.handlers import WorkHandler
from contracts.cognitive import CognitiveOutput, Intent, PlanHint, Task
from contracts.decisions import DecisionRequested
from contracts.errors import Code
from contracts.model import ModelCalled
from contracts.packs import IntentSpec, PackManifest
from contracts.planning import Plan, PlanApproved, PlanningOutput, PlanRejected, TodoRole
from services.execution.domain.dispatch import determine_strategy
from tests.fakes.ledger import MemoryLedger
from tests.unit.services.catalogues import catalogue, maker, tool
from tests.unit.services.given import Happened, given_session
from tests.unit.services.planning.test_planner import planner
from tests.unit.services.plans import SAID, file

PARAMS = {
    "type": "object",
    "additionalProperties": False,
    "required": ["text"],
    "properties": {"text": {"type": "string"}, "minutes": {"type": "integer"}},
}


def intent(name: str, **fields: Any) -> IntentSpec:
    return IntentSpec(**{"intent": name, "label": "x", "examples": {}} | fields)


def packs() -> Catalogue:
    one = catalogue(
        tool("helper.calendar", executor="google", params_schema=PARAMS),
        tool("helper.memory", executor="memory", params_schema=PARAMS),
        tool("helper.todo", executor="google", params_schema=PARAMS),
        tool("helper.bring", executor="supervisor"),
        tool("test.weather", executor="ops", params_schema=PARAMS | {"required": []}),
        maker("collector", "reviews.raw", "file.table"),
        maker("count", "insight.count", "reviews.raw"),
        tool("test.reader", consumes=({"type": "insight.count", "need": "wanted"},)),
        tool("test.needy", consumes=({"type": "file.document"},)),
        texts={"ko": {"todo.calendar": "일정", "todo.memory": "메모", "todo.bring": "정리"}},
    )
    manifest = PackManifest(name="helper", version=1, title={"en": "x"}, synthesis="helper.bring")
    object.__setattr__(one.packs["helper"], "manifest", manifest)
    vars(one.packs["helper"])["intents"] = (
        intent("HELP.calendar", tool="helper.calendar"),
        intent("HELP.calendar.todo", tool="helper.todo", looks=("list",)),
        intent("HELP.memory", tool="helper.memory", looks=("recall",)),
        intent("HELP.order.status", tool="helper.memory", approve="policy"),
        intent("HELP.order", route="flow", flow="order"),
        intent("HELP.diary", tool="helper.memory", approve="policy", asks=("tear",)),
    )
    vars(one.packs["test"])["intents"] = (
        intent("DEVICES.weather", tool="test.weather", approve="policy"),
        intent("DOCS.read", tool="test.reader", approve="policy"),
        intent("DOCS.need", tool="test.needy"),
        intent("ANALYSIS.count", goals=("insight.count",)),
        intent("BROKEN.tool", tool="test.gone"),
    )
    return one


def handler(ledger: MemoryLedger) -> WorkHandler:
    return planner(ledger, packs())


async def planning(*tasks: Task, **fields: Any) -> Happened:
    said = {"text": "x", "language": "ko", "intent": Intent(domain="HELP", confidence=1), "route": "plan"}
    return await (await given_session(handler, SAID)).when(CognitiveOutput(**said | {"tasks": tasks} | fields))


def plan_of(happened: Happened) -> Plan:
    plan: Plan = happened.only(PlanningOutput).plan
    return plan


CALENDAR = Task(intent="HELP.calendar", slots={"text": "치과", "place": "강남"}, text="내일 치과  예약 넣고")
MEMORY = Task(intent="HELP.memory", slots={"text": "1234"}, text="1234라고 기억해 줘")
WEATHER = Task(intent="DEVICES.weather", slots={"text": "서울"})


async def test_001_2_1_the_intent_phase_calls_the_selected_workers_in_parallel_and_a_synthesis_joins_them():
    happened = await planning(CALENDAR, MEMORY)
    happened.then_types(PlanningOutput, DecisionRequested)  # no planner has to be asked
    plan = plan_of(happened)
    calendar, memory, bring = plan.todos
    assert [(one.id, one.executor, one.depends_on) for one in plan.todos] == [
        ("t1-calendar", "google", ()),
        ("t2-memory", "memory", ()),
        ("t3-bring", "supervisor", ("t1-calendar", "t2-memory")),
    ]
    assert bring.role is TodoRole.SYNTHESIS
    assert (bring.wants, bring.rounds) == (bring.depends_on, 3)
    assert determine_strategy(plan.todos) == "swarm"
    # slots that the tool does not declare are not for it; the words that asked for a step are in its title
    assert (calendar.params, calendar.title) == ({"text": "치과"}, "일정 — 내일 치과 예약 넣고")
    assert memory.params == {"text": "1234"}


async def test_one_worker_needs_no_synthesis_and_what_is_said_twice_is_done_once():
    assert [one.tool for one in plan_of(await planning(CALENDAR, CALENDAR)).todos] == ["helper.calendar"]
    assert [one.tool for one in plan_of(await planning(CALENDAR, WEATHER)).todos] == ["helper.calendar", "test.weather"]


async def test_what_a_flow_leads_is_not_done_by_the_tool_of_a_subcategory():
    order = Task(intent="HELP.order", slots={"text": "책"}, text="책 주문해줘")
    happened = await planning(CALENDAR, order)
    assert [todo.tool for todo in plan_of(happened).todos] == ["helper.calendar"]
    status = order.model_copy(update={"subcategory": "status"})
    assert [todo.tool for todo in plan_of(await planning(status)).todos] == ["helper.memory"]


async def test_a_subcategory_with_a_tool_of_its_own_is_not_done_by_the_tool_of_its_category():
    todo = CALENDAR.model_copy(update={"subcategory": "todo"})
    assert [one.tool for one in plan_of(await planning(todo)).todos] == ["helper.todo"]
    listed = todo.model_copy(update={"slots": {"action": "list", "text": "x"}})
    (await planning(listed)).then_types(PlanningOutput, PlanApproved)
    other = CALENDAR.model_copy(update={"subcategory": "unknown"})
    assert [one.tool for one in plan_of(await planning(other)).todos] == ["helper.calendar"]


async def test_a_synthesis_waits_for_the_workers_of_other_packs_too():
    bring = plan_of(await planning(CALENDAR, WEATHER, MEMORY)).todos[-1]
    assert bring.depends_on == ("t1-calendar", "t2-weather", "t3-memory")


async def test_tasks_with_tools_join_the_chain_that_reaches_the_goals_of_the_others():
    happened = await planning(
        Task(intent="ANALYSIS.count"), Task(intent="DOCS.read"), MEMORY,
        plan_hint=PlanHint(goals=("insight.count",)), attachments=(file("file.table"),),
    )  # fmt: skip
    happened.then_types(ModelCalled, PlanningOutput, DecisionRequested)
    assert [(one.id, one.depends_on) for one in plan_of(happened).todos] == [
        ("t1-collector", ()),
        ("t2-count", ("t1-collector",)),
        ("t3-reader", ("t2-count",)),
        ("t4-memory", ()),
    ]


async def test_what_policy_approves_runs_unasked_but_only_where_it_approves_everything():
    happened = await planning(WEATHER, Task(intent="DOCS.read"))
    happened.then_types(PlanningOutput, PlanApproved)
    assert happened.only(PlanApproved).approved_by == "policy"
    assert not happened.only(PlanningOutput).requires_approval
    (await planning(WEATHER, MEMORY)).then_types(PlanningOutput, DecisionRequested)


async def test_what_policy_approves_is_asked_about_where_it_does_what_the_intent_names():
    kept = Task(intent="HELP.diary", slots={"text": "비"})
    (await planning(kept)).then_types(PlanningOutput, PlanApproved)
    torn = Task(intent="HELP.diary", slots={"action": "tear", "text": "비"})
    (await planning(torn)).then_types(PlanningOutput, DecisionRequested)
    (await planning(kept, torn)).then_types(PlanningOutput, DecisionRequested)


async def test_what_only_looks_something_up_runs_unasked_and_what_changes_something_does_not():
    recall = Task(intent="HELP.memory", slots={"action": "recall", "text": "1234"})
    (await planning(recall, WEATHER)).then_types(PlanningOutput, PlanApproved)
    forget = Task(intent="HELP.memory", slots={"action": "forget", "text": "1234"})
    (await planning(recall, forget)).then_types(PlanningOutput, DecisionRequested)


@pytest.mark.parametrize(
    ("task", "code", "detail"),
    [
        (Task(intent="HELP.memory"), Code.PLAN_ARGUMENTS_INVALID, {"todo": "메모", "field": "params"}),
        (Task(intent="HELP.memory", slots={"text": 7}), Code.PLAN_ARGUMENTS_INVALID, {"field": "text"}),
        (Task(intent="BROKEN.tool"), Code.PLAN_TOOL_UNKNOWN, {"tool": "test.gone"}),
        (Task(intent="DOCS.need"), Code.INPUT_MISSING, {"missing": "file.document"}),
    ],
)
async def test_slots_that_a_tool_cannot_take_are_a_refusal_that_names_them(task, code, detail):
    error = (await planning(task)).only(PlanRejected).error
    assert error.code is code
    assert detail.items() <= error.detail.items()
