"""The checkpoint saver on a real Postgres: LangGraph's own suite, and what that does not ask."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, TypedDict

import ormsgpack
import pytest
from langgraph.checkpoint.base import Checkpoint, CheckpointMetadata, empty_checkpoint
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send, interrupt

from backbone.checkpoints.postgres import PostgresSaver
from backbone.checkpoints.serializer import CheckpointRefused
from backbone.ledger.migrate import migrate
from backbone.ledger.pool import Pool, open_pool
from backbone.ledger.port import LedgerUnavailable, NotRecordable
from bench.conformance import conformance, table
from dream.embedded import EmbeddedPostgres

EVIL = ("os", "system", "exit 1")


@dataclass(frozen=True)
class Seat:
    """A type of our own in a graph's state."""

    row: int


@asynccontextmanager
async def opened(url: str, size: int = 8) -> AsyncIterator[Pool]:
    pool = await open_pool(url, min_size=0, max_size=size)
    try:
        yield pool
    finally:
        pool.terminate()


@pytest.fixture
async def pool(postgres_url: str) -> AsyncIterator[Pool]:
    async with opened(postgres_url) as pool:
        yield pool


@pytest.fixture
async def other(postgres_url: str) -> AsyncIterator[Pool]:
    async with opened(postgres_url) as pool:
        yield pool


def at(thread: str, checkpoint: str | None = None) -> Any:
    named = {"thread_id": thread, "checkpoint_ns": ""}
    return {"configurable": named | ({"checkpoint_id": checkpoint} if checkpoint else {})}


def holding(**values: Any) -> Checkpoint:
    versions: dict[str, str | int | float] = dict.fromkeys(values, 1)
    return {**empty_checkpoint(), "channel_values": values, "channel_versions": versions}


def described(**more: Any) -> CheckpointMetadata:
    return {"source": "loop", "step": 1, "parents": {}, **more}  # type: ignore[typeddict-item]


async def put(saver: PostgresSaver, thread: str, **values: Any) -> Any:
    return await saver.aput(at(thread), holding(**values), described(), dict.fromkeys(values, 1))


async def test_langgraphs_own_suite_passes_in_every_capability(postgres_url: str) -> None:
    report = await conformance(postgres_url)
    print(f"\n{table(report)}")  # noqa: T201  # for `pytest -s`
    assert report.passed_all_base(), table(report)
    assert {name for name, result in report.results.items() if not result.passed} == set(), table(report)


async def test_a_question_is_answered_to_another_saver_and_finished_work_is_not_done_again(postgres_url: str) -> None:
    class Booking(TypedDict, total=False):
        seat: Seat
        seats: Annotated[list[str], lambda old, new: sorted(old + new)]

    done: list[int] = []

    async def book(state: Booking) -> Booking:
        row = state["seat"].row
        answer = interrupt({"free?": row}) if row == 2 else "taken"
        done.append(row)
        return {"seats": [f"{row}: {answer}"]}

    def rows(state: Booking) -> list[Send]:
        return [Send("book", {"seat": Seat(row)}) for row in (1, 2)]

    async def run(given: Any) -> dict[str, Any]:
        graph: Any = StateGraph(Booking)
        graph.add_node("book", book)
        graph.add_conditional_edges(START, rows, ["book"])
        graph.add_edge("book", END)
        async with opened(postgres_url) as pool:
            answer: dict[str, Any] = await graph.compile(PostgresSaver(pool, [Seat])).ainvoke(given, at("todo"))
        return answer

    asked = await run({"seats": []})
    assert [question.value for question in asked["__interrupt__"]] == [{"free?": 2}]
    assert (await run(Command(resume="네, 2열")))["seats"] == ["1: taken", "2: 네, 2열"]
    assert done == [1, 2]


async def test_two_who_write_one_thread_at_once_lose_nothing_and_the_first_result_of_a_task_counts(
    pool: Pool, other: Pool
) -> None:
    savers = [PostgresSaver(pool), PostgresSaver(other)]
    here = await put(savers[0], "t")
    checkpoints = [holding(number=number) for number in range(20)]
    async with asyncio.timeout(10):
        await asyncio.gather(
            *(savers[n % 2].aput(here, one, described(), {}) for n, one in enumerate(checkpoints)),
            *(saver.aput_writes(here, [("a", n), ("b", n)], f"task-{n}") for n in range(20) for saver in savers),
        )
        await savers[1].aput_writes(here, [("a", "late"), ("b", "late")], "task-7")
    listed = {one.checkpoint["id"] async for one in savers[0].alist(at("t"))}
    assert listed == {one["id"] for one in checkpoints} | {here["configurable"]["checkpoint_id"]}
    found = await savers[0].aget_tuple(here)
    assert found is not None
    assert sorted(found.pending_writes or ()) == sorted((f"task-{n}", ch, n) for n in range(20) for ch in "ab")


