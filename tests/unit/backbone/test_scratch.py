"""Temporary folders: gone after the work, and after its process, whatever ended that; never those of the living."""

import errno
import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from backbone.scratch import PREFIX, Scratch, sweep_leftovers

HOLDS = """
import sys
from backbone.scratch import Scratch
folder = Scratch.made().path
(folder / "file").write_text("x")
print(folder, flush=True)
sys.stdin.read()
"""


@contextmanager
def another(tmp_path: Path) -> Iterator[tuple["subprocess.Popen[str]", Path]]:
    """A process that holds a folder until it is killed."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDS],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    with process:
        assert process.stdout is not None
        try:
            yield process, Path(process.stdout.readline().strip())
        finally:
            process.kill()


def test_a_folder_is_there_as_long_as_its_process_and_swept_after_it_was_killed(tmp_path):
    with another(tmp_path) as (process, folder):
        own = Scratch.made(within=tmp_path)
        assert sweep_leftovers(within=tmp_path) == []
        assert (folder / "file").read_text() == "x"
        process.kill()
        process.wait()
        assert sweep_leftovers(within=tmp_path) == [folder]
        assert not folder.exists() and own.path.exists()
        own.remove()
        assert list(tmp_path.iterdir()) == []


def test_what_a_process_has_started_does_not_hold_its_folder(tmp_path):
    own = Scratch.made(within=tmp_path)
    runs = [sys.executable, "-c", "print(flush=True); input()"]
    with subprocess.Popen(runs, stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False) as outliving:
        assert outliving.stdout is not None
        outliving.stdout.readline()  # until then it may be a copy of us, with all that we hold
        os.close(own._lock)  # as when our process ends
        assert sweep_leftovers(within=tmp_path) == [own.path]
        outliving.kill()


def test_where_nothing_can_be_locked_folders_are_made_and_none_is_swept(tmp_path, monkeypatch):
    def refuses(*_: object) -> None:
        raise OSError(errno.EBADF, "as NFS says of a folder")

    monkeypatch.setattr(fcntl, "flock", refuses)
    own = Scratch.made(within=tmp_path)
    assert own.path.is_dir()
    assert sweep_leftovers(within=tmp_path) == []
    own.remove()
    assert list(tmp_path.iterdir()) == []


def test_links_files_and_other_folders_are_left_alone(tmp_path):
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").touch()
    (tmp_path / f"{PREFIX}link").symlink_to(tmp_path / "precious")
    (tmp_path / f"{PREFIX}file").touch()
    assert sweep_leftovers(within=tmp_path) == []
    assert (tmp_path / "precious" / "file").exists()


def test_a_sweep_never_takes_a_folder_that_is_just_made(tmp_path):
    def makes(_: int) -> bool:
        made = Scratch.made(within=tmp_path)
        sweep_leftovers(within=tmp_path)
        there = made.path.exists()
        made.remove()
        return there

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(makes, range(300)))
    assert list(tmp_path.iterdir()) == []
