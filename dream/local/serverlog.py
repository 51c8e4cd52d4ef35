"""Why a server ended, in its own words: what it has written into its log since it was started."""

import errno
import os
import shutil
from pathlib import Path

FULL = os.strerror(errno.ENOSPC)
QUOTA = os.strerror(errno.EDQUOT)
NO_ROOM = "insufficient storage resources"
"""What JetStream says when the disk has less free than its stream may become (DREAM_BUS_MAX_BYTES)."""
_TOLD = ("FATAL:", "PANIC:", "error:", "[FTL]", "[ERR]", "postgres: ")
_TAIL = 16_384
_SPARE = 256 * 1024
"""Bytes free of a disk that is as good as full: a server that could not even write its log."""


def size(log: Path) -> int:
    """Where the log ends now."""
    try:
        return log.stat().st_size
    except OSError:
        return 0


def reason(log: Path, since: int) -> str:
    """The line that says why, ": " before it; a full disk counts most. Empty when there is none."""
    told = read(log, since)
    if FULL in told or QUOTA in told or _is_full(log.parent):
        return f": {QUOTA if QUOTA in told else FULL}"
    for line in reversed(told.splitlines()):
        mark = next((mark for mark in _TOLD if mark in line), None)
        if mark:
            return f": {line.partition(mark)[2].strip()}"
    return ""


def read(log: Path, since: int) -> str:
    """What was written after `since`, its end if that is much."""
    try:
        with log.open("rb") as file:
            file.seek(max(since, size(log) - _TAIL))
            return file.read(_TAIL).decode(errors="replace")
    except OSError:
        return ""


def _is_full(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free < _SPARE
    except OSError:
        return False
