"""The ledger's promises, kept in memory and by Postgres."""

from collections.abc import AsyncIterator
from uuid import UUID

import asyncpg
import pytest

from backbone.ledger.memory import MemoryLedger
from backbone.ledger.port import Ledger
from backbone.ledger.postgres import PostgresLedger
from backbone.testing.ledger_conformance import LedgerConformance
from backbone.toolbox.port import Toolbox
from backbone.toolbox.postgres import PostgresToolbox
from tests.conftest import as_owner


class TestMemoryLedger(LedgerConformance):
    @pytest.fixture
    def ledger(self) -> Ledger:
        return MemoryLedger()

    @pytest.fixture
    def toolbox(self, ledger: Ledger) -> Toolbox:
        assert isinstance(ledger, MemoryLedger)
        return ledger.toolbox

    async def tamper(self, ledger: Ledger, session: UUID, version: int) -> None:
        assert isinstance(ledger, MemoryLedger)
        ledger.tamper(session, version, b'{"about":"answer","comment":"never said"}')

    async def cut_leader(self, ledger: Ledger, producer: str) -> None:
        assert isinstance(ledger, MemoryLedger)
        ledger.cut_leader(producer)


class TestPostgresLedger(LedgerConformance):
    @pytest.fixture
    async def ledger(self, postgres_url: str) -> AsyncIterator[Ledger]:
        self.url = postgres_url
        ledger = await PostgresLedger.connect(postgres_url, min_size=0)
        try:
            yield ledger
        finally:
            await ledger.close()

    @pytest.fixture
    def toolbox(self, ledger: Ledger) -> Toolbox:
        assert isinstance(ledger, PostgresLedger)
        return PostgresToolbox(ledger.pool)

    async def tamper(self, ledger: Ledger, session: UUID, version: int) -> None:
        connection = await asyncpg.connect(as_owner(self.url))
        await connection.execute("alter table ledger.events disable trigger append_only")
        tampered = await connection.execute(
            """update ledger.events set data = '{"about": "answer", "comment": "never said"}'
                where stream_id = $1 and version = $2""",
            session,
            version,
        )
        await connection.close()
        assert tampered == "UPDATE 1"

    async def cut_leader(self, ledger: Ledger, producer: str) -> None:
        connection = await asyncpg.connect(as_owner(self.url))
        cut = await connection.fetchval(
            """select count(pg_terminate_backend(l.pid)) from pg_locks l, hashtextextended('relay:' || $1, 0) k
                where l.locktype = 'advisory' and l.granted and l.objsubid = 1
                  and (l.classid::bigint << 32 | l.objid::bigint) = k""",
            producer,
        )
        await connection.close()
        assert cut == 1
