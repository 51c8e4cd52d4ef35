"""The S3 server that the tests here share, and where its local copies go; a ledger as services have it, and its owner."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import asyncpg
import pytest

from backbone.ledger.postgres import PostgresLedger
from tests.conftest import as_owner
from tests.support.s3 import S3Server, s3_server


@pytest.fixture(scope="session")
def s3() -> Iterator[S3Server]:
    with s3_server("artifacts") as server:
        yield server


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder of the test's own: what local copies are in."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
async def ledger(postgres_url: str) -> AsyncIterator[PostgresLedger]:
    ledger = await PostgresLedger.connect(postgres_url, min_size=1, max_size=2)
    try:
        yield ledger
    finally:
        await ledger.close()


@pytest.fixture
async def owner(postgres_url: str) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
    connection = await asyncpg.connect(as_owner(postgres_url))
    try:
        yield connection
    finally:
        await connection.close()
