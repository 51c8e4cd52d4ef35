"""What a service measures of itself: it is up while it is measured, and a consumer that cannot be asked has no figure."""

import asyncio
from types import SimpleNamespace
from typing import Any

from prometheus_client import REGISTRY

from backbone.bus.port import Subscription
from backbone.gauges import measure
from tests.conformance.deliveries import SPEC, drained
from tests.conformance.facts import message
from tests.fakes.bus import MemoryBus

POOL: Any = SimpleNamespace(_holders=[])
HANDLER: Any = SimpleNamespace(name="films")


class Runner:
    subscription: Subscription | None = None


def value(name: str, **labels: str) -> float | None:
    return REGISTRY.get_sample_value(name, labels)


async def shows(pending: float | None, unsettled: float | None) -> None:
    async with asyncio.timeout(10):
        while (
            value("dream_consumer_pending_messages", handler="films"),
            value("dream_consumer_unsettled_messages", handler="films"),
        ) != (pending, unsettled):
            await asyncio.sleep(0.01)


async def test_lags_follow_the_bus_and_go_when_it_is_away() -> None:
    bus, runner = MemoryBus(), Runner()
    work = asyncio.create_task(measure("cinema", bus, POOL, [HANDLER], [runner], every=0.01))
    try:
        await bus.publish([message(str(number)) for number in range(5)])
        await shows(None, None)
        runner.subscription = await bus.subscribe(SPEC, 8)
        await shows(5, 0)
        await drained(runner.subscription, 2)
        await shows(3, 2)
        assert value("dream_service_up", service="cinema") == 1
        bus.up = False
        await shows(None, None)
        bus.up = True
        await shows(3, 2)
    finally:
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
    assert value("dream_service_up", service="cinema") == 0
