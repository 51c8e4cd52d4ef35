"""`make compose-test`: the whole product in containers does the main job while one of them is killed, each of them is
confined, nobody is let in without TLS and a key; and afterwards nothing is left."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from deploy.containers import compose_secrets
from deploy.containers.dockerd import Docker, EngineMissing, running
from deploy.containers.images import IDS, OURS, SERVERS, SERVICES, TAG
from tests.e2e.person import Person, eventually, of, only
from tests.e2e.recount import recount
from tests.e2e.test_main_job import SENTENCE, assert_is_the_plan, assert_is_the_report, demo

PROJECT = "dream-trial"
LABEL = f"label=com.docker.compose.project={PROJECT}"
KINDS = {"container": ("ps", "-aq"), "network": ("network", "ls", "-q"), "volume": ("volume", "ls", "-q")}
START_SECONDS = "300"
INSIDE = """
import json, os
told = dict(line.split(":", 1) for line in open("/proc/1/status") if ":" in line)
def refused(path):
    try:
        open(path, "w").close()
    except OSError as error:
        return error.strerror
print(json.dumps({"uid": os.getuid(), "name": __import__("pwd").getpwuid(os.getuid()).pw_name,
    "capabilities": int(told["CapEff"], 16) | int(told["CapPrm"], 16) | int(told["CapBnd"], 16),
    "no_new_privileges": told["NoNewPrivs"].strip(), "root": refused("/here"), "packages": refused("/opt/dream/here"),
    "tmp": refused("/tmp/here")}))
"""
PLAIN = """
import asyncio, asyncpg, nats, os
url = open("/run/secrets/database_url").read()
async def said(work):
    try:
        await asyncio.wait_for(work, 20)
    except Exception as error:
        return repr(error)
    return "let in"
async def main():
    print(await said(asyncpg.connect(url.split("?")[0] + "?sslmode=disable")))
    import ssl
    trusted = ssl.create_default_context(cafile="/run/secrets/ca.crt")
    refusals = []
    async def error(what): refusals.append(repr(what))
    once = {"allow_reconnect": False, "error_cb": error, "connect_timeout": 5}
    print(await said(nats.connect("tls://nats:4222", tls=trusted, **once)), *refusals)
    print(await said(nats.connect("tls://nats:4222", tls=ssl.create_default_context(), **once)), *refusals[-1:])
