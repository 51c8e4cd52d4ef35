"""What a process tells its cluster: while it waits for what it needs, while it works, when its loop is stuck, when it
stops. Real servers; the process's machinery runs here, with its health port."""

import asyncio
import gc
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import httpx
import pytest

from backbone.health import Checks, Probes
from backbone.ledger.migrate import migrate
from backbone.service import Backbone, Service
from backbone.settings import Settings
from contracts.errors import Code
from dream.local.embedded import EmbeddedNats, free_port
from tests.conformance.harness import until
from tests.conftest import as_owner, as_superuser, made, wait_for
from tests.integration.backbone.probing import Asked, process, settings_of


async def test_a_process_names_in_turn_what_it_waits_for_and_lives_meanwhile(
    postgres_server: Callable[[str], str], nats_server: EmbeddedNats, tmp_path: Path
) -> None:
    name = f"late_{uuid4().hex[:8]}"
    url, admin = postgres_server(name), as_superuser(postgres_server("postgres"))
    await asyncio.to_thread(nats_server.stop)
    async with process(settings_of(nats_server.url, url, tmp_path)) as asked:
        said = await asked.until(lambda found: name in found.get("ledger", ""))
        assert "does not exist" in said["ledger"]
        wait_for(execute(admin, made(name, "template1")))
        try:
            said = await asked.until(lambda found: "dream migrate" in found.get("ledger", ""))
            wait_for(applied(as_owner(url), url))
            said = await asked.until(lambda found: "no NATS at" in found.get("bus", ""))
            secret = nats_server.url.partition("@")[0].rpartition(":")[2]
            assert said["bus"].startswith(f"no NATS at nats://127.0.0.1:{nats_server.port}")
            assert secret not in said["bus"] and "ledger" not in said
            assert (await asked.http.get("/health")).status_code == 503
            await asyncio.to_thread(nats_server.start)
            await asked.until(lambda found: not found)
            assert (await asked.http.get("/health")).text == "ok"

            await asyncio.to_thread(nats_server.stop)
            await asked.until(lambda found: "bus" in found)
            await asyncio.to_thread(nats_server.start)
            await asked.until(lambda found: not found, 10)
            assert not asked.task.done()
        finally:
            asked.task.cancel()
            await asyncio.wait({asked.task})
            wait_for(execute(admin, f"drop database {name} with (force)"))


async def applied(owner: str, services: str) -> None:
    await migrate(owner, (), services)


