"""What comes in one moment goes together, and what is alone does not wait."""

import asyncio

from backbone.gathering import TURNS, gathered


async def test_as_long_as_more_comes_it_is_waited_for() -> None:
    there = [0]

    async def arrive() -> None:
        for number in range(1, 20):
            await asyncio.sleep(0)
            there.append(number)

    coming = asyncio.create_task(arrive())
    await gathered(there.__len__, 100)
    assert len(there) == 20
    await coming


async def test_what_comes_later_is_not_waited_for() -> None:
    there = [0]
    later = asyncio.get_running_loop().call_later(5, there.append, 1)
    since = asyncio.get_running_loop().time()
    await gathered(there.__len__, 100)
    later.cancel()
    assert there == [0]
    assert asyncio.get_running_loop().time() - since < 1


async def test_no_more_than_is_wanted() -> None:
    turns = 0

    def count() -> int:
        nonlocal turns
        turns += 1
        return turns

    await gathered(count, 3)
    assert turns == 3
    await gathered(lambda: 3, 3)


async def test_a_lone_one_costs_a_few_turns() -> None:
    calls: list[None] = []

    def count() -> int:
        calls.append(None)
        return 1

    await gathered(count, 100)
    assert len(calls) == TURNS + 1
