"""Todos that the dispatcher does itself: what is recorded together, and what goes by the bus all the same."""

import asyncio
import time
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from backbone.ledger.port import Append
from backbone.runner.consequences import Consequences
from backbone.runner.decisions import DecisionRunner
from backbone.runner.handlers import append_of, emit
from contracts import subjects
from contracts.envelope import Message
from contracts.errors import Code
from contracts.execution import TodoDispatched, TodoFailed, TodoSucceeded
from contracts.gateway import Budget
from contracts.tools import ToolError, ToolSpec
from services.execution.domain.fold import Rules
from services.execution.execute.at_once import LONG, TIMES, AtOnce
from services.execution.execute.executor import Executor
from services.execution.handlers import dispatcher
from services.execution.tools.tool_runner import Done
from tests.conformance.facts import fact
from tests.conformance.harness import Rig, running, until
from tests.fakes.ledger import MemoryLedger
from tests.unit.services.catalogues import catalogue, tool
from tests.unit.services.execution.job_dependencies import shop
from tests.unit.services.given import NOW, RUN, given, types
from tests.unit.services.plans import SAID, approved, file, planned, todo

SMALL: dict[str, Any] = {"isolated": False, "cost": {"seconds": 0}}
TYPES = ["ExecutionStarted", "TodoDispatched", "TodoSucceeded", "ExecutionOutput"]


class Tools:
    """One tool, which counts its calls; `how` is what a call does."""

    def __init__(self, how: str = "", **spec: Any) -> None:
        self.the_tool: ToolSpec = tool("test.work", **{**SMALL, **spec})
        self.catalogue = catalogue(self.the_tool)
        self.how = how
        self.calls = 0

    def spec(self, key: str) -> ToolSpec:
        return self.the_tool

    def check_arguments(self, spec, dispatched) -> None:
        """Nothing to check."""

    check_result = check_arguments

    async def step(self, run_id, spec, dispatched, listener) -> Done:
        self.calls += 1
        if self.how == "waits":
            await asyncio.sleep(0)
        elif self.how == "fails":
            raise ToolError(Code.TABLE_EMPTY, "nothing there")
        elif self.how == "is long":
            until_then = time.thread_time() + LONG * 1.5
            while time.thread_time() < until_then:
                pass
        return Done({"call": self.calls})


def at_once(tools: Tools, route: str = "data") -> AtOnce:
    return AtOnce({route: Executor(route, shop(tools, MemoryLedger()))})


async def consequences(tools: Tools, *todos, attachments=(), route="data", seconds=60.0, **rules: Any) -> Append:
    """All that is recorded of the approval of a plan."""
    handler = dispatcher(Rules(catalogue().say, **rules), at_once(tools, route))
    story = given(handler, SAID, planned(*todos, attachments=attachments), approved())
    message = Message(
        uuid4(), uuid4(), 3, "PlanApproved", 1, "planning", RUN, RUN, None, None, NOW, b"{}"
    )  # fmt: skip
    return Consequences(handler, story.state, NOW, time.thread_time() + seconds).of(message, approved())


def routes(append: Append) -> dict[str, str]:
    return {type(one.event).__name__: one.route for one in append.facts}


async def test_a_plan_of_small_todos_is_dispatched_done_and_over_in_one_transaction():
    tools = Tools()
    append = await consequences(tools, todo("a"), todo("b"), todo("c", "a", "b"))
    assert types([one.event for one in append.facts]) == [
        "ExecutionStarted", "TodoDispatched", "TodoDispatched", "TodoSucceeded", "TodoSucceeded",
        "TodoDispatched", "TodoSucceeded", "ExecutionOutput",
    ]  # fmt: skip
    assert tools.calls == 3
    done = [one.event for one in append.facts if isinstance(one.event, TodoSucceeded)]
    assert [(one.todo_id, one.result) for one in done] == [("a", {"call": 1}), ("b", {"call": 2}), ("c", {"call": 3})]


async def test_nobody_is_told_to_do_what_is_done_and_everybody_hears_of_the_end():
    append = await consequences(Tools(), todo("a"))
    assert routes(append) == {
        "ExecutionStarted": "", "TodoDispatched": "data.settled", "TodoSucceeded": "settled", "ExecutionOutput": "",
    }  # fmt: skip
    session = uuid4()
    told = subjects.event(session, "execution", "TodoDispatched", "data.settled")
    # a filter of an executor has as many words as the route of what it takes
    assert told.count(".") == subjects.pattern("execution", "TodoDispatched", "data").count(".") + 1


async def test_ids_and_causes_are_those_of_a_todo_that_went_by_the_bus():
    append = await consequences(Tools(), todo("a"))
    started, dispatched, succeeded, output = append.facts
    by_bus = append_of(
        Message(dispatched.event_id, append.session_id, 4, "TodoDispatched", 1, "execution", RUN, RUN, None, None, NOW,
                b"", "data"),
        "execution-data", emit(succeeded.event),
    )  # fmt: skip
    assert succeeded.event_id == by_bus.facts[0].event_id
    assert succeeded.causation_id == dispatched.event_id
    assert (started.causation_id, dispatched.causation_id) == (append.cause, append.cause)
    assert output.causation_id == succeeded.event_id


