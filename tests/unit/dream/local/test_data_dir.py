"""The lock on a data directory, and server.json."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from dream.failures import DataDirInUse
from dream.local.data_dir import DataDir

HOLD = "import sys, time; from dream.local.data_dir import DataDir; from pathlib import Path; DataDir(Path(sys.argv[1])).lock(); print(1, flush=True); time.sleep(60)"


@pytest.fixture
def place(tmp_path: Path) -> DataDir:
    return DataDir(tmp_path / "data")


def announce(place: DataDir) -> None:
    place.announce("http://127.0.0.1:1", "postgresql://me:secret@db/dream", "nats://127.0.0.1:2")


def test_server_json_says_where_and_who(place: DataDir) -> None:
    place.lock()
    announce(place)
    running = place.running()
    assert running is not None
    assert (running.url, running.pid) == ("http://127.0.0.1:1", os.getpid())
    place.unlock()
    assert not place.server_file.exists()


def test_the_database_address_is_for_the_owner_alone(place: DataDir) -> None:
    place.lock()
    announce(place)
    assert stat.S_IMODE(place.server_file.stat().st_mode) == 0o600
    place.unlock()


def test_a_folder_is_held_once_in_a_process(place: DataDir) -> None:
    place.lock()
    announce(place)
    with pytest.raises(DataDirInUse, match="http://127") as error:
        DataDir(place.folder).lock()
    assert error.value.url == "http://127.0.0.1:1"
    place.unlock()
    place.lock()
    place.unlock()


def test_a_folder_is_held_against_other_processes_until_the_holder_dies(place: DataDir) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD, str(place.folder)], stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        holder.stdout.readline()
        with pytest.raises(DataDirInUse):
            place.lock()
        holder.kill()
        holder.wait()
        place.lock()
        place.unlock()


def write(place: DataDir, **changes: object) -> None:
    place.folder.mkdir(parents=True, exist_ok=True)
    told = {
        "url": "http://127.0.0.1:1",
        "pid": os.getpid(),
        "created": psutil.Process().create_time(),
        "started": "",
        "database_url": "",
        "nats_url": "",
    }
    place.server_file.write_text(json.dumps(told | changes))


def test_a_living_server_is_found(place: DataDir) -> None:
    write(place)
    assert place.running() is not None


@pytest.mark.parametrize("changes", [{"pid": 2**22 + 1}, {"created": 1.0}, {"surprise": 1}])
def test_a_stale_server_json_is_recognised(place: DataDir, changes: dict[str, object]) -> None:
    write(place, **changes)
    assert place.running() is None


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"url": 1}'])
def test_a_broken_server_json_is_no_server(place: DataDir, text: str) -> None:
    place.folder.mkdir(parents=True)
    place.server_file.write_text(text)
    assert place.running() is None


def test_a_stale_server_json_is_gone_once_the_folder_is_ours(place: DataDir) -> None:
    write(place, pid=2**22 + 1)
    place.lock()
    assert not place.server_file.exists()
    place.unlock()
