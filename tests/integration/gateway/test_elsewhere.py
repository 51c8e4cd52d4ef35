"""Requests that a page of another origin makes its browser send, and names that are not ours."""

import asyncio

import orjson
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from tests.integration.gateway.conftest import House

PAGE = "https://blog.attacker.test"
PATHS = ("/runs", "/health", "/metrics", "/dead-letters", "/nowhere")


async def raw(house: House, *lines: str, body: bytes = b"") -> tuple[int, bytes]:
    """Status and body of one request, written as it is."""
    host, port = house.gateway.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write("\r\n".join((*lines, "Connection: close", "", "")).encode() + body)
    async with asyncio.timeout(10):
        answer = await reader.read()
    writer.close()
    head, _, content = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), content


async def test_a_name_that_was_rebound_to_us_reads_nothing_and_opens_no_socket(house: House) -> None:
    session = (await house.begin("비밀은 7741"))["session_id"]
    for path in (*PATHS, f"/sessions/{session}", f"/sessions/{session}/stream"):
        answer = await house.http.get(path, headers={"Host": "rebound.attacker.test:8765"})
        assert (answer.status_code, answer.json()["code"]) == (421, 2001)
        assert "7741" not in answer.text
    with pytest.raises(InvalidStatus) as refused:
        async with house.socket(session, "", additional_headers={"Host": "rebound.attacker.test"}):
            pass
    # the client library sends its own Host too: two of them
    assert refused.value.response.status_code == 400


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ((), 400),
        (("Host: localhost", "Host: localhost"), 400),
        (("Host: rebound.attacker.test",), 421),
        (("Host: localhost:99",), 200),
    ],
)
async def test_one_host_is_named_over_http_and_for_a_socket(
    headers: tuple[str, ...], status: int, house: House
) -> None:
    assert (await raw(house, "GET /openapi.json HTTP/1.1", *headers))[0] == status
    session = (await house.begin())["session_id"]
    key = ("Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==")
    if status != 200:
        host, port = house.gateway.url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        lines = (f"GET /ws/{session} HTTP/1.1", *headers, "Connection: Upgrade", *key, "", "")
        writer.write("\r\n".join(lines).encode())
        async with asyncio.timeout(10):
            answer = await reader.read()
        writer.close()
        assert int(answer.split()[1]) == status
        assert orjson.loads(answer.partition(b"\r\n\r\n")[2])["code"] in (1000, 2001)


async def test_a_form_of_another_page_says_nothing(house: House) -> None:
    """What a browser sends for <form enctype=text/plain> and for fetch(..., {mode: "no-cors"})."""
    before = (await house.http.get("/runs")).json()["runs"]
    for more in (
        {"Origin": PAGE, "Sec-Fetch-Site": "cross-site"},
        {"Origin": PAGE},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ):
        for kind in ("text/plain", "application/json"):
            headers = {"Content-Type": kind, **more}
            answer = await house.http.post("/agent/run-async", content=b'{"text": "poison"}', headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (403, 2001), (kind, more)
    assert (await house.http.get("/runs")).json()["runs"] == before


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "text/plain;charset=UTF-8",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "text/json",
        "",
    ],
)
async def test_json_comes_as_json_or_not_at_all(kind: str, house: House) -> None:
    session = (await house.begin())["session_id"]
    headers = {"Content-Type": kind} if kind else {}
    for path in (
        "/agent/run", "/agent/run-async", "/sessions", f"/sessions/{session}/feedback",
        f"/sessions/{session}/decisions/{session}", f"/sessions/{session}/runs/{session}/control",
    ):  # fmt: skip
        answer = await house.http.post(path, content=b'{"text": "hi"}', headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (415, 1000), path
        assert "application/json" in answer.json()["detail"]


async def test_a_socket_is_for_programs_and_for_pages_of_ours(house: House) -> None:
    session = (await house.begin())["session_id"]
    url = f"ws{house.gateway.url.removeprefix('http')}/ws/{session}"
    for origin in (PAGE, "http://localhost:1", house.gateway.url.replace("http:", "https:")):
        with pytest.raises(InvalidStatus) as refused:
            async with connect(url, proxy=None, origin=Origin(origin)):
                pass
        assert refused.value.response.status_code == 403
        assert orjson.loads(refused.value.response.body)["code"] == 2001
    async with connect(url, proxy=None, origin=Origin(house.gateway.url)) as socket:
        assert orjson.loads(await socket.recv())["type"] == "session_state"


async def test_the_address_of_the_socket_is_ours_whatever_the_client_calls_us(house: House) -> None:
    port = house.gateway.url.rpartition(":")[2]
    answer = await house.http.post("/agent/run-async", json={"text": "hi"}, headers={"Host": "localhost:4321"})
    assert answer.json()["websocket_url"].startswith(f"ws://127.0.0.1:{port}/ws/")


async def test_every_answer_says_that_it_is_for_pages_of_ours(house: House) -> None:
    for path in PATHS:
        answer = await house.http.get(path)
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert answer.headers["x-content-type-options"] == "nosniff"
