"""What a service measures of itself every few seconds: the lag of its consumers, and how long certificates last."""

import asyncio
import ssl
import time
from collections.abc import Sequence
from typing import Any, Protocol

from backbone.bus.port import Bus, Subscription
from backbone.ledger.pool import Pool
from backbone.runner.handlers import AnyHandler
from backbone.telemetry import metrics

EVERY = 15.0
"""Seconds. Each process asks NATS once for each of its consumers, and the database nothing."""
DAY = 86_400.0


class Subscribed(Protocol):
    """A runner, as far as it is measured."""

    subscription: Subscription | None


async def measure(
    name: str, bus: Bus, pool: Pool, handlers: Sequence[AnyHandler], runners: Sequence[Subscribed], every: float = EVERY
) -> None:
    """Until cancelled. `runners` are those of the handlers, in their order."""
    up = metrics.SERVICE_UP.labels(name)
    up.set(1)
    try:
        while True:
            for handler, runner in zip(handlers, runners, strict=True):
                await _lag(handler.name, runner.subscription)
            certificates(bus, pool)
            await asyncio.sleep(every)
    finally:
        up.set(0)


async def _lag(handler: str, subscription: Subscription | None) -> None:
    waits = await subscription.backlog() if subscription else None
    if waits is None:
        for gauge in (metrics.CONSUMER_PENDING, metrics.CONSUMER_UNSETTLED):
            gauge.remove(handler)  # an old figure is worse than none
        return
    metrics.CONSUMER_PENDING.labels(handler).set(waits.pending)
    metrics.CONSUMER_UNSETTLED.labels(handler).set(waits.unsettled)


def certificates(bus: Bus, pool: Pool) -> None:
    """Days that are left of those that we have checked ourselves; where there is no TLS there is no figure."""
    for peer, ends in (("nats", bus.certificate_ends()), ("postgres", _of_database(pool))):
        if ends is not None:
            metrics.CERTIFICATE_DAYS.labels(peer).set((ends - time.time()) / DAY)


def _of_database(pool: Pool) -> float | None:
    inside: Any = pool  # no door to a connection's certificate but to take one from those who wait for it
    for holder in inside._holders:  # noqa: SLF001  # as above
        transport = getattr(holder._con, "_transport", None)  # noqa: SLF001  # as above
        tls: ssl.SSLObject | None = transport.get_extra_info("ssl_object") if transport else None
        ends = (tls.getpeercert() or {}).get("notAfter") if tls else None
        if isinstance(ends, str):
            return float(ssl.cert_time_to_seconds(ends))
    return None
