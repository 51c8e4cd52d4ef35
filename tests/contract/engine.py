"""`make test-containers`: the contract tests over containers, on the Docker engine that answers, else on one of our own.

Ours is Debian's, installed where it is missing and we are root, with its socket and all that it stores in a folder that
goes with it. Where none can run the tests have NOT RUN, which is a failure unless DREAM_TEST_DOCKER=optional."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import docker
import docker.errors
import requests.exceptions

from dream.local import child
from tests.contract.servers import KIND
from tests.support.folders import own_folder

OPTIONAL = "DREAM_TEST_DOCKER"
START_SECONDS = 60.0


class NoEngine(Exception):
    """There is no Docker engine, and none can be started; the message says why."""


@contextmanager
def engine() -> Iterator[str]:
    """The address of an engine that answers; empty for that of the environment. Raises NoEngine."""
    if not (problem := refuses("")):
        yield ""
        return
    if os.environ.get("DOCKER_HOST"):
        raise NoEngine(f"the engine of DOCKER_HOST does not answer: {problem}")
    if os.getuid() != 0:
        raise NoEngine(f"only root can start an engine, and none answers: {problem}")
    dockerd = shutil.which("dockerd") or _installed()
    with own_folder("docker", Path(tempfile.gettempdir())) as folder, _started(dockerd, folder) as address:
        yield address


def refuses(address: str) -> str:
    """Why no engine answers; empty when one does."""
    try:
        client = docker.DockerClient(base_url=address) if address else docker.from_env()
        try:
            client.ping()
        finally:
            client.close()
    except (docker.errors.DockerException, requests.exceptions.RequestException) as error:
        return str(error)
    return ""


def _installed() -> str:
    if not shutil.which("apt-get"):
        raise NoEngine("there is no dockerd, and no apt-get to install Debian's docker.io")
    print("setup: docker.io", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = "apt-get update -qq && apt-get install -qq -y --no-install-recommends docker.io"
    done = subprocess.run(["sh", "-c", install], env=environment, capture_output=True, text=True, check=False)
    dockerd = shutil.which("dockerd")
    if done.returncode or dockerd is None:
        raise NoEngine(f"docker.io cannot be installed: {_last(done.stderr)}")
    return dockerd


@contextmanager
def _started(dockerd: str, folder: Path) -> Iterator[str]:
    """An engine that shares nothing with another one, and leaves the rules of the machine's network alone: published
    ports are reached through its proxy."""
    address = f"unix://{folder}/docker.sock"
    command = [dockerd, f"--host={address}", f"--data-root={folder}/data", f"--exec-root={folder}/exec"]
    command += [f"--pidfile={folder}/docker.pid", "--iptables=false", "--ip6tables=false"]
    log = folder / "docker.log"
    with log.open("wb") as output:
        running = child.start(command, record=folder / "dockerd.pid", output=output)
        try:
            deadline = time.monotonic() + START_SECONDS
            while refuses(address):
                if not running.alive or time.monotonic() > deadline:
                    raise NoEngine(f"dockerd does not start: {_last(log.read_text(errors='replace'))}")
                time.sleep(0.1)
            yield address
        finally:
            running.stop(grace=30)


def _last(said: str) -> str:
    return (said.strip().splitlines() or ["it said nothing"])[-1]


def main(arguments: Sequence[str]) -> int:
    """Runs the tests; their exit code."""
    try:
        with engine() as address:
            environment = {**os.environ, KIND: "containers"} | ({"DOCKER_HOST": address} if address else {})
            command = [sys.executable, "-m", "pytest", "tests/contract", "-m", "processes", *arguments]
            return subprocess.run(command, env=environment, check=False).returncode
    except NoEngine as error:
        print(f"contract tests over containers: NOT RUN: {error}", flush=True)
        if os.environ.get(OPTIONAL) != "optional":
            return 1
        print(
            "contract tests over containers: NOT RUN; those over the embedded servers are the ones that count",
            flush=True,
        )
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