async def execute(url: str, *statements: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # writers that nats-py has closed and drops
async def test_passwords_come_from_files_and_a_new_one_is_taken_at_the_next_connect(
    postgres_url: str, nats_server: EmbeddedNats, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = as_superuser(postgres_url)
    await execute(admin, "create role rotated login password 'first-one' in role dream_service")
    at = postgres_url.partition("@")[2]
    nats_file, database_file = tmp_path / "nats", tmp_path / "database"
    nats_file.write_text(f"nats://dream:not-this-one@127.0.0.1:{nats_server.port}\n")
    database_file.write_text(f"postgresql://rotated:nor-this@{at}\n")
    monkeypatch.setenv("DREAM_NATS_URL_FILE", str(nats_file))
    monkeypatch.setenv("DREAM_DATABASE_URL_FILE", str(database_file))
    settings = Settings(
        artifacts_url=tmp_path.as_uri(), bus_max_bytes=64 * 1024**2, health_port=free_port(), stop_grace_seconds=0
    )
    try:
        async with process(settings) as asked:
            said = await asked.until(lambda found: "refuses the login" in found.get("ledger", ""))
            database_file.write_text(f"postgresql://rotated:first-one@{at}\n")
            said |= await asked.until(lambda found: "Authorization" in found.get("bus", ""))
            assert not any(word in str(said) for word in ("not-this-one", "nor-this", "first-one"))
            nats_file.write_text(f"{nats_server.url}\n")
            await asked.until(lambda found: not found)

            # both passwords change while it works
            await execute(
                admin,
                "alter role rotated password 'second-one'",
                "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'rotated'",
            )
            database_file.write_text(f"postgresql://rotated:second-one@{at}\n")
            await asyncio.to_thread(nats_server.stop)
            (nats_server.folder / "password").write_text("another-one-of-nats")
            changed = EmbeddedNats(nats_server.folder, nats_server.port)
            await asyncio.to_thread(changed.start)
            try:
                said = await asked.until(lambda found: "Authorization" in found.get("bus", ""))
                assert "no NATS at" in said["bus"] and "@" not in said["bus"]
                nats_file.write_text(f"{changed.url}\n")
                await asked.until(lambda found: not found)
            finally:
                await asyncio.to_thread(changed.stop)
    finally:
        await execute(admin, "drop role rotated")
        gc.collect()


async def test_a_loop_that_is_stuck_is_told_by_the_port_itself(
    postgres_url: str, nats_server: EmbeddedNats, tmp_path: Path
) -> None:
    go = asyncio.Event()

    async def holds_everybody_up(_: Service) -> None:
        await go.wait()
        time.sleep(4)  # noqa: ASYNC251  # what must not happen
        await asyncio.Event().wait()

    settings = settings_of(nats_server.url, postgres_url, tmp_path, live_seconds=1)
    async with process(settings, holds_everybody_up) as asked:
        await asked.until(lambda found: not found)
        url = f"http://127.0.0.1:{settings.health_port}"
        seen = asyncio.ensure_future(asyncio.to_thread(watched, url))
        await asyncio.sleep(0.2)  # its thread has begun
        go.set()
        statuses, said = await seen
        assert statuses[0] == 200 and 503 in statuses
        assert said["problems"][0]["code"] == Code.LOOP_STUCK
        assert "the event loop has not turned for" in said["problems"][0]["message"]
        await until(lambda: is_live(asked))
        lag = next(
            float(line.split()[1])
            for line in (await asked.http.get("/metrics/")).text.splitlines()
            if line.startswith("dream_loop_lag_seconds ")
        )
        assert lag > 2


async def is_live(asked: Asked) -> bool:
    return (await asked("live"))[0] == 200


def watched(url: str) -> tuple[list[int], dict[str, Any]]:
    """Statuses of the liveness probe until one is 503, and what that one said; asked from another thread."""
    statuses: list[int] = []
    with httpx.Client(base_url=url, trust_env=False, timeout=10) as http:
        for _ in range(200):
            answer = http.get("/health/live")
            statuses.append(answer.status_code)
            if answer.status_code != 200:
                return statuses, dict(answer.json())
            time.sleep(0.05)
    return statuses, {}


async def test_a_loop_that_has_ended_is_what_only_a_new_start_mends(
    postgres_url: str, nats_server: EmbeddedNats, tmp_path: Path
) -> None:
    async def ends(_: Service) -> None:
        raise ArithmeticError("7 is not 8")

    backbone = await Backbone.connect(settings_of(nats_server.url, postgres_url, tmp_path))
    service = Service("half", backbone, background=[ends])
    probes = Probes("half", backbone.pulse, service=service)
    await service.start()
    try:
        await until(lambda: bool(probes.live()))
        assert [(one.code, one.message) for one in probes.live()] == [
            (Code.LOOP_ENDED, "half:background has ended"),
        ]
        assert await probes.ready() == probes.live()
    finally:
        await service.stop()
        await backbone.close()


async def test_who_is_told_to_stop_is_not_ready_at_once_and_lives(
    postgres_url: str, nats_server: EmbeddedNats, tmp_path: Path
) -> None:
    async with process(settings_of(nats_server.url, postgres_url, tmp_path)) as asked:
        await asked.until(lambda found: not found)
        asked.probes.stopping = True
        assert await asked.blames() == {"stop": "it is stopping"}


async def test_a_folder_for_artifacts_that_is_gone_is_not_ready(
    postgres_url: str, nats_server: EmbeddedNats, tmp_path: Path
) -> None:
    settings = settings_of(nats_server.url, postgres_url, tmp_path)
    async with process(settings) as asked:
        await asked.until(lambda found: not found)
        (tmp_path / "artifacts").rename(tmp_path / "elsewhere")
        said = await asked.until(lambda found: "artifacts" in found)
        assert str(tmp_path / "artifacts") in said["artifacts"]


async def test_checks_are_asked_together_and_each_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backbone.health.CHECK_SECONDS", 0.2)
    checks = Checks()

    async def well() -> str:
        return ""

    async def fails() -> str:
        raise ZeroDivisionError("nothing to divide")

    async def hangs() -> str:
        await asyncio.Event().wait()
        return ""

    for name, look in (("a", well), ("b", fails), ("c", hangs), ("d", hangs)):
        checks.add(name, Code.EXTERNAL_UNAVAILABLE, look)
    async with asyncio.timeout(5):
        found = await checks.problems()
    assert [(one.check, int(one.code)) for one in found] == [("b", 8000), ("c", 8000), ("d", 8000)]
    assert "ZeroDivisionError" in found[0].message and "no answer" in found[1].message


async def test_whatever_holds_a_process_up_it_ends_within_its_budget(
    postgres_url: str, nats_server: EmbeddedNats, tmp_path: Path
) -> None:
    """A thread of a library that never comes back: Python would wait for it at the end of the process."""
    program = """
import asyncio, time
from backbone import process
from backbone.service import Service
from backbone.stopping import StopBudget

process.stop_budget = lambda *_: StopBudget((("everything", 3.0),))

async def stuck(service):
    await asyncio.to_thread(time.sleep, 600)

process.main("half", lambda backbone: Service("half", backbone, background=[stuck]))
"""
    port = free_port()
    environment = {
        **os.environ, "DREAM_NATS_URL": nats_server.url, "DREAM_DATABASE_URL": postgres_url,
        "DREAM_ARTIFACTS_URL": tmp_path.as_uri(), "DREAM_BUS_MAX_BYTES": str(64 * 1024**2),
        "DREAM_HEALTH_PORT": str(port), "DREAM_STOP_GRACE_SECONDS": "0", "DREAM_NATS_URLS": "misspelt",
    }  # fmt: skip
    running = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, env=environment, stderr=asyncio.subprocess.PIPE
    )
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}/health", trust_env=False) as http:

            async def ready() -> bool:
                with suppress(httpx.TransportError):
                    return (await http.get("/ready")).status_code == 200
                return False

            await until(ready, 40)
        running.terminate()
        _, said = await asyncio.wait_for(running.communicate(), 40)
    finally:
        if running.returncode is None:
            running.kill()
    assert running.returncode == 0
    assert "it has not stopped within 3 s, and is ended" in said.decode()
    assert "DREAM_NATS_URLS is not a setting: did you mean DREAM_NATS_URL?" in said.decode()
