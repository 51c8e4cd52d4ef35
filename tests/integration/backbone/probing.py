"""A process as its cluster sees it: its machinery runs here, and its health port is asked."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
from pydantic import SecretStr

from backbone.health import Probes, Pulse
from backbone.process import probed, serving
from backbone.service import Backbone, Background, Service
from backbone.settings import Settings
from backbone.timers import run_timers
from dream.local.embedded import free_port
from tests.conformance.harness import until


def settings_of(nats_url: str, database_url: str, folder: Path, **more: Any) -> Settings:
    return Settings(
        nats_url=nats_url,
        database_url=SecretStr(database_url),
        artifacts_url=(folder / "artifacts").as_uri(),
        bus_max_bytes=64 * 1024**2,
        health_port=free_port(),
        stop_grace_seconds=0,
        **more,
    )


class Asked:
    """The health port of a process that runs here."""

    def __init__(self, settings: Settings, probes: Probes, task: "asyncio.Task[None]") -> None:
        self.probes, self.task = probes, task
        self.http = httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{settings.health_port}", trust_env=False, timeout=10, verify=False
        )

    async def __call__(self, what: str) -> tuple[int, dict[str, Any]]:
        answer = await self.http.get(f"/health/{what}")
        said: dict[str, Any] = answer.json()
        assert said[what] is (answer.status_code == 200) is not bool(said["problems"])
        return answer.status_code, said

    async def blames(self) -> dict[str, str]:
        """Sentences by who says them; what is not ready lives all the same."""
        assert (await self("live"))[0] == 200
        return {one["check"]: one["message"] for one in (await self("ready"))[1]["problems"]}

    async def until(self, condition: Callable[[dict[str, str]], bool], seconds: float = 20.0) -> dict[str, str]:
        found: dict[str, str] = {}

        async def look() -> bool:
            found.clear()
            found.update(await self.blames())
            return condition(found)

        try:
            await until(look, seconds)
        except TimeoutError:
            raise AssertionError(f"it says {found}") from None
        return found


@asynccontextmanager
async def process(settings: Settings, *background: Background) -> AsyncIterator[Asked]:
    def build(backbone: Backbone) -> Service:
        return Service("half", backbone, relays=["timers"], background=[run_timers, *background])

    probes = Probes("half", Pulse(), settings.live_seconds)
    task = asyncio.create_task(probed(settings, probes, serving(build)))
    asked = Asked(settings, probes, task)
    await asyncio.sleep(0)  # it listens before it does anything else
    try:
        yield asked
    finally:
        await asked.http.aclose()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
