"""Service processes without their imports: a process that has imported all services forks them, five in a second where
five interpreters need twenty seconds of processor time. What is forked runs `services/<name>/__main__.py` as
`python -m` would: a session of its own, its own environment and output, its own death. So does the process that reads
for a forked service, which finds what all packs of the product teach as it was learned before the fork."""

import array
import asyncio
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from fcntl import LOCK_EX, flock
from functools import cache
from pathlib import Path
from typing import IO, NamedTuple

from backbone import packs
from dream.local.child import Child, recorded
from dream.local.stack import SERVICES
from services.cognitive import reading_host, reading_process
from tests.support.remembered import remember_classes, remember_packs
from understanding.port import kept_patterns

ROOT = Path(__file__).parents[2]
PRELOADED = (*(f"services.{name}.app" for name in SERVICES), "backbone.process", "uvloop", "uvicorn.loops.uvloop")
READ_ENVIRONMENT = ("backbone.crash",)
"""What reads its environment when it is imported."""
PLAIN = {"assistant", "devices", "documents", "marketing", "transfer"}
"""The packs that come with the product, with which most worlds are."""
FOLDER, OWNER = "DREAM_CACHE_DIR", "DREAM_TESTS_PID"
"""Variables: of the run's own folder, and of the process whose end is that of the run."""
LOST = -signal.SIGKILL
"""The exit code of a process whose parent, the fork server, was killed before it could tell."""


class _Request(NamedTuple):
    """`packs` are those of a reading process, whose pipes come with the request."""

    module: str
    environment: dict[str, str]
    packs: str = ""


# --- in tests ---------------------------------------------------------------------------------------------------------


class Forked(subprocess.Popen[bytes]):
    """A process that is not our child: its number and its exit code come through a pipe."""

    def __init__(self, args: Sequence[str], told: int) -> None:
        self.args = args
        self.returncode: int | None = None
        self._told = told
        self._reading = threading.Lock()
        _readable(told)
        self.pid = _number(told)

    def __del__(self) -> None:
        os.close(self._told)  # not before: another thread may be waiting for it

    def poll(self) -> int | None:
        return self.returncode if self._over(0.0) else None

    def wait(self, timeout: float | None = None) -> int:
        if not self._over(timeout):
            raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
        assert self.returncode is not None
        return self.returncode

    def _over(self, seconds: float | None) -> bool:
        if self.returncode is None and _readable(self._told, seconds):
            with self._reading:
                if self.returncode is None:
                    self.returncode = _number(self._told, LOST)
        return self.returncode is not None


def _readable(pipe: int, seconds: float | None = None) -> bool:
    """Within so many seconds, or whenever; select() knows no file beyond the thousandth."""
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    return bool(poll.poll(None if seconds is None else seconds * 1000))


def _number(pipe: int, otherwise: int | None = None) -> int:
    raw = os.read(pipe, 4)
    if not raw and otherwise is not None:
        return otherwise
    return int.from_bytes(raw, sys.byteorder, signed=True)


def _forked(address: bytes, request: _Request, *given: int) -> Forked:
    """The files that are `given`: the output, then pipes."""
    told, tells = os.pipe()
    raw = json.dumps(request).encode()
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asking:
            asking.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2 * len(raw))
            asking.connect(address)
            asking.sendmsg([raw], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [tells, *given]))])
    finally:
        os.close(tells)
    return Forked(["forked", request.module], told)