async def test_writes_come_back_in_the_order_in_which_the_graph_ran_them(pool: Pool) -> None:
    saver = PostgresSaver(pool)
    here = await put(saver, "t")
    for task, path in (("c", "~2"), ("a", "~10"), ("b", "~1"), ("é", "~1"), ("Z", "~1")):
        await saver.aput_writes(here, [("x", path), ("y", path)], task, path)
    found = await saver.aget_tuple(here)
    assert found is not None
    assert [(task, channel) for task, channel, _ in found.pending_writes or ()] == [
        (task, channel) for task in ("Z", "b", "é", "a", "c") for channel in "xy"
    ]


async def test_metadata_of_any_language_is_found_and_what_postgres_cannot_hold_is_taken_out(pool: Pool) -> None:
    saver = PostgresSaver(pool)
    odd = {
        "제목": "리뷰 😀",
        "nested": {"a\x00": ["x\x00y", "\ud83d", "日本"]},
        "top": "a\x00b",
        "many": (1, 2.5, None, True),
    }
    here = await saver.aput(at("t\u2028한"), holding(text="a\x00b"), described(**odd), {})
    found = await saver.aget_tuple(here)
    assert found is not None
    kept = {"제목": "리뷰 😀", "nested": {"a": ["xy", "?", "日本"]}, "top": "ab", "many": [1, 2.5, None, True]}
    assert found.metadata == described(**kept)
    assert found.checkpoint["channel_values"] == {"text": "a\x00b"}
    for wanted, count in (
        ({"제목": "리뷰 😀"}, 1),
        ({"top": "a\x00b"}, 1),
        ({"nested": {"a": ["日本"]}}, 1),
        ({"top": "a"}, 0),
    ):
        assert len([one async for one in saver.alist(None, filter=wanted)]) == count
    with pytest.raises(NotRecordable):
        await put(saver, "nul\x00")


async def test_a_config_without_a_thread_reads_nobodys_checkpoints(pool: Pool) -> None:
    saver = PostgresSaver(pool)
    await put(saver, "somebody's", secret=1)
    with pytest.raises(KeyError, match="thread_id"):
        await saver.aget_tuple({"configurable": {}})
    with pytest.raises(KeyError, match="thread_id"):
        await anext(saver.alist({"configurable": {"checkpoint_ns": ""}}))


def packed(*claims: Any, code: int = 0) -> bytes:
    return ormsgpack.packb({"channel_values": {"x": ormsgpack.Ext(code, ormsgpack.packb(claims))}})


LIES = (
    ("msgpack", packed(*EVIL)),
    ("msgpack", packed("os", "system", ("exit 1",), code=1)),
    ("msgpack", packed("subprocess", "run", {"args": "exit 1", "shell": True}, code=2)),
    ("msgpack", packed("builtins", "str", "{0.__class__}", "format", code=3)),
    ("msgpack", packed("pydantic", "BaseModel", {}, "model_validate_json", code=5)),
    ("msgpack", packed("builtins", "set", [ormsgpack.Ext(0, ormsgpack.packb(EVIL))])),
    ("msgpack", b"\xc1 no msgpack"),
    ("json", b'{"lc": 1, "type": "secret", "id": ["PATH"]}'),
    ("json", b'{"lc": 2, "type": "constructor", "id": ["uuid", "UUID"], "args": ["x"]}'),
    ("pickle", b"cos\nsystem\n(S'exit 1'\ntR."),
)


async def test_bytes_that_claim_to_be_something_else_are_refused(pool: Pool) -> None:
    saver = PostgresSaver(pool)
    here = await put(saver, "t")
    await saver.aput_writes(here, [("channel", 1)], "task")
    for lie in LIES:
        await pool.execute("update checkpoints.writes set type = $1, blob = $2", *lie)
        with pytest.raises(CheckpointRefused):
            await saver.aget_tuple(here)
    await pool.execute("delete from checkpoints.writes")
    for lie in LIES:
        await pool.execute("update checkpoints.checkpoints set type = $1, checkpoint = $2", *lie)
        with pytest.raises(CheckpointRefused):
            await anext(saver.alist(at("t")))


