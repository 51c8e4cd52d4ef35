"""Whether a disk has room for what is to be recorded."""

import shutil
from pathlib import Path

ROOM = 16 * 1024**2
"""Bytes: Postgres writes its log in files of this size, so that with less it cannot begin a new one."""


def has_room(folder: Path) -> bool:
    """Whether the disk of a folder, or of the nearest one above that exists, has `ROOM` free for us."""
    place = folder.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        return shutil.disk_usage(place).free >= ROOM
    except OSError:
        return False
