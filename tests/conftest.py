"""Real servers for tests, from wheels. One Postgres per test session, with a fresh database for each test that asks;
nats-servers as tests need them. All of it is gone when the session ends, whatever the tests did."""

import asyncio
import gc
import os
import shutil
import signal
from collections.abc import Callable, Coroutine, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from hypothesis import HealthCheck, settings

from backbone.ledger.migrate import migrate
from backbone.process import GC_THRESHOLDS
from dream.local.embedded import EmbeddedNats, EmbeddedPostgres
from tests.support.distribution import pytest_runtest_setup, pytest_xdist_make_scheduler
from tests.support.folders import own_folder
from tests.support.kinds import pytest_runtest_logreport, pytest_terminal_summary
from tests.support.remembered import remember_classes, remember_packs
from tests.support.rewritten import rewrite_share

__all__ = [
    "pytest_runtest_logreport", "pytest_runtest_setup", "pytest_terminal_summary",
    "pytest_xdist_make_scheduler",
]  # fmt: skip

# a busy machine is no counterexample
settings.register_profile("dream", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("dream")

gc.disable()  # until all is collected: modules and tests stay, looking for garbage among them takes a tenth of the time
remember_packs()  # before any test file is imported: many load packs where they begin
remember_classes()

TEMPLATE = "dream_template"
SERVERS = {"postgres_server", "nats_server", "servers"}
HEADS = "heads"
"""Whoever asks for it waits until thousands of labelled turns have been looked at."""
HEADS_SECONDS = 240
"""They take five of processor time, a minute on a machine that others keep busy; what fails once fails for all who ask."""
_numbers = count(1)
_logins: set[str] = set()
"""Of the session's Postgres, owner and superuser: what stands before the @ of their URLs."""


def pytest_configure(config: pytest.Config) -> None:
    """A terminated run ends as an interrupted one: fixtures stop the servers they started. What is learned is learned once
    for all processes of a run, and for no other run; on one processor each, while the others test."""
    if not hasattr(config, "workerinput"):
        folders = ExitStack()
        os.environ["DREAM_CACHE_DIR"] = str(folders.enter_context(own_folder("cache")))
        os.environ["DREAM_TESTS_PID"] = str(os.getpid())
        config.add_cleanup(folders.close)
        # more processes than processors: the threads of a matrix product would wait for each other
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    rewrite_share(config)
    ours = os.getpid()

    def terminated(*_: object) -> None:
        if os.getpid() != ours:  # forked from us: it has no fixtures to tear down
            os._exit(143)
        pytest.exit("terminated")

    signal.signal(signal.SIGTERM, terminated)


def pytest_collection_finish() -> None:
    """The tests collect garbage as services do (backbone.process), a seventh faster."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
    gc.enable()


@pytest.fixture(scope="module", autouse=True)
def forgotten() -> Iterator[None]:
    """A file or a socket that somebody forgot is told in the test file that forgot it. What is young is looked at alone."""
    yield
    gc.collect(1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What asks for a server is marked as what starts processes itself says it is; and what asks for what takes long."""
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        asks = SERVERS.intersection(fixtures)
        if HEADS in fixtures:
            item.add_marker(pytest.mark.long)
            item.add_marker(pytest.mark.timeout(HEADS_SECONDS))
        given = getattr(getattr(item, "callspec", None), "params", {})
        if asks or given.get("rig") == "real":
            item.add_marker(pytest.mark.processes)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What a test has logged may hold half of a surrogate pair, and a report has to travel between processes."""
    report = yield
    report.sections = [(name, text.encode(errors="replace").decode()) for name, text in report.sections]
    return report


def wait_for(work: Coroutine[Any, Any, Any]) -> None:
    """Runs a coroutine to its end, apart from whatever event loop the tests have."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


@pytest.fixture(scope="session")
def server_dir() -> Iterator[Path]:
    with own_folder("test") as folder:
        yield folder


@pytest.fixture(scope="session")
def postgres_server(server_dir: Path) -> Iterator[Callable[[str], str]]:
    """An embedded Postgres with a migrated template database; gives the URL of a database by its name, as services log in."""
    server = EmbeddedPostgres(server_dir / "postgres")
    try:
        server.start()

        def url(database: str) -> str:
            return server.url.replace("/postgres?", f"/{database}?")

        _logins.update(one.partition("@")[0] for one in (server.owner_url, server.admin_url))
        wait_for(_make_template(server.admin_url, as_owner(url(TEMPLATE)), url(TEMPLATE)))
        yield url
    finally:
        server.stop()


def as_owner(url: str) -> str:
    """The same database of the session's server for who migrates it, and may do what no service may."""
    return _as("dream", url)


def as_superuser(url: str) -> str:
    """The same for the superuser of the server: nothing of ours logs in so, but tests that make databases."""
    return _as("postgres", url)


def _as(role: str, url: str) -> str:
    (login,) = (one for one in _logins if one.startswith(f"postgresql://{role}:"))
    return f"{login}@{url.partition('@')[2]}"


async def _make_template(admin: str, template: str, services: str) -> None:
    # nobody pulls the plug on a test: without fsync the many small databases are made faster
    settings = ("fsync = off", "max_wal_size = '128MB'")
    await _execute(admin, *(f"alter system set {one}" for one in settings), "select pg_reload_conf()")
    await _execute(admin, made(TEMPLATE, "template1"))
    await migrate(template, (), services)


def made(database: str, template: str = TEMPLATE) -> str:
    """The statement that makes a database, for the role that owns what is in it."""
    return f"create database {database} template {template} strategy file_copy owner dream"


async def _execute(url: str, *statements: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


@pytest.fixture
def postgres_url(postgres_server: Callable[[str], str]) -> Iterator[str]:
    """A migrated database of the test's own, as services log in: tests have the rights that the product has."""
    # not made ahead while another test runs: a transaction anywhere in the server holds back what its ledger may read
    name = f"test_{next(_numbers)}"
    admin = as_superuser(postgres_server("postgres"))
    wait_for(_execute(admin, made(name)))
    try:
        yield postgres_server(name)
    finally:
        wait_for(_execute(admin, f"drop database {name} with (force)"))


@pytest.fixture
def nats_server(server_dir: Path) -> Iterator[EmbeddedNats]:
    """A nats-server of the test's own, with an empty store, to stop and start at will."""
    server = EmbeddedNats(server_dir / f"nats_{next(_numbers)}")
    try:
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(server.folder, ignore_errors=True)


@pytest.fixture
def nats_url(nats_server: EmbeddedNats) -> str:
    return nats_server.url
