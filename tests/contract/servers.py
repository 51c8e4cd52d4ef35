"""The servers that contract tests run over, embedded ones from wheels or containers of a Docker engine: the same tests.

DREAM_TEST_SERVERS=containers chooses; `make test-containers` sees to the engine. Only here is it known which they are."""

import asyncio
import gc
import os
import re
import secrets
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import asyncpg
import psutil

from backbone.ledger.logins import SERVICES
from backbone.ledger.migrate import migrate
from dream.local import child
from dream.local.embedded import EmbeddedNats

if TYPE_CHECKING:
    import docker

KIND = "DREAM_TEST_SERVERS"
LABEL = "dream-contract.process"
"""Of each container: the process whose it is, as its number and when it began."""
OWNER = "dream"
_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Database:
    """A migrated database of one's own, as services log in and as its owner does."""

    services: str
    owner: str


@dataclass(frozen=True, slots=True)
class Servers:
    """NATS, whose URL may do everything, and a Postgres that makes databases: for its superuser, its owner, services."""

    kind: str
    nats_url: str
    logins: tuple[str, str, str]
    """URLs of the database postgres."""

    async def database(self) -> Database:
        """A new one. It goes with the server."""
        name = f"contract_{os.getpid()}_{next(_numbers)}"
        superuser, owner, services = (of_database(url, name) for url in self.logins)
        connection = await asyncpg.connect(self.logins[0])
        try:
            await connection.execute(f"create database {name} owner {OWNER}")
        finally:
            await connection.close()
        connection = await asyncpg.connect(superuser)
        try:
            await connection.execute("create extension if not exists vector with schema public")
        finally:
            await connection.close()
        await migrate(owner, (), services)
        return Database(services, owner)


def of_database(url: str, name: str) -> str:
    return urlsplit(url)._replace(path=f"/{name}").geturl()


def containers_wanted() -> bool:
    """Raises ValueError for another word than the two."""
    kind = os.environ.get(KIND, "embedded")
    if kind not in ("embedded", "containers"):
        raise ValueError(f"{KIND} is {kind!r}: embedded or containers")
    return kind == "containers"


@contextmanager
def embedded(folder: Path, logins: tuple[str, str, str]) -> Iterator[Servers]:
    """A nats-server of one's own, and the Postgres that tests share."""
    nats = EmbeddedNats(folder)
    try:
        nats.start()
        yield Servers("embedded", nats.url, logins)
    finally:
        nats.stop()


@contextmanager
def containers() -> Iterator[Servers]:
    """Both as containers, gone at the end; and before the beginning those of test runs that were killed."""
    # before testcontainers is imported, which reads them then: Ryuk, who would clean up, is an image of its own, and in a
    # container itself it takes the engine for one outside
    os.environ["TESTCONTAINERS_RYUK_DISABLED"] = "true"
    if any(process.name() == "dockerd" for process in psutil.process_iter()):
        os.environ.setdefault("TESTCONTAINERS_HOST_OVERRIDE", "localhost")
    import docker
    from testcontainers.community.postgres import PostgresContainer
    from testcontainers.core.container import DockerContainer
    from testcontainers.core.wait_strategies import LogMessageWaitStrategy

    from tests.contract.images import nats_image, postgres_image

    ours = {LABEL: _identity(os.getpid())}
    password = secrets.token_hex(32)
    started = ExitStack()
    try:
        with _left_sockets():
            client = docker.from_env()
            started.callback(client.close)
            sweep(client)
            nats = DockerContainer(nats_image(client), labels=ours).with_exposed_ports(4222)
            nats.with_command(["-js", "-sd", "/tmp/jetstream", "--user", "admin", "--pass", password])
            nats.waiting_for(LogMessageWaitStrategy(re.compile("Server is ready")).with_startup_timeout(30))
            started.enter_context(nats)
            postgres = PostgresContainer(
                postgres_image(client),
                username="postgres",
                password=password,
                dbname="postgres",
                driver=None,
                labels=ours,
            )
            started.enter_context(postgres)
            superuser = postgres.get_connection_url()
            asyncio.run(_make_owner(superuser, password))
            address = f"{nats.get_container_host_ip()}:{nats.get_exposed_port(4222)}"
        logins = [superuser.replace("//postgres:", f"//{role}:") for role in ("postgres", OWNER, SERVICES)]
        yield Servers("containers", f"nats://admin:{password}@{address}", (logins[0], logins[1], logins[2]))
    finally:
        with _left_sockets():
            started.close()


@contextmanager
def _left_sockets() -> Iterator[None]:
    """Docker's client leaves sockets to the garbage collector, which would be a fault of whatever test runs then."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        try:
            yield
        finally:
            gc.collect()


async def _make_owner(superuser: str, password: str) -> None:
    """The owner of all databases is none: as on a managed Postgres."""
    connection = await asyncpg.connect(superuser)
    try:
        await connection.execute(f"create role {OWNER} login createrole password '{password}'")
    finally:
        await connection.close()


def sweep(client: "docker.DockerClient") -> list[str]:
    """Removes the containers of test runs that were killed, and of no others; returns their names."""
    gone = [one for one in client.containers.list(all=True, filters={"label": LABEL}) if not _lives(one.labels[LABEL])]
    for container in gone:
        container.remove(force=True, v=True)
    return [str(container.name) for container in gone]


def _identity(pid: int) -> str:
    return f"{pid}:{psutil.Process(pid).create_time()}"


def _lives(identity: str) -> bool:
    pid, _, created = identity.partition(":")
    return child.is_same(int(pid), float(created))
