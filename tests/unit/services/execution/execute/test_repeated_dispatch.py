"""A dispatch that comes again after its attempt has ended: the ledger's answer stands, and nothing is called."""

import pytest

from contracts.errors import Code, ErrorInfo
from contracts.execution import TodoDispatched, TodoFailed, TodoStarted
from contracts.shape import Event
from contracts.tools import ToolSpec
from services.execution.execute.executor import Executor, executor
from tests.unit.services.catalogues import tool
from tests.unit.services.execution.execute.test_flow_approvals import PAY, Till, confirmed
from tests.unit.services.execution.job_dependencies import shop
from tests.unit.services.execution.tool_caller import dispatch
from tests.unit.services.given import NOW, RUN, _nothing, given_session
from tests.unit.services.plans import succeeded

STARTED = TodoStarted(todo_id="a", attempt=1, worker="data", started_at=NOW)
REFUSED = TodoFailed(todo_id="a", attempt=1, error=ErrorInfo(code=Code.TOOL_FAILED, message="no money"))
KINDS = {"gated": {"confirm_policy": "always"}, "external": {"effects": "external"}}
KINDS["both"] = KINDS["gated"] | KINDS["external"]


class Counted(Till):
    """A till of a kind; also asked what it has done, it counts."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = KINDS[kind]

    def spec(self, key: str) -> ToolSpec:
        return tool(key, isolated=False, **self.kind)

    async def reconcile(self, *_: object) -> None:
        self.paid.append({"asked": True})


@pytest.mark.parametrize("end", [succeeded("a"), REFUSED], ids=["success", "failure"])
@pytest.mark.parametrize("kind", KINDS)
async def test_the_end_that_is_recorded_is_the_answer(kind: str, end: Event) -> None:
    till = Counted(kind)
    session = await given_session(lambda ledger: executor("data", shop(till, ledger), 1))
    await session.record(confirmed(PAY), RUN)
    message = await session.record(dispatch("pay", params=PAY))
    for event in (STARTED, end):
        await session.record(event)
    outcome = await Executor("data", shop(till, session.ledger)).handle(message, message.event, _nothing)
    assert till.paid == []
    assert outcome.emits == ()


@pytest.mark.parametrize("kind", KINDS)
async def test_the_end_of_the_attempt_before_is_no_answer_to_the_next_one(kind: str) -> None:
    till = Counted(kind)
    session = await given_session(lambda ledger: executor("data", shop(till, ledger), 1))
    await session.record(confirmed(PAY), RUN)
    for event in (dispatch("pay", params=PAY), STARTED, REFUSED):
        await session.record(event)
    message = await session.record(dispatch("pay", params=PAY, attempt=2))
    await Executor("data", shop(till, session.ledger)).handle(message, message.event, _nothing)
    assert till.paid == [PAY]


@pytest.mark.parametrize(
    ("spec", "is_alone"),
    [
        ({}, False),
        ({"effects": "idempotent"}, False),
        ({"confirm_policy": "always"}, True),
        ({"effects": "external"}, True),
        ({"entry": "agent:test.agent"}, True),
    ],
)
async def test_alone_is_whatever_may_do_something_that_must_not_be_done_twice(
    spec: dict[str, str], *, is_alone: bool
) -> None:
    till = Till()
    session = await given_session(lambda ledger: executor("data", shop(till, ledger), 1))
    message = await session.record(dispatch("pay"))
    event = message.event
    assert isinstance(event, TodoDispatched)
    served = Executor("data", shop(till, session.ledger))
    till.catalogue.tools.pop(event.todo.tool, None)
    assert served.alone(message, event), "nobody knows it yet"
    try:
        till.catalogue.tools[event.todo.tool] = tool(event.todo.tool, **spec)
        assert served.alone(message, event) is is_alone
    finally:
        till.catalogue.tools.pop(event.todo.tool)
