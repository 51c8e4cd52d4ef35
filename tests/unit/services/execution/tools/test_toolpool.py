"""The pool's processes: when they start and end, and what they see of us."""

import asyncio
import os
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from services.execution.tools import toolpool, workers
from services.execution.tools.confinement import WorkerKind
from services.execution.tools.toolpool import ToolPool
from services.execution.tools.workers import resident
from tests.unit.services.execution.processes import gone
from tests.unit.services.execution.tool_caller import ToolCaller

pytestmark = pytest.mark.processes


async def test_our_environment_is_not_visible_to_tools(artifacts, monkeypatch):
    monkeypatch.setenv("DREAM_DATABASE_URL", "postgresql://secret")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    pool = ToolPool(1)
    done = await ToolCaller(pool, artifacts).run("environment")
    await pool.close()
    assert not [name for name in done.result["names"] if name.startswith(("DREAM_", "OPENAI"))]
    assert not [value for value in done.result["values"] if "secret" in value]
    assert "PATH" in done.result["names"]


async def test_a_tool_that_changes_its_folder_does_not_move_the_next_one(artifacts):
    pool = ToolPool(1)
    caller = ToolCaller(pool, artifacts)
    await caller.run("wanders")
    done = await caller.run("wanders")
    await pool.close()
    assert done.result["before"] == str(Path.cwd())


async def test_idle_processes_retire_and_new_ones_start_when_needed(artifacts):
    pool = ToolPool(2, idle_seconds=0.1)
    caller = ToolCaller(pool, artifacts)
    first = await caller.run("echo")
    retiring = asyncio.create_task(pool.retire_idle())
    assert await gone(first.result["pid"])
    assert pool.idle == 0
    second = await caller.run("echo")
    assert second.result["pid"] != first.result["pid"]
    retiring.cancel()
    await asyncio.gather(retiring, return_exceptions=True)
    assert await gone(second.result["pid"])


async def test_a_process_that_died_while_idle_is_replaced(artifacts):
    pool = ToolPool(1)
    caller = ToolCaller(pool, artifacts)
    first = await caller.run("echo")
    os.kill(first.result["pid"], 9)
    assert await gone(first.result["pid"])
    await asyncio.sleep(0.1)
    assert (await caller.run("echo")).result["pid"] != first.result["pid"]
    await pool.close()


async def test_a_pool_that_closes_lets_its_calls_end(artifacts):
    pool = ToolPool(1)
    caller = ToolCaller(pool, artifacts)
    call = asyncio.create_task(caller.run("saves"))
    await asyncio.sleep(0.05)
    await pool.close()
    scratch = pool.scratch
    assert len((await call).attachments) == 3
    assert pool._scratch is None
    assert not scratch.exists()
    assert pool.idle == 0


async def test_a_warmed_process_takes_the_next_call(artifacts):
    pool = ToolPool(2)
    caller = ToolCaller(pool, artifacts)
    first = await caller.run("echo")
    await pool.settled()
    kind = pool._idle[0].kind  # who calls the pool knows the kind from the tool
    pool.warm(kind, "time:time")
    second = await caller.run("echo")
    assert second.result["pid"] == first.result["pid"], "what is being warmed is waited for"
    pool.warm(kind, "no_such_module:entry")
    assert (await caller.run("echo")).result["pid"] == first.result["pid"], "what cannot be loaded harms nothing"
    await pool.close()
    assert pool.idle == 0


