"""Folders for the time of some work, which are gone after it also when its process was killed.

Each is locked by the process that made it: the kernel lets go of the lock when the process ends, however that is, and
the next process that starts removes the folders that nobody holds. No number of a process is written down, so that none
can be mistaken, across containers that share a temporary folder neither."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PREFIX = "dream-scratch-"


@dataclass(frozen=True, slots=True)
class Scratch:
    """A private folder in the temporary folder of the system."""

    path: Path
    _lock: int

    @classmethod
    def made(cls, prefix: str = PREFIX, within: Path | None = None) -> "Scratch":
        """A new one, held by this process."""
        while True:
            path = Path(tempfile.mkdtemp(prefix=prefix, dir=within))
            with suppress(FileNotFoundError):
                lock = _opened(path)
                with suppress(OSError):  # where nothing can be locked (NFS), no sweep can take it for a leftover either
                    fcntl.flock(lock, fcntl.LOCK_EX)
                if _is_at(lock, path):
                    return cls(path, lock)
                os.close(lock)  # a sweep came between the two, and took it for a leftover

    def remove(self) -> None:
        """Removes it with all that is in it; only then may a sweep look at it."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def _nothing(_: Path) -> None:
    """Most leftovers are files alone."""


def sweep_leftovers(
    prefix: str = PREFIX, within: Path | None = None, before: Callable[[Path], None] = _nothing
) -> list[Path]:
    """Removes the folders whose processes are dead, of this user alone, each after `before`; returns them."""
    found = (within or Path(tempfile.gettempdir())).glob(f"{prefix}*")
    return [path for path in found if _swept(path, before)]


def _swept(path: Path, before: Callable[[Path], None]) -> bool:
    try:
        lock = _opened(path)
    except OSError:  # gone, no folder, or another user's
        return False
    try:
        if os.fstat(lock).st_uid != os.getuid():
            return False
        if not _is_free(lock) or not _is_at(lock, path):
            return False
        before(path)
        shutil.rmtree(path, ignore_errors=True)
        return True
    finally:
        os.close(lock)


def _is_free(lock: int) -> bool:
    """Whether its process is dead, and the folder ours to remove. Where nothing can be locked, nobody knows."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _opened(path: Path) -> int:
    # not through a link: what it leads to is not ours. Closed on exec: a tool that outlives us must not hold the lock
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)


def _is_at(lock: int, path: Path) -> bool:
    with suppress(OSError):
        return os.path.samestat(os.fstat(lock), path.lstat())
    return False
