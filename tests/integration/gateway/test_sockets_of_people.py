"""Sockets and streams where keys are asked for: they end with the key or login that opened them, nothing is taken from
whom they are no longer for, and nobody has all of them."""

import asyncio
from contextlib import AsyncExitStack, suppress
from typing import Any

import httpx
import orjson
import pytest
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from backbone.settings import Settings
from services.gateway.http import authentication
from services.gateway.http.authentication import COOKIE
from tests.integration.gateway.conftest import Holder, House, code, revoke

NO_ID = "0197a1f0-0000-7000-8000-00000000000f"


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"auth": "keys", "sockets_per_person": 3})


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """What lasts is looked at again soon."""
    monkeypatch.setattr(authentication, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr(authentication, "FRESH_SECONDS", 0.1)


async def test_a_revoked_key_opens_nothing_and_its_socket_ends(
    house: House, people: tuple[Holder, Holder, Holder], postgres_url: str
) -> None:
    kim, *_ = people
    run = await kim.begin()
    async with house.socket(run["session_id"], additional_headers=kim.headers) as socket:
        assert orjson.loads(await socket.recv())["type"] == "session_state"
        await socket.send('{"type": "ping"}')
        while orjson.loads(await socket.recv())["type"] != "pong":
            pass
        await revoke(kim, postgres_url)
        last: dict[str, Any] = {}
        with suppress(ConnectionClosed):
            async with asyncio.timeout(5):
                while True:
                    last = orjson.loads(await socket.recv())
        assert socket.close_code == 4401
        assert (last["type"], last["code"]) == ("error", 2000)
    assert code(await kim.http.get(f"/sessions/{run['session_id']}")) == (401, 2000)


async def test_a_stream_of_a_revoked_key_ends(
    house: House, people: tuple[Holder, Holder, Holder], postgres_url: str
) -> None:
    kim, *_ = people
    run = await kim.begin()
    async with asyncio.timeout(10), kim.http.stream("GET", f"/sessions/{run['session_id']}/stream") as stream:
        assert stream.status_code == 200
        lines = stream.aiter_lines()
        assert await anext(lines) == "id: 2"
        await revoke(kim, postgres_url)
        async for _ in lines:
            pass


@pytest.fixture
def unlooked(quick: None, monkeypatch: pytest.MonkeyPatch) -> None:  # after it
    """Nobody looks by themselves at what lasts."""
    monkeypatch.setattr(authentication, "LOOK_SECONDS", 60)


async def goodbye(socket: ClientConnection) -> tuple[dict[str, Any], int | None]:
    """The last frame of a socket that is being closed, and the code it is closed with."""
    last: dict[str, Any] = {}
    with suppress(ConnectionClosed):
        async with asyncio.timeout(5):
            while True:
                last = orjson.loads(await socket.recv())
    return last, socket.close_code


@pytest.mark.usefixtures("unlooked")
async def test_a_logout_ends_its_sockets_and_streams_at_once(
    house: House, people: tuple[Holder, Holder, Holder]
) -> None:
    kim, *_ = people
    session = (await kim.begin())["session_id"]
    async with httpx.AsyncClient(base_url=house.gateway.url, verify=False, timeout=15) as browser:
        await browser.post("/login", json={"key": kim.key})
        cookie = {"Cookie": f"{COOKIE}={browser.cookies[COOKIE]}"}
        async with (
            house.socket(session, additional_headers=cookie) as socket,
            house.socket(session, additional_headers=kim.headers) as other,
            browser.stream("GET", f"/sessions/{session}/stream") as stream,
        ):
            lines = stream.aiter_lines()
            assert await anext(lines) == "id: 2"
            assert orjson.loads(await socket.recv())["type"] == "session_state"
            before = await house.stream(session)
            assert (await browser.post("/logout")).status_code == 204
            with suppress(ConnectionClosed):  # whichever comes first
                await socket.send('{"type": "message", "text": "엄마한테 5만원 보내줘"}')
            last, closed = await goodbye(socket)
            assert (last["type"], last["code"], closed) == ("error", 2000, 4401)
            async with asyncio.timeout(5):
                async for _ in lines:
                    pass
            assert await house.stream(session) == before
            # what was opened with the key itself goes on
            await other.send('{"type": "ping"}')
            while orjson.loads(await other.recv())["type"] != "pong":
                pass


@pytest.mark.usefixtures("unlooked")
@pytest.mark.parametrize(
    "frame",
    [
        {"type": "message", "text": "엄마한테 5만원 보내줘"},
        {"type": "hitl_response", "decision_id": NO_ID, "answer": {"action": "approve"}},
        {"type": "run_control", "run_id": NO_ID, "control": "cancel"},
        {"type": "plan_edit", "run_id": NO_ID, "plan_version": 1, "patch": [{"op": "remove", "path": "/0"}]},
    ],
)
async def test_no_frame_is_taken_from_whose_key_was_revoked_elsewhere(
    house: House, people: tuple[Holder, Holder, Holder], postgres_url: str, frame: dict[str, Any]
) -> None:
    kim, *_ = people
    session = (await kim.begin())["session_id"]
    async with house.socket(session, additional_headers=kim.headers) as socket:
        assert orjson.loads(await socket.recv())["type"] == "session_state"
        before = await house.stream(session)
        await revoke(kim, postgres_url)
        await asyncio.sleep(0.15)  # as long as keys are remembered
        await socket.send(orjson.dumps(frame).decode())
        last, closed = await goodbye(socket)
        assert (last["type"], last["code"], closed) == ("error", 2000, 4401)
    assert await house.stream(session) == before


async def test_a_person_has_so_many_sockets_and_streams_and_no_more(
    house: House, people: tuple[Holder, Holder, Holder]
) -> None:
    kim, lee, _ = people
    session, other = (await kim.begin())["session_id"], (await lee.begin())["session_id"]
    async with AsyncExitStack() as open_:
        first = await open_.enter_async_context(house.socket(session, additional_headers=kim.headers))
        await first.recv()
        stream = await open_.enter_async_context(kim.http.stream("GET", f"/sessions/{session}/stream"))
        assert stream.status_code == 200
        second = await open_.enter_async_context(house.socket(session, additional_headers=kim.headers))
        await second.recv()
        async with house.socket(session, additional_headers=kim.headers) as fourth:
            last, closed = await goodbye(fourth)
        assert (last["type"], last["code"], closed) == ("error", 2002, 4429)
        assert code(await kim.http.get(f"/sessions/{session}/stream")) == (429, 2002)
        assert (await kim.http.get(f"/sessions/{session}")).status_code == 200
        async with house.socket(other, additional_headers=lee.headers) as socket:
            assert orjson.loads(await socket.recv())["type"] == "session_state"
        await first.close()
        async with asyncio.timeout(5):
            while True:  # the gateway hears of it a moment later
                async with house.socket(session, additional_headers=kim.headers) as again:
                    if orjson.loads(await again.recv())["type"] == "session_state":
                        break
