"""What a worker process gives up before it runs the first line of a tool: files, network, rights, and more than its
share of the machine (docs/adr/0026). It does so itself, for good; nothing here needs a privilege."""

import ctypes
import importlib
import importlib.util
import os
import resource
import site
import struct
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from services.execution.tools import landlock, syscalls

GIB = 1024**3
SPARE_MEMORY = 2 * GIB
"""Over a tool's own limit, which its parent watches: address space that libraries write to and give back."""
LARGEST_FILE = 2 * GIB
OPEN_FILES = 512
PROCESSES = 512
"""Processes and threads more than the user has when the worker starts. The kernel does not count those of root."""
CPU_SECONDS = 6 * 3600
_OURS = ("contracts", "services", "understanding", "backbone", "packs")
_SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/etc/ld.so.cache", "/etc/localtime",
    "/etc/timezone", "/etc/fonts", "/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/etc/mime.types", "/etc/passwd",
    "/etc/alternatives", "/etc/group", "/etc/os-release", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat",
    "/proc/sys/vm/overcommit_memory", "/sys/devices/system/cpu", "/dev/urandom", "/dev/random", "/proc/self/maps",
)  # fmt: skip
"""Its own map of memory, too: libraries that do not find how large their stack is make a new one at every step."""
_NAMES = ("/etc/hosts", "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf", "/etc/services")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full")
_CAPABILITIES_VERSION = 0x20080522
_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True, slots=True)
class WorkerKind:
    """What a worker process is for. Only calls of the same kind come to the same process."""

    package: str
    """The top package of the tool's code."""
    pack: str
    """The folder of its pack."""
    network: bool
    memory_mb: int


@dataclass(frozen=True, slots=True)
class Confined:
    """What holds for this process: Landlock's version (0 = none), and whether system calls are filtered."""

    landlock: int
    filtered: bool


def lacking() -> str:
    """What this machine cannot take from a worker, in words; empty when it can take all."""
    abi = landlock.version()
    if not abi:
        return "its kernel has no Landlock (Linux 5.13, not switched off): files, processes and /proc are open to them"
    missing = [
        what
        for what, there in (
            ("TCP is cut off by the filter of system calls alone (Landlock 4 is Linux 6.7)", abi >= landlock.TCP_SINCE),
            (
                "they may send signals to processes of their user (Landlock 6 is Linux 6.12)",
                abi >= landlock.SCOPES_SINCE,
            ),
            ("system calls are not filtered on this processor: Unix sockets are open to them", syscalls.known()),
        )
        if not there
    ]
    return "; ".join(missing)


def limit(memory_mb: int) -> None:
    """Limits that the kernel keeps. Memory is counted where it can be written to: libraries reserve address space of
    which they use little."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    libc = ctypes.CDLL(None, use_errno=True)
    if hasattr(libc, "prctl"):
        # whose parents have ended are ours then, and are counted as ours
        libc.prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    for which, most in (
        (resource.RLIMIT_DATA, memory_mb * 1024**2 + SPARE_MEMORY),
        (resource.RLIMIT_FSIZE, LARGEST_FILE),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_NPROC, _threads_of_user() + PROCESSES),
    ):
        hard = resource.getrlimit(which)[1]
        value = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with suppress(ValueError, OSError):  # a system that has no such limit
            resource.setrlimit(which, (value, value))


def confine(kind: WorkerKind, own: Path, write: Sequence[Path] = ()) -> Confined:
    """`own` holds the folders `in`, which it may read, and `work`, which it may write. Call it while there is one
    thread: the others would stay free. Raises OSError."""
    code = _code_of(kind)
    read = [*_python(), *map(Path, _SYSTEM), *(map(Path, _NAMES) if kind.network else ()), *code, own, *write]
    read += [Path.home() / ".fonts", Path.home() / ".local/share/fonts"]
    abi = landlock.restrict(read, [own / "work", *write, *map(Path, _DEVICES)], network=kind.network)
    _drop_capabilities()
    return Confined(abi, syscalls.refuse(network=kind.network))


class _Known(MetaPathFinder):
    """Finds packages whose place was known before: the folder around them cannot be listed any more."""

    def __init__(self, places: dict[str, Path]) -> None:
        self._places = places

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        place = self._places.get(name)
        if place is None:
            return None
        init = place / "__init__.py"
        if place.is_dir() and not init.exists():  # a namespace
            spec = ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations = [str(place)]
            return spec
        file = init if place.is_dir() else place
        found = [str(place)] if place.is_dir() else None
        return importlib.util.spec_from_file_location(name, file, submodule_search_locations=found)


def _code_of(kind: WorkerKind) -> list[Path]:
    """Our packages, and the top package of the tool's; a folder that only holds them stays closed, for it may hold the
    data directory too. Nothing of a pack is executed to find it."""
    ours, *others = map(Path, importlib.import_module("packs").__path__)
    places = {"packs": ours}
    for name in {*_OURS, kind.package} - {"packs"}:
        spec = importlib.util.find_spec(name)
        if spec is None:
            continue
        found = [*(spec.submodule_search_locations or ()), *([spec.origin] if spec.origin else ())]
        if found:
            places[name] = Path(found[0])
    pack = Path(kind.pack)
    if pack.parent in others:
        places[f"packs.{pack.name}"] = pack
    sys.meta_path.insert(0, _Known(places))
    return list(places.values())


def _python() -> Iterable[Path]:
    """The interpreter and what is installed for it."""
    yield from (Path(place) for place in {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix})
    yield from (Path(place) for place in sys.path if place.endswith(("site-packages", "dist-packages")))
    if site.ENABLE_USER_SITE:
        yield Path(site.getusersitepackages())


def _drop_capabilities() -> None:
    """Root without privileges: limits count, and nobody else's files are open to it."""
    libc = ctypes.CDLL(None, use_errno=True)
    if hasattr(libc, "capset"):
        libc.capset(struct.pack("Ii", _CAPABILITIES_VERSION, 0), bytes(24))


def _threads_of_user() -> int:
    """Of all processes of this user. 0 where /proc does not tell."""
    total = 0
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if place.stat().st_uid == os.getuid():
                total += sum(1 for _ in (place / "task").iterdir())
        except OSError:
            continue
    return total
