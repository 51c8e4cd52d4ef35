"""Following a run over connections that break."""

import asyncio
from pathlib import Path

import pytest

from dream.cli.error_messages import error_message
from dream.client.gateway_client import Client, Refused, ServerGone
from dream.local.nats import free_port
from dream.texts import Texts
from tests.unit.dream.fake_gateway import FakeGateway
from tests.unit.dream.scripts import approved_run


async def versions(client: Client, session: str, after: int, last: int) -> list[int]:
    found = []
    async for frame in client.follow(session, after):
        found.append(frame["version"])
        if frame["version"] == last:
            break
    return found


async def test_events_come_once_and_in_order_over_broken_connections() -> None:
    with FakeGateway(approved_run(), cut_after={3, 5, 6}) as gateway:
        async with Client(gateway.url) as client:
            started = await client.run({"text": "x"}, "key")
            assert await versions(client, started["session_id"], 0, 10) == list(range(1, 11))
    assert gateway.connections == [0, 3, 5, 6]


async def test_a_gateway_that_restarts_says_when_to_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    told, waited = 3.75, []
    sleep = asyncio.sleep

    async def at_once(seconds: float) -> None:
        if seconds == told:
            waited.append(seconds)
        await sleep(0 if seconds == told else seconds)

    with FakeGateway(approved_run(), cut_after={4, 6}, cut_with=f"the gateway restarts; retry-after={told}") as gateway:
        async with Client(gateway.url) as client:
            started = await client.run({"text": "x"}, "key")
            monkeypatch.setattr("dream.client.gateway_client.asyncio.sleep", at_once)
            assert await versions(client, started["session_id"], 0, 10) == list(range(1, 11))
    assert waited == [told, told]


async def test_following_begins_after_a_version() -> None:
    with FakeGateway(approved_run()) as gateway:
        async with Client(gateway.url) as client:
            started = await client.run({"text": "x"}, "key")
            assert await versions(client, started["session_id"], 7, 10) == [8, 9, 10]


async def test_a_server_that_stays_away_is_given_up() -> None:
    async with Client(f"http://127.0.0.1:{free_port()}") as client:
        with pytest.raises(ServerGone, match=r"0\.0|0 s"):
            await anext(client.follow("s", 0, patience=0.2))
        with pytest.raises(ServerGone):
            await client.session("s")
        assert not await client.healthy()


@pytest.mark.parametrize("language", ["ko", "en", "ja"])
async def test_who_cannot_reach_a_server_is_told_how_to_start_one(language: str) -> None:
    async with Client(f"http://127.0.0.1:{free_port()}") as client:
        with pytest.raises(ServerGone) as caught:
            await client.session("s")
    told = error_message(caught.value, Texts(language))
    assert told is not None
    assert "dream up" in told.message
    assert "127.0.0.1" in told.message
    assert "ConnectError(" not in told.message


async def test_an_unknown_session_is_refused_and_not_tried_again() -> None:
    with FakeGateway(approved_run()) as gateway:
        async with Client(gateway.url) as client:
            with pytest.raises(Refused) as refused:
                await anext(client.follow("0197a1f0-0000-7000-8000-00000000000f", 0))
            assert refused.value.status == 404
    assert len(gateway.connections) == 1


async def test_a_problem_tells_code_and_reason() -> None:
    with FakeGateway(approved_run()) as gateway:
        async with Client(gateway.url) as client:
            with pytest.raises(Refused, match="no session") as refused:
                await client.session("0197a1f0-0000-7000-8000-00000000000f")
    assert (refused.value.status, refused.value.code) == (404, 3000)


async def test_a_file_goes_up_and_comes_down_whole(tmp_path: Path) -> None:
    data = bytes(range(256)) * 10_000
    file = tmp_path / "리뷰.csv"
    file.write_bytes(data)
    with FakeGateway([]) as gateway:
        async with Client(gateway.url) as client:
            attachment = await client.upload(file)
            assert (attachment["name"], attachment["media_type"]) == ("리뷰.csv", "text/csv")
            await client.download(attachment, tmp_path / "copy.csv")
            with pytest.raises(FileExistsError):
                await client.download(attachment, file)
    assert (tmp_path / "copy.csv").read_bytes() == data


async def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    with FakeGateway(approved_run()) as gateway:
        async with Client(gateway.url) as client:
            started = await client.run({"text": "x"}, "key")
            assert await versions(client, started["session_id"], 9, 10) == [10]
