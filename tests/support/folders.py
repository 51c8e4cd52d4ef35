"""Folders of test sessions that do not outlive them: a session that was killed is cleared up after by the next one."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from backbone.scratch import Scratch, sweep_leftovers
from dream.local import child

PREFIX = "dream-t-"


MEMORY = Path("/dev/shm")
ROOM = 3 * 1024**3
"""Bytes that three processes with their servers stay below; and as much again is left to whatever they run."""


def in_memory() -> Path | None:
    """Where files cost no disk: a database is made there in a tenth of the time, and nobody pulls the plug on a test.
    None where there is no such folder or no room, for the temporary folder of the system."""
    with suppress(OSError):
        if psutil.disk_usage(str(MEMORY)).free > ROOM and psutil.virtual_memory().available > 2 * ROOM:
            return MEMORY if os.access(MEMORY, os.W_OK) else None
    return None


@contextmanager
def own_folder(purpose: str, within: Path | None = None) -> Iterator[Path]:
    """Short, because Unix sockets live in it; and not pytest's own, which keeps the folders of three sessions."""
    within = within or in_memory()
    sweep_leftovers(PREFIX, within, before=_end_servers)
    made = Scratch.made(f"{PREFIX}{purpose}-", within)
    try:
        yield made.path
    finally:
        made.remove()


def _end_servers(folder: Path) -> None:
    """Of a session that was killed: they would write into a folder that is gone."""
    for record in folder.rglob("*.pid"):
        child.end_leftover(record, grace=1.0)