def start(
    command: Sequence[str],
    *,
    record: Path,
    output: IO[bytes] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Child:
    """In the place of `dream.local.child.start`, for commands of the form `python -m services.<name>`."""
    assert list(command[:2]) == [sys.executable, "-m"]
    request = _Request(command[2], dict(os.environ if environment is None else environment))
    return recorded(_forked(_address(), request, output.fileno() if output else 1), record)


def _address() -> bytes:
    """Of the fork server, one for all processes of a run: it takes nine seconds of processor time to start."""
    place = Path(os.environ[FOLDER])
    with (place / "forkserver.lock").open("w") as lock:
        flock(lock, LOCK_EX)
        told = place / "forkserver"
        if not told.exists() or not _answers(told.read_bytes()):
            told.write_bytes(_begin())
        return told.read_bytes()


def _answers(address: bytes) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asking:
        return asking.connect_ex(address) == 0


def _begin() -> bytes:
    """Starts a fork server, which ends with the run."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
        listening.bind("")  # the kernel chooses a name, which no folder has
        listening.listen(64)
        listening.set_inheritable(True)  # its only parameter
        command = [sys.executable, "-m", "tests.support.forkserver", str(listening.fileno()), os.environ[OWNER]]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"}
        # nobody of ours waits for it
        os.posix_spawn(sys.executable, command, environment, setsid=True)
        address: bytes = listening.getsockname()
        return address


@contextmanager
def forked_reads() -> Iterator[None]:
    """Within, services of this very process have their reading processes forked, too."""
    before = reading_process.spawned
    reads_of_forks(_address)
    try:
        yield
    finally:
        reading_process.spawned = before


# --- in the fork server -----------------------------------------------------------------------------------------------


class _Task(NamedTuple):
    """What a process has been forked for, with its pipes."""

    request: _Request
    pipes: Sequence[int]


def _serve(listening: socket.socket, owner: int) -> _Task | None:
    """Forks as it is told. Returns a task in the process that has been forked for it, None when the run is over, whose
    process `owner` tells."""
    children: dict[int, int] = {}
    before: set[str] = set()
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)  # its only parameter
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    while True:
        ready = select.select([listening.fileno(), owner, woken], [], [])[0]
        if woken in ready:
            os.read(woken, 4096)
            _bury(children)
        if owner in ready:
            return None
        if listening.fileno() in ready:
            asking, _ = listening.accept()
            with asking:
                raw, files, *_ = socket.recv_fds(asking, 1 << 20, 4)
            if not raw:
                continue  # ended before it had asked
            tells, output, *pipes = files
            request = _Request(*json.loads(raw))
            if _worth_learning(request, before):
                _learned(request.packs)
            if (pid := os.fork()) == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                os.setsid()
                for number in (1, 2):
                    os.dup2(output, number)
                for number in (tells, output, *children.values(), woken, wakes, listening.detach(), owner):
                    os.close(number)
                return _Task(request, pipes)
            for number in (output, *pipes):
                os.close(number)
            children[pid] = tells
            _tell(tells, pid)


def _bury(children: dict[int, int]) -> None:
    while children:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        tells = children.pop(pid)
        _tell(tells, os.waitstatus_to_exitcode(status))
        os.close(tells)


def _tell(pipe: int, number: int) -> None:
    try:
        os.write(pipe, number.to_bytes(4, sys.byteorder, signed=True))
    except BrokenPipeError:
        return  # nobody wants to know any more


def _become(task: _Task, address: bytes) -> int:
    request = task.request
    os.environ.clear()
    os.environ.update(request.environment)
    for name in READ_ENVIRONMENT:
        importlib.reload(sys.modules[name])
    gc.enable()
    with suppress(OSError):  # for who looks at top; other systems have no such file
        Path("/proc/self/comm").write_text(request.module.rpartition(".")[2], encoding="utf-8")
    if task.pipes:
        requests, answers = task.pipes
        return reading_host.serve(requests, answers, _learned(request.packs))
    reads_of_forks(lambda: address)
    runpy.run_module(request.module, run_name="__main__", alter_sys=True)
    return 0


def _worth_learning(request: _Request, before: set[str]) -> bool:
    """Whether many ask for these packs, or somebody has before: who asks for those of one test learns for itself."""
    seen = request.packs in before or {*request.packs.split(",")} >= PLAIN
    before.add(request.packs)
    return bool(request.packs) and seen and "DREAM_PACK_PATH" not in request.environment


@cache
def _learned(names: str) -> reading_host.Host:
    return reading_host.learned(tuple(filter(None, names.split(","))))


class _Reading(NamedTuple):
    """What a service knows of its reading process."""

    forked: Forked

    @property
    def pid(self) -> int:
        return self.forked.pid

    async def wait(self) -> int:
        return await asyncio.to_thread(self.forked.wait)


def reads_of_forks(address: Callable[[], bytes]) -> None:
    """The services of this process have their reading processes forked, too."""

    async def spawned(requests: int, answers: int, packs: str) -> _Reading:
        request = _Request(reading_host.__name__, reading_process.environment(), packs)
        return _Reading(_forked(address(), request, 1, requests, answers))

    reading_process.spawned = spawned


def _warm() -> None:
    """What the services and the reading process load when they have started."""
    from understanding.grammar import Looks, read
    from understanding.offline.encoder import best_encoder

    for manifest in sorted((ROOT / "packs").glob(f"*/{packs.MANIFEST}")):
        pack = packs.read(
            manifest.parent
        )  # its files alone: where packs are looked for, the environment of a fork says
        _ = pack.tools, pack.texts, pack.flows, pack.agents, pack.intents, pack.topics
    best_encoder().encode(["."])
    read("3월 March 5, 2024", datetime(2026, 1, 1, tzinfo=UTC), Looks.BACK)


def _main(listens: int, owner: int) -> int:
    gc.disable()  # nothing that is imported here is garbage
    remember_packs()
    remember_classes()
    with kept_patterns():
        for name in PRELOADED:
            importlib.import_module(name)
        _warm()
    gc.freeze()
    with socket.socket(fileno=listens) as listening:
        address = listening.getsockname()
        task = _serve(listening, os.pidfd_open(owner))
    return _become(task, address) if task else 0


if __name__ == "__main__":
    sys.exit(_main(*map(int, sys.argv[1:])))