asyncio.run(main())
"""


class Composed:
    """The project of a trial, with secrets of its own."""

    def __init__(self, docker: Docker, folder: Path) -> None:
        self.docker = docker
        self.port = _free_port()
        self.environment = {
            "COMPOSE_FILE": os.environ.get("COMPOSE_FILE", "deploy/compose.yaml"),
            "DREAM_SECRETS": str(folder),
            "DREAM_PORT": str(self.port),
            "DREAM_TAG": TAG,
        }
        for server in SERVERS:
            if docker.succeeds("image", "inspect", f"{server}:{TAG}"):
                self.environment[f"{server.removeprefix('dream-').upper()}_IMAGE"] = f"{server}:{TAG}"

    def compose(self, *arguments: str) -> str:
        return self.docker.told("compose", "--project-name", PROJECT, *arguments, environment=self.environment)

    def container(self, service: str) -> str:
        return self.compose("ps", "--all", "--quiet", service)

    def inside(self, service: str, code: str) -> str:
        return self.docker.told("exec", self.container(service), "python", "-c", code)


@contextmanager
def composed(docker: Docker) -> Iterator[Composed]:
    """Everything is up; afterwards nothing of it is there. What a killed trial has left goes first."""
    with tempfile.TemporaryDirectory(prefix="dream-trial-") as folder:
        compose_secrets.make(Path(folder))
        one = Composed(docker, Path(folder))
        _remove(one)
        try:
            _said("up", one.compose, "up", "--detach", "--wait", "--wait-timeout", START_SECONDS)
            yield one
        except BaseException:
            print(_logs(one), file=sys.stderr)
            raise
        finally:
            _said("down", _remove, one)


def run(docker: Docker) -> None:
    """The trial. Raises AssertionError."""
    with composed(docker) as one:
        for service in OURS:
            confined(one, service)
        outside_stays_out(one)
        asyncio.run(main_job(one))
    left = {kind: found for kind, command in KINDS.items() if (found := docker.told(*command, "--filter", LABEL))}
    assert not left, f"left behind: {left}"
    print("compose-test: all of it holds")


def confined(one: Composed, service: str) -> None:
    """As the engine has it, and as the process sees it."""
    told = json.loads(one.docker.told("inspect", one.container(service)))[0]
    config, host = told["Config"], told["HostConfig"]
    assert config["User"] == IDS[service], f"{service} runs as {config['User']}"
    assert host["ReadonlyRootfs"] and not host["Privileged"], f"{service} may write its root"
    assert host["CapDrop"] == ["ALL"] and not host["CapAdd"], f"{service} has capabilities"
    assert any(option.startswith("no-new-privileges") for option in host["SecurityOpt"])
    shown = json.dumps(config["Env"])
    assert "postgresql://" not in shown and "SU" not in [value.split("=")[-1][:2] for value in config["Env"]], shown
    seen: dict[str, Any] = json.loads(one.inside(service, INSIDE))
    assert (seen["uid"], seen["capabilities"], seen["no_new_privileges"]) == (65532, 0, "1"), f"{service}: {seen}"
    assert seen["root"] == seen["packages"] == "Read-only file system", f"{service}: {seen}"
    assert seen["tmp"] is None and seen["name"], f"{service}: {seen}"


def outside_stays_out(one: Composed) -> None:
    """From within the network: Postgres refuses what is not encrypted, NATS who has no key; strangers fail."""
    database, no_key, no_trust = one.inside("gateway", PLAIN).splitlines()
    assert "no encryption" in database, database
    assert "let in" not in no_key and "uthoriz" in no_key, no_key
    assert "let in" not in no_trust and "ertificate" in no_trust, no_trust


async def main_job(one: Composed) -> None:
    """A table is uploaded, a plan approved, execution killed at work; the report is right all the same."""
    csv = demo("ko")
    begun = time.monotonic()
    async with Person(f"http://127.0.0.1:{one.port}") as person:
        file = await person.upload("demo_reviews_ko.csv", csv)
        run = await person.say(SENTENCE["ko"], attachments=[file])
        question = await person.question(run["session_id"], seconds=120)
        plan = only(await person.events(run["session_id"]), "PlanningOutput")["plan"]
        assert_is_the_plan(plan, "ko")
        await person.answer(run["session_id"], question, action="approve")

        async def at_work() -> bool:
            return bool(of(await person.events(run["session_id"]), "TodoDispatched"))

        await eventually(at_work, "a todo on its way", 60)
        one.docker.told("kill", one.container("execution"))
        so_far = await person.events(run["session_id"])
        assert not of(so_far, "RunCompleted"), "it was over before anybody was killed"
        await asyncio.to_thread(one.compose, "up", "--detach", "--wait", "execution")
        events = await person.end_of(run, 180)
        assert not only(events, "RunCompleted").get("partial")
        await assert_is_the_report(person, only(events, "ResponseOutput"), recount(csv.decode()), "ko")
    print(f"compose-test: main job with execution killed in {time.monotonic() - begun:.1f} s")


def _remove(one: Composed) -> None:
    one.compose("--profile", "observe", "down", "--volumes", "--remove-orphans", "--timeout", "60")


def _logs(one: Composed) -> str:
    return one.compose("ps", "--all") + "\n" + one.compose("logs", "--no-color", "--tail", "40")


def _said(what: str, work: Any, *arguments: Any) -> None:
    begun = time.monotonic()
    work(*arguments)
    print(f"compose-test: {what} in {time.monotonic() - begun:.1f} s", flush=True)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def main() -> int:
    """The command; 0 when all of it holds."""
    try:
        with running() as docker:
            missing = [name for name in SERVICES if not docker.succeeds("image", "inspect", f"{name}:{TAG}")]
            if not missing:
                run(docker)
                return 0
            print(f"compose-test: no image {missing[0]}:{TAG}: run make images first", file=sys.stderr)
    except (EngineMissing, subprocess.CalledProcessError) as error:
        print(f"compose-test: {error}\n{getattr(error, 'stderr', None) or ''}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
