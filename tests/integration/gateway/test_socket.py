"""WS /ws/{session_id}: every event once, in order, without a gap; and what clients say over it."""

import asyncio
from contextlib import suppress
from typing import Any
from uuid import UUID, uuid4

import orjson
import pytest
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from contracts.execution import TodoProgressed
from contracts.planning import PlanRejected
from contracts.response import ResponseOutput, RunCompleted
from contracts.shape import Event
from services.gateway import feed
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
    monkeypatch.setattr(feed, "FRAMES", 8)
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
        feeds = [watcher for watcher in house.gateway.parts.fanout._everybody() if isinstance(watcher, feed.Feed)]
        assert all(len(one._buffer) <= 8 for one in feeds)
        assert [one._shown == 602 for one in feeds].count(False) == 1  # one is really behind
    assert seen == list(range(1, 603))
    slow.transport.resume_reading()
    late: list[int] = []
    await asyncio.wait_for(_read_until(slow, 602, late), 8)
    assert late == list(range(1, 603))
    await slow.close()


async def test_events_that_the_bus_lost_come_from_the_ledger(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "IDLE", 0.3)
    begun = await house.begin()
    async with house.socket(begun["session_id"], "?after=2") as socket:
        await socket.recv()
        await house.behind.stop()
        await house.tell(begun["session_id"], begun["run_id"], ANSWER, RunCompleted())
        async with asyncio.timeout(3):
            assert [frame["version"] for frame in await frames(socket, 2)] == [3, 4]


async def test_a_version_that_does_not_exist_shows_nothing_and_delays_nothing(house: House) -> None:
    begun = await house.begin()
    session, run = begun["session_id"], begun["run_id"]
    real = (await house.stream(session))[1]
    forged = house.gateway.shell.bus
    async with house.socket(session, "?after=2") as socket:
        await socket.recv()
        await asyncio.sleep(0.1)
        from dataclasses import replace

        await forged.publish([replace(real, version=900, event_id=uuid4())])
        await asyncio.sleep(0.2)
        await house.tell(session, run, ANSWER)
        async with asyncio.timeout(2):
            assert orjson.loads(await socket.recv())["version"] == 3


async def test_an_unknown_session_is_an_error_frame_and_4404(house: House) -> None:
    async with house.socket(uuid4()) as socket:
        (error,) = await frames(socket, 1)
        assert (error["type"], error["code"]) == ("error", 3000)
        with pytest.raises(ConnectionClosed) as closed:
            await socket.recv()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4404


async def test_a_malformed_session_id_is_an_error_frame_and_4400(house: House) -> None:
    async with house.socket("not-a-uuid") as socket:
        (error,) = await frames(socket, 1)
        assert (error["type"], error["code"]) == ("error", 1009)
        with pytest.raises(ConnectionClosed) as closed:
            await socket.recv()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4400


@pytest.mark.parametrize("after", ["3", "99999999999999999999", "-1", "abc", "1.5", ""])
async def test_a_position_that_cannot_be_is_an_error_frame_and_the_socket_goes_on_at_the_head(
    house: House, after: str
) -> None:
    begun = await house.begin()
    async with house.socket(begun["session_id"], f"?after={after}") as socket:
        state, error = await frames(socket, 2)
        assert state["version"] == 2
        assert (error["type"], error["code"]) == ("error", 1011)
        await house.tell(begun["session_id"], begun["run_id"], ANSWER)
        assert [frame["version"] for frame in await frames(socket, 1)] == [3]


async def _ask(socket: ClientConnection, frame: object) -> dict[str, Any]:
    """Sends a frame and reads up to its answer."""
    await socket.send(frame if isinstance(frame, str | bytes) else orjson.dumps(frame).decode())
    while True:
        answer: dict[str, Any] = orjson.loads(await socket.recv())
        if answer["type"] in ("ack", "pong", "error"):
            return answer


async def test_bad_frames_are_answered_and_never_close_the_socket(house: House) -> None:
    begun = await house.begin()
    message = {"type": "message", "ref": "r1"}
    cases: list[tuple[object, int]] = [
        ("{", 1007),
        ("", 1007),
        ("[]", 1007),
        ("null", 1007),
        (b"\x00\x01", 1007),
        ({"text": "no type"}, 1008),
        ({"type": "dance"}, 1008),
        ({"type": 7}, 1008),
        ({"type": "ping", "extra": 1}, 1007),
        ({**message}, 1007),
        ({**message, "text": ""}, 1001),
        ({**message, "text": "  "}, 1001),
        ({**message, "text": "x" * 20_000}, 1002),
        ({**message, "text": "x", "language": "xx"}, 1003),
        ({**message, "text": "a\0b"}, 1007),
        ({"type": "hitl_response", "decision_id": "nope", "answer": {}}, 1009),
        ({"type": "hitl_response", "decision_id": str(uuid4()), "answer": []}, 1007),
        ({"type": "hitl_response", "decision_id": str(uuid4()), "answer": {}}, 5000),
        ('{"type": "ping", "ref": NaN}', 1007),
        ("[" * 100_000, 1007),
    ]
    async with house.socket(begun["session_id"]) as socket:
        for frame, code in cases:
            answer = await _ask(socket, frame)
            assert (answer["type"], answer["code"]) == ("error", code), (frame, answer)
            if isinstance(frame, dict) and frame.get("ref"):
                assert (answer["ref"], answer["of"]) == ("r1", "message")
        assert await _ask(socket, {"type": "ping", "ref": 7}) == {"type": "pong", "ref": 7}
        assert await _ask(socket, {"type": "ping"}) == {"type": "pong"}


async def test_a_message_and_an_answer_go_over_the_socket(house: House) -> None:
    begun = await house.begin()
    async with house.socket(begun["session_id"]) as socket:
        said = await _ask(socket, {"type": "message", "text": "하나 더", "ref": "a"})
        assert (said["of"], said["ref"]) == ("message", "a")
        received = (await house.stream(begun["session_id"]))[-1]
        assert (str(received.run_id), received.version) == (said["run_id"], said["version"])
        question = await house.open_decision(begun["session_id"], said["run_id"])
        answer = {"type": "hitl_response", "decision_id": question, "answer": {"action": "approve"}, "ref": 2}
        done = await _ask(socket, answer)
        assert (done["type"], done["of"], done["ref"]) == ("ack", "hitl_response", 2)
        recorded = (await house.stream(begun["session_id"]))[-1]
        assert (recorded.type, recorded.version) == ("DecisionAnswered", done["version"])
        assert (await _ask(socket, answer))["code"] == 5001
        assert (await _ask(socket, {**answer, "answer": {}, "decision_id": str(uuid4())}))["code"] == 5000


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
    import asyncpg

    begun = await house.begin()
    owner = await asyncpg.connect(postgres_url)
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
