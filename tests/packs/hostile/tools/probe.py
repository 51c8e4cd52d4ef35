"""Reaches for everything around a worker process; says of each attempt what it got, or how it was refused."""

import ctypes
import os
import resource
import signal
import socket
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable
from pathlib import Path

from contracts.shape import JsonObject
from contracts.tools import ToolContext

LOOT = "loot.txt"
_LIBC = ctypes.CDLL(None, use_errno=True)


def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """`params`: pid of the service, files and folders that are not ours, addresses; `only` some attempts."""
    told = {name: str(value) for name, value in params.items()}
    attempts = {**_files(told), **_processes(int(told["pid"])), **_sockets(told), **_escapes(told)}
    only = told.get("only", "").split(",") if "only" in told else attempts
    return {"attempts": {name: _outcome(attempts[name]) for name in only}}


def _outcome(attempt: Callable[[], object]) -> str:
    try:
        return f"got {str(attempt())[:80]!r}"
    except OSError as error:
        return f"refused with {type(error).__name__}"


def _files(told: dict[str, str]) -> dict[str, Callable[[], object]]:
    folder = Path(told["folder"])
    return {
        "the secret of the database": lambda: Path(told["secret"]).read_bytes(),
        "where the server is": (folder / "server.json").read_text,
        "the log": lambda: (folder / "logs" / "dream.log").open().read(10),
        "the names of everybody's files": lambda: os.listdir(folder / "artifacts"),  # noqa: PTH208  # as an attacker
        "the data folder": lambda: list(folder.iterdir()),
        "the temporary folder": lambda: list(Path(told["temporary"]).iterdir()),
        "the home of the user": lambda: list(Path(told["home"]).iterdir()),
        "the root of the disk": lambda: list(Path("/").iterdir()),
        "the secret by a link": lambda: _linked(told["secret"]).read_bytes(),
        "the secret by way of /proc": lambda: Path(f"/proc/self/root{told['secret']}").read_bytes(),
        "a file in the data folder": lambda: (folder / LOOT).write_text("mine"),
        "a file in the temporary folder": lambda: (Path(told["temporary"]) / LOOT).write_text("mine"),
        "a file in the home of the user": lambda: (Path(told["home"]) / LOOT).write_text("mine"),
        "a module of everybody's": lambda: (Path(sysconfig.get_path("purelib")) / "loot.py").write_text("mine"),
        "the code of the product": lambda: Path(sys.modules["contracts"].__file__ or "").open("a"),
        "its own code": lambda: Path(__file__).open("a"),
        "passwords of the machine": lambda: Path("/etc/shadow").read_text(),
        "a device": lambda: os.mknod("device", 0o600 | 0o020000, os.makedev(1, 1)),
    }


def _processes(pid: int) -> dict[str, Callable[[], object]]:
    proc = Path(f"/proc/{pid}")
    return {
        "the environment of the service": (proc / "environ").read_bytes,
        "the memory of the service": lambda: (proc / "mem").open("rb").read(1),
        "the map of its memory": (proc / "maps").read_text,
        "its open files": lambda: list((proc / "fd").iterdir()),
        "its command": (proc / "cmdline").read_bytes,
        "who else runs": lambda: list(Path("/proc").iterdir()),
        "a look for the service": lambda: os.kill(pid, 0),
        "a signal to the service": lambda: os.kill(pid, signal.SIGCONT),
        "a signal to its group": lambda: os.killpg(pid, signal.SIGCONT),
        "a trace of the service": lambda: _call(101, 16, pid, 0, 0),
        "its memory by a call": lambda: _call(310, pid, 0, 0, 0, 0, 0),
        "a group of its own": os.setsid,
        "what a child finds": lambda: _by_child(f"open('/proc/{pid}/environ').read(1)"),
        "what a thread finds": lambda: _by_thread((proc / "environ").read_bytes),
    }


def _sockets(told: dict[str, str]) -> dict[str, Callable[[], object]]:
    def tcp(port: str) -> None:
        with socket.socket() as one:
            one.settimeout(2)
            one.connect(("127.0.0.1", int(port)))

    def datagram() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            one.sendto(b"loot", ("127.0.0.1", int(told["gateway"])))

    def unix(address: str) -> None:
        with socket.socket(socket.AF_UNIX) as one:
            one.connect(address)

    def pair() -> None:
        one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        with one, other:
            one.sendto(b"loot", told["database"])

    return {
        "the bus": lambda: tcp(told["bus"]),
        "the gateway": lambda: tcp(told["gateway"]),
        "a datagram": datagram,
        "the database": lambda: unix(told["database"]),
        "an abstract socket": lambda: unix("\0" + told["abstract"]),
        "a datagram from a pair": pair,
        "a server": lambda: socket.create_server(("127.0.0.1", 0)),
        "names on the net": lambda: _by_child("import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)"),
    }


def _escapes(told: dict[str, str]) -> dict[str, Callable[[], object]]:
    unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    return {
        "more memory": lambda: _raised(lambda: resource.setrlimit(resource.RLIMIT_DATA, unlimited)),
        "a file of three gigabytes": _large_file,
        "another root": lambda: os.chroot(told["folder"]),
        "another user": lambda: os.setuid(12345),
        "namespaces": lambda: _call(272, 0x10000000),
        "a ring": lambda: _call(425, 8, 0),
        "a mount": lambda: _call(165, b"none", b"/tmp", b"tmpfs", 0, 0),
    }


def _call(number: int, *arguments: object) -> int:
    answer = int(_LIBC.syscall(number, *arguments))
    if answer < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return answer


def _raised(attempt: Callable[[], object]) -> object:
    try:
        return attempt()
    except ValueError as error:  # so Python calls EPERM there
        raise PermissionError(str(error)) from None


def _large_file() -> None:
    with Path("/dev/null").open("rb"), (Path(os.environ["TMPDIR"]) / "large").open("wb") as file:
        file.truncate(3 * 1024**3)


def _linked(place: str) -> Path:
    link = Path(os.environ["TMPDIR"]) / "link"
    link.symlink_to(place)
    return link


def _by_child(code: str) -> None:
    if subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, check=False).returncode:
        raise PermissionError("so says the child")


def _by_thread(attempt: Callable[[], object]) -> object:
    found: list[object] = []

    def work() -> None:
        try:
            found.append(attempt())
        except OSError as error:
            found.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if isinstance(found[0], OSError):
        raise found[0]
    return found[0]


def own(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """What a process finds of itself in /proc, and what its child does."""

    def opened(place: str) -> Callable[[], object]:
        return lambda: Path(f"/proc/self/{place}").open("rb").close()

    attempts = {place: opened(place) for place in ("maps", "environ", "mem", "cmdline")}
    attempts["maps of a child"] = lambda: _by_child("open('/proc/self/maps').read()")
    return {"attempts": {name: _outcome(attempt) for name, attempt in attempts.items()}}
