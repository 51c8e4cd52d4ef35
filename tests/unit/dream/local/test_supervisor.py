"""Whatever ends is started again, with a back-off and a sentence, until somebody says stop."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from dream.local import supervisor
from dream.local.restarts import End, Restart
from dream.local.supervisor import Supervisor, polled
from tests.conformance.harness import until


class Fragile:
    """Ends when it is told to, and may refuse to start for a while."""

    def __init__(self, name: str, refusals: int = 0) -> None:
        self.name = name
        self.end: End | None = None
        self.starts = 0
        self.refusals = refusals

    async def ended(self) -> End:
        return await polled(lambda: self.end)

    async def start(self) -> None:
        self.starts += 1
        if self.starts <= self.refusals:
            raise OSError(f"no luck number {self.starts}")
        self.end = None


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "POLL", 0.001)
    monkeypatch.setattr(supervisor, "FIRST_DELAY", 0.002)
    monkeypatch.setattr(supervisor, "LONGEST_DELAY", 0.032)
    monkeypatch.setattr(supervisor, "LONGEST_DELAY_OF_READY", 0.008)


@pytest.fixture
async def told() -> list[Restart]:
    return []


@pytest.fixture
async def watching(told: list[Restart]) -> AsyncIterator[Supervisor]:
    one = Supervisor(told.append)
    yield one
    await one.stop()


async def test_what_ends_is_started_again_and_told_with_how(watching: Supervisor, told: list[Restart]) -> None:
    left, right = Fragile("left"), Fragile("right")
    watching.watch(left, right)
    right.end = End.of(-11)
    await until(lambda: right.end is None)
    assert (left.starts, right.starts) == (0, 1)
    assert told == [Restart("right", End("signal", "SIGSEGV"), 0.002)]


async def test_what_does_not_start_is_tried_again_ever_later_and_says_why(
    watching: Supervisor, told: list[Restart]
) -> None:
    part = Fragile("part", refusals=6)
    watching.watch(part)
    part.end = End.of(3)
    await until(lambda: part.end is None)
    assert [restart.end for restart in told] == [
        End("code", "3"), *(End("failed", f"no luck number {number}") for number in range(1, 7)),
    ]  # fmt: skip
    assert [restart.delay for restart in told] == [0.002, 0.004, 0.008, 0.016, 0.032, 0.032, 0.032]


async def test_what_comes_up_each_time_is_never_kept_waiting_for_long(
    watching: Supervisor, told: list[Restart]
) -> None:
    part = Fragile("part")
    watching.watch(part)
    for number in range(1, 8):
        part.end = End("loop", "relay")
        await until(lambda: part.end is None)
        assert part.starts == number
    assert max(restart.delay for restart in told) == 0.008


async def test_who_was_well_for_long_is_started_at_once_the_next_time(
    watching: Supervisor, told: list[Restart], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "STEADY_SECONDS", 0.0)
    part = Fragile("part")
    watching.watch(part)
    for _ in range(5):
        part.end = End("refuses")
        await until(lambda: part.end is None)
    assert {restart.delay for restart in told} == {0.002}


async def test_nothing_is_started_after_stop_in_the_middle_of_a_delay_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "FIRST_DELAY", 60.0)
    told: list[Restart] = []
    watching, part = Supervisor(told.append), Fragile("part")
    watching.watch(part)
    part.end = End.of(0)
    await until(lambda: bool(told))
    await watching.stop()
    assert part.starts == 0
    assert not [task for task in asyncio.all_tasks() if task.get_name() == "watch:part"]
