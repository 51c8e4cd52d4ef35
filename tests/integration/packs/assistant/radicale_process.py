"""A real CalDAV server: Radicale in a process of its own, with a password file, on a free port."""

import base64
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

USER, PASSWORD = "mina", "s3cret-word"
LONELY = "juno"
"""Somebody with the same password, whose calendars no other test has."""
_CONFIG = """[server]
hosts = 127.0.0.1:{port}
[auth]
type = htpasswd
htpasswd_filename = {folder}/users
htpasswd_encryption = plain
delay = 0
[storage]
filesystem_folder = {folder}/collections
[logging]
level = warning
"""


@dataclass(frozen=True)
class Radicale:
    url: str

    def new_calendar(self, user: str = USER) -> str:
        """The address of an empty one of the user's."""
        return self._asked("MKCALENDAR", f"{self.url}{user}/{uuid4().hex}/", 201, user)

    def remove_calendars(self) -> None:
        """All of the user's."""
        self._asked("DELETE", f"{self.url}{USER}/", 200)

    def _asked(self, method: str, address: str, status: int, user: str = USER) -> str:
        token = base64.b64encode(f"{user}:{PASSWORD}".encode()).decode()
        request = urllib.request.Request(address, method=method, headers={"Authorization": f"Basic {token}"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            assert answer.status == status
        return address


@contextmanager
def radicale(folder: Path) -> Iterator[Radicale]:
    (folder / "users").write_text(f"{USER}:{PASSWORD}\n{LONELY}:{PASSWORD}\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = folder / "config"
    config.write_text(_CONFIG.format(port=port, folder=folder))
    process = subprocess.Popen([sys.executable, "-m", "radicale", "--config", str(config)])
    try:
        _await(port, process)
        yield Radicale(f"http://127.0.0.1:{port}/")
    finally:
        process.terminate()
        process.wait(10)


def _await(port: int, process: "subprocess.Popen[bytes]") -> None:
    for _ in range(300):
        assert process.poll() is None, f"radicale ended with {process.returncode}"
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError("radicale did not start within 15 s")
