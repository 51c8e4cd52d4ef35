"""Service processes without their imports: a process that has imported all services forks them, five in a second where
five interpreters need twenty seconds of processor time. What is forked runs `services/<name>/__main__.py` as
`python -m` would: a session of its own, its own environment and output, its own death."""

import array
import atexit
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
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, NamedTuple

from dream.local.child import Child, recorded
from dream.local.stack import SERVICES

ROOT = Path(__file__).parents[2]
PRELOADED = (*(f"services.{name}.app" for name in SERVICES), "backbone.process", "uvloop", "uvicorn.loops.uvloop")
READ_ENVIRONMENT = ("backbone.crash",)
"""What reads its environment when it is imported."""
LOST = -signal.SIGKILL
"""The exit code of a process whose parent, the fork server, was killed before it could tell."""


class _Request(NamedTuple):
    module: str
    environment: dict[str, str]


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


class _Server:
    def __init__(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._requests = ours
        with theirs:
            command = [sys.executable, "-m", "tests.support.forkserver", str(theirs.fileno())]
            environment = {**os.environ, "PYTHONPATH": str(ROOT)}
            self._process = subprocess.Popen(
                command, pass_fds=[theirs.fileno()], env=environment, stdin=subprocess.DEVNULL, start_new_session=True
            )
        atexit.register(self.stop)

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def fork(self, module: str, environment: Mapping[str, str], output: IO[bytes] | None) -> Forked:
        told, tells = os.pipe()
        files = array.array("i", [tells, output.fileno() if output else 1])
        request = json.dumps(_Request(module, dict(environment))).encode()
        try:
            self._requests.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2 * len(request))
            self._requests.sendmsg([request], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, files)])
        finally:
            os.close(tells)
        return Forked(["forked", module], told)

    def stop(self) -> None:
        self._requests.close()
        self._process.wait()


_server: _Server | None = None


def start(
    command: Sequence[str],
    *,
    record: Path,
    output: IO[bytes] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Child:
    """In the place of `dream.local.child.start`, for commands of the form `python -m services.<name>`."""
    global _server  # noqa: PLW0603  # one for all tests of a process, since it takes seconds to start
    if _server is None or not _server.alive:
        _server = _Server()
    assert list(command[:2]) == [sys.executable, "-m"]
    forked = _server.fork(command[2], os.environ if environment is None else environment, output)
    return recorded(forked, record)


# --- in the fork server -----------------------------------------------------------------------------------------------


def _serve(requests: socket.socket) -> _Request | None:
    """Forks as it is told. Returns a request in the process that has been forked for it, None when nobody is left to
    ask."""
    children: dict[int, int] = {}
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)  # its only parameter
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    while True:
        ready = select.select([requests.fileno(), woken], [], [])[0]
        if woken in ready:
            os.read(woken, 4096)
            _bury(children)
        if requests.fileno() in ready:
            raw, files, *_ = socket.recv_fds(requests, 1 << 20, 2)
            if not raw:
                return None
            tells, output = files
            if (pid := os.fork()) == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                os.setsid()
                for number in (1, 2):
                    os.dup2(output, number)
                for number in (*files, *children.values(), woken, wakes, requests.detach()):
                    os.close(number)
                return _Request(*json.loads(raw))
            os.close(output)
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


def _become(request: _Request) -> None:
    os.environ.clear()
    os.environ.update(request.environment)
    for name in READ_ENVIRONMENT:
        importlib.reload(sys.modules[name])
    gc.enable()
    runpy.run_module(request.module, run_name="__main__", alter_sys=True)


def _warm() -> None:
    """What the cognitive service loads when it has started."""
    from understanding.grammar import Looks, read
    from understanding.offline.encoder import best_encoder

    best_encoder().encode(["."])
    read("3월 March 5, 2024", datetime(2026, 1, 1, tzinfo=UTC), Looks.BACK)


def _main(number: int) -> None:
    gc.disable()  # nothing that is imported here is garbage
    for name in PRELOADED:
        importlib.import_module(name)
    _warm()
    gc.freeze()
    with socket.socket(fileno=number) as requests:
        request = _serve(requests)
    if request:
        _become(request)


if __name__ == "__main__":
    _main(int(sys.argv[1]))
