"""The ledger's promises, kept in memory and by Postgres."""

import asyncio
from collections.abc import AsyncIterator
from uuid import UUID

import asyncpg
import pytest

from backbone.ledger import claims
from backbone.ledger.port import Ledger
from backbone.ledger.postgres import PostgresLedger
from backbone.toolbox.port import Toolbox
from backbone.toolbox.postgres import PostgresToolbox
from tests.conformance.ledger_conformance import LedgerConformance
from tests.conftest import as_owner
from tests.fakes.artifacts import MemoryArtifacts
from tests.fakes.ledger import MemoryLedger


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
        ledger = await PostgresLedger.connect(postgres_url, min_size=0, artifacts=MemoryArtifacts())
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

    async def test_a_claim_of_another_process_is_waited_for_and_ends_with_that_process(self, ledger: Ledger) -> None:
        other = await PostgresLedger.connect(self.url, min_size=0)
        async with other.claimed("call"):
            waiting = asyncio.create_task(_claimed_and_released(ledger, "call"))
            await asyncio.sleep(2 * claims.POLL)
            assert not waiting.done()
            # as if it were killed: nobody says goodbye
            for pool in (other._leaders, other._pool):
                pool.terminate()
            async with asyncio.timeout(20):
                await waiting

    async def test_a_claim_outlives_its_connection(self, ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(claims, "BEAT", 0.05)
        other = await PostgresLedger.connect(self.url, min_size=0)
        owner = await asyncpg.connect(self.url)
        try:
            async with ledger.claimed("call"):
                cut = await owner.fetchval(_CUT)
                async with asyncio.timeout(20):
                    while await owner.fetchval(_HOLDER) in (
                        None,
                        cut,
                    ):  # it is claimed again; a backend ends in its time
                        await asyncio.sleep(0.02)
                waiting = asyncio.create_task(_claimed_and_released(other, "call"))
                await asyncio.sleep(2 * claims.POLL)
                assert not waiting.done()
            async with asyncio.timeout(20):
                await waiting
        finally:
            await owner.close()
            await other.close()


_CLAIM = """from pg_locks l, hashtextextended('call', 1) k where l.locktype = 'advisory' and l.granted and l.objsubid = 1
    and (l.classid::bigint << 32 | l.objid::bigint) = k"""
_HOLDER = f"select l.pid {_CLAIM}"
_CUT = f"select l.pid, pg_terminate_backend(l.pid) {_CLAIM}"


async def _claimed_and_released(ledger: Ledger, key: str) -> None:
    async with ledger.claimed(key):
        pass