@pytest.mark.parametrize(
    ("how", "spec"),
    [
        ("waits", {}),
        ("", {"cost": {"seconds": 1}}),
        ("", {"isolated": True}),
        ("", {"effects": "idempotent"}),
        ("", {"effects": "external"}),
        ("", {"confirm_policy": "always"}),
        ("", {"group_key": "one", "capacity": 1}),
        ("", {"reuse": "always"}),
        ("", {"network": True}),
    ],
)
async def test_everything_else_goes_by_the_bus(how, spec):
    tools = Tools(how, **spec)
    append = await consequences(tools, todo("a"))
    assert types([one.event for one in append.facts]) == TYPES[:2]
    assert routes(append)["TodoDispatched"] == "data"
    assert tools.calls == (1 if how else 0)


async def test_a_failure_is_recorded_with_its_next_attempt():
    tools = Tools("fails")
    append = await consequences(tools, todo("a", retries=2, on_error="retry"))
    assert types([one.event for one in append.facts]) == ["ExecutionStarted", "TodoDispatched", "TodoFailed"]
    (timer,) = append.timers
    failed = append.facts[-1].event
    assert isinstance(failed, TodoFailed)
    assert failed.will_retry_at == timer.due_at
    assert tools.calls == 1
    over = await consequences(Tools("fails"), todo("a"), todo("b", "a"))
    assert types([one.event for one in over.facts])[-2:] == ["TodoSkipped", "ExecutionOutput"]


async def test_files_go_by_the_bus():
    append = await consequences(Tools(), todo("a", consumes=("reviews.raw",)), attachments=(file("reviews.raw"),))
    assert routes(append)["TodoDispatched"] == "data"


async def test_a_route_that_other_processes_serve_goes_by_the_bus():
    assert routes(await consequences(Tools(), todo("a"), route="insight"))["TodoDispatched"] == "data"


async def test_a_transaction_that_has_lasted_long_does_nothing_more_at_once():
    append = await consequences(Tools(), todo("a"), seconds=-1.0)
    assert types([one.event for one in append.facts]) == TYPES[:2]


@pytest.mark.parametrize(("how", "calls"), [("waits", 1), ("is long", TIMES), ("", 5)])
async def test_a_tool_that_is_not_what_it_says_is_not_tried_again_and_again(how, calls):
    tools = Tools(how)
    small = at_once(tools)
    event = TodoDispatched(
        plan_id=uuid4(), todo=todo("a"), attempt=1, language="en", requested_at=NOW, inputs=(), upstream=()
    )
    for _ in range(5):
        message = Message(
            uuid4(), uuid4(), 4, "TodoDispatched", 1, "execution", RUN, RUN, None, None, NOW, b"", "data"
        )  # fmt: skip
        small(message, event)
    assert tools.calls == calls


async def test_a_clock_that_is_set_and_stopped_in_one_transaction_never_rings():
    append = await consequences(Tools(), todo("a"), run_budget=Budget(seconds=60.0))
    assert append.timers == ()
    assert len(append.cancel_timers) == 1
    waiting = await consequences(Tools("waits"), todo("a"), run_budget=Budget(seconds=60.0))
    assert [timer.due_at for timer in waiting.timers] == [NOW + timedelta(seconds=60)]


async def test_the_ledger_has_all_of_it_and_a_repetition_changes_nothing():
    rig = Rig.in_memory()
    tools, session, run = Tools(), uuid4(), uuid4()
    for event, producer in ((SAID, "gateway"), (planned(*(todo(f"t{n}") for n in range(20))), "planning")):
        await rig.ledger.append(producer, "test", [Append(session, uuid4(), (fact(event, run_id=run),))])
    yes = fact(approved(), run_id=run)
    await rig.ledger.append("planning", "test", [Append(session, uuid4(), (yes,))])
    message = (await rig.ledger.read(session))[-1]
    handler = dispatcher(Rules(catalogue().say), at_once(tools))
    async with running(DecisionRunner(handler, rig.ledger, rig.bus, 5.0).run()):
        await rig.bus.publish([message])

        async def over() -> bool:
            return bool(await rig.recorded(session, "ExecutionOutput"))

        await until(over)
        await rig.repeat(message, subjects.event(session, "planning", "PlanApproved"))
        await asyncio.sleep(0.3)
    recorded = await rig.ledger.read(session)
    assert [one.version for one in recorded] == list(range(1, len(recorded) + 1))
    assert len([one for one in recorded if one.type == "TodoSucceeded"]) == tools.calls == 20
    assert {one.route for one in recorded if one.type == "TodoDispatched"} == {"data.settled"}
    assert await rig.ledger.verify(session) == {}
