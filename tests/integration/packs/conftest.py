"""The tables of the transfer pack, and the bank in them."""

from collections.abc import AsyncIterator

import pytest

from backbone.ledger.pool import open_pool
from backbone.ledger.tables import PostgresTables
from contracts.tables import PackDatabase
from packs.transfer.bank.embedded import EmbeddedBank


@pytest.fixture
async def database(postgres_url: str) -> AsyncIterator[PackDatabase]:
    pool = await open_pool(postgres_url, min_size=1, max_size=6)
    try:
        yield PostgresTables(pool, "transfer")
    finally:
        await pool.close()


@pytest.fixture
def bank(database: PackDatabase) -> EmbeddedBank:
    return EmbeddedBank(database)
