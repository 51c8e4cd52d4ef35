"""nats-server and Postgres from wheels: they start, stop, and leave nothing behind."""

import asyncio
import json
import resource
import shutil
import signal
import socket
import stat
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import nats
import psutil
import pytest

from dream.local import child
from dream.local.embedded import EmbeddedNats, EmbeddedPostgres, EmbeddedServerFailed, start_together

pytestmark = pytest.mark.processes


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


async def start_both(folder: Path) -> tuple[EmbeddedNats, EmbeddedPostgres]:
    nats, postgres = EmbeddedNats(folder / "nats"), EmbeddedPostgres(folder / "postgres")
    await start_together(nats, postgres)
    return nats, postgres


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


def answer_to(port: int, words: dict[str, str]) -> bytes:
    """What nats-server says to a client that introduces itself so, and asks for everything."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection, connection.makefile("rb") as lines:
        assert lines.readline().startswith(b"INFO ")
        connection.sendall(f"CONNECT {json.dumps(words)}\r\nSUB > 1\r\nPING\r\n".encode())
        return lines.readline()


async def test_nobody_speaks_to_nats_who_does_not_know_its_password(tmp_path: Path) -> None:
    server = EmbeddedNats(tmp_path / "deep" / "nats")
    await start_together(server)
    try:
        password = urlsplit(server.url).password
        assert password and len(password) > 30
        wrong: tuple[dict[str, str], ...] = (
            {},
            {"user": "dream"},
            {"user": "dream", "pass": password[:-1]},
            {"auth_token": password},
        )
        for words in (*wrong, {"user": "someone", "pass": password}):
            assert b"Authorization Violation" in await asyncio.to_thread(answer_to, server.port, words)
        client = await nats.connect(server.url)
        await client.close()
        assert password not in " ".join(of(tmp_path)) + repr(server)
        texts = {file: stat.S_IMODE(file.stat().st_mode) for file in server.folder.iterdir() if file.is_file()}
        assert {mode for file, mode in texts.items() if password in file.read_text()} == {0o600}
        assert stat.S_IMODE(server.folder.stat().st_mode) == 0o700
        before = server.url
        server.stop(signal.SIGKILL)
        await start_together(server)
        assert server.url == before, "clients find it again"
    finally:
        server.stop()
    assert EmbeddedNats(tmp_path / "other").url != EmbeddedNats(tmp_path / "another").url


async def test_a_nats_that_met_a_write_error_refuses_until_it_is_started_again(tmp_path: Path) -> None:
    server = EmbeddedNats(tmp_path / "nats")
    await start_together(server)
    try:
        client = await nats.connect(server.url)
        bus = client.jetstream(timeout=1)
        await bus.add_stream(name="letters", subjects=["letters"], max_bytes=1 << 24)
        await bus.publish("letters", b"first")
        assert not server.refuses()
        assert server.process
        # as a full disk, but for this process alone
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (1 << 15, resource.RLIM_INFINITY))
        with pytest.raises(nats.errors.TimeoutError):
            await bus.publish("letters", b"x" * (1 << 16))
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        with pytest.raises(nats.errors.TimeoutError):
            await bus.publish("letters", b"there is room")
        assert server.refuses() and server.refuses()
        await client.close()
        server.stop()
        await start_together(server)
        assert not server.refuses(), "that was in another life"
        client = await nats.connect(server.url)
        assert (await client.jetstream().publish("letters", b"second")).seq == 2
        await client.close()
    finally:
        server.stop()


async def test_a_full_disk_is_no_reason_to_start_nats_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = EmbeddedNats(tmp_path)
    server.log.write_text("[9] [ERR] JetStream failed to store a msg on stream 'EVT': no space left on device\n")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(1 << 30, 1 << 30, 1 << 20))
    assert not server.refuses()
    monkeypatch.undo()
    assert server.refuses()


async def test_a_postmaster_that_was_killed_over_a_busy_backend_starts_again(tmp_path: Path) -> None:
    postgres = EmbeddedPostgres(tmp_path / "postgres")
    await start_together(postgres)
    busy: asyncio.Task[object] | None = None
    try:
        connection = await asyncpg.connect(postgres.owner_url)
        # counts on for minutes, and never looks whether its postmaster lives
        busy = asyncio.create_task(connection.fetchval("select count(*) from generate_series(1, 20000000000)"))
        watcher = await asyncpg.connect(postgres.owner_url)
        while not await watcher.fetchval(
            "select 1 from pg_stat_activity where query like '%20000000000%' and pid <> pg_backend_pid()"
        ):
            await asyncio.sleep(0.01)
        await watcher.close()
        assert postgres.process
        postgres.process.kill()
        postgres.process.wait()
        await start_together(postgres)
        connection = await asyncpg.connect(postgres.owner_url)
        assert await connection.fetchval("select 1") == 1
        await connection.close()
        with pytest.raises((asyncpg.PostgresError, OSError)):
            await busy
    finally:
        if busy is not None:
            busy.cancel()
        postgres.stop()
    assert of(tmp_path) == []
