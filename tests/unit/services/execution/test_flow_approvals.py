"""A gated tool runs on the word that a person gave in a flow, for exactly the arguments they gave it for."""

import pytest

from backbone.arguments import arguments_hash
from backbone.runner.handlers import Emit
from contracts.cognitive import FlowAdvanced, FlowApproval
from contracts.decisions import DecisionKind, DecisionRequested
from contracts.execution import TodoDispatched, TodoSucceeded
from contracts.shape import JsonObject
from contracts.tools import ToolSpec
from services.execution.executors import Done
from services.execution.handlers import Executor, executor
from tests.unit.services.catalogues import catalogue, tool
from tests.unit.services.execution.floor import shop
from tests.unit.services.execution.workshop import dispatch
from tests.unit.services.given import OTHER_RUN, RUN, _nothing, given_session, named

PAY: JsonObject = {"target": "엄마", "amount": 10_000}
OTHER: JsonObject = {"target": "엄마", "amount": 20_000}


class Till:
    """Instead of a tool runner: counts what is paid."""

    catalogue = catalogue()

    def __init__(self) -> None:
        self.paid: list[JsonObject] = []

    def spec(self, key: str) -> ToolSpec:
        return tool(key, isolated=False, confirm_policy="always")

    def check_arguments(self, spec: ToolSpec, dispatched: TodoDispatched) -> None:
        """Nothing to check."""

    check_result = check_arguments

    async def execute(self, run_id: object, spec: ToolSpec, dispatched: TodoDispatched, listener: object) -> Done:
        self.paid.append(dispatched.todo.params)
        return Done({})


def confirmed(params: JsonObject, key: str = "test.pay") -> FlowAdvanced:
    approval = FlowApproval(
        tool=key, params=params, arguments_hash=arguments_hash(params), confirmed_by=named("the word")
    )
    return FlowAdvanced(flow="pay", stage="CONFIRMED", slots=params, approval=approval)


async def paying(move: FlowAdvanced, *, of_run: object = RUN) -> tuple[Till, tuple[Emit, ...]]:
    till = Till()
    session = await given_session(lambda ledger: executor("data", shop(till, ledger), 1))
    await session.record(move, of_run)  # type: ignore[arg-type]  # a run's id
    message = await session.record(dispatch("pay", params=PAY))
    outcome = await Executor("data", shop(till, session.ledger)).handle(message, message.event, _nothing)
    return till, outcome.emits


async def test_what_was_confirmed_runs_without_another_question():
    till, emits = await paying(confirmed(PAY))
    assert till.paid == [PAY]
    assert [type(one.event) for one in emits] == [TodoSucceeded]


@pytest.mark.parametrize(
    ("move", "run"),
    [
        (confirmed(OTHER), RUN),
        (confirmed(PAY, "test.other"), RUN),
        (confirmed(PAY), OTHER_RUN),
        (FlowAdvanced(flow="pay", stage="READY", slots=PAY), RUN),
    ],
    ids=["other arguments", "another tool", "another run", "not confirmed"],
)
async def test_anything_else_is_asked_about_and_does_not_run(move, run):
    till, emits = await paying(move, of_run=run)
    assert till.paid == []
    (question,) = [one.event for one in emits if isinstance(one.event, DecisionRequested)]
    assert question.kind is DecisionKind.TOOL
