"""Conformance of ledgers: what is at a place, and claims."""

import asyncio
from uuid import uuid4

import pytest

from backbone.ledger.port import Ledger
from tests.conformance.facts import CONSUMER, PRODUCER, append, fact, note


class ClaimConformance:
    """Looking up what somebody says that the ledger has; being the only one at something."""

    async def test_what_is_at_places_is_the_event_itself(self, ledger: Ledger) -> None:
        one, two, run = uuid4(), uuid4(), uuid4()
        await ledger.append(PRODUCER, CONSUMER, [append(one, fact(note("한 번")), fact(run_id=run)), append(two)])
        first, second = await ledger.read(one)
        found = await ledger.at({(one, 1), (one, 2), (two, 1)})
        assert sorted(found, key=lambda m: (m.session_id != one, m.version)) == [first, second, *await ledger.read(two)]

    async def test_a_place_without_an_event_is_left_out(self, ledger: Ledger) -> None:
        session = uuid4()
        await ledger.append(PRODUCER, CONSUMER, [append(session)])
        assert await ledger.at([]) == []
        nowhere = [(session, 2), (session, 0), (session, -1), (session, 2**31), (session, 10**30), (uuid4(), 1)]
        assert await ledger.at(nowhere) == []
        assert [message.version for message in await ledger.at([*nowhere, (session, 1)])] == [1]

    async def test_a_claim_is_one_holder_s_at_a_time(self, ledger: Ledger) -> None:
        inside, most, done = 0, 0, 0

        async def hold() -> None:
            nonlocal inside, most, done
            async with ledger.claimed("the same"):
                inside += 1
                most = max(most, inside)
                await asyncio.sleep(0.01)
                inside -= 1
                done += 1

        await asyncio.gather(*(hold() for _ in range(4)))
        assert (most, done) == (1, 4)

    async def test_claims_of_different_things_do_not_wait_for_each_other(self, ledger: Ledger) -> None:
        async with ledger.claimed("one"), asyncio.timeout(10), ledger.claimed("another"):
            pass

    async def test_a_claim_ends_with_an_error_and_with_a_cancellation(self, ledger: Ledger) -> None:
        with pytest.raises(ZeroDivisionError):
            async with ledger.claimed("it"):
                raise ZeroDivisionError

        async def hold() -> None:
            async with ledger.claimed("it"):
                await asyncio.Event().wait()

        holding = [asyncio.create_task(hold()) for _ in range(2)]
        await asyncio.sleep(0.05)
        for task in holding:
            task.cancel()
        await asyncio.wait(holding)
        async with asyncio.timeout(10), ledger.claimed("it"):
            pass
