"""Log lines reach the sockets that asked for them, and nothing else that a socket shows is different."""

import asyncio
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import orjson
import pytest
from websockets.asyncio.client import ClientConnection

from backbone.live import Live
from contracts import subjects
from contracts.live import LogLine
from contracts.model import ModelRole
from contracts.response import ResponseOutput, RunCompleted
from contracts.tools import LINE_LIMIT
from services.gateway.ws import log_stream
from tests.integration.gateway.conftest import House, frames

ANSWER = ResponseOutput(format="text", text="끝", language="ko")
LINES = 20


async def write(house: House, begun: dict[str, Any], line: str, left_out: int = 0) -> None:
    """What an executor does, in another process and over its own connection."""
    at = datetime.now(UTC)
    said = LogLine(run_id=UUID(begun["run_id"]), todo_id="t1", attempt=1, line=line, left_out=left_out, at=at)
    await house.behind.bus.signal(subjects.live(UUID(begun["session_id"])), said.model_dump_json().encode())


async def read_until(socket: ClientConnection, version: int) -> list[dict[str, Any]]:
    seen: list[dict[str, Any]] = []
    async with asyncio.timeout(8):
        while not seen or seen[-1].get("version") != version:
            seen.append(orjson.loads(await socket.recv()))
    return seen


async def test_only_sockets_that_asked_see_the_lines_of_their_session(house: House) -> None:
    begun, other = await house.begin(), await house.begin()
    session, run = begun["session_id"], begun["run_id"]
    async with (
        house.socket(session, "?after=2&log=1") as asking,
        house.socket(session, "?after=2") as silent,
        house.socket(other["session_id"], "?after=2&log=1") as elsewhere,
    ):
        for socket in (asking, silent, elsewhere):
            await socket.recv()
        await house.behind.bus.signal(subjects.live(UUID(session)), b'{"kind": "chunk"}')  # not ours, not our end
        await write(house, begun, "2400 행을 읽음")
        await write(house, begun, "", 120)
        assert await frames(asking, 2) == [
            {"type": "log", "run_id": run, "todo_id": "t1", "line": "2400 행을 읽음"},
            {"type": "log", "run_id": run, "todo_id": "t1", "line": "", "left_out": 120},
        ]
        await house.tell(session, run, ANSWER)
        await house.tell(other["session_id"], other["run_id"], ANSWER)
        assert [orjson.loads(await one.recv())["version"] for one in (asking, silent, elsewhere)] == [3, 3, 3]
    async with asyncio.timeout(2):
        while house.gateway.composition.log_stream._listeners:
            await asyncio.sleep(0.01)


async def test_a_slow_socket_misses_lines_and_no_event(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_stream, "LINES", LINES)
    begun = await house.begin()
    session, run = begun["session_id"], begun["run_id"]
    slow = await house.socket(session, "?log=1")
    await frames(slow, 3)
    slow.transport.pause_reading()
    (listener,) = house.gateway.composition.log_stream._listeners[session]
    sent = 0
    async with house.socket(session, "?after=2") as quick:
        await quick.recv()
        async with asyncio.timeout(8):
            while len(listener._waiting) < LINES:  # until the system's buffers are full too
                await house.tell(session, run, ANSWER)
                for _ in range(200):
                    await write(house, begun, "가" * LINE_LIMIT)
                    sent += 1
                last = await house.tell(session, run, ANSWER)
                assert (await read_until(quick, last))[-1]["version"] == last  # nobody waits for the slow one
    slow.transport.resume_reading()
    last = await house.tell(session, run, RunCompleted())
    late = await read_until(slow, last)
    assert [frame["version"] for frame in late if frame["type"] != "log"] == list(range(3, last + 1))
    assert 0 < sum(frame["type"] == "log" for frame in late) < sent
    await slow.close()


async def test_pieces_of_an_answer_reach_the_sockets_that_asked_for_them(house: House) -> None:
    begun = await house.begin()
    session, run = begun["session_id"], begun["run_id"]
    async with (
        house.socket(session, "?after=2&chunk=1") as asking,
        house.socket(session, "?after=2&log=1") as silent,
    ):
        for socket in (asking, silent):
            await socket.recv()
        voice = Live()
        speaking = asyncio.create_task(voice.run(house.behind.bus))
        await asyncio.sleep(0)
        hear = voice.listener(UUID(session), UUID(run), ModelRole.REPORTER)
        for piece in ("긍정이", " 61 %", "", "긍정이 "):
            hear(piece)
        texts = [(one["type"], one.get("index", 0), one["text"]) for one in await frames(asking, 3)]
        assert texts == [("chunk", 0, "긍정이"), ("chunk", 1, " 61 %"), ("chunk", 0, "긍정이 ")]
        await house.tell(session, run, ANSWER)
        assert orjson.loads(await silent.recv())["version"] == 3
        speaking.cancel()
