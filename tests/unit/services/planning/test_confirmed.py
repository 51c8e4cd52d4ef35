"""A task that was confirmed in a flow becomes a plan of one todo, approved by the person's word."""

from typing import Any

import pytest

from backbone.arguments import arguments_hash
from backbone.kept.arrivals import Arrivals
from backbone.model.offline import OfflineProvider
from backbone.runner.handlers import WorkHandler
from contracts.cognitive import FlowAdvanced, FlowApproval
from contracts.errors import Code
from contracts.planning import PlanApproved, PlanningOutput, PlanRejected
from contracts.shape import JsonObject
from services.planning.approval import ApprovalRequests
from services.planning.domain.plan import plan_hash
from services.planning.handlers import Planner
from services.planning.planner import PlanGenerator
from services.planning.proposal import PlanProposer
from tests.fakes.kept import MemoryKept
from tests.fakes.ledger import MemoryLedger
from tests.unit.services.catalogues import catalogue, tool
from tests.unit.services.given import Happened, given_session, named
from tests.unit.services.plans import SAID
from understanding.offline.topics import TopicFinder

SCHEMA: JsonObject = {"type": "object", "required": ["amount"], "properties": {"amount": {"type": "integer"}}}
PAY = tool("test.pay", params_schema=SCHEMA, executor="payments", confirm_policy="always", on_error="fail")
CATALOGUE = catalogue(PAY, texts={"ko": {"todo.pay": "이체하기"}})


def planner(ledger: MemoryLedger) -> WorkHandler:
    generator = PlanGenerator(CATALOGUE)
    graph = PlanProposer(OfflineProvider({}), generator)
    return Planner(
        CATALOGUE, generator, graph, ApprovalRequests(CATALOGUE, 60), ledger, TopicFinder([]), Arrivals(MemoryKept())
    ).handler()


async def moved(**fields: Any) -> Happened:
    return await (await given_session(planner, SAID)).when(FlowAdvanced(**{"flow": "pay", "stage": "READY"} | fields))


def approval(params: JsonObject, key: str = "test.pay") -> FlowApproval:
    return FlowApproval(tool=key, params=params, arguments_hash=arguments_hash(params), confirmed_by=named("word"))


async def test_exactly_what_was_confirmed_is_planned_and_nobody_is_asked_again():
    happened = await moved(stage="CONFIRMED", approval=approval({"amount": 5}))
    happened.then_types(PlanningOutput, PlanApproved)
    output, approved = happened.only(PlanningOutput), happened.only(PlanApproved)
    (todo,) = output.plan.todos
    assert (todo.tool, todo.executor, todo.params, todo.title) == ("test.pay", "payments", {"amount": 5}, "이체하기")
    assert (output.requires_approval, approved.approved_by, approved.plan_hash) == (
        False, "person", plan_hash(output.plan),
    )  # fmt: skip


@pytest.mark.parametrize(
    "fields",
    [
        {"stage": "READY", "message": "보낼까요?"},
        {"stage": "CONFIRMED", "message": "보내고 있어요."},
        {"stage": "EXECUTED"},
        {"stage": "CONFIRMED", "message": "보내고 있어요.", "approval": approval({"amount": 5})},
    ],
)
async def test_any_other_move_makes_no_plan(fields):
    (await moved(**fields)).then_nothing()


@pytest.mark.parametrize(
    ("told", "code"),
    [(approval({"amount": "x"}), Code.PLAN_ARGUMENTS_INVALID), (approval({}, "test.gone"), Code.PLAN_TOOL_UNKNOWN)],
)
async def test_what_cannot_be_planned_ends_the_run_with_its_reason(told, code):
    rejected = (await moved(stage="CONFIRMED", approval=told)).only(PlanRejected)
    assert (rejected.final, rejected.error.code) == (True, code)
