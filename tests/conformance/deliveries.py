"""Draining a subscription in a test, and what is expected of it."""

import asyncio

import pytest

from backbone.bus.port import Bus, BusUnavailable, ConsumerSpec, Delivery, Subscription
from contracts import registry, subjects
from contracts.envelope import Message
from tests.conformance.facts import PRODUCER

NOTES = (subjects.pattern(PRODUCER, "FeedbackGiven"),)
SPEC = ConsumerSpec("conformance", NOTES, ack_wait=0.6)
SOON = 8.0
"""Seconds within which a subscription is expected to be well again after an accident."""


async def drained(subscription: Subscription, number: int, timeout: float = SOON) -> list[Delivery]:
    """That many deliveries, in order, not settled."""
    found: list[Delivery] = []
    async with asyncio.timeout(timeout):
        while len(found) < number:
            found += await subscription.drain(number - len(found))
    return found


async def nothing_within(subscription: Subscription, seconds: float) -> None:
    """Fails when something is delivered."""
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(seconds):
            found = await subscription.drain(1)
            raise AssertionError(f"delivered: {text(found[0])!r}, attempt {found[0].attempt}")


def text(delivery: Delivery) -> str:
    """The comment of a delivered note."""
    return str(registry.parse("FeedbackGiven", 1, delivery.body).model_dump()["comment"])


async def published(bus: Bus, *messages: Message) -> None:
    """Publishes, again and again while the bus is away."""
    async with asyncio.timeout(SOON):
        while True:
            try:
                await bus.publish(messages)
                return
            except BusUnavailable:
                await asyncio.sleep(0.05)
