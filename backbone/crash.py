"""Named crash points. A test sets DREAM_CRASH_POINT=<service>:<point>:<n> and the process dies there at the n-th pass,
by SIGKILL, as a pulled plug would do it. With DREAM_CRASH_POINT=@<file> the file says where, and a running process can
be told; it is removed as the process dies, so that the next one lives. Without the variable a point costs one
comparison."""

import os
import signal
from contextlib import suppress
from pathlib import Path

POINTS = ("received", "decided", "appended", "published", "settled")
RECORDED = "recorded"
"""Passed only by work that records while it goes on, an agent loop say: after each record."""

_target = os.environ.get("DREAM_CRASH_POINT", "")
_aim = ""
_passes = 0


def point(service: str, name: str) -> None:
    """Passes a crash point of a service."""
    if _target:
        _count(service, name)


def _count(service: str, name: str) -> None:
    global _aim, _passes  # noqa: PLW0603  # the count is the process's own
    file = Path(_target.removeprefix("@")) if _target.startswith("@") else None
    aim = _read(file) if file else _target
    if aim != _aim:
        _aim, _passes = aim, 0
    if not aim.startswith(f"{service}:{name}:"):
        return
    _passes += 1
    if _passes >= int(aim.rsplit(":", 1)[1]):
        if file:
            file.unlink()
        os.kill(os.getpid(), signal.SIGKILL)


def _read(file: Path) -> str:
    with suppress(FileNotFoundError):
        return file.read_text(encoding="utf-8")
    return ""
