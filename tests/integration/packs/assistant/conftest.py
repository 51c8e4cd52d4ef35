"""Servers, tables and an executor for the assistant's calendars."""

from collections.abc import AsyncIterator, Callable, Iterator

import asyncpg
import pytest

from backbone.ledger.tables import PostgresTables
from tests.conftest import as_superuser, made, wait_for
from tests.integration.packs.assistant.desk import Desk
from tests.integration.packs.assistant.google_server import Google, google
from tests.integration.packs.assistant.radicale_process import Radicale, radicale


@pytest.fixture(scope="session")
def dav_server(tmp_path_factory) -> Iterator[Radicale]:
    with radicale(tmp_path_factory.mktemp("radicale")) as server:
        yield server


@pytest.fixture
def google_server() -> Iterator[Google]:
    with google() as server:
        yield server


@pytest.fixture(scope="session")
def calendar_database(postgres_server: Callable[[str], str]) -> str:
    """One for all these tests: each is a person of its own, so none meets what another has left."""

    async def make() -> None:
        connection = await asyncpg.connect(as_superuser(postgres_server("postgres")))
        try:
            await connection.execute(made("calendars"))
        finally:
            await connection.close()

    wait_for(make())
    return postgres_server("calendars")


@pytest.fixture
async def tables(calendar_database: str) -> AsyncIterator[PostgresTables]:
    tables = PostgresTables(calendar_database, "assistant")
    try:
        yield tables
    finally:
        await tables.close()


@pytest.fixture
def desk(tables: PostgresTables) -> Desk:
    return Desk(tables)
