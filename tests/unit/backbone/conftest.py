"""The rig of a test: in memory, or on real servers for tests that say `on_both`."""

import shutil
from collections.abc import AsyncIterator, Mapping

import nats
import pytest

from backbone.bus import declare
from backbone.bus.jetstream import JetStreamBus
from backbone.ledger.postgres import PostgresLedger
from backbone.runner import intake
from contracts import subjects
from dream.local.embedded import EmbeddedNats
from tests.conformance.harness import Rig


@pytest.fixture
async def rig(request: pytest.FixtureRequest) -> AsyncIterator[Rig]:
    if getattr(request, "param", "memory") == "memory":
        yield Rig.in_memory()
        return
    server: EmbeddedNats = request.getfixturevalue("nats_server")
    ledger = await PostgresLedger.connect(request.getfixturevalue("postgres_url"), min_size=0)

    async def disconnected() -> None:
        bus.disconnected()

    async def reconnected() -> None:
        await bus.reconnected()

    async def put(subject: str, headers: Mapping[str, str], body: bytes) -> None:
        await client.publish(subject, body, headers=dict(headers))

    async def error(problem: Exception) -> None:
        """Disconnects are what these tests are about."""

    client = await nats.connect(
        server.url,
        max_reconnect_attempts=-1,
        reconnect_time_wait=0.1,
        disconnected_cb=disconnected,
        reconnected_cb=reconnected,
        error_cb=error,
    )
    bus = JetStreamBus(client, may_create=True, max_bytes=64 * 1024**2, max_age_seconds=3600)
    try:
        await bus.epoch()
        yield Rig(ledger, bus, put)
    finally:
        await bus.close()
        await client.close()
        await ledger.close()


@pytest.fixture
def quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deliveries of a failing message follow each other without the usual waiting."""
    monkeypatch.setattr(intake, "retry_delay", lambda attempt: 0.01)


@pytest.fixture
def wipe(nats_server: EmbeddedNats):
    """Empties the store of the real nats-server."""

    def wipe() -> None:
        nats_server.stop()
        shutil.rmtree(nats_server.store)
        nats_server.start()

    return wipe


@pytest.fixture
def make_anew(nats_server: EmbeddedNats):
    """Deletes the stream of the real nats-server and makes it again, as somebody else could."""

    async def make_anew() -> None:
        client = await nats.connect(nats_server.url)
        try:
            js = client.jetstream(timeout=5)
            await js.delete_stream(subjects.STREAM)
            await declare.stream(js, declare.stream_config(64 * 1024**2, 3600), may_create=True)
        finally:
            await client.close()

    return make_anew
