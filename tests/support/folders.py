"""Folders of test sessions that do not outlive them: a session that was killed is cleared up after by the next one."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from backbone.scratch import Scratch, sweep_leftovers
from dream.local import child

PREFIX = "dream-t-"


@contextmanager
def own_folder(purpose: str) -> Iterator[Path]:
    """Short, because Unix sockets live in it; and not pytest's own, which keeps the folders of three sessions."""
    sweep_leftovers(PREFIX, before=_end_servers)
    made = Scratch.made(f"{PREFIX}{purpose}-")
    try:
        yield made.path
    finally:
        made.remove()


def _end_servers(folder: Path) -> None:
    """Of a session that was killed: they would write into a folder that is gone."""
    for record in folder.rglob("*.pid"):
        child.end_leftover(record, grace=1.0)
