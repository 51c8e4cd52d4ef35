"""WS /ws/{session_id}: every event once, in order, without a gap."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from uuid import UUID, uuid4

import asyncpg
import orjson
import pytest
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from contracts.execution import TodoProgressed
from contracts.planning import PlanRejected
from contracts.response import ResponseOutput, RunCompleted
from contracts.shape import Event
from dream.local.embedded import EmbeddedNats
from services.gateway.ws import session_feed
from tests.conftest import as_owner
from tests.integration.gateway.conftest import House, decision, frames

ANSWER = ResponseOutput(format="text", text="끝", language="ko")
PLAN = UUID(int=1)


def _event(by: str, number: int) -> Event:
    match by:
        case "execution":
            return TodoProgressed(todo_id="t1", attempt=1, fraction=0.5, message=str(number))
        case "planning":
            return PlanRejected(plan_id=PLAN, plan_version=1, reason=str(number), final=False)
        case _:
            return ANSWER.model_copy(update={"text": str(number)})


async def _read_until(socket: ClientConnection, last: int, seen: list[int]) -> None:
    async for text in socket:
        frame = orjson.loads(text)
        if frame["type"] in ("session_state", "pong"):
            continue
        seen.append(frame["version"])
        if seen[-1] >= last:
            return


async def test_the_first_frame_is_the_state_and_then_comes_history(house: House) -> None:
    begun = await house.begin("무엇을 할까")
    question = await house.open_decision(begun["session_id"], begun["run_id"])
    async with house.socket(begun["session_id"]) as socket:
        state, *events = await frames(socket, 4)
        assert state["type"] == "session_state"
        assert (state["session_id"], state["version"]) == (begun["session_id"], 3)
        assert state["runs"][0]["status"] == "waiting"
        assert [one["decision_id"] for one in state["open_decisions"]] == [question]
        assert [event["version"] for event in events] == [1, 2, 3]
        assert [event["type"] for event in events] == ["event", "layer_start", "hitl_request"]
        assert events[1]["layer"] == "cognitive"
        assert events[2]["data"]["question"] == "이대로 할까요?"


async def test_live_frames_are_those_of_history_to_the_letter(house: House) -> None:
    begun = await house.begin()
    async with house.socket(begun["session_id"], "?after=2") as socket:
        await socket.recv()
        await house.tell(begun["session_id"], begun["run_id"], ANSWER, RunCompleted())
        live = [await socket.recv(), await socket.recv()]
    async with house.socket(begun["session_id"], "?after=2") as socket:
        await socket.recv()
        assert [await socket.recv(), await socket.recv()] == live
    page = (await house.http.get(f"/sessions/{begun['session_id']}/events?after=2")).json()
    assert page["events"] == [orjson.loads(frame) for frame in live]
    assert [frame["type"] for frame in page["events"]] == ["response", "complete"]


async def test_a_client_that_drops_and_returns_sees_every_event_once_in_order(house: House) -> None:
    begun = await house.begin()
    session, run = begun["session_id"], begun["run_id"]
    total = 500

    async def write(by: str, numbers: range) -> None:
        for number in numbers:
            await house.tell(session, run, _event(by, number), by=by)

    writers = asyncio.gather(
        write("execution", range(167)), write("planning", range(167)), write("response", range(166))
    )
    seen: list[int] = []
    last, lines = 2 + total, 0
    while not seen or seen[-1] < last:
        lines += 1
        async with house.socket(session, f"?after={seen[-1] if seen else 0}") as socket:
            with suppress(TimeoutError):
                async with asyncio.timeout(0.1):  # then the line breaks
                    await _read_until(socket, last, seen)
            socket.transport.abort()
    await writers
    assert lines > 2
    assert seen == list(range(1, last + 1))


async def test_many_sockets_see_the_same_while_producers_overlap(house: House) -> None:
    begun = await house.begin()
    session, run = begun["session_id"], begun["run_id"]
    seen: list[list[int]] = [[] for _ in range(5)]
    sockets = [await house.socket(session) for _ in seen]
    readers = [asyncio.create_task(_read_until(socket, 152, mine)) for socket, mine in zip(sockets, seen, strict=True)]
    for number in range(50):
        await asyncio.gather(
            *(house.tell(session, run, _event(by, number), by=by) for by in ("execution", "planning", "response"))
        )
    await asyncio.wait_for(asyncio.gather(*readers), 8)
    assert all(mine == list(range(1, 153)) for mine in seen)
    for socket in sockets:
        await socket.close()


async def test_a_slow_socket_is_caught_up_from_the_ledger_and_slows_nobody(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_feed, "FRAMES", 8)
    begun = await house.begin()
    session, run = begun["session_id"], begun["run_id"]
    slow = await house.socket(session)
    slow.transport.pause_reading()
    seen: list[int] = []
    async with house.socket(session) as quick:
        reading = asyncio.create_task(_read_until(quick, 602, seen))
        text = "가" * 4000
        for _ in range(60):
            await house.tell(session, run, *(ANSWER.model_copy(update={"text": text}) for _ in range(10)))
        await asyncio.wait_for(reading, 8)
        feeds = [
            watcher
            for watcher in house.gateway.composition.fanout._everybody()
            if isinstance(watcher, session_feed.SessionFeed)
        ]
        assert all(len(one._buffer) <= 8 for one in feeds)
        assert [one._shown == 602 for one in feeds].count(False) == 1  # one is really behind
    assert seen == list(range(1, 603))
    slow.transport.resume_reading()
    late: list[int] = []
    await asyncio.wait_for(_read_until(slow, 602, late), 8)
    assert late == list(range(1, 603))
    await slow.close()


async def test_events_that_the_bus_lost_come_from_the_ledger(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_feed, "IDLE", 0.3)
    begun = await house.begin()
    async with house.socket(begun["session_id"], "?after=2") as socket:
        await socket.recv()
        await house.behind.stop()
        await house.tell(begun["session_id"], begun["run_id"], ANSWER, RunCompleted())
        async with asyncio.timeout(3):
            assert [frame["version"] for frame in await frames(socket, 2)] == [3, 4]


async def test_events_recorded_while_the_bus_was_away_come_when_it_is_back(
    house: House, nats_server: EmbeddedNats
) -> None:
    begun = await house.begin()
    async with house.socket(begun["session_id"], "?after=2") as socket:
        await socket.recv()
        await asyncio.to_thread(nats_server.stop)
        await house.tell(begun["session_id"], begun["run_id"], ANSWER)
        said = await house.begin("버스가 없어도", session_id=begun["session_id"])
        await asyncio.to_thread(nats_server.start)
        async with asyncio.timeout(8):
            assert [frame["version"] for frame in await frames(socket, 2)] == [3, said["version"]]


async def test_a_version_that_does_not_exist_shows_nothing_and_delays_nothing(house: House) -> None:
    begun = await house.begin()
    session, run = begun["session_id"], begun["run_id"]
    real = (await house.stream(session))[1]
    forged = house.gateway.shell.bus
    async with house.socket(session, "?after=2") as socket:
        await socket.recv()
        await asyncio.sleep(0.1)
        await forged.publish([replace(real, version=900, event_id=uuid4())])
        await asyncio.sleep(0.2)
        await house.tell(session, run, ANSWER)
        async with asyncio.timeout(2):
            assert orjson.loads(await socket.recv())["version"] == 3


async def test_a_stopping_gateway_closes_its_sockets_with_1012(house: House) -> None:
    begun = await house.begin()
    async with house.socket(begun["session_id"]) as socket:
        await frames(socket, 3)
        stopping = asyncio.create_task(house.gateway.stop())
        with pytest.raises(ConnectionClosed) as closed:
            await asyncio.wait_for(socket.recv(), 3)
        await asyncio.wait_for(stopping, 5)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1012


async def test_a_waiting_run_is_told_when_the_gateway_stops(house: House) -> None:
    asking = asyncio.create_task(house.http.post("/agent/run", json={"text": "기다려"}))
    await asyncio.sleep(0.3)
    await house.gateway.stop()
    answer = await asyncio.wait_for(asking, 5)
    assert (answer.status_code, answer.json()["code"]) == (503, 4008)
    assert answer.json()["run_id"]


async def test_an_event_of_a_newer_kind_leaves_no_gap(house: House, postgres_url: str) -> None:
    begun = await house.begin()
    owner = await asyncpg.connect(as_owner(postgres_url))
    try:
        await house.tell(begun["session_id"], begun["run_id"], decision(), by="planning")
        await owner.execute("alter table ledger.events disable trigger user")
        await owner.execute("update ledger.events set type = 'DecisionDreamt', schema_version = 9 where version = 3")
    finally:
        await owner.close()
    await house.tell(begun["session_id"], begun["run_id"], ANSWER, RunCompleted())
    async with house.socket(begun["session_id"]) as socket:
        _, *events = await frames(socket, 6)
    assert [event["version"] for event in events] == [1, 2, 3, 4, 5]
    assert (events[2]["type"], events[2]["event"]) == ("event", "DecisionDreamt")


async def test_data_that_are_too_large_for_a_row_are_shown_whole_live_and_afterwards(house: House) -> None:
    begun = await house.begin()
    long = ANSWER.model_copy(update={"text": "긴 답 " * 20_000})
    async with house.socket(begun["session_id"]) as socket:
        await frames(socket, 3)
        await house.tell(begun["session_id"], begun["run_id"], long)
        (live,) = await frames(socket, 1)
    async with house.socket(begun["session_id"], "?after=2") as socket:
        _, later = await frames(socket, 2)
    assert live["data"]["text"] == later["data"]["text"] == long.text
    stored = await house.backbone.ledger.at([(UUID(begun["session_id"]), 3)])
    assert len(stored[0].body) < 1000
    artifact = orjson.loads(stored[0].body)["dataref"].removeprefix("sha256:")
    assert (await house.http.get(f"/artifacts/{artifact}")).status_code == 404  # nobody's file