async def test_a_type_that_nobody_named_is_refused_when_it_is_written_and_a_named_one_comes_back(pool: Pool) -> None:
    with pytest.raises(CheckpointRefused, match=r"Seat'\].*give the saver these types"):
        await put(PostgresSaver(pool), "t", seat=Seat(7))
    with pytest.raises(CheckpointRefused, match="cannot be written"):
        await put(PostgresSaver(pool), "t", lock=asyncio.Lock())
    assert await pool.fetchval("select count(*) from checkpoints.checkpoints") == 0
    saver = PostgresSaver(pool, [Seat])
    found = await saver.aget_tuple(await put(saver, "t", seat=Seat(7)))
    assert found is not None
    assert found.checkpoint["channel_values"] == {"seat": Seat(7)}


async def test_a_channel_that_is_spread_over_many_checkpoints_is_refused_because_a_cache_may_lose_some(
    pool: Pool,
) -> None:
    spread = described(counters_since_delta_snapshot={"messages": [1, 1]})
    with pytest.raises(CheckpointRefused, match="DeltaChannel"):
        await PostgresSaver(pool).aput(at("t"), holding(), spread, {})


async def test_sweeping_removes_whole_threads_in_which_nothing_was_written_for_long(pool: Pool) -> None:
    saver = PostgresSaver(pool)
    for thread in ("silent", "silent", "grows", "answered"):
        await saver.aput_writes(await put(saver, thread), [("x", 1)], "task")
    await saver.aput_writes(at("orphan", "no checkpoint"), [("x", 1)], "task")
    for name in ("checkpoints", "writes"):
        await pool.execute(f"update checkpoints.{name} set written_at = now() - interval '2 days'")
    await put(saver, "grows")
    await saver.aput_writes(at("answered", "any"), [("y", 1)], "task")
    assert await saver.sweep(timedelta(days=3)) == 0
    assert await saver.sweep(timedelta(days=1)) == 2
    left = "select array_agg(thread_id order by thread_id) from checkpoints."
    assert await pool.fetchval(left + "checkpoints") == ["answered", "grows", "grows"]
    assert await pool.fetchval(left + "writes") == ["answered", "answered", "grows"]


async def test_each_call_is_one_statement(postgres_url: str) -> None:
    said: list[str] = []
    async with opened(postgres_url, size=1) as pool:
        saver = PostgresSaver(pool)
        here = await put(saver, "t")
        calls: list[Callable[[], Any]] = [
            lambda: put(saver, "t", x=1),
            lambda: saver.aput_writes(here, [("x", 1), ("y", 2)], "task"),
            lambda: saver.aget_tuple(here),
            lambda: saver.adelete_thread("t"),
        ]
        for call in calls:
            await call()  # asyncpg asks what an array is, once on each connection
        connection: Any = await pool.acquire()
        connection.add_query_logger(lambda record: said.append(record.query))
        await pool.release(connection)
        for call in calls:
            await call()
    assert len(said) == len(calls), said


def test_a_blocking_call_is_told_to_be_a_coroutine() -> None:
    saver: Any = PostgresSaver(None)  # type: ignore[arg-type]  # it is not asked
    for name in ("get_tuple", "list", "put", "put_writes", "delete_thread", "delete_for_runs", "copy_thread", "prune"):
        with pytest.raises(NotImplementedError, match="coroutines alone"):
            getattr(saver, name)({})


async def test_a_crash_of_postgres_leaves_no_half_of_a_checkpoint_and_what_is_written_later_is_whole(
    server_dir: Path,
) -> None:
    server = EmbeddedPostgres(server_dir / "crashing")
    try:
        await asyncio.to_thread(server.start)
        await migrate(server.owner_url, services_url=server.url)
        async with opened(server.url, size=1) as pool:
            saver = PostgresSaver(pool)
            before = await put(saver, "t", old=1)
            await saver.aput_writes(before, [("x", 1)], "task")
            await asyncio.to_thread(server.stop, signal.SIGQUIT)
            with pytest.raises(LedgerUnavailable):
                await saver.aget_tuple(before)
            await asyncio.to_thread(server.start)
            assert await saver.aget_tuple(at("t")) is None
            assert await pool.fetchval("select count(*) from checkpoints.writes") == 0
            after = await saver.aput(before, holding(old=1, new=2), described(), {"new": 1})
            found = await saver.aget_tuple(after)
            assert found is not None
            assert found.checkpoint["channel_values"] == {"old": 1, "new": 2}
    finally:
        await asyncio.to_thread(server.stop)
