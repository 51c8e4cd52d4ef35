"""Waiting for a NATS that is not there can be cancelled at every moment."""

import asyncio
import socket

import pytest

from backbone.bus.rights import Station
from backbone.connection import NatsLink
from backbone.settings import Settings


async def nothing() -> None:
    """Nobody wants to hear of it."""


async def test_a_cancellation_in_the_moment_of_a_refusal_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        url = f"nats://127.0.0.1:{held.getsockname()[1]}"
        link = NatsLink(Settings(nats_url=url), Station("planning", {}), nothing, nothing)
        waiting = asyncio.get_running_loop().create_task(link.connect(patient=True))
        refused = 0

        async def refuse(**_: object) -> None:
            nonlocal refused
            refused += 1
            if refused == 2:
                waiting.cancel()  # wait_for hears of it when it has a result already, and forgets it
            raise ConnectionRefusedError

        monkeypatch.setattr(asyncio, "open_connection", refuse)
        done, _ = await asyncio.wait({waiting}, timeout=3)
        waiting.cancel()
        assert done and waiting.cancelled()
        assert refused == 2
