"""Local copies of artifacts that lie elsewhere, shared by the processes of one user on this machine: at most so many
bytes, the longest unused go first, and never one that somebody holds.

A hold is a shared lock on the file, which the kernel lets go of when its process ends, however that is; whoever makes
room takes only what it can lock alone. What is being written is locked too: a copy that a killed process left half
written is nobody's, and is removed."""

import fcntl
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PART = "part-"


class CacheUnusable(Exception):
    """The folder is not ours alone; the message names it."""


@dataclass(slots=True)
class Part:
    """A copy being written. Nobody takes it away before `drop`, or before the process ends."""

    path: Path
    descriptor: int

    def write(self, chunk: bytes) -> None:
        """Appends. Blocks. Raises OSError."""
        view = memoryview(chunk)
        while view:
            view = view[os.write(self.descriptor, view) :]

    def drop(self) -> None:
        """It is of no use."""
        self.path.unlink(missing_ok=True)
        os.close(self.descriptor)


class FileCache:
    """Files under the SHA-256 of their bytes in `folder`, `limit` bytes of them at most beside those that are held."""

    def __init__(self, folder: Path, limit: int) -> None:
        self._folder = folder
        self._limit = limit

    def begin(self) -> Part:
        """A file to write to. Raises CacheUnusable."""
        self._make()
        while True:
            descriptor, name = tempfile.mkstemp(prefix=PART, dir=self._folder)
            path = Path(name)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_at(descriptor, path):
                return Part(path, descriptor)
            os.close(descriptor)  # somebody made room between the two, and took it for a leftover

    def hold(self, digest: str) -> int | None:
        """The copy's descriptor, which holds it until it is closed; None when there is no copy. Raises
        CacheUnusable."""
        self._make()
        place = self.place(digest)
        while True:
            try:
                descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            except FileNotFoundError:
                return None
            fcntl.flock(descriptor, fcntl.LOCK_SH)
            if _is_at(descriptor, place):
                os.utime(place)
                return descriptor
            os.close(descriptor)  # it made room meanwhile

    def keep(self, part: Part, digest: str) -> int:
        """Makes it the copy of an artifact, or takes the one that another made meanwhile; returns its hold."""
        os.fchmod(part.descriptor, 0o440)
        fcntl.flock(part.descriptor, fcntl.LOCK_SH)  # it is the copy itself that is held next
        while True:
            with suppress(FileExistsError):  # never put in another's place: who holds that holds its file, not the name
                self.place(digest).hardlink_to(part.path)
            held = self.hold(digest)
            if held is not None:
                part.drop()
                self._make_room()
                return held

    def place(self, digest: str) -> Path:
        """Where the copy is, if there is one."""
        return self._folder / digest

    def _make(self) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = self._folder.lstat()
        if found.st_uid != os.getuid() or found.st_mode & 0o077:
            # in a temporary folder anybody may have made it first, and would give tools whatever they like
            raise CacheUnusable(f"{self._folder} is not this user's alone: remove it, or set TMPDIR")

    def _make_room(self) -> None:
        kept: list[tuple[float, int, Path]] = []
        for entry in os.scandir(self._folder):
            with suppress(FileNotFoundError):
                found = entry.stat(follow_symlinks=False)
                if entry.name.startswith(PART):
                    _take(Path(entry.path))
                else:
                    kept.append((found.st_mtime, found.st_size, Path(entry.path)))
        excess = sum(size for _, size, _ in kept) - self._limit
        for _, size, path in sorted(kept):
            if excess <= 0:
                return
            if _take(path):
                excess -= size


def _take(path: Path) -> bool:
    """Removes a file that nobody holds."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if _is_at(descriptor, path):
            path.unlink()
            return True
    except OSError:
        pass
    finally:
        os.close(descriptor)
    return False


def _is_at(descriptor: int, path: Path) -> bool:
    with suppress(OSError):
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    return False
