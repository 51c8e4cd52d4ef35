"""What a connection brings, straight to who takes it; on a real nats-server."""

import asyncio
from collections.abc import AsyncIterator

import nats
import pytest
from nats.aio.client import Client
from nats.aio.msg import Msg

from backbone.bus.direct import Direct
from dream.local.embedded import EmbeddedNats
from tests.conformance.harness import until


class Taker:
    """Takes what is about no accident, and remembers how it came."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, str, dict[str, str], bytes]] = []
        self.called: list[Msg] = []

    def take(self, subject: str, reply: str, headers: dict[str, str], data: bytes) -> None:
        if data == b"accident":
            raise ZeroDivisionError("a bug")
        self.taken.append((subject, reply, headers, data))

    async def call(self, msg: Msg) -> None:
        self.called.append(msg)


@pytest.fixture
async def client(nats_server: EmbeddedNats) -> AsyncIterator[Client]:
    client: Client = await nats.connect(nats_server.url)
    yield client
    await client.close()


async def test_messages_come_as_they_were_sent_and_not_to_the_callback(client: Client) -> None:
    taker, direct = Taker(), Direct(client)
    direct.to(await client.subscribe("some.*", cb=taker.call), taker.take)
    await client.publish("some.thing", b"one", reply="to.me", headers={"ce-id": "1", "word": "a: b"})
    await client.publish("some.other")
    await until(lambda: len(taker.taken) == 2)
    assert taker.taken == [
        ("some.thing", "to.me", {"ce-id": "1", "word": "a: b"}, b"one"),
        ("some.other", "", {}, b""),
    ]
    assert taker.called == []


async def test_who_fails_at_one_message_gets_the_next_and_the_connection_lives(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    taker, direct = Taker(), Direct(client)
    direct.to(await client.subscribe("some.*", cb=taker.call), taker.take)
    for data in (b"accident", b"after"):
        await client.publish("some.thing", data)
    await until(lambda: len(taker.taken) == 1)
    assert taker.taken[0][-1] == b"after"
    assert "was not taken" in caplog.text


async def test_what_the_server_says_goes_the_usual_way_and_so_do_others(client: Client) -> None:
    taker, direct, other = Taker(), Direct(client), Taker()
    await client.subscribe("else.*", cb=other.call)
    subscription = await client.subscribe("answers.*", cb=taker.call)
    direct.to(subscription, taker.take)
    await client.publish("nobody.is.there", b"", reply="answers.1")  # the server answers: 503
    await client.publish("else.where", b"one")
    await until(lambda: bool(taker.called and other.called))
    assert (taker.called[0].headers or {})["Status"] == "503"
    assert taker.taken == []
    direct.over(subscription)
    await client.publish("answers.2", b"one")
    await until(lambda: len(taker.called) == 2)


async def test_after_a_reconnect_messages_come_as_before(client: Client) -> None:
    taker, direct = Taker(), Direct(client)
    direct.to(await client.subscribe("some.*", cb=taker.call), taker.take)
    await client.publish("some.thing", b"before")
    await until(lambda: len(taker.taken) == 1)
    assert client._transport is not None
    client._transport.close()
    await asyncio.sleep(0.05)
    await until(lambda: client.is_connected)
    await client.publish("some.thing", b"after")
    await until(lambda: len(taker.taken) == 2)
    assert taker.called == []
