"""CPU tools run in real worker processes: whatever a tool does there, the service goes on."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from contracts.errors import Code
from contracts.tools import ToolError
from services.execution.tools.faults import ToolFault
from services.execution.tools.toolpool import MOST_MEANINGS, ToolPool
from services.execution.tools.workers import Sandbox
from tests.fakes.artifacts import MemoryArtifacts
from tests.unit.services.execution.processes import gone, told
from tests.unit.services.execution.tool_caller import ToolCaller

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.processes]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ToolPool]:
    # these tell who they are in folders of the test
    pool = ToolPool(2, sandbox=Sandbox(folders=(tmp_path_factory.getbasetemp(),)))
    yield pool
    await pool.close()
    assert pool._scratch is None


@pytest.fixture
def caller(pool: ToolPool, artifacts: MemoryArtifacts) -> ToolCaller:
    return ToolCaller(pool, artifacts)


async def left_behind(caller: ToolCaller) -> list[Path]:
    await caller.pool.settled()
    scratch = caller.pool.scratch
    return [*scratch.glob("kept-*"), *scratch.glob("worker-*/*/*")]


async def fault_of(caller: ToolCaller, function: str, **fields) -> ToolFault:
    with pytest.raises(ToolFault) as caught:
        await caller.run(function, **fields)
    await caller.run("echo")  # the pool is as good as before
    assert await left_behind(caller) == [], "a call left its folder behind"
    return caught.value


async def test_a_tool_gets_its_params_inputs_language_time_and_key(caller):
    brought = [await caller.bring("하나", "reviews.raw"), await caller.bring("둘", "file.table")]
    done = await caller.run("echo", params={"n": 1, "글": "값"}, inputs=brought)
    again = await caller.run("echo", params={"글": "값", "n": 1}, attempt=2)
    assert done.result["params"] == {"n": 1, "글": "값"}
    assert done.result["inputs"] == ["하나"]
    assert (done.result["language"], done.result["others"]) == ("ko", 0)
    assert done.result["now"] == "2026-01-01T12:00:00+00:00"
    assert again.result["key"] == done.result["key"]


async def test_a_tool_is_told_the_time_where_the_person_is(caller):
    for function in ("echo", "async_now"):
        there = await caller.run(function, timezone="Pacific/Kiritimati")
        assert there.result["now"] == "2026-01-02T02:00:00+14:00", function


async def test_a_process_serves_one_call_after_the_other(caller):
    first, second = await caller.run("echo"), await caller.run("echo")
    assert first.result["pid"] == second.result["pid"]


async def test_calls_at_once_have_processes_of_their_own_and_the_others_wait(caller):
    done = await asyncio.gather(*(caller.run("echo") for _ in range(4)))
    assert len({one.result["pid"] for one in done}) == 2


async def test_a_tool_that_raises_is_a_failure_that_people_are_told_by_its_code(caller):
    fault = await fault_of(caller, "raises")
    assert fault.code is Code.TOOL_FAILED
    assert fault.message.startswith("ValueError: 열")
    assert not fault.retryable


async def test_where_a_tool_has_failed_is_in_our_log(caller, caplog):
    await fault_of(caller, "raises")
    (said,) = [one.getMessage() for one in caplog.records if "failed in its process" in one.getMessage()]
    assert "tools_for_tests.py" in said
    assert "in raises" in said


async def test_a_tool_that_refuses_speaks_for_itself(caller):
    with pytest.raises(ToolError) as caught:
        await caller.run("refuses")
    assert not isinstance(caught.value, ToolFault)
    assert (caught.value.code, caught.value.message) == (Code.TABLE_EMPTY, "행이 없어요.")
    assert caught.value.detail == {"rows": 0}


async def test_details_that_are_no_json_are_kept_as_text(caller):
    with pytest.raises(ToolError) as caught:
        await caller.run("refuses_oddly")
    assert caught.value.retryable
    assert "object object" in str(caught.value.detail["detail"])


async def test_details_may_have_any_name(caller):
    with pytest.raises(ToolError) as caught:
        await caller.run("refuses_with_names_of_ours")
    assert caught.value.detail == {"message": "a", "code": 1, "retryable": "b"}
    assert caught.value.message == "행이 없어요."


async def test_a_tool_that_prints_megabytes_is_neither_stuck_nor_believed(caller):
    done = await caller.run("prints")
    assert done.result == {"ok": True}


@pytest.mark.parametrize(("function", "code"), [("exits", 3), ("leaves", 1)])
async def test_a_tool_that_ends_its_process_has_crashed_and_may_be_tried_again(caller, function, code, capfd):
    fault = await fault_of(caller, function)
    assert (fault.code, fault.retryable) == (Code.TOOL_CRASHED, True)
    assert fault.detail == {"exit_code": code}


async def test_a_tool_that_hangs_is_killed_when_its_time_is_up(caller, tmp_path):
    pid = tmp_path / "pid"
    begun = time.monotonic()
    fault = await fault_of(caller, "hangs", timeout_seconds=1.0, params={"tell": str(pid)})
    assert (fault.code, fault.retryable) == (Code.TOOL_TIMEOUT, True)
    assert fault.detail == {"seconds": 1.0}
    assert time.monotonic() - begun < 10
    assert await gone(int(pid.read_text()))


async def test_what_a_tool_has_started_ends_with_it(caller, tmp_path):
    pid = tmp_path / "pid"
    call = asyncio.create_task(caller.run("hangs_with_a_child", params={"tell": str(pid)}))
    child = await told(pid)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert await gone(child)


async def test_cancelling_a_call_kills_the_process(caller, tmp_path):
    pid = tmp_path / "pid"
    call = asyncio.create_task(caller.run("hangs", params={"tell": str(pid)}))
    worker = await told(pid)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert await gone(worker)
    await caller.run("echo")
    assert await left_behind(caller) == []


async def test_a_call_that_waits_for_a_process_can_be_cancelled(caller):
    holders = [asyncio.create_task(caller.run("hangs")) for _ in range(2)]
    await asyncio.sleep(0.05)
    waiting = asyncio.create_task(caller.run("echo"))
    await asyncio.sleep(0.05)
    for call in (waiting, *holders):
        call.cancel()
    await asyncio.gather(waiting, *holders, return_exceptions=True)
    await caller.run("echo")


@pytest.mark.parametrize(
    "kind", ["nan", "infinite", "object", "list", "nothing", "nul", "surrogate", "circle", "huge", "deep"]
)
async def test_a_result_that_no_ledger_can_hold_is_an_invalid_result(caller, kind):
    fault = await fault_of(caller, "odd_result", params={"kind": kind})
    assert (fault.code, fault.retryable) == (
        (Code.TOOL_OUTPUT_TOO_LARGE if kind == "huge" else Code.TOOL_RESULT_INVALID),
        False,
    )


async def test_a_result_is_what_json_makes_of_it(caller):
    done = await caller.run("odd_result", params={"kind": "backslash"})
    assert done.result == {"x": "\\u0000", "7": [1, 2]}


async def test_a_result_that_breaks_its_schema_is_an_invalid_result(caller):
    schema = {"type": "object", "properties": {"pid": {"type": "string"}}}
    with pytest.raises(ToolFault) as caught:
        await caller.run("echo", {"result_schema": schema})
    assert caught.value.code is Code.TOOL_RESULT_INVALID
    assert "pid" in caught.value.message


async def test_params_that_break_the_schema_never_reach_the_tool(caller):
    with pytest.raises(ToolFault) as caught:
        await caller.run("exits", {"params_schema": {"type": "object", "maxProperties": 0}}, params={"n": 1})
    assert caught.value.code is Code.TOOL_ARGUMENTS_INVALID


async def test_a_tool_that_no_pack_has_is_unknown(caller):
    with pytest.raises(ToolFault) as caught:
        await caller.run("echo", tool="test.stranger")
    assert caught.value.code is Code.TOOL_UNKNOWN


@pytest.mark.parametrize(
    "entry", ["no.such.module:run", "tests.unit.services.execution.tools_for_tests:NOT_A_FUNCTION"]
)
async def test_a_tool_whose_code_cannot_be_called_fails(caller, entry):
    with pytest.raises(ToolFault) as caught:
        await caller.run("echo", {"entry": entry})
    assert caught.value.code is Code.TOOL_BROKEN


async def test_an_input_that_is_not_in_the_store_is_said(caller):
    brought = (await caller.bring("하나", "reviews.raw")).model_copy(update={"artifact_id": "f" * 64})
    with pytest.raises(ToolFault) as caught:
        await caller.run("echo", inputs=[brought])
    assert caught.value.code is Code.ARTIFACT_UNKNOWN


async def test_saved_files_are_stored_as_they_were_when_saved(caller):
    done = await caller.run("saves")
    assert [(one.name, one.size, one.meta) for one in done.attachments] == [
        ("a.txt", 5, {"pages": 1}), ("b.txt", 6, {}), ("empty.txt", 0, {}),
    ]  # fmt: skip
    assert (await caller.artifacts.path(done.attachments[1].artifact_id)).read_text() == "second"
    assert await left_behind(caller) == []


@pytest.mark.parametrize("function", ["spoils_its_file", "loses_its_file"])
async def test_a_file_that_is_not_what_was_saved_is_an_invalid_result(caller, function):
    fault = await fault_of(caller, function)
    assert fault.code is Code.TOOL_RESULT_INVALID


async def test_progress_is_heard_within_its_bounds_and_not_a_thousand_times(caller):
    await caller.run("reports")
    assert 1 <= len(caller.words) < 200
    assert caller.words[0] == (0.0, "0 ")
    assert all(0 <= fraction <= 1 for fraction, _ in caller.words)


async def test_lines_and_the_traceback_of_a_failure_are_heard(caller):
    await caller.run("reports")
    assert caller.lines == [("a line?" * 250)]
    await fault_of(caller, "raises")
    assert "Traceback" in caller.lines[1]


async def test_texts_are_those_of_the_pack_and_braces_in_values_stay(caller):
    done = await caller.run("speaks")
    assert done.result == {"said": "안녕하세요 {x}", "fallback": "Only {here}"}
    fault = await fault_of(caller, "speaks_of_nothing")
    assert fault.code is Code.TOOL_FAILED


@pytest.mark.parametrize("function", ["exits", "hangs"])
async def test_nobody_knows_what_a_tool_with_effects_outside_has_done(caller, function):
    with pytest.raises(ToolFault) as caught:
        await caller.run(function, {"effects": "external"}, timeout_seconds=1)
    assert (caught.value.code, caught.value.retryable) == (Code.TOOL_OUTCOME_UNKNOWN, False)


async def test_a_tool_in_a_process_has_vectors_of_texts_up_to_a_number(pool: ToolPool, artifacts: MemoryArtifacts):
    caller = ToolCaller(pool, artifacts)
    done = await caller.run("compares", params={})
    assert done.result == {"first": [[1.0], [2.0]], "second": [[1.0]]}
    assert caller.lines == ["between"]
    done = await caller.run("compares", params={"texts": MOST_MEANINGS})
    assert done.result["second"] == []
    assert caller.meant == [2, 1, 2], "what is too much is not asked for"
    assert (await caller.run("echo")).result["params"] == {}
