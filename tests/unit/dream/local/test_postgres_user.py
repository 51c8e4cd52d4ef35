"""The user that Postgres gets when dream runs as root."""

import os
import pwd
import stat
import threading
from pathlib import Path

import pytest

from dream.local import postgres_user


def test_processes_that_start_together_make_one_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second useradd, which had looked before the first was done, gives the name another number."""
    made = tmp_path / "made"
    useradd = tmp_path / "useradd"
    useradd.write_text(f"#!/bin/sh\nsleep 0.2\necho made >> {made}\n")
    useradd.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(os, "geteuid", lambda: 0)

    def getpwnam(name: str) -> None:
        if not made.exists():
            raise KeyError(name)

    monkeypatch.setattr(pwd, "getpwnam", getpwnam)
    monkeypatch.setattr(postgres_user, "_let_in", lambda place: None)
    monkeypatch.setattr(postgres_user, "_let_in_alone", lambda data: None)
    binaries = tmp_path / "bin"
    binaries.mkdir()
    (binaries / "postgres").touch(mode=0o755)
    (binaries / "postgres").chmod((binaries / "postgres").stat().st_mode | stat.S_IXOTH)
    starting = [threading.Thread(target=postgres_user.needed, args=(binaries, tmp_path)) for _ in range(4)]
    for one in starting:
        one.start()
    for one in starting:
        one.join()
    assert made.read_text().splitlines() == ["made"]
