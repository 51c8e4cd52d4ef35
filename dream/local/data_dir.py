"""A data directory: the lock that one `dream` holds, and server.json that tells the others where it answers."""

import contextlib
import fcntl
import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO
from uuid import UUID

import psutil

from dream.failures import DataDirInUse
from dream.local import child

_held: dict[Path, IO[str]] = {}
"""Locks of this process: the kernel's locks are per process and would let us in twice."""


@dataclass(frozen=True, slots=True)
class Running:
    """What server.json says. `created` is the start of the process as the system counts it: numbers are used again."""

    url: str
    pid: int
    created: float
    started: str
    database_url: str
    nats_url: str


def write_private(path: Path, text: str) -> None:
    """Writes a file whole or not at all, for our eyes only."""
    unfinished = path.with_name(path.name + ".new")
    unfinished.unlink(missing_ok=True)
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    unfinished.replace(path)


class DataDir:
    """The files of one data directory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self._ours = False

    @property
    def server_file(self) -> Path:
        return self.folder / "server.json"

    @property
    def log_file(self) -> Path:
        return self.folder / "logs" / "dream.log"

    def record_of(self, name: str) -> Path:
        return self.folder / f"{name}.pid"

    def made(self) -> None:
        """Makes the folders, which nobody else may enter. One that was there stays as it is, those in it do not: they
        are ours."""
        if not self.folder.exists():
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in ("logs", "artifacts"):
            (self.folder / name).mkdir(mode=0o700, exist_ok=True)
            (self.folder / name).chmod(0o700)

    def lock(self) -> None:
        """Makes the folder ours until `unlock` or our death; raises DataDirInUse. The kernel gives the lock back, so
        none is ever stale, and children do not inherit it."""
        self.made()
        if self.folder in _held:
            raise DataDirInUse(self.folder, self._url())
        lock = (self.folder / "lock").open("w")
        try:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            raise DataDirInUse(self.folder, self._url()) from None
        _held[self.folder] = lock
        self._ours = True
        self.server_file.unlink(missing_ok=True)  # nobody holds the folder, so the file is stale

    def unlock(self) -> None:
        """Gives the folder back; server.json goes first."""
        if self._ours:
            self.server_file.unlink(missing_ok=True)
            _held.pop(self.folder).close()
            self._ours = False

    def announce(self, url: str, database_url: str, nats_url: str) -> None:
        """Writes server.json, for our eyes only: the addresses of the servers may hold passwords."""
        created = psutil.Process().create_time()
        started = time.strftime("%Y-%m-%dT%H:%M:%S%z")
        running = Running(url, os.getpid(), created, started, database_url, nats_url)
        write_private(self.server_file, json.dumps(asdict(running)))

    def running(self) -> Running | None:
        """What server.json says, if its process is alive and the same; None when there is none or it is stale."""
        try:
            told = Running(**json.loads(self.server_file.read_text()))
        except (OSError, ValueError, TypeError):
            return None
        return told if child.is_same(told.pid, told.created) else None

    def remember(self, session: str) -> None:
        """The session that was talked to last, for commands that are given a run alone. Not worth failing for."""
        with contextlib.suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(self._last_file, session)

    def last_session(self) -> str | None:
        """What `remember` was told last."""
        try:
            return str(UUID(self._last_file.read_text().strip()))
        except (OSError, ValueError):
            return None

    @property
    def _last_file(self) -> Path:
        return self.folder / "last_session"

    def _url(self) -> str | None:
        running = self.running()
        return running.url if running else None
