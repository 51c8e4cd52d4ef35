"""A process we started: in a session of its own, recorded on disk, and ended whole - the leader and its whole group.

The record lets the next start end what a killed `dream` left behind."""

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psutil

POLL = 0.01


@dataclass(frozen=True, slots=True)
class Child:
    """A running process; `record` is the file that names it."""

    process: subprocess.Popen[bytes]
    record: Path

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def stop(self, number: int = signal.SIGTERM, grace: float = 10.0) -> None:
        """Sends the signal, waits up to `grace` seconds, then kills. Nothing of its group is left."""
        if self.alive:
            self.process.send_signal(number)
            try:
                self.process.wait(grace)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.clean_up()

    def clean_up(self) -> None:
        """After the leader's end: kills the rest of its group (a crashed service's tool workers) and the record."""
        kill_group(self.process.pid)
        self.record.unlink(missing_ok=True)


def start(
    command: Sequence[str],
    *,
    record: Path,
    output: IO[bytes] | None = None,
    environment: Mapping[str, str] | None = None,
    user: str | None = None,
) -> Child:
    """Starts a command, its output going to `output` (none = ours). Its own session: Ctrl-C reaches us first, and we
    end it in order."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        env=environment,
        user=user,
        group=user,
        extra_groups=None if user is None else [],
        start_new_session=True,
    )
    return recorded(process, record)


def recorded(process: subprocess.Popen[bytes], record: Path) -> Child:
    """Writes down who the process is."""
    with contextlib.suppress(psutil.Error):  # ended already: whoever waits for it will notice
        created = psutil.Process(process.pid).create_time()
        record.write_text(json.dumps({"pid": process.pid, "created": created}))
    return Child(process, record)


def end_leftover(record: Path, number: int = signal.SIGTERM, grace: float = 10.0) -> bool:
    """Ends the process that a record names, if it is still that very process; True when there was one."""
    try:
        told = json.loads(record.read_text())
        pid, created = int(told["pid"]), float(told["created"])
    except (OSError, ValueError, KeyError, TypeError):
        return False
    found = is_same(pid, created)
    if found:
        process = psutil.Process(pid)
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(number)
            if process not in psutil.wait_procs([process], grace)[0]:
                process.kill()
                psutil.wait_procs([process], grace)
        kill_group(pid)
    record.unlink(missing_ok=True)
    return found


def is_same(pid: int, created: float) -> bool:
    """Whether `pid` is alive and is the process created then: numbers are used again. A zombie is dead."""
    try:
        process = psutil.Process(pid)
        return abs(process.create_time() - created) < 1.0 and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def kill_group(leader: int) -> None:
    """Kills what is left of the process group that `leader` led."""
    deadline = time.monotonic() + 2
    while time.monotonic() < deadline:
        try:
            os.killpg(leader, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            return
        time.sleep(POLL)
