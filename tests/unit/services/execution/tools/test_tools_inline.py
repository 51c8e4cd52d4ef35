"""I/O tools run on the event loop of their executor: whatever they raise is their own failure."""

import asyncio
import tempfile
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from backbone.scratch import PREFIX
from contracts.errors import Code
from contracts.tools import ToolError
from services.execution.tools.faults import ToolFault
from services.execution.tools.inline import InlineContext
from services.execution.tools.resources import Owner, Resources
from services.execution.tools.toolpool import ToolPool
from tests.fakes.artifacts import MemoryArtifacts
from tests.unit.services.execution import tools_for_tests
from tests.unit.services.execution.tool_caller import ToolCaller


@pytest.fixture
def caller(artifacts: MemoryArtifacts) -> ToolCaller:
    return ToolCaller(ToolPool(1), artifacts)


async def fault_of(caller: ToolCaller, function: str, **fields) -> ToolFault:
    with pytest.raises(ToolFault) as caught:
        await caller.run(function, **fields)
    return caught.value


async def test_a_tool_gets_its_params_inputs_language_time_and_key(caller):
    brought = [await caller.bring("하나", "reviews.raw")]
    done = await caller.run("async_echo", params={"n": 1}, inputs=brought)
    assert done.result["params"] == {"n": 1}
    assert done.result["inputs"] == ["하나"]
    assert done.result["key"].startswith("0197a1f0")


async def test_a_tool_that_raises_is_a_failure_that_people_are_told_by_its_code(caller):
    fault = await fault_of(caller, "async_raises")
    assert (fault.code, fault.retryable) == (Code.TOOL_FAILED, False)


async def test_a_tool_that_refuses_speaks_for_itself(caller):
    with pytest.raises(ToolError) as caught:
        await caller.run("async_refuses")
    assert not isinstance(caught.value, ToolFault)
    assert caught.value.message == "행이 없어요."


async def test_a_tool_that_exits_does_not_take_the_service_with_it(caller):
    assert (await fault_of(caller, "async_leaves")).code is Code.TOOL_FAILED


async def test_a_tool_that_hangs_is_cancelled_when_its_time_is_up(caller):
    fault = await fault_of(caller, "async_hangs", timeout_seconds=0.05)
    assert (fault.code, fault.retryable) == (Code.TOOL_TIMEOUT, True)


async def test_a_timeout_of_the_tools_own_is_its_failure_and_not_ours(caller):
    fault = await fault_of(caller, "async_times_out_itself")
    assert fault.code is Code.TOOL_FAILED
    assert "did not answer" in fault.message


async def test_a_tool_that_is_cancelled_from_inside_has_failed(caller):
    assert (await fault_of(caller, "async_gives_up_itself")).code is Code.TOOL_CANCELLED


async def test_cancelling_the_call_cancels_the_tool(caller):
    call = asyncio.create_task(caller.run("async_hangs"))
    await asyncio.sleep(0.01)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call


@pytest.mark.parametrize(
    "kind", ["nan", "infinite", "object", "list", "nothing", "nul", "surrogate", "circle", "huge", "deep"]
)
async def test_a_result_that_no_ledger_can_hold_is_an_invalid_result(caller, kind):
    assert (await fault_of(caller, "async_odd_result", params={"kind": kind})).code is (
        Code.TOOL_OUTPUT_TOO_LARGE if kind == "huge" else Code.TOOL_RESULT_INVALID
    )


async def test_a_result_is_what_json_makes_of_it(caller):
    done = await caller.run("async_odd_result", params={"kind": "backslash"})
    assert done.result == {"x": "\\u0000", "7": [1, 2]}


async def test_a_result_that_breaks_its_schema_is_an_invalid_result(caller):
    with pytest.raises(ToolFault) as caught:
        await caller.run("async_hangs", {"result_schema": {"required": ["rows"]}}, params={"seconds": 0})
    assert caught.value.code is Code.TOOL_RESULT_INVALID


