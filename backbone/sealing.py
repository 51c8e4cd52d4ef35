"""Secrets of a long-lived process: gone from what others may look at, still there for the process itself.

The environment that a process was started with stays readable in /proc/<pid>/environ while it lives, whatever it does
to os.environ. So the kernel's copy is overwritten, and the process says that nobody may look into it."""

import ctypes
import os
import re
import sys
from collections.abc import Collection
from pathlib import Path

_SECRET = re.compile(r"^DREAM_|KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|DSN", re.IGNORECASE)
_LOGIN = re.compile(r"://[^/@\s]*:[^/@\s]*@")
_SET_DUMPABLE = 4
_START, _END = 49, 50
"""Of the environment, among the fields of /proc/self/stat, from 0."""


def seal() -> None:
    """Once, at the start. Python's os.environ keeps what it has: settings, packs and clients of models read it there.
    What is started without being given an environment gets none of it. Elsewhere than on Linux nothing happens."""
    if sys.platform != "linux":
        return
    _overwrite(_secrets())
    # nor its memory: the same user may otherwise read it, and root always may
    ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0, 0, 0, 0)


def _secrets() -> set[bytes]:
    return {os.fsencode(name) for name, value in os.environ.items() if _SECRET.search(name) or _LOGIN.search(value)}


def _overwrite(names: Collection[bytes]) -> None:
    fields = Path("/proc/self/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    # the fields before the last bracket are the number and the name
    start, end = int(fields[_START - 2]), int(fields[_END - 2])
    place = start
    for entry in ctypes.string_at(start, end - start).split(b"\0"):
        name = entry.partition(b"=")[0]
        if name in names:
            os.unsetenv(name)  # the C library's own, which children inherit
            ctypes.memset(place, ord("x"), len(entry))
        place += len(entry) + 1
