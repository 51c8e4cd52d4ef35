"""Bundles over a real nats-server: they are settled as one, and every event in them is delivered."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from uuid import uuid4

import nats
import pytest

from backbone.bus.administration import Login, administer
from backbone.bus.declare import stream_config
from backbone.bus.jetstream import JetStreamBus
from contracts.envelope import Message
from dream.local.embedded import EmbeddedNats
from tests.conformance.deliveries import SPEC, drained, nothing_within, text
from tests.conformance.facts import message


@pytest.fixture
async def bus(nats_server: EmbeddedNats) -> AsyncIterator[JetStreamBus]:
    client = await nats.connect(nats_server.url)
    bus = JetStreamBus(client, may_create=True, max_bytes=64 * 1024**2, max_age_seconds=3600)
    await bus.epoch()
    yield bus
    await bus.close()
    await client.close()


def together(*texts: str) -> list[Message]:
    """Notes that one process has committed together."""
    session = uuid4()
    notes = [message(one, session=session, version=number) for number, one in enumerate(texts, 1)]
    first = notes[0]
    same = {"recorded_at": first.recorded_at, "correlation_id": first.correlation_id, "apart": False}
    return [replace(one, **same) for one in notes]  # type: ignore[arg-type]  # a field each


async def stored(bus: JetStreamBus) -> int:
    """Messages in the stream."""
    return int((await bus._js.stream_info("EVT")).state.messages)


async def test_what_was_committed_together_is_one_message_and_three_deliveries(bus: JetStreamBus) -> None:
    subscription = await bus.subscribe(SPEC, 16)
    await bus.publish(together("a", "b", "c"))
    assert await stored(bus) == 1
    deliveries = await drained(subscription, 3)
    assert [(text(one), one.attempt) for one in deliveries] == [("a", 1), ("b", 1), ("c", 1)]
    for one in deliveries:
        await one.ack()
    await nothing_within(subscription, 0.9)


async def test_all_come_again_when_one_is_to_come_again_once_all_are_settled(bus: JetStreamBus) -> None:
    subscription = await bus.subscribe(SPEC, 16)
    await bus.publish(together("a", "b"))
    a, b = await drained(subscription, 2)
    await a.retry(0.01)
    await nothing_within(subscription, 0.3)
    await b.ack()
    again = await drained(subscription, 2, timeout=3)
    assert [(text(one), one.attempt) for one in again] == [("a", 2), ("b", 2)]
    for one in again:
        await one.ack()
    await nothing_within(subscription, 0.9)


async def test_a_bundle_is_kept_while_somebody_is_at_one_of_its_events(bus: JetStreamBus) -> None:
    subscription = await bus.subscribe(SPEC, 16)
    await bus.publish(together("quick", "slow"))
    quick, slow = await drained(subscription, 2)
    await quick.ack()
    for _ in range(5):
        await nothing_within(subscription, 0.25)
        await slow.extend()
    await slow.ack()
    await nothing_within(subscription, 0.8)


async def test_who_follows_hears_each_event(bus: JetStreamBus) -> None:
    heard: list[tuple[str, str]] = []

    async def hear(subject: str, headers: Mapping[str, str], body: bytes) -> None:
        heard.append((headers["ce-id"], headers["ce-streamversion"]))

    await bus.follow(hear)
    notes = together("a", "b", "c")
    await bus.publish(notes)
    async with asyncio.timeout(5):
        while len(heard) < 3:
            await asyncio.sleep(0.01)
    assert heard == [(str(one.event_id), str(one.version)) for one in notes]


async def test_a_stream_that_an_earlier_version_has_declared_takes_no_bundles_until_its_admin_says_so(
    nats_server: EmbeddedNats,
) -> None:
    """Processes that cannot read them may be running beside ours."""
    client = await nats.connect(nats_server.url)
    config = stream_config(64 * 1024**2, 3600)
    await client.jetstream().add_stream(config.evolve(metadata=None, max_bytes=32 * 1024**2))
    bus = JetStreamBus(client, may_create=True, max_bytes=64 * 1024**2, max_age_seconds=3600)
    await bus.epoch()
    await bus.publish(together("a", "b", "c"))
    assert await stored(bus) == 3
    async with administer(Login(nats_server.url), (), config) as admin:
        await admin.declare()  # while the services are rolled out
        assert await takes_bundles_now(bus) is False
        await admin.declare(remove_unknown=True)  # when no old one runs
        assert await takes_bundles_now(bus) is True
        await admin.declare()
        assert await takes_bundles_now(bus) is True
    await bus.publish(together("a", "b", "c"))
    assert await stored(bus) == 4
    await bus.close()
    await client.close()


async def takes_bundles_now(bus: JetStreamBus) -> bool:
    """As the bus sees it when it looks at the stream again."""
    bus._epoch_until = 0.0
    await bus.epoch()
    return bus._binder.takes_bundles
