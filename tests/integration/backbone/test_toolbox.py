"""The toolbox's promises, kept in memory and by Postgres; and what only a real database can break."""

import asyncio
import random
from collections import Counter
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from backbone.ledger.pool import open_pool
from backbone.ledger.port import LedgerUnavailable
from backbone.ledger.postgres import PostgresLedger
from backbone.toolbox.port import Busy, Lease, Toolbox
from backbone.toolbox.postgres import PostgresToolbox
from tests.conformance.toolbox_conformance import ToolboxConformance
from tests.conformance.toolbox_machine import T, ToolboxMachine
from tests.conformance.wants import want
from tests.conftest import as_owner
from tests.fakes.toolbox import MemoryToolbox

SHIFT = "update toolbox.leases set expires_at = expires_at - make_interval(secs => $1)"
"""As if the database's clock were that much later."""


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


class TestMemoryToolbox(ToolboxConformance):
    @pytest.fixture
    def toolbox(self) -> Toolbox:
        return MemoryToolbox(Clock())

    async def pass_time(self, toolbox: Toolbox, seconds: float) -> None:
        assert isinstance(toolbox, MemoryToolbox)
        assert isinstance(toolbox.clock, Clock)
        toolbox.clock.now += timedelta(seconds=seconds)


class TestPostgresToolbox(ToolboxConformance):
    @pytest.fixture
    def toolbox(self, ledger: PostgresLedger) -> Toolbox:
        return PostgresToolbox(ledger.pool)

    async def pass_time(self, toolbox: Toolbox, seconds: float) -> None:
        assert isinstance(toolbox, PostgresToolbox)
        await toolbox._pool.execute(SHIFT, seconds)


def test_postgres_does_what_the_rules_say_whatever_happens_in_whatever_order(postgres_url: str) -> None:
    with asyncio.Runner() as runner:
        owner = runner.run(asyncpg.connect(as_owner(postgres_url)))
        pool = runner.run(open_pool(postgres_url, min_size=1, max_size=1))

        class PostgresMachine(ToolboxMachine):
            def opened(self) -> Toolbox:
                self.do(owner.execute("truncate toolbox.groups, toolbox.leases, toolbox.waiters"))
                return PostgresToolbox(pool)

            def pass_time(self, seconds: float) -> None:
                self.do(owner.execute(SHIFT, seconds))

            def do(self, work: Coroutine[Any, Any, T]) -> T:
                return runner.run(work)

        try:
            often = settings(max_examples=15, stateful_step_count=30, database=None)
            run_state_machine_as_test(PostgresMachine, settings=often)
        finally:
            runner.run(pool.close())
            runner.run(owner.close())


async def test_thirty_who_want_groups_at_random_never_overfill_one_and_never_wait_for_each_other(
    postgres_url: str,
) -> None:
    capacities = {"a": 1, "b": 2, "c": 3, "d": 2}
    chance, holding = random.Random(7), Counter[str]()
    too_many: list[str] = []
    granted = 0

    async def use(toolbox: Toolbox) -> None:
        nonlocal granted
        groups = chance.sample("abcd", chance.choice([1, 1, 2, 3]))
        # the same capacity for each group of a want: the smallest, so that none is ever above its own
        wanted = want(*groups, capacity=min(capacities[group] for group in groups))
        while isinstance(lease := await toolbox.acquire(wanted, enqueue=True), Busy):
            await asyncio.sleep(0.005)
        granted += 1
        holding.update(groups)
        too_many.extend(group for group in groups if holding[group] > capacities[group])
        await asyncio.sleep(chance.random() * 0.004)
        holding.subtract(groups)
        assert await toolbox.release(lease)

    async with AsyncExitStack() as stack, asyncio.timeout(10):
        toolboxes = []
        for _ in range(3):
            pool = await open_pool(postgres_url, min_size=1, max_size=1)
            stack.push_async_callback(pool.close)
            toolboxes.append(PostgresToolbox(pool))
        await asyncio.gather(*(use(toolboxes[number % 3]) for number in range(30)))
        usage = await toolboxes[0].usage()
    assert too_many == []
    assert granted == 30
    assert [(use.held, use.waiting) for use in usage] == [(0, 0)] * 4


async def test_two_processes_that_want_the_same_at_once_wait_for_each_other(
    ledger: PostgresLedger, postgres_url: str
) -> None:
    toolbox, first, second = PostgresToolbox(ledger.pool), want("a", "b"), want("b", "c")
    for known in (first, second, want("x")):  # so that it is not the making of groups that they wait for
        await toolbox.acquire(known, enqueue=False)
        await toolbox.leave(known.holder.run_id)
    pool = await open_pool(postgres_url, min_size=1, max_size=1)
    async with pool, pool.acquire() as connection:
        async with connection.transaction():
            who = (first.holder.session_id, first.holder.run_id, first.holder.todo_id)
            sql = "select lease_id from toolbox.acquire($1,$2,$3,$4,$5,1,1000,true)"
            assert await connection.fetchval(sql, *who, first.tool, list(first.groups))
            asked = asyncio.create_task(toolbox.acquire(second, enqueue=True))
            await toolbox.acquire(want("x"), enqueue=True)  # others need not wait
            await asyncio.sleep(0.1)
            assert not asked.done()
        assert await asked == Busy(1)


async def test_a_lease_that_is_recorded_under_cannot_be_renewed_or_reclaimed_meanwhile(
    ledger: PostgresLedger, postgres_url: str
) -> None:
    """The append has looked at the lease and not yet committed: whoever wants to change the lease waits for it."""
    toolbox = PostgresToolbox(ledger.pool)
    lease = await toolbox.acquire(want("a"), enqueue=True)
    assert isinstance(lease, Lease)
    owner = await asyncpg.connect(as_owner(postgres_url))
    try:
        async with owner.transaction():
            await owner.execute("select toolbox.lock_leases($1)", [lease.lease_id])
            await owner.execute("select from toolbox.leases where lease_id = $1 for update", lease.lease_id)
            renewal = asyncio.create_task(toolbox.renew([lease], 1.0))
            release = asyncio.create_task(toolbox.release(lease))
            await asyncio.sleep(0.1)
            assert not renewal.done()
            assert not release.done()
            await owner.execute("delete from toolbox.leases where lease_id = $1", lease.lease_id)
        assert await renewal == set()
        assert await release is False
    finally:
        await owner.close()


async def test_a_toolbox_without_its_database_says_so(ledger: PostgresLedger) -> None:
    await ledger.close()
    with pytest.raises(LedgerUnavailable):
        await PostgresToolbox(ledger.pool).acquire(want("a"), enqueue=True)
