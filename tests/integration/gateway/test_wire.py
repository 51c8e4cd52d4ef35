"""What comes before any route: headers, slow connections, broken frames."""

import asyncio
import logging
from contextlib import suppress
from uuid import NAMESPACE_OID, UUID, uuid4, uuid5

import orjson
import psutil
import pytest
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode

from contracts.response import ResponseOutput
from services.gateway.http import limits
from tests.integration.gateway.conftest import JSON, House

LINE = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n"


async def connection(house: House) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, port = house.gateway.url.removeprefix("http://").split(":")
    return await asyncio.open_connection(host, int(port))


async def answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Status and body, to the end of the connection."""
    async with asyncio.timeout(20):
        told = await reader.read()
    head, _, body = told.partition(b"\r\n\r\n")
    return int(head.split()[1]) if head else 0, body


async def whole(reader: asyncio.StreamReader) -> None:
    """A good answer, on a connection that goes on."""
    async with asyncio.timeout(20):
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200")
        length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.startswith(b"content-length"))
        await reader.readexactly(length)


async def flood(writer: asyncio.StreamWriter, block: bytes, most: int) -> int:
    """Sends until the other side has had enough; returns how much that was."""
    sent = 0
    try:
        while sent < most:
            writer.write(block)
            await writer.drain()
            sent += len(block)
    except OSError:
        pass
    return sent


@pytest.mark.parametrize(
    "head",
    [
        b"".join(b"X-%d: %s\r\n" % (number, b"v" * 500) for number in range(140)),
        b"X-Long: " + b"v" * 66_000 + b"\r\n",
        b"".join(b"%d:\r\n" % number for number in range(14_000)),
    ],
)
async def test_headers_have_a_limit_in_all(head: bytes, house: House) -> None:
    reader, writer = await connection(house)
    writer.write(LINE + head + b"\r\n")
    status, body = await answer(reader)
    assert (status, orjson.loads(body)["code"]) == (431, 1000)
    writer.close()
    reader, writer = await connection(house)
    writer.write(b"GET /openapi.json?" + b"q" * 66_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert (await answer(reader))[0] == 431
    writer.close()


async def test_sixty_kilobytes_of_headers_are_read_again_and_again_on_one_connection(house: House) -> None:
    reader, writer = await connection(house)
    head = b"".join(b"X-%d: %s\r\n" % (number, b"v" * 1000) for number in range(60))
    for _ in range(5):
        writer.write(LINE + head + b"\r\n")
        await whole(reader)
    writer.close()


async def test_endless_headers_and_trailers_take_no_memory(house: House) -> None:
    process = psutil.Process()
    chunked = b"POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    chunked += b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"
    before = process.memory_info().rss
    for begin in (LINE + b"X-One: ", LINE, b"", chunked + b"X-Trailer: ", chunked):
        _, writer = await connection(house)
        writer.write(begin)
        block = b"v" * 100_000 if begin.endswith(b": ") else b"a: b\r\n" * 20_000
        await flood(writer, block, 60_000_000)
        writer.transport.abort()
    assert process.memory_info().rss - before < 40_000_000
    assert (await house.http.get("/health")).status_code == 200


async def test_who_speaks_too_slowly_is_let_go_and_who_is_merely_large_is_not(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "HEAD_SECONDS", 0.5)
    monkeypatch.setattr(limits, "BODY_SECONDS", 0.5)
    post = (
        b"POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n"
    )

    async def drip(begin: bytes, drop: bytes) -> int:
        for _ in range(3):
            # a drop that is under way when the server closes resets the connection, which may lose the answer
            with suppress(ConnectionResetError):
                return await dripped(begin, drop)
        raise AssertionError

    async def dripped(begin: bytes, drop: bytes) -> int:
        reader, writer = await connection(house)
        writer.write(begin)
        reading = asyncio.create_task(answer(reader))
        while not reading.done():
            writer.write(drop)
            await asyncio.sleep(0.05)
        writer.close()
        return (await reading)[0]

    slow = drip(LINE, b"a:b\r\n"), drip(b"GET ", b"/"), drip(post, b" "), drip(b"", b"")
    assert [*await asyncio.gather(*slow)] == [408] * 4
    # a connection on which no request is under way is nobody who is slow
    reader, writer = await connection(house)
    for _ in range(2):
        writer.write(LINE + b"\r\n")
        await whole(reader)
        await asyncio.sleep(1.5)
    writer.close()


async def send_raw(socket: ClientConnection, opcode: Opcode, data: bytes) -> None:
    socket.protocol.send_frame(Frame(opcode, data))
    socket.send_data()


BROKEN = [
    '{"type": "ping", "ref": 36893488147419103232}', '{"type": "ping", "ref": -9223372036854775809}',
    '{"type": "ping", "ref": 1e40}', '{"type": "ping", "ref": NaN}', '{"type": "ping", "ref": true}',
    '{"type": "ping", "ref": [1]}', '{"type": "message", "ref": 1180591620717411303424, "text": "hi"}',
    '{"type": "message", "text": "hi", "budget": {"money": -Infinity}}', "[" * 2500, '{"a":' * 2500,
]  # fmt: skip


async def test_no_frame_costs_the_socket_or_a_traceback(house: House, caplog: pytest.LogCaptureFixture) -> None:
    begun = await house.begin()
    session, run = begun["session_id"], begun["run_id"]
    question = await house.open_decision(session, run, {"type": "object"})
    with caplog.at_level(logging.WARNING):
        async with house.socket(session, "?after=3") as socket:
            await socket.recv()
            for text in BROKEN:
                await socket.send(text)
                told = orjson.loads(await socket.recv())
                assert (told["type"], told["code"]) == ("error", 1007), text
            for number in (2**63 - 1, -(2**63)):
                await socket.send(f'{{"type": "ping", "ref": {number}}}')
                assert orjson.loads(await socket.recv()) == {"type": "pong", "ref": number}
            for value in ("NaN", "1e999", "1180591620717411303424"):
                await socket.send(
                    f'{{"type": "hitl_response", "decision_id": "{question}", "answer": {{"x": {value}}}}}'
                )
                told = orjson.loads(await socket.recv())
                while told["type"] not in ("error", "ack"):
                    told = orjson.loads(await socket.recv())
            await socket.send('{"type": "ping", "ref": "still there"}')
            while orjson.loads(await socket.recv())["type"] != "pong":
                pass
    assert not [record for record in caplog.records if record.exc_info or "Traceback" in record.getMessage()]


async def test_a_socket_that_the_protocol_has_closed_is_gone_and_nobodys_fault(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    """Bytes that are no UTF-8 while the session goes on: whoever still sends finds nobody, and says nothing of it."""
    begun = await house.begin()
    with caplog.at_level(logging.WARNING):
        for number in range(10):
            async with house.socket(begun["session_id"]) as socket:
                await socket.recv()
                await send_raw(socket, Opcode.TEXT, b"\xff\xfe")
                said = [ResponseOutput(format="text", text=f"{number}-{one}", language="ko") for one in range(10)]
                await house.tell(begun["session_id"], begun["run_id"], *said)
                with suppress(ConnectionClosed):
                    while True:
                        await socket.recv()
                assert socket.close_code == 1007
    assert not [record for record in caplog.records if record.exc_info or "after sending" in record.getMessage()]


async def test_an_id_does_not_follow_from_the_key_alone(house: House) -> None:
    """Whoever guesses a key cannot compute the session; whoever repeats it finds the same one, after a restart too."""
    key = {"Idempotency-Key": "order-17", **JSON}
    opened = (await house.http.post("/sessions", content=b"{}", headers=key)).json()
    guess = uuid5(uuid5(NAMESPACE_OID, "dream:gateway:sessions:order-17"), "session")
    assert UUID(opened["session_id"]) != guess
    again = (await house.http.post("/sessions", content=b"{}", headers=key)).json()
    assert again["session_id"] == opened["session_id"]
    keys = house.gateway.composition.keys
    known = keys._secret
    assert len(known) == 32
    await keys.load(house.backbone.ledger)
    assert keys._secret == known
    elsewhere = await house.backbone.ledger.secret(str(uuid4()))
    assert elsewhere != known
