"""What tools write while they work reaches those who watch: live, bounded, and without a trace in the ledger."""

import asyncio
from collections.abc import AsyncIterator
from uuid import UUID

import pytest

from backbone import live as words
from contracts import subjects
from contracts.live import LogLine
from contracts.tools import LINE_LIMIT
from services.execution.execute import log_stream
from services.execution.execute.attempt import Attempt
from services.execution.execute.executor import Executor, executor
from services.execution.execute.log_stream import PER_SECOND, LogStream
from services.execution.tools.toolpool import ToolPool
from tests.fakes.bus import MemoryBus
from tests.unit.services.execution.job_dependencies import shop
from tests.unit.services.execution.tool_caller import ToolCaller, dispatch
from tests.unit.services.given import RUN, given_session


class Onlooker:
    """Hears all live lines of all sessions."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, LogLine]] = []

    async def __call__(self, subject: str, payload: bytes) -> None:
        self.heard.append((subject, LogLine.model_validate_json(payload)))

    @property
    def lines(self) -> list[str | int]:
        return [line.left_out or line.line for _, line in self.heard]


@pytest.fixture
async def bus() -> MemoryBus:
    return MemoryBus()


@pytest.fixture
async def onlooker(bus: MemoryBus) -> Onlooker:
    onlooker = Onlooker()
    await bus.on_signal(subjects.LIVE, onlooker)
    return onlooker


@pytest.fixture
async def live(bus: MemoryBus) -> AsyncIterator[LogStream]:
    live = LogStream()
    running = asyncio.create_task(live.run(bus))
    await asyncio.sleep(0)
    yield live
    running.cancel()


async def _record(key, *events, **more) -> None:
    """Nothing else of the attempt matters."""


async def an_attempt(live: LogStream) -> Attempt:
    session = await given_session(lambda ledger: executor("data", shop(None, ledger), 1))
    dispatched = dispatch("work", attempt=2)
    return Attempt(await session.record(dispatched), dispatched, _record, "data", live)


async def test_a_line_says_whose_it_is(live, onlooker):
    attempt = await an_attempt(live)
    attempt.log("2400 행을 읽음")
    await asyncio.sleep(0.01)
    ((subject, line),) = onlooker.heard
    assert UUID(subjects.live_session(subject)) == attempt.message.session_id
    assert (line.run_id, line.todo_id, line.attempt, line.line) == (RUN, "a", 2, "2400 행을 읽음")


async def test_more_lines_than_a_second_may_have_are_counted_and_the_next_second_has_lines_again(
    live, onlooker, monkeypatch
):
    monkeypatch.setattr(log_stream, "SECOND", 0.1)
    attempt = await an_attempt(live)
    for number in range(PER_SECOND + 120):
        attempt.log(str(number))
    await asyncio.sleep(0.2)  # the tool is silent now, and what it said too much is told all the same
    assert onlooker.lines == [*map(str, range(PER_SECOND)), 120]
    attempt.log("again")
    await asyncio.sleep(0.01)
    assert onlooker.lines[-1] == "again"


async def test_at_its_end_an_attempt_says_what_was_left_out_and_attempts_do_not_count_for_each_other(live, onlooker):
    one, other = await an_attempt(live), await an_attempt(live)
    for number in range(PER_SECOND + 3):
        one.log(str(number))
    other.log("there is room for me")
    one.falls_silent()
    one.falls_silent()
    await asyncio.sleep(0.01)
    assert onlooker.lines[-2:] == ["there is room for me", 3]


async def test_lines_are_what_a_terminal_may_show(live, onlooker):
    (await an_attempt(live)).log("\x1b[31mred\x07\tand\u202e\n\n" + "x" * (LINE_LIMIT + 5) + "\nlast\r\n")
    await asyncio.sleep(0.01)
    assert onlooker.lines == [" [31mred  and", "x" * LINE_LIMIT, "last"]


async def test_without_a_bus_and_after_its_end_lines_are_dropped(bus, onlooker):
    live = LogStream()
    attempt = await an_attempt(live)
    attempt.log("too early")
    running = asyncio.create_task(live.run(bus))
    await asyncio.sleep(0.01)
    attempt.log("in time")
    await asyncio.sleep(0.01)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    attempt.log("too late")
    assert onlooker.lines == ["in time"]


class StuckBus(MemoryBus):
    """Its connection takes nothing more, until `free`."""

    def __init__(self) -> None:
        super().__init__()
        self.free = asyncio.Event()

    async def signal(self, subject: str, payload: bytes = b"") -> None:
        await self.free.wait()
        await super().signal(subject, payload)


async def test_when_the_connection_is_stuck_few_lines_wait_and_no_tool_does(monkeypatch):
    monkeypatch.setattr(words, "WAITING", 10)
    bus, live, onlooker = StuckBus(), LogStream(), Onlooker()
    await bus.on_signal(subjects.LIVE, onlooker)
    running = asyncio.create_task(live.run(bus))
    await asyncio.sleep(0)
    attempt = await an_attempt(live)
    for number in range(30):
        attempt.log(str(number))
    bus.free.set()
    await asyncio.sleep(0.01)
    running.cancel()
    assert onlooker.lines == [str(number) for number in range(10)]


async def test_what_a_tool_writes_travels_through_the_executor_and_is_not_recorded(live, onlooker, artifacts):
    runner = ToolCaller(ToolPool(1), artifacts).runner("async_writes")
    session = await given_session(lambda ledger: executor("data", shop(runner, ledger), 1))
    message = await session.record(dispatch("async_writes"))
    recorded = len(session.ledger.rows)
    caller = shop(runner, session.ledger, live=live)
    outcome = await Executor("data", caller).handle(message, message.event, _record)
    await asyncio.sleep(0.01)
    assert onlooker.lines[0] == "from the loop"
    assert len(onlooker.lines) == 2
    assert [type(emitted.event).__name__ for emitted in outcome.emits] == ["TodoSucceeded"]
    assert len(session.ledger.rows) == recorded
