"""A gated tool runs on the word that a person gave in a flow, for exactly the arguments they gave it for."""

import pytest

from backbone.arguments import arguments_hash
from backbone.runner.handlers import Emit
from contracts.cognitive import FlowAdvanced, FlowApproval
from contracts.decisions import DecisionAnswered, DecisionKind, DecisionRequested
from contracts.execution import TodoDispatched, TodoSucceeded
from contracts.shape import JsonObject
from contracts.tools import ToolSpec
from services.execution.execute.executor import Executor, executor
from services.execution.tools.tool_runner import Done
from tests.unit.services.catalogues import catalogue, tool
from tests.unit.services.execution.job_dependencies import shop
from tests.unit.services.execution.tool_caller import dispatch
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


async def test_a_word_pays_once_a_second_todo_with_the_same_arguments_is_asked_about():
    till = Till()
    session = await given_session(lambda ledger: executor("data", shop(till, ledger), 1))
    await session.record(confirmed(PAY))
    first = await session.record(dispatch("pay", params=PAY))
    assert isinstance(first.event, TodoDispatched)
    added = first.event.model_copy(update={"todo": first.event.todo.model_copy(update={"id": "b"})})
    second = await session.record(added)
    third = await session.record(first.event.model_copy(update={"round": 2, "attempt": 2}))
    for message in (first, second, third):
        await Executor("data", shop(till, session.ledger)).handle(message, message.event, _nothing)
    assert till.paid == [PAY]


async def test_an_approval_is_for_one_round_of_a_cycle():
    till = Till()
    session = await given_session(lambda ledger: executor("data", shop(till, ledger), 1))
    floor = shop(till, session.ledger)
    for round_, attempt in ((1, 1), (2, 3)):
        sent = dispatch("pay", params=PAY, attempt=attempt).model_copy(update={"round": round_})
        asking = await session.record(sent)
        (asked,) = (await Executor("data", floor).handle(asking, asking.event, _nothing)).emits
        assert isinstance(asked.event, DecisionRequested)
        assert len(till.paid) == round_ - 1
        await session.record(asked.event)
        yes = DecisionAnswered(
            decision_id=asked.event.decision_id, kind=asked.event.kind, answer={"action": "approve"}, answered_by="me"
        )
        await session.record(yes)
        again = await session.record(sent.model_copy(update={"attempt": attempt + 1}))
        await Executor("data", floor).handle(again, again.event, _nothing)
    assert till.paid == [PAY, PAY]
