"""A Docker engine: the one that is there, or on a Debian without one its packages and a daemon for a while."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
TOOLS = ROOT / ".docker"
"""Plugins of the command line that this machine lacks; kept, as they take a minute."""
OUT = ROOT / "out"
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
MIRROR = "http://deb.debian.org/debian"
PLUGINS = {"buildx": "docker-buildx", "compose": "docker-compose"}
"""Command of docker -> package; bookworm has neither."""
PLUGINS_FOLDER = "usr/libexec/docker/cli-plugins"
START_SECONDS = 60.0


class EngineMissing(Exception):
    """No containers can be run here; the message says what to do."""


class Docker:
    """The command line, with the configuration that has the plugins."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._environment = dict(environment)
        if (TOOLS / "cli-plugins").is_dir():
            self._environment["DOCKER_CONFIG"] = str(TOOLS)

    def succeeds(self, *arguments: str) -> bool:
        """Whether a command ends with 0."""
        if shutil.which("docker") is None:
            return False
        done = subprocess.run(["docker", *arguments], env=self._environment, capture_output=True, check=False)
        return done.returncode == 0

    def run(self, *arguments: str, environment: Mapping[str, str] | None = None) -> None:
        """Shows what the command says. Raises CalledProcessError."""
        subprocess.run(["docker", *arguments], env=self._environment | dict(environment or {}), check=True, cwd=ROOT)

    def told(self, *arguments: str, environment: Mapping[str, str] | None = None) -> str:
        """What the command says. Raises CalledProcessError, whose stderr says why."""
        done = subprocess.run(
            ["docker", *arguments], env=self._environment | dict(environment or {}), check=True, cwd=ROOT,
            capture_output=True, text=True,
        )  # fmt: skip
        return done.stdout.strip()

    def read(self, source: Sequence[str], *arguments: str) -> None:
        """Feeds the output of another command to one of docker's. Raises CalledProcessError when either fails."""
        with subprocess.Popen(source, stdout=subprocess.PIPE, cwd=ROOT) as feeding:
            subprocess.run(
                ["docker", *arguments],
                env=self._environment,
                check=True,
                stdin=feeding.stdout,
                stdout=subprocess.DEVNULL,
            )
        if feeding.returncode:
            raise subprocess.CalledProcessError(feeding.returncode, source)


@contextmanager
def running() -> Iterator[Docker]:
    """An engine and its plugins; a daemon that we have started is stopped at the end. Raises EngineMissing."""
    docker = Docker()
    if docker.succeeds("version"):
        yield _with_plugins(docker)
        return
    if os.geteuid() != 0:
        raise EngineMissing("no Docker engine answers: start yours (or let us start one: Debian, as root)")
    if shutil.which("dockerd") is None:
        install("docker.io")
    OUT.mkdir(exist_ok=True)
    with (OUT / "dockerd.log").open("wb") as log:
        daemon = subprocess.Popen(["dockerd"], stdout=log, stderr=log, start_new_session=True)
        try:
            _wait(docker, daemon)
            yield _with_plugins(docker)
        finally:
            daemon.terminate()
            daemon.wait(60)


def _wait(docker: Docker, daemon: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not docker.succeeds("version"):
        if daemon.poll() is not None or time.monotonic() > deadline:
            last = (OUT / "dockerd.log").read_text(errors="replace").splitlines()[-3:]
            raise EngineMissing("dockerd does not start: " + " | ".join(last))
        time.sleep(0.2)


def install(package: str) -> None:
    """A package of this Debian. Raises EngineMissing."""
    if shutil.which("apt-get") is None:
        raise EngineMissing(f"{package} is missing, and no apt-get to install it with")
    print(f"setup: {package}", file=sys.stderr)
    # RUNLEVEL: the package would start a daemon that nobody stops
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    for command in (["update", "-qq"], ["install", "-qq", "-y", "--no-install-recommends", package]):
        done = subprocess.run(["apt-get", *command], env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise EngineMissing(f"apt-get {command[0]} failed: {done.stderr.strip().splitlines()[-1:]}")


def _with_plugins(docker: Docker) -> Docker:
    missing = [package for plugin, package in PLUGINS.items() if not docker.succeeds(plugin, "version")]
    if not missing:
        return docker
    if shutil.which("apt-get") is None or not KEYRING.exists():
        raise EngineMissing(f"docker lacks its plugins: install {', '.join(missing)}")
    print(f"setup: {', '.join(missing)}", file=sys.stderr)
    _from_sid(missing)
    docker = Docker()
    if wrong := [plugin for plugin in PLUGINS if not docker.succeeds(plugin, "version")]:
        raise EngineMissing(f"docker {wrong[0]} does not run, in spite of {TOOLS / 'cli-plugins'}")
    return docker


def _from_sid(packages: Sequence[str]) -> None:
    """Go programs of Debian's newest run on an older one. An apt of its own: this machine's stays as it is."""
    place = OUT / "sid"
    for folder in ("lists/partial", "cache/archives/partial", "debs"):
        (place / folder).mkdir(parents=True, exist_ok=True)
    (place / "status").touch()
    (place / "sources.list").write_text(f"deb [signed-by={KEYRING}] {MIRROR} sid main\n")
    (place / "apt.conf").write_text(
        f'Dir::Etc::sourcelist "{place}/sources.list";\nDir::Etc::sourceparts "-";\n'
        f'Dir::State::Lists "{place}/lists";\n'
        f'Dir::Cache "{place}/cache";\nDir::State::status "{place}/status";\nAPT::Sandbox::User "root";\n'
    )
    environment = {**os.environ, "APT_CONFIG": str(place / "apt.conf")}
    plugins = TOOLS / "cli-plugins"
    plugins.mkdir(parents=True, exist_ok=True)
    for command in (["apt-get", "update", "-qq"], ["apt-get", "download", *packages]):
        done = subprocess.run(command, env=environment, cwd=place / "debs", capture_output=True, text=True, check=False)
        if done.returncode:
            raise EngineMissing(f"{' '.join(command)} failed: {done.stderr.strip().splitlines()[-1:]}")
    for deb in (place / "debs").glob("*.deb"):
        subprocess.run(["dpkg", "-x", str(deb), str(place / "files")], check=True)
    for found in (place / "files" / PLUGINS_FOLDER).iterdir():
        shutil.copy2(found, plugins / found.name)
    shutil.rmtree(place)
