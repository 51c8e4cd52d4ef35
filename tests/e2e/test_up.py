"""The real thing: `dream` as a process, with real servers, and nothing left of it afterwards."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import psutil
import pytest

from tests.e2e.world import EFFECTS, ROOT
from tests.unit.dream.local.test_embedded import of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]
PATIENCE = 60.0
"""Seconds for what happens in one on a machine with nothing else to do."""
ENVIRONMENT = {**os.environ, "LANG": "C", "LC_ALL": "C"}
LIGHT = {**ENVIRONMENT, "PYTHONPATH": str(ROOT), "DREAM_PACKS": EFFECTS}
"""With the same processes, and packs that have nothing to be understood: five seconds of processor time less for each
start, where it is of no account what can be said."""
DREAM = "from dream.cli.app import main; main()"


def command(*words: str) -> list[str]:
    return [sys.executable, "-c", DREAM, *words]


@contextmanager
def up(
    folder: Path, *options: str, script: str = DREAM, environment: Mapping[str, str] = LIGHT
) -> Iterator[subprocess.Popen[str]]:
    words = [sys.executable, "-c", script, "up", "--data-dir", str(folder), "--port", "0", *options]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def ready(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    line = process.stdout.readline()
    if not line:
        assert process.stderr
        pytest.fail(process.stderr.read())
    assert line.startswith("Dream Agent is ready: http://")
    assert line.endswith("  (Ctrl-C stops it)\n")
    return line.split()[4]


def left(folder: Path, process: subprocess.Popen[str]) -> list[str]:
    """Processes that name the folder, or descend from what ran there."""
    deadline = time.monotonic() + PATIENCE
    while (found := [line for line in of(folder) if "dream.cli" not in line]) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


def is_healthy(url: str) -> bool:
    """Within a while: a service that was kept from the processor says that it is not, until it has caught up."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        with suppress(httpx.TimeoutException):
            if httpx.get(f"{url}/health", trust_env=False).status_code == 200:
                return True
        time.sleep(0.1)
    return False


def open_to_others(folder: Path) -> dict[str, str]:
    """What somebody else may do with files there, but for Postgres's own, which it refuses to have open."""
    found = {}
    for path in (folder, *folder.rglob("*")):
        with suppress(FileNotFoundError):
            mode = stat.S_IMODE(path.lstat().st_mode)
            # run by root, Postgres is another user, and its group passes through
            allowed = 0o010 if path == folder and os.geteuid() == 0 else 0
            if mode & 0o077 & ~allowed and not path.is_symlink() and path.name != "postmaster.opts":
                found[str(path)] = oct(mode)
    return found


@pytest.mark.parametrize(("number", "environment"), [(signal.SIGINT, ENVIRONMENT), (signal.SIGTERM, LIGHT)])
def test_a_signal_ends_everything(number: int, environment: Mapping[str, str], tmp_path: Path) -> None:
    before = os.umask(0o022)  # that of most people
    try:
        _started_and_ended(number, environment, tmp_path / "new" / "data")
    finally:
        os.umask(before)


def _started_and_ended(number: int, environment: Mapping[str, str], tmp_path: Path) -> None:
    with up(tmp_path, environment=environment) as process:
        url = ready(process)
        assert open_to_others(tmp_path) == {}
        assert is_healthy(url)
        below = psutil.Process(process.pid).children(recursive=True)
        assert {"nats-server", "postgres"} <= {one.name() for one in below}
        told = json.loads((tmp_path / "server.json").read_text())
        assert (told["url"], told["pid"]) == (url, process.pid)
        process.send_signal(number)
        assert process.wait(PATIENCE) == 0
        assert not psutil.wait_procs(below, PATIENCE)[1]
    assert left(tmp_path, process) == []
    assert not (tmp_path / "server.json").exists()
    assert list(tmp_path.glob("**/*.pid")) == []
    assert (tmp_path / "logs" / "dream.log").read_text().startswith("{")


