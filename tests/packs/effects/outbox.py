"""The world outside: a target that takes an order once per idempotency key, and counts how often it was asked.

Its files are in the temporary folder: the only place that tools in worker processes know of as well."""

import fcntl
import os
import tempfile
from collections import Counter
from pathlib import Path

EFFECTS, CALLS, BEGUN = "effects.txt", "calls.txt", "begun.txt"


def deliver(key: str) -> int:
    """Makes the effect unless it is there; returns how often the key had been called before."""
    folder = Path(tempfile.gettempdir())
    with (folder / "outbox.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        before = keys_in(folder / CALLS)[key]
        _append(folder / CALLS, key)
        if key not in keys_in(folder / EFFECTS):
            _append(folder / EFFECTS, key)
    return before


def charge(key: str) -> None:
    """An effect of a target that does not know its orders apart: asked twice, it happens twice."""
    _append(Path(tempfile.gettempdir()) / CALLS, key)
    _append(Path(tempfile.gettempdir()) / EFFECTS, key)


def begin(key: str) -> None:
    """Leaves a word that a call has begun, and in which process."""
    _append(Path(tempfile.gettempdir()) / BEGUN, f"{key} {os.getpid()}")


def begun(folder: Path, run_id: str) -> dict[str, int]:
    """Todo -> the process in which its last call of the run has begun."""
    words = (line.split() for line in keys_in(folder / BEGUN))
    return {key.split(":")[1]: int(pid) for key, pid in words if key.startswith(f"{run_id}:")}


def _append(file: Path, line: str) -> None:
    with file.open("a", encoding="utf-8") as opened:
        opened.write(line + "\n")
        opened.flush()
        os.fsync(opened.fileno())


def keys_in(file: Path) -> Counter[str]:
    """How often each key stands in a file."""
    return Counter(file.read_text(encoding="utf-8").splitlines()) if file.exists() else Counter()
