"""Group commit: one call for those who wait, and everybody gets their own result."""

import asyncio
from collections.abc import Sequence
from typing import cast
from uuid import UUID, uuid4

import pytest

from backbone.ledger.port import Append, Appended, Ledger, LedgerUnavailable
from services.gateway.commands.group_commit import LIMIT, GroupCommitter

POISON = UUID(int=666)


class SlowLedger:
    """Takes a moment per call, refuses one cause, and can be away."""

    def __init__(self) -> None:
        self.calls: list[list[UUID]] = []
        self.away = False

    async def append(self, _: str, __: str, appends: Sequence[Append]) -> list[Appended]:
        causes = [append.cause for append in appends]
        self.calls.append(causes)
        await asyncio.sleep(0.01)
        if self.away:
            raise LedgerUnavailable("away")
        if POISON in causes:
            raise ValueError("refused")
        return [Appended(fresh=True, last_version=2) for _ in causes]


@pytest.fixture
def ledger() -> SlowLedger:
    return SlowLedger()


@pytest.fixture
def committer(ledger: SlowLedger) -> GroupCommitter:
    return GroupCommitter(cast("Ledger", ledger), "gateway")


def _append(cause: UUID | None = None) -> Append:
    return Append(uuid4(), cause or uuid4())


async def test_those_who_wait_share_a_call(ledger: SlowLedger, committer: GroupCommitter) -> None:
    results = await asyncio.gather(*(committer.append(_append()) for _ in range(LIMIT + 10)))
    assert all(result.fresh for result in results)
    assert [len(call) for call in ledger.calls] == [LIMIT, 10]


async def test_one_that_is_refused_harms_nobody_else(committer: GroupCommitter) -> None:
    appends = [_append(), _append(POISON), _append()]
    first, refused, last = await asyncio.gather(*map(committer.append, appends), return_exceptions=True)
    assert isinstance(refused, ValueError)
    assert first == last == Appended(fresh=True, last_version=2)


async def test_without_a_ledger_all_are_told_at_once(ledger: SlowLedger, committer: GroupCommitter) -> None:
    ledger.away = True
    results = await asyncio.gather(*(committer.append(_append()) for _ in range(5)), return_exceptions=True)
    assert {type(result) for result in results} == {LedgerUnavailable}
    assert len(ledger.calls) == 1
    ledger.away = False
    assert (await committer.append(_append())).fresh


async def test_a_cause_that_stands_twice_is_recorded_once(ledger: SlowLedger, committer: GroupCommitter) -> None:
    cause = uuid4()
    results = await asyncio.gather(*(committer.append(_append(cause)) for _ in range(3)))
    assert [result.fresh for result in results] == [True, False, False]
    assert [len(call) for call in ledger.calls] == [1]


async def test_who_gives_up_waiting_holds_up_nobody(committer: GroupCommitter) -> None:
    impatient = asyncio.create_task(committer.append(_append()))
    patient = asyncio.create_task(committer.append(_append()))
    await asyncio.sleep(0.001)
    impatient.cancel()
    assert (await patient).fresh
    await committer.close()