@pytest.mark.parametrize("wait", [0.0, 0.1, 0.6, 2.5])
def test_a_signal_while_starting_leaves_nothing(wait: float, tmp_path: Path) -> None:
    with up(tmp_path, script=f"print('begun', flush=True); {DREAM}", environment=ENVIRONMENT) as process:
        assert process.stdout and process.stderr
        assert process.stdout.readline() == "begun\n"  # before that, it is Python's own start that is interrupted
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) in (0, 130, -signal.SIGINT), process.stderr.read()
    assert left(tmp_path, process) == []
    assert not (tmp_path / "server.json").exists()


def test_two_more_signals_leave_nothing_either(tmp_path: Path) -> None:
    with up(tmp_path) as process:
        ready(process)
        for _ in range(3):
            process.send_signal(signal.SIGINT)
            time.sleep(0.05)
        assert process.wait(PATIENCE) == 0
    assert left(tmp_path, process) == []


def test_what_a_killed_one_left_is_cleared_by_the_next(tmp_path: Path) -> None:
    with up(tmp_path) as process:
        ready(process)
        process.kill()
        process.wait()
    assert of(tmp_path) != []
    assert (tmp_path / "server.json").exists()
    with up(tmp_path) as process:
        ready(process)
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
    assert left(tmp_path, process) == []


@pytest.mark.parametrize("options", [(), ("--processes",)], ids=["one", "processes"])
def test_a_pack_that_cannot_be_used_is_told_with_its_file_and_the_rest_works(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    migration = tmp_path / "packs" / "broken" / "migrations" / "0001_x.sql"
    migration.parent.mkdir(parents=True)
    migration.write_text("create table x (id int);\nselec 1;\n")
    (migration.parents[1] / "__init__.py").touch()
    (migration.parents[1] / "pack.yaml").write_text("name: broken\nversion: 1\ntitle: {en: Broken}\ndatabase: true\n")
    packs = {"DREAM_PACKS": f"{EFFECTS},broken,nowhere_to_be_found", "DREAM_PACK_PATH": str(tmp_path / "packs")}
    folder = tmp_path / "data"
    with up(folder, *options, environment={**LIGHT, **packs}) as process:
        assert is_healthy(ready(process))
        assert process.stderr
        told = [process.stderr.readline(), process.stderr.readline()]
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
    assert told[0].startswith("The pack nowhere_to_be_found is left out: there is no pack 'nowhere_to_be_found'")
    assert told[1].startswith(f"The pack broken is left out: {migration}, line 2: ")
    logged = [
        line for line in (folder / "logs" / "dream.log").read_text("utf-8").splitlines() if "pack left out" in line
    ]
    assert any(str(migration) in line and "broken" in line for line in logged)


def test_a_folder_in_use_is_told_with_its_address(tmp_path: Path) -> None:
    with up(tmp_path) as first:
        url = ready(first)
        with up(tmp_path) as second:
            assert second.wait(PATIENCE) == 2
            assert second.stderr
            assert url in second.stderr.read()
        assert is_healthy(url)
        first.send_signal(signal.SIGINT)
        assert first.wait(PATIENCE) == 0


def test_a_port_that_is_taken_is_told_before_anything_starts(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            command("up", "--data-dir", str(tmp_path), "--port", port),
            capture_output=True,
            text=True,
            env=ENVIRONMENT,
            check=False,
        )
    assert done.returncode == 2
    assert port in done.stderr
    assert not (tmp_path / "postgres").exists()


@pytest.mark.parametrize("server", ["nats-server", "Postgres"])
def test_a_signal_while_a_server_is_started_again_leaves_nothing(server: str, tmp_path: Path) -> None:
    record = {"nats-server": tmp_path / "nats" / "server.pid", "Postgres": tmp_path / "postgres.pid"}[server]
    with up(tmp_path) as process:
        ready(process)
        assert process.stderr
        assert "console" in process.stderr.readline()
        assert process.stderr.readline().startswith("Ready after ")
        os.kill(json.loads(record.read_text())["pid"], signal.SIGKILL)
        assert process.stderr.readline() == f"{server} was ended by SIGKILL. It is started again in 0.2 s.\n"
        time.sleep(0.25 if server == "Postgres" else 0.05)  # in the delay, or while it recovers
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
    assert left(tmp_path, process) == []
    ours = [one for one in tmp_path.glob("**/*.pid") if one.name != "postmaster.pid"]  # which a killed Postgres leaves
    assert ours == []
