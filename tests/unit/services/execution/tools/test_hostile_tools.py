"""Tools that take more than they may, or what is not theirs, in real worker processes."""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from contracts.errors import Code
from services.execution.tools import workers
from services.execution.tools.confinement import lacking
from services.execution.tools.faults import ToolFault
from services.execution.tools.toolpool import ToolPool
from services.execution.tools.workers import Sandbox
from tests.fakes.artifacts import MemoryArtifacts
from tests.unit.services.execution.processes import gone
from tests.unit.services.execution.tool_caller import ToolCaller

pytestmark = pytest.mark.processes

EXCESS, PROBE = "tests.packs.hostile.tools.excess", "tests.packs.hostile.tools.probe"
confined = pytest.mark.skipif(bool(lacking()), reason=f"not here: {lacking()}")


@pytest.fixture
async def caller(artifacts: MemoryArtifacts) -> AsyncIterator[ToolCaller]:
    pool = ToolPool(1)
    yield ToolCaller(pool, artifacts)
    await pool.close()


async def fault_of(caller: ToolCaller, function: str, params: dict[str, object], **fields: object) -> ToolFault:
    with pytest.raises(ToolFault) as caught:
        await caller.run("echo", {"entry": f"{EXCESS}:{function}", **fields}, params=params)
    return caught.value


def workers_of_ours() -> list[psutil.Process]:
    """Processes that came of this one and live; orphans are of the init process."""
    return [
        one for one in psutil.process_iter() if one.pid != os.getpid() and "toolhost" in " ".join(_command(one))
        and os.getpid() in [parent.pid for parent in one.parents()]
    ]  # fmt: skip


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


async def test_a_tool_that_starts_more_and_more_processes_ends_with_all_of_them(caller: ToolCaller) -> None:
    fault = await fault_of(caller, "swarm", {"count": 300})
    assert (fault.code, fault.retryable) == (Code.TOOL_CRASHED, False)
    assert "64 processes" in fault.message
    assert workers_of_ours() == []


async def test_memory_is_counted_over_all_that_a_tool_has_started(caller: ToolCaller) -> None:
    fault = await fault_of(caller, "flood", {}, memory_mb=256)
    assert fault.code is Code.TOOL_OUT_OF_MEMORY
    assert workers_of_ours() == []


async def test_a_tool_that_fills_the_disk_is_ended_and_its_files_are_gone(
    caller: ToolCaller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "MOST_DISK", 50 * 1024**2)
    fault = await fault_of(caller, "hoard", {})
    assert fault.code is Code.TOOL_OUTPUT_TOO_LARGE
    assert list(caller.pool.scratch.glob("worker-*")) == []


async def test_who_waits_for_the_next_call_does_not_see_it(caller: ToolCaller) -> None:
    first = await caller.run("echo")
    left = await caller.run("echo", {"entry": f"{EXCESS}:leaves"})
    assert await gone(left.result["child"])
    assert (await caller.run("echo")).result["pid"] != first.result["pid"]


@pytest.mark.parametrize("by", ["file", "folder"])
async def test_a_link_in_place_of_a_file_brings_nobody_elses_into_the_store(
    caller: ToolCaller, tmp_path: Path, by: str
) -> None:
    secret = tmp_path / "out-0"
    secret.write_bytes(b"a password")
    fault = await fault_of(caller, "smuggle", {"by": by, "file": str(secret)})
    assert fault.code is Code.TOOL_RESULT_INVALID
    assert b"a password" not in caller.artifacts._files.values()
    assert secret.read_bytes() == b"a password", "neither taken nor moved away"


@confined
async def test_an_input_cannot_be_changed_for_those_who_read_it_after(caller: ToolCaller) -> None:
    brought = await caller.bring("as it was", "reviews.raw")
    refused = await caller.run("overwrites", inputs=[brought])
    assert set(refused.result["outcomes"].values()) == {"PermissionError"}
    assert (await caller.run("echo", inputs=[brought])).result["inputs"] == ["as it was"]


async def test_calls_of_another_kind_have_another_process_and_both_stay_warm(caller: ToolCaller) -> None:
    ours = await caller.run("echo")
    theirs = await caller.run("echo", {"network": True})
    assert ours.result["pid"] != theirs.result["pid"]
    assert (await caller.run("echo")).result["pid"] == ours.result["pid"]


@confined
async def test_a_tool_that_declares_the_network_has_it_and_no_more(caller: ToolCaller) -> None:
    listening = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        place = f"{folder}/socket"
        unix = await asyncio.start_unix_server(lambda _, writer: writer.close(), place)
        targets = {"port": port, "unix": place}
        closed = (await caller.run("dials", params=targets)).result["outcomes"]
        opened = (await caller.run("dials", {"network": True}, params=targets)).result["outcomes"]
        for server in (listening, unix):
            server.close()
            await server.wait_closed()
    assert closed == {"tcp": "PermissionError", "unix": "PermissionError"}
    assert opened == {"tcp": "connected", "unix": "PermissionError"}


async def test_without_confinement_the_same_tool_gets_in(artifacts: MemoryArtifacts, tmp_path: Path) -> None:
    """The control: what is refused above is there to be had. Operators can see which of both holds."""
    pool = ToolPool(1, sandbox=Sandbox("off"))
    secret = tmp_path / "secret"
    secret.write_text("a password")
    params = {"pid": os.getpid(), "folder": str(tmp_path), "secret": str(secret), "temporary": str(tmp_path)}
    wanted = {"the secret of the database", "the environment of the service", "a file in the data folder"}
    params |= {"home": "", "bus": 1, "gateway": 1, "database": "", "abstract": "", "only": ",".join(wanted)}
    try:
        done = await ToolCaller(pool, artifacts).run("echo", {"entry": f"{PROBE}:run"}, params=params)
    finally:
        await pool.close()
    assert {name for name, word in done.result["attempts"].items() if word.startswith("got")} == wanted
    assert pool.sandbox.lacking() == "DREAM_TOOL_SANDBOX is off"


@confined
async def test_of_itself_a_tool_finds_the_map_of_its_memory_and_no_more(caller: ToolCaller) -> None:
    done = await caller.run("echo", {"entry": f"{PROBE}:own"})
    # libraries that do not find how large their stack is make a new one at every step
    assert {name for name, word in done.result["attempts"].items() if word.startswith("got")} == {"maps"}


async def test_where_tools_must_be_confined_and_cannot_be_none_runs(
    artifacts: MemoryArtifacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "lacking", lambda: "its kernel has no Landlock")
    pool = ToolPool(1, sandbox=Sandbox("required"))
    with pytest.raises(ToolFault, match="required, but its kernel has no Landlock"):
        await ToolCaller(pool, artifacts).run("echo")
    await pool.close()
