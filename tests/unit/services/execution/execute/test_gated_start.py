"""TodoStarted of a gated tool says that the call was about to be made: never that somebody was still being asked."""

from typing import Any

import pytest

from contracts.decisions import DecisionRequested
from contracts.execution import TodoStarted, TodoSucceeded
from contracts.shape import Event
from services.execution.execute import executor as executing
from services.execution.execute.executor import Executor, executor
from tests.unit.services.execution.execute.test_flow_approvals import PAY, Till, confirmed
from tests.unit.services.execution.job_dependencies import shop
from tests.unit.services.execution.tool_caller import dispatch
from tests.unit.services.given import RUN, given_session


@pytest.mark.parametrize("is_approved", [False, True])
async def test_a_gated_tool_starts_when_it_is_approved_and_not_before(
    is_approved: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executing, "START_GRACE", 0.0)
    recorded: list[Event] = []

    async def record(key: str, *events: Event, **_: Any) -> None:
        recorded.extend(events)

    till = Till()
    session = await given_session(lambda ledger: executor("data", shop(till, ledger), 1))
    if is_approved:
        await session.record(confirmed(PAY), RUN)
    message = await session.record(dispatch("pay", params=PAY))
    outcome = await Executor("data", shop(till, session.ledger)).handle(message, message.event, record)
    assert [type(one) for one in recorded] == ([TodoStarted] if is_approved else [])
    assert [type(emit.event) for emit in outcome.emits] == [TodoSucceeded if is_approved else DecisionRequested]
    assert till.paid == ([PAY] if is_approved else [])
