"""The gateway's probes: while it waits for its servers, while it works, while a server is away."""

import asyncio
from contextlib import suppress

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from backbone.health import Probes, Pulse
from backbone.process import probed
from backbone.settings import Settings
from contracts.errors import Code
from dream.local.embedded import EmbeddedNats, free_port
from services.gateway.__main__ import serve
from tests.conformance.harness import until
from tests.integration.gateway.conftest import House


async def checks(http: httpx.AsyncClient) -> dict[str, int]:
    """What is missing, by who says so; the gateway lives all the while."""
    live = await http.get("/health/live")
    assert (live.status_code, live.json()) == (200, {"service": "gateway", "live": True, "problems": []})
    answer = await http.get("/health/ready")
    assert answer.json()["ready"] is (answer.status_code == 200)
    return {one["check"]: one["code"] for one in answer.json()["problems"]}


async def test_a_gateway_answers_before_it_can_serve_and_says_what_it_waits_for(
    settings: Settings, nats_server: EmbeddedNats
) -> None:
    await asyncio.to_thread(nats_server.stop)
    settings = settings.model_copy(update={"port": free_port(), "stop_grace_seconds": 0.0})
    task = asyncio.create_task(probed(settings, Probes("gateway", Pulse()), serve))
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{settings.port}", timeout=15) as http:

            async def waits_for_the_bus() -> bool:
                with suppress(httpx.TransportError):
                    return await checks(http) == {"bus": Code.BUS_UNAVAILABLE}
                return False

            await until(waits_for_the_bus, 20)
            health = await http.get("/health")
            assert health.status_code == 503
            assert health.json()["problems"][0].startswith(f"no NATS at nats://127.0.0.1:{nats_server.port}")
            for refused in (
                await http.post("/agent/run-async", json={"text": "hello"}),
                await http.get("/runs"),
            ):
                assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
                assert refused.headers["content-type"] == "application/problem+json"
                assert refused.json()["code"] == Code.BUS_UNAVAILABLE
                assert "no NATS at" in refused.json()["detail"] and "@" not in refused.json()["detail"]
            with pytest.raises(InvalidStatus) as answer:
                await connect(f"ws://127.0.0.1:{settings.port}/ws/new", proxy=None)
            assert answer.value.response.status_code == 503
            assert "dream_loop_lag_seconds" in (await http.get("/metrics")).text

            await asyncio.to_thread(nats_server.start)

            async def serves() -> bool:
                return not await checks(http)

            await until(serves, 20)
            assert (await http.post("/agent/run-async", json={"text": "hello"})).status_code == 202
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_readiness_follows_the_bus_and_liveness_does_not(house: House, nats_server: EmbeddedNats) -> None:
    assert await checks(house.http) == {}
    await asyncio.to_thread(nats_server.stop)

    async def bus_is_missed() -> bool:
        return "bus" in await checks(house.http)

    async def all_is_there() -> bool:
        return not await checks(house.http)

    await until(bus_is_missed, 20)
    await asyncio.to_thread(nats_server.start)
    await until(all_is_there, 10)
