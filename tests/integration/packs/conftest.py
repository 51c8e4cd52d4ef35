"""The tables of the transfer pack, the bank in them, and the understanding of all packs."""

from collections.abc import AsyncIterator

import pytest

from backbone.ledger.tables import PostgresTables
from contracts.tables import PackDatabase
from packs.transfer.bank.embedded import EmbeddedBank
from tests.unit.conftest import encoder, every_pack, everything

__all__ = ["encoder", "every_pack", "everything"]


@pytest.fixture
async def database(postgres_url: str) -> AsyncIterator[PackDatabase]:
    tables = PostgresTables(postgres_url, "transfer")
    try:
        yield tables
    finally:
        await tables.close()


@pytest.fixture
def bank(database: PackDatabase) -> EmbeddedBank:
    return EmbeddedBank(database)
