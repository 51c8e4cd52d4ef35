"""Landlock by its system calls (Linux 5.13 and later): a process gives up, for itself and all that it starts, every
file but those it names, TCP, and signals to anybody else. It needs no rights for that, and holds for root too."""

import ctypes
import os
import struct
import sys
from collections.abc import Iterable
from pathlib import Path

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_VERSION = 1
_PATH_BENEATH = 1
_NO_NEW_PRIVS = 38
_EXECUTE, _WRITE, _READ, _LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE, _DEVICE = 1 << 14, 1 << 15
_MADE = sum(1 << bit for bit in (4, 5, 7, 8, 10, 12, 13))
"""Files and folders, links and pipes are made, moved and removed; no sockets and no devices."""
_FILES = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
_TCP = 0b11
_SCOPES = 0b11
_OF_A_FILE = _EXECUTE | _WRITE | _READ | _TRUNCATE | _DEVICE
TCP_SINCE, SCOPES_SINCE = 4, 6


def version() -> int:
    """The kernel's, 0 where it has none: 4 and later know TCP, 6 and later signals and abstract sockets."""
    if sys.platform != "linux":
        return 0
    return max(0, int(_libc().syscall(_CREATE, None, ctypes.c_size_t(0), _VERSION)))


def restrict(read: Iterable[Path], write: Iterable[Path], *, network: bool) -> int:
    """For this thread and all that it starts, for good: reads and executes only below `read`, writes only below
    `write`. Answers the version, 0 = nothing was done. What does not exist is left out. Raises OSError."""
    abi = version()
    if not abi:
        return 0
    handled = next(rights for since, rights in sorted(_FILES.items(), reverse=True) if since <= abi)
    tcp = _TCP if abi >= TCP_SINCE and not network else 0
    attributes = struct.pack("QQQ", handled, tcp, _SCOPES if abi >= SCOPES_SINCE else 0)
    size = 24 if abi >= SCOPES_SINCE else 16 if abi >= TCP_SINCE else 8
    ruleset = _called(_CREATE, attributes, ctypes.c_size_t(size), 0)
    try:
        for path in read:
            _allow(ruleset, path, (_READ | _LIST | _EXECUTE) & handled)
        for path in write:
            _allow(ruleset, path, (_READ | _LIST | _WRITE | _TRUNCATE | _MADE) & handled)
        if _libc().prctl(_NO_NEW_PRIVS, 1, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "no_new_privs")
        _called(_RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)
    return abi


def _allow(ruleset: int, path: Path, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # not here
    try:
        if not path.is_dir():
            rights &= _OF_A_FILE
        _called(_ADD, ruleset, _PATH_BENEATH, struct.pack("=Qi", rights, place), 0)
    finally:
        os.close(place)


def _called(number: int, *arguments: object) -> int:
    answer = int(_libc().syscall(number, *arguments))
    if answer < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"landlock: {os.strerror(code)}")
    return answer


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
