"""No person holds all places for calls, and nobody waits for ever behind one who has many."""

import asyncio

import pytest

from services.execution.tools.shares import Shares


class Office:
    """Calls that end when they are told to."""

    def __init__(self, size: int) -> None:
        self.shares = Shares(size)
        self.at_work: list[str] = []
        self._ends: dict[str, asyncio.Event] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def call(self, person: str, name: str) -> None:
        """Begins, or waits for a place."""
        self._ends[name] = asyncio.Event()
        self._tasks[name] = asyncio.create_task(self._work(person, name))
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    async def _work(self, person: str, name: str) -> None:
        async with self.shares.place(person):
            self.at_work.append(name)
            await self._ends[name].wait()
        self.at_work.remove(name)

    async def end(self, name: str) -> None:
        self._ends[name].set()
        await self._tasks[name]
        await asyncio.sleep(0)

    async def cancel(self, name: str) -> None:
        self._tasks[name].cancel()
        with pytest.raises(asyncio.CancelledError):
            await self._tasks[name]
        await asyncio.sleep(0)


async def test_somebody_who_has_nothing_at_work_need_not_wait_for_one_who_has_all() -> None:
    office = Office(2)
    for name in ("a1", "a2", "a3"):
        await office.call("ann", name)
    assert office.at_work == ["a1", "a2"]
    await office.call("ben", "b1")
    assert office.at_work == ["a1", "a2", "b1"]
    await office.call("cem", "c1")
    assert "c1" not in office.at_work, "there is one place more, and not one for each"


async def test_the_next_place_is_for_whoever_has_fewest() -> None:
    office = Office(2)
    for person, name in (("ann", "a1"), ("ann", "a2"), ("ann", "a3"), ("ben", "b1"), ("ben", "b2"), ("cem", "c1")):
        await office.call(person, name)
    await office.end("a1")
    assert office.at_work == ["a2", "b1", "c1"]
    await office.end("a2")
    assert set(office.at_work) == {"a3", "b1", "c1"}, "ben has one at work, so his next waits"


async def test_alone_a_person_has_all_places_and_a_call_that_is_stopped_gives_its_own_back() -> None:
    office = Office(2)
    for name in ("a1", "a2", "a3", "a4"):
        await office.call("ann", name)
    await office.cancel("a3")
    await office.cancel("a1")
    assert "a4" in office.at_work
    await office.end("a2")
    await office.end("a4")
