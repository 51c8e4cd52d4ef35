"""A socket's feed: each version once, in order, whatever the live fan-out does."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from typing import cast

import orjson
import pytest

from backbone.ledger.port import LedgerUnavailable
from contracts.envelope import Message, to_headers
from contracts.subjects import event
from services.gateway.views.history import History
from services.gateway.ws import session_feed
from services.gateway.ws.fanout import LiveMessage
from services.gateway.ws.session_feed import SessionFeed
from tests.unit.services.gateway.facts import SAID, SESSION, message


class Stream:
    """A session in memory, in the shape of History."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.reads = 0
        self.away = False
        self.heads = self

    def ask(self, _: object, told: Callable[[int], None]) -> None:
        """Of how far the session is."""
        told(len(self.messages))

    async def page(self, _: object, after: int, limit: int) -> list[Message]:
        self.reads += 1
        await asyncio.sleep(0)
        if self.away:
            raise LedgerUnavailable("away")
        return self.messages[after : after + limit]

    def record(self) -> LiveMessage:
        one = message(SAID, len(self.messages) + 1)
        self.messages.append(one)
        return LiveMessage(event(SESSION, one.producer, one.type), one.type, to_headers(one), one.data)


class Shown:
    """What a client has seen."""

    def __init__(self) -> None:
        self.versions: list[int] = []
        self.open = asyncio.Event()
        self.open.set()

    async def send(self, text: str) -> None:
        await self.open.wait()
        self.versions.append(orjson.loads(text)["version"])

    async def reach(self, version: int) -> None:
        async with asyncio.timeout(5):
            while not self.versions or self.versions[-1] < version:
                await asyncio.sleep(0.001)


Open = Callable[..., SessionFeed]


@pytest.fixture
def stream() -> Stream:
    return Stream()


@pytest.fixture
def shown() -> Shown:
    return Shown()


@pytest.fixture
async def open_feed(stream: Stream, shown: Shown) -> AsyncIterator[Open]:
    tasks: list[asyncio.Task[None]] = []

    def start(after: int = 0) -> SessionFeed:
        made = SessionFeed(SESSION, after, cast("History", stream), shown.send)
        tasks.append(asyncio.create_task(made.run()))
        return made

    yield start
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_history_comes_first_page_by_page(stream: Stream, shown: Shown, open_feed: Open) -> None:
    for _ in range(session_feed.ROWS * 2 + 5):
        stream.record()
    open_feed(after=3)
    await shown.reach(session_feed.ROWS * 2 + 5)
    assert shown.versions == list(range(4, session_feed.ROWS * 2 + 6))


async def test_live_messages_out_of_order_and_again_are_shown_once_in_order(
    stream: Stream, shown: Shown, open_feed: Open
) -> None:
    live = open_feed()
    await asyncio.sleep(0.01)
    reads = stream.reads
    published = [stream.record() for _ in range(100)]
    drawn = random.Random(7)
    for start in range(0, 100, 10):
        batch = published[start : start + 10] * 2
        drawn.shuffle(batch)
        for one in batch:
            live.offer(one)
    await shown.reach(100)
    assert shown.versions == list(range(1, 101))
    assert stream.reads == reads  # the ledger was not needed


async def test_a_lost_message_is_read_from_the_ledger_after_a_moment(
    stream: Stream, shown: Shown, open_feed: Open
) -> None:
    live = open_feed()
    await asyncio.sleep(0.01)
    stream.record()
    live.offer(stream.record())
    since = asyncio.get_running_loop().time()
    await shown.reach(2)
    assert shown.versions == [1, 2]
    assert asyncio.get_running_loop().time() - since < session_feed.IDLE


async def test_what_is_on_no_stream_is_read_from_the_ledger_at_once(
    stream: Stream, shown: Shown, open_feed: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_feed, "GAP", 60)
    live = open_feed()
    await asyncio.sleep(0.01)
    settled = [stream.record() for _ in range(130)]
    last = stream.record()
    live.recorded(settled[-1].message.version)
    live.offer(last)
    await shown.reach(131)
    assert shown.versions == list(range(1, 132))
    reads = stream.reads
    live.recorded(131)  # late: it is shown
    await asyncio.sleep(0.01)
    assert stream.reads == reads


async def test_a_lost_last_message_is_found_when_it_is_quiet(
    stream: Stream, shown: Shown, open_feed: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_feed, "IDLE", 0.05)
    open_feed()
    await asyncio.sleep(0.01)
    stream.record()
    await shown.reach(1)


async def test_a_client_that_does_not_read_costs_a_bounded_buffer_and_misses_nothing(
    stream: Stream, shown: Shown, open_feed: Open
) -> None:
    live = open_feed()
    await asyncio.sleep(0.01)
    shown.open.clear()
    for _ in range(session_feed.FRAMES * 5):
        live.offer(stream.record())
        assert len(live._buffer) <= session_feed.FRAMES
    shown.open.set()
    await shown.reach(session_feed.FRAMES * 5)
    assert shown.versions == list(range(1, session_feed.FRAMES * 5 + 1))


async def test_frames_that_are_large_fill_the_buffer_sooner(
    stream: Stream, shown: Shown, open_feed: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_feed, "CHARACTERS", 1000)
    live = open_feed()
    await asyncio.sleep(0.01)
    shown.open.clear()
    for _ in range(50):
        live.offer(stream.record())
    assert live._characters < 1500
    shown.open.set()
    await shown.reach(50)


async def test_a_version_far_ahead_that_does_not_exist_is_forgotten(
    stream: Stream, shown: Shown, open_feed: Open
) -> None:
    live = open_feed()
    await asyncio.sleep(0.01)
    one = message(SAID, 10_000)
    live.offer(LiveMessage(event(SESSION, one.producer, one.type), one.type, to_headers(one), one.data))
    await asyncio.sleep(session_feed.GAP * 3)
    reads = stream.reads
    live.offer(stream.record())
    await shown.reach(1)
    await asyncio.sleep(session_feed.GAP * 3)
    assert stream.reads == reads
    assert live._buffer == {}


async def test_a_ledger_that_is_away_delays_and_loses_nothing(
    stream: Stream, shown: Shown, open_feed: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_feed, "RETRY", 0.01)
    stream.away = True
    stream.record()
    live = open_feed()
    await asyncio.sleep(0.05)
    live.offer(stream.record())
    assert shown.versions == []
    stream.away = False
    await shown.reach(2)
    assert shown.versions == [1, 2]
