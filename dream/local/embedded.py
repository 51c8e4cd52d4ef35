"""nats-server and Postgres from wheels: no Docker, no root, no download at run time."""

import asyncio

from dream.failures import EmbeddedServerFailed
from dream.local.nats import EmbeddedNats, free_port
from dream.local.postgres import EmbeddedPostgres

__all__ = ["EmbeddedNats", "EmbeddedPostgres", "EmbeddedServerFailed", "free_port", "start_together"]

Server = EmbeddedNats | EmbeddedPostgres


async def start_together(*servers: Server) -> None:
    """Starts servers in threads. A thread cannot be cancelled, so whoever cancels waits until each start gave up."""
    starts = [asyncio.ensure_future(asyncio.to_thread(server.start)) for server in servers]
    try:
        await asyncio.gather(*(asyncio.shield(start) for start in starts))
    except BaseException:
        for server in servers:
            server.stop()
        await asyncio.gather(*starts, return_exceptions=True)
        for server in servers:  # one that was just about to spawn when it was told to give up
            server.stop()
        raise
