"""A gateway that stops under load: whoever is connected is told when to come back, and nobody hears that we failed."""

import asyncio
import re
from collections.abc import Awaitable, Callable

import pytest
from starlette.types import Receive, Scope, Send
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, InvalidStatus

from services.gateway.ws import restart
from services.gateway.ws.restart import close_reason
from tests.integration.gateway.conftest import House, frames


async def to_the_end(socket: ClientConnection) -> None:
    while True:
        await socket.recv()


async def hint_of(house: House, session: str, told: asyncio.Event) -> float:
    """Seconds after which a socket is to come back."""
    async with house.socket(session) as socket:
        await frames(socket, 1)
        told.set()
        with pytest.raises(ConnectionClosed) as closed:
            await asyncio.wait_for(to_the_end(socket), 20)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1012
    (seconds,) = re.findall(r"; retry-after=([0-9.]+)$", closed.value.rcvd.reason)
    return float(seconds)


async def test_sockets_are_told_to_come_back_one_after_the_other(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restart, "RETURNS", 10)
    begun = await house.begin()
    opened = [asyncio.Event() for _ in range(30)]
    hints = [asyncio.create_task(hint_of(house, begun["session_id"], event)) for event in opened]
    await asyncio.gather(*(event.wait() for event in opened))
    await house.gateway.stop()
    seconds = await asyncio.gather(*hints)
    assert len(set(seconds)) > 15
    assert max(seconds) - min(seconds) > 0.5, "thirty at ten a second take three seconds"


def test_nobody_is_sent_away_for_long() -> None:
    assert all(float(close_reason(100_000).partition("=")[2]) <= restart.LONGEST for _ in range(200))
    assert float(close_reason(0).partition("=")[2]) == 0.0


async def test_a_run_that_comes_in_while_the_gateway_stops_is_not_waited_for(house: House) -> None:
    """Between the word that it stops and the closing of its door: it would be cut off at the end of the grace."""
    house.gateway.composition.fanout.close()
    async with asyncio.timeout(4):
        answer = await house.http.post("/agent/run", json={"text": "거기 있어?"})
    assert (answer.status_code, answer.json()["code"], answer.headers["retry-after"]) == (503, 4008, "1")
    async with (
        asyncio.timeout(4),
        house.http.stream("GET", f"/sessions/{answer.json()['session_id']}/stream") as stream,
    ):
        told = [line async for line in stream.aiter_lines()]
    assert any(line.startswith("retry: ") for line in told)


async def stopped(house: House, work: Callable[[], Awaitable[object]]) -> BaseException | object:
    """What somebody is told whose request the application holds when the gateway stops, and after its grace."""
    held = asyncio.Event()

    async def holding(_: Scope, __: Receive, ___: Send) -> None:
        held.set()
        await asyncio.Event().wait()

    server = house.gateway._http
    server.open(holding)
    assert server._server is not None
    server._server.config.timeout_graceful_shutdown = 1
    asking = asyncio.ensure_future(work())
    await held.wait()
    await house.gateway.stop()
    (told,) = await asyncio.gather(asking, return_exceptions=True)
    return told


async def test_a_request_that_is_cut_off_is_told_to_come_again(house: House) -> None:
    answer = await stopped(house, lambda: house.http.get("/runs"))
    assert (answer.status_code, answer.json()["code"]) == (503, 9021)  # type: ignore[union-attr]  # an answer
    assert answer.headers["retry-after"] == "1"  # type: ignore[union-attr]


async def test_a_socket_whose_handshake_is_cut_off_is_told_to_come_again(house: House) -> None:
    async def knock() -> None:
        async with house.socket("0197a1f0-0000-7000-8000-00000000000f"):
            raise AssertionError("it is open")

    refused = await stopped(house, knock)
    assert isinstance(refused, InvalidStatus)
    assert refused.response.status_code == 503
    assert refused.response.headers["Retry-After"] == "1"
    assert b'"code":9021' in (refused.response.body or b"")
