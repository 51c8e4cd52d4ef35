"""A cancel stops every kind of work within two seconds: its record, its process, its place in line, its question."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import asyncpg
import psutil
import pytest

from tests.e2e.person import Json, Person, eventually, of
from tests.e2e.scene import begun, control, effects, moment, perform, played, seen, stays, todo
from tests.e2e.test_main_job import DATA, demo
from tests.e2e.test_processes import gone
from tests.e2e.world import World

log = logging.getLogger(__name__)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(150)]

LIMIT = 2.0
COPIES = 30
"""Of the demo reviews: enough for every tool to be caught at work."""
STOCK = 60


@pytest.mark.parametrize("tool", ["nap", "doze", "device"])
async def test_a_tool_at_work_is_stopped_and_has_no_effect(tool: str, house: World, person: Person) -> None:
    run = await perform(person, todo("a", tool, seconds=30), todo("b", "quick", "a"))
    process = (await begun(house, run, "a"))["a"]
    workers = [psutil.Process(process)] if tool == "doze" else []
    await cancelled_in_time(person, run, tool, workers)
    await stays(lambda: effects(house, run), 0.2)
    assert effects(house, run) == {}


async def test_a_todo_in_line_for_a_device_leaves_the_line(house: World, person: Person) -> None:
    holder = await perform(person, todo("a", "device", seconds=30))
    await begun(house, holder, "a")
    run = await perform(person, todo("b", "device", seconds=0.1))
    await seen(person, run, "ToolBusy", todo_id="b")
    await cancelled_in_time(person, run, "in line", [], lambda: out_of_line(house, run))
    await cancelled_in_time(person, holder, "holder of a device", [], lambda: out_of_line(house, holder))


@pytest.mark.parametrize(
    ("kind", "step"),
    [
        ("tool", todo("a", "gated")),
        ("error", todo("a", "fails", on_error="ask")),
        ("budget", todo("a", "quick")),
    ],
)
async def test_a_todo_that_waits_for_a_person_waits_no_more(kind: str, step: Json, person: Person) -> None:
    run = await perform(person, step, budget={"tool_calls": 0} if kind == "budget" else {"tool_calls": 9})
    question = await person.question(run["session_id"], kind, 20)
    await cancelled_in_time(person, run, f"question of kind {kind}", [])
    path = f"/sessions/{run['session_id']}/decisions"
    assert (await person.ask("GET", path)).json()["open_decisions"] == []
    late = await person.ask("POST", f"{path}/{question['decision_id']}", json={"answer": {"action": "approve"}})
    assert (late.status_code, late.json()["code"]) == (409, 5001)


async def test_a_todo_that_waits_for_its_next_attempt_is_not_tried_again(person: Person) -> None:
    run = await perform(person, todo("a", "moody", times=1, on_error="retry"))
    await seen(person, run, "TodoFailed", todo_id="a")
    await cancelled_in_time(person, run, "retry", [])
    await asyncio.sleep(1.2)  # it was due within a second
    events = await person.events(run["session_id"])
    assert len(of(events, "TodoDispatched")) == 1


@pytest.mark.parametrize(
    ("tool", "copies", "sentence"),
    [
        ("collector", COPIES, "이 리뷰들 감성 분석해줘"),
        ("preprocessor", COPIES, "이 리뷰들 감성 분석해줘"),
        ("sentiment", COPIES, "이 리뷰들 감성 분석해줘"),
        ("keyword", COPIES, "이 리뷰들 키워드 분석해줘"),
        ("competitor", COPIES, "경쟁 제품들과 비교 분석해줘"),
        ("report", 1, "이 리뷰들 감성 분석하고 월별 트렌드 리포트 만들어줘"),
        ("video", 1, "이 리뷰들 감성 분석하고 영상으로 만들어줘"),
        ("ad_creative", 1, "이 리뷰로 광고 문구랑 배너 만들어줘"),
        ("sales_material", 1, "이 리뷰들 감성 분석하고 영업 자료 슬라이드 만들어줘"),
        ("dashboard", 1, "이 리뷰들 감성 분석하고 KPI 대시보드 만들어줘"),
        ("inventory", STOCK, "재고 현황 확인해서 발주량 알려줘"),
    ],
)
async def test_a_marketing_tool_at_work_is_stopped(
    tool: str, copies: int, sentence: str, house: World, person: Person
) -> None:
    data = await (stock(person, copies) if tool == "inventory" else reviews(person, copies))
    run = await person.say(sentence, attachments=[data], auto_approve=True)

    async def at_work() -> str | None:
        events = await person.events(run["session_id"])
        assert not of(events, "RunCompleted"), f"{tool} was over before it could be cancelled"
        names = {one["todo"]["id"] for one in of(events, "TodoDispatched") if one["todo"]["tool"].endswith(tool)}
        return next((one["todo_id"] for one in of(events, "TodoStarted") if one["todo_id"] in names), None)

    name = await eventually(at_work, f"{tool} at work", 40)
    workers = toolhosts(house)
    assert workers, f"{tool} runs in no process"
    await cancelled_in_time(person, run, f"marketing.{tool}", workers)
    (failed,) = await seen(person, run, "TodoFailed", todo_id=name)
    assert failed["data"]["late"] and failed["data"]["error"]["code"] == 6007


async def test_a_tool_that_is_over_in_no_time_is_cancelled_too(house: World, person: Person) -> None:
    """marketing.trends works for some milliseconds: whether it is caught or not, nothing of it counts."""
    run = await person.say("이 리뷰들 월별 추이 보여줘", attachments=[await reviews(person, COPIES)], auto_approve=True)

    async def dispatched() -> bool:
        events = await person.events(run["session_id"])
        return any(one["todo"]["tool"] == "marketing.trends" for one in of(events, "TodoDispatched"))

    await eventually(dispatched, "trends at work", 40)
    await cancelled_in_time(person, run, "marketing.trends", [])


async def cancelled_in_time(
    person: Person,
    run: Json,
    what: str,
    workers: list[psutil.Process],
    left: Callable[[], Awaitable[bool]] | None = None,
) -> None:
    """Cancels; from the answer on, the end of the run, of what was in flight and of its process take two seconds."""
    await control(person, run, "cancel")
    answered, since = datetime.now(UTC), time.monotonic()
    seconds = 0.0
    if workers:
        await eventually(lambda: some_gone(workers), f"the end of the process of {what}", 10)
        seconds = time.monotonic() - since
    if left is not None:
        await eventually(left, f"the end of the place of {what}", 10)
        seconds = time.monotonic() - since
    play = await played(person, run, 20)
    assert (play.status, play.end) == ("cancelled", "RunCancelled")
    flying: set[str] = set()
    for event in play.events:
        if event["event"] == "TodoStarted":
            flying.add(event["data"]["todo_id"])
        elif event["event"] in {*ENDED, "ToolBusy"}:  # who stands in line has been let go, however late it was
            flying.discard(event["data"]["todo_id"])
    for one in flying:
        await seen(person, run, "TodoFailed", todo_id=one)
    events = (await played(person, run)).events
    last = max(moment(event) for event in events if event["event"] in {*ENDED, "RunCancelled"})
    seconds = max(seconds, (last - answered).total_seconds())
    log.warning("cancelling %s took %.3f s", what, seconds)
    assert seconds <= LIMIT, f"cancelling {what} took {seconds:.3f} s"


ENDED = {"TodoSucceeded", "TodoFailed", "TodoSkipped"}


async def some_gone(workers: list[psutil.Process]) -> bool:
    """One of them, the busy one: idle ones are kept for the next call."""
    for worker in workers:
        if await gone([worker]):
            return True
    return False


def toolhosts(house: World) -> list[psutil.Process]:
    children = psutil.Process(house.stack.pid("execution")).children(recursive=True)
    return [one for one in children if "toolhost" in " ".join(one.cmdline())]


async def out_of_line(house: World, run: Json) -> bool:
    connection = await asyncpg.connect(house.stack.database_url)
    try:
        there = "select (select count(*) from toolbox.{} where run_id = $1)"
        counts = [await connection.fetchval(there.format(one), run["run_id"]) for one in ("waiters", "leases")]
    finally:
        await connection.close()
    return not any(counts)


async def stock(person: Person, copies: int) -> Json:
    """The demo stock so many times over, each copy under codes of its own."""
    head, *lines = (DATA / "demo_stock_ko.csv").read_text(encoding="utf-8-sig").splitlines()
    rows = [line.replace("DA-", f"D{copy}-").replace(",", f" {copy},", 2) for copy in range(copies) for line in lines]
    return await person.upload(f"stock_{copies}.csv", "\n".join([head, *rows]).encode())


async def reviews(person: Person, copies: int) -> Json:
    """The demo reviews so many times over, each copy in words of its own."""
    head, *lines = demo("ko").decode().splitlines()
    rows = [line.replace(",synthetic", f" {copy}.,synthetic") for copy in range(copies) for line in lines]
    return await person.upload(f"reviews_{copies}.csv", "\n".join([head, *rows]).encode())
