"""nats-server and Postgres from wheels: they start, stop, and leave nothing behind."""

import asyncio
import json
import signal
import subprocess
from pathlib import Path

import psutil
import pytest

from dream import child
from dream.embedded import EmbeddedNats, EmbeddedPostgres, EmbeddedServerFailed, start_both, start_together


def of(folder: Path) -> list[str]:
    """Command lines of living processes that name the folder."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        line = " ".join(process.info["cmdline"] or ())
        if str(folder) in line and process.info["status"] != psutil.STATUS_ZOMBIE:
            found.append(line)
    return found


def records(folder: Path) -> list[Path]:
    """Records of processes that are said to live."""
    return list(folder.rglob("*.pid"))


def stop_all(*servers: EmbeddedNats | EmbeddedPostgres) -> None:
    for server in servers:
        server.stop()


async def test_both_start_stop_and_start_again(tmp_path: Path) -> None:
    nats, postgres = await start_both(tmp_path)
    port = nats.port
    stop_all(nats, postgres)
    assert of(tmp_path) == []
    await start_together(nats, postgres)
    assert nats.port == port
    assert (tmp_path / "nats" / "server.pid").exists()
    stop_all(nats, postgres)
    assert of(tmp_path) == []
    assert records(tmp_path) == []


async def test_a_start_that_is_cancelled_leaves_nothing(tmp_path: Path) -> None:
    starting = asyncio.create_task(start_both(tmp_path))
    await asyncio.sleep(0.2)  # in the middle of initdb
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert of(tmp_path) == []
    stop_all(*await start_both(tmp_path))  # and nothing that is in the way


async def test_when_one_does_not_start_the_other_is_stopped(tmp_path: Path) -> None:
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "PG_VERSION").write_text("7")
    with pytest.raises(EmbeddedServerFailed, match=r"Postgres ended with \d: .{10,}postgresql\.conf"):
        await start_both(tmp_path)
    assert of(tmp_path) == []


async def test_servers_of_a_killed_dream_are_ended_by_the_next_start(tmp_path: Path) -> None:
    lost_nats, lost_postgres = await start_both(tmp_path)
    nats, postgres = await start_both(tmp_path)
    assert lost_nats.process
    assert lost_postgres.process
    assert lost_nats.process.wait(5) is not None
    assert lost_postgres.process.wait(5) is not None
    stop_all(nats, postgres)
    assert of(tmp_path) == []


async def test_a_crashed_postgres_recovers(tmp_path: Path) -> None:
    postgres = EmbeddedPostgres(tmp_path / "postgres")
    await start_together(postgres)
    postgres.stop(signal.SIGQUIT)
    await start_together(postgres)
    postgres.stop()
    assert of(tmp_path) == []


async def test_a_folder_too_deep_for_a_socket_has_it_elsewhere(tmp_path: Path) -> None:
    deep = tmp_path / ("깊은 폴더" * 10)
    deep.mkdir()
    postgres = EmbeddedPostgres(deep / "postgres")
    await start_together(postgres)
    assert "dream-postgres-" in postgres.url
    postgres.stop()


def test_a_number_used_again_is_not_killed(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "60"]) as other:
        record = tmp_path / "x.pid"
        record.write_text(json.dumps({"pid": other.pid, "created": psutil.Process(other.pid).create_time() - 100}))
        assert not child.end_leftover(record)
        assert other.poll() is None
        other.kill()


def test_a_stopped_child_takes_its_group_with_it(tmp_path: Path) -> None:
    one = child.start(["sh", "-c", f"sleep 61.{tmp_path.name[-1]} & wait"], record=tmp_path / "x.pid")
    while not (below := psutil.Process(one.process.pid).children()):
        pass
    one.stop(signal.SIGKILL)
    assert not psutil.wait_procs(below, 3)[1]
    assert not (tmp_path / "x.pid").exists()