async def test_processes_that_wait_hold_no_more_than_their_budget_and_the_oldest_ends(artifacts, monkeypatch):
    pool = ToolPool(2)
    caller = ToolCaller(pool, artifacts)
    first = await caller.run("echo")
    again = await caller.run("echo")
    assert again.result["pid"] == first.result["pid"], "within the budget it waits for the next call"
    held = resident(first.result["pid"])
    monkeypatch.setattr(toolpool, "IDLE_BYTES", held * 3 // 2)
    other = await caller.run("echo", {"memory_mb": 1024})
    assert other.result["pid"] != first.result["pid"]
    assert await gone(first.result["pid"])
    await pool.settled()
    assert pool.idle == 1
    monkeypatch.setattr(toolpool, "IDLE_BYTES", held // 2)
    await caller.run("echo", {"memory_mb": 1024})
    assert await gone(other.result["pid"])
    await pool.settled()
    assert pool.idle == 0
    await pool.close()


async def test_who_waits_for_a_place_gets_the_process_of_the_call_before(artifacts):
    pool = ToolPool(1)
    caller = ToolCaller(pool, artifacts)
    done = await asyncio.gather(*(caller.run("echo") for _ in range(4)))
    assert len({one.result["pid"] for one in done}) == 1
    await pool.close()


async def test_texts_are_sent_once_to_a_process_and_each_call_has_those_of_its_language(artifacts):
    pool = ToolPool(1)
    caller = ToolCaller(pool, artifacts)
    said = [await caller.run("greets", language=language) for language in ("ko", "en", "ko", "en")]
    assert len({one.result["pid"] for one in said}) == 1
    assert [one.result["said"] for one in said] == ["안녕하세요 용걸", "Hello 용걸"] * 2
    await pool.close()


async def test_a_pool_that_closes_while_files_are_swept_leaves_nothing(artifacts, monkeypatch):
    """The folder of all calls stays until their files are gone."""
    sweep = workers.Kept.sweep

    def slowly(kept):
        time.sleep(0.3)
        sweep(kept)

    monkeypatch.setattr(workers.Kept, "sweep", slowly)
    pool = ToolPool(1)
    first = await ToolCaller(pool, artifacts).run("echo")
    await asyncio.sleep(0.1)  # it has begun
    await pool.close()
    assert await gone(first.result["pid"])
    assert pool._scratch is None


async def test_what_a_call_has_saved_and_left_is_removed_when_it_is_over(artifacts):
    pool = ToolPool(1)
    caller = ToolCaller(pool, artifacts)
    for _ in range(2):
        done = await caller.run("litters")
        assert done.result["files"] == ["left.txt"], "its own"
        left = {path.name for path in pool.scratch.rglob("*") if path.is_file()}
        assert "left.txt" in left, "it is moved away at once, and removed when there is time"
        await pool.settled()
        assert not [path for path in pool.scratch.rglob("*") if path.is_file()]
    await pool.close()


async def test_a_process_that_cannot_be_cleaned_ends(artifacts, monkeypatch):
    def fails(worker, left):
        raise PermissionError("the folder is gone")

    pool = ToolPool(1)
    caller = ToolCaller(pool, artifacts)
    monkeypatch.setattr(workers.Worker, "clear", fails)
    first = await caller.run("echo")
    await pool.settled()
    assert await gone(first.result["pid"])
    assert pool.idle == 0
    monkeypatch.undo()
    assert (await caller.run("echo")).result["pid"] != first.result["pid"]
    await pool.close()


@pytest.mark.parametrize("turns", [0, 1, 2, 4, 8, 16, 64, 256])
async def test_a_start_that_is_cancelled_leaves_no_file_open(tmp_path, turns):
    kind, own = WorkerKind("tests", str(tmp_path), False, 512), psutil.Process()
    await (await workers.start(kind, tmp_path, workers.Sandbox("off"))).kill()  # what a loop opens once is open now
    before = own.num_fds()
    starting = asyncio.create_task(workers.start(kind, tmp_path, workers.Sandbox("off")))
    for _ in range(turns):
        await asyncio.sleep(0)
    starting.cancel()
    with suppress(asyncio.CancelledError):
        await (await starting).kill()
    while own.num_fds() > before:  # transports close at the next turn, processes are waited for
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)
    assert own.num_fds() <= before
    assert not list(tmp_path.iterdir())