async def test_many_lists_beside_each_other_are_not_deep(caller):
    assert len((await caller.run("async_odd_result", params={"kind": "broad"})).result["x"]) == 300


UNUSABLE = ["nan", "huge", "deep", "wrong"]
EFFECTS = {"effects": "external", "result_schema": {"type": "object", "required": ["x"]}}


@pytest.mark.parametrize("kind", UNUSABLE)
async def test_an_effect_whose_result_cannot_be_used_is_asked_about(caller, kind):
    asked = {"reconcile": f"{tools_for_tests.__name__}:async_reconciles", **EFFECTS}
    done = await caller.run("async_odd_result", asked, params={"kind": kind, "happened": True})
    assert done.result == {"x": "as it was"}


@pytest.mark.parametrize("kind", UNUSABLE)
async def test_where_nobody_can_tell_it_may_have_happened_and_is_not_simply_repeated(caller, kind):
    with pytest.raises(ToolFault) as caught:
        await caller.run("async_odd_result", EFFECTS, params={"kind": kind})
    assert caught.value.code is Code.TOOL_OUTCOME_UNKNOWN


@pytest.mark.parametrize("kind", UNUSABLE)
async def test_where_it_certainly_did_not_happen_it_is_told_as_what_it_is(caller, kind):
    asked = {"reconcile": f"{tools_for_tests.__name__}:async_reconciles", **EFFECTS}
    with pytest.raises(ToolFault) as caught:
        await caller.run("async_odd_result", asked, params={"kind": kind, "happened": False})
    assert caught.value.code in (Code.TOOL_RESULT_INVALID, Code.TOOL_OUTPUT_TOO_LARGE)
    assert caught.value.detail["nothing_happened"] is True


async def test_a_tool_that_is_no_coroutine_fails(caller):
    with pytest.raises(ToolFault) as caught:
        await caller.run("echo", {"isolated": False})
    assert caught.value.code is Code.TOOL_FAILED


async def test_saved_files_are_stored_and_the_folder_is_removed(caller, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    done = await caller.run("async_saves")
    assert [(one.name, one.size) for one in done.attachments] == [("a.txt", 5), ("b.txt", 6), ("empty.txt", 0)]
    assert (await caller.artifacts.path(done.attachments[1].artifact_id)).read_text() == "second"
    assert list(tmp_path.glob(f"{PREFIX}*")) == []


async def test_the_folder_of_a_call_that_is_stopped_at_its_end_is_removed_too():
    class Slow:
        async def progress(self, fraction: float, message: str) -> None:
            await asyncio.Event().wait()

        def log(self, line: str) -> None: ...

    now = datetime(2026, 11, 22, tzinfo=UTC)
    context = InlineContext(Owner("u", uuid4(), "UTC", "ko", now, lambda: "k"), "test", Resources(), {}, [], Slow())
    folder = context.workdir
    context.progress(0.5)
    ending = asyncio.create_task(context.close())
    await asyncio.sleep(0)
    ending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ending
    assert not folder.exists()


async def test_progress_is_heard_within_its_bounds_one_word_at_a_time_and_before_the_end(caller):
    await caller.run("async_reports")
    assert caller.words == [(0.0, "0 ")]


async def test_lines_are_heard_from_the_loop_and_from_threads_before_the_end(caller):
    await caller.run("async_writes")
    assert caller.lines == ["from the loop", "from a thread " + "x" * (2000 - len("from a thread\0 "))]


async def test_texts_are_those_of_the_pack_and_braces_in_values_stay(caller):
    done = await caller.run("async_speaks")
    assert done.result == {"said": "안녕하세요 {x}", "fallback": "Only {here}"}


async def test_nobody_knows_what_a_tool_with_effects_outside_has_done(caller):
    with pytest.raises(ToolFault) as caught:
        await caller.run("async_hangs", {"effects": "external"}, timeout_seconds=0.01)
    assert (caught.value.code, caught.value.retryable) == (Code.TOOL_OUTCOME_UNKNOWN, False)
