"""Claims on Postgres: the right to do what nobody else does meanwhile, as session locks of one connection.

A lock ends with its process, at once: whoever takes over need not wait for a lease to run out. A process that is frozen
or cut off loses its locks when Postgres ends its silent connection (LEADER_SILENCE)."""

import asyncio
import logging
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

from backbone.ledger.pool import UNREACHABLE, Pool, guarded
from backbone.ledger.port import LedgerUnavailable

log = logging.getLogger(__name__)

POLL = 0.2
"""Seconds between two looks whether a claim of somebody else has ended."""
BEAT = 3.0
"""Seconds between two signs of life while something is claimed; Postgres ends a silence of ten."""
_LOCK = "select pg_try_advisory_lock(hashtextextended($1, 1))"
_UNLOCK = "select pg_advisory_unlock(hashtextextended($1, 1))"


class Claims:
    """See backbone.ledger.port.Ledger.claimed. Those of one process share a connection, there as long as they are."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._connection: Any = None
        self._one = asyncio.Lock()
        self._held: set[str] = set()
        self._wanted: set[str] = set()
        self._beats: asyncio.Task[None] | None = None
        self._leaving: set[asyncio.Future[None]] = set()

    @asynccontextmanager
    async def claimed(self, key: str) -> AsyncIterator[None]:
        while not await self._take(key):  # noqa: ASYNC110  # who holds it may be another process
            await asyncio.sleep(POLL * random.uniform(0.5, 1.0))  # noqa: S311  # jitter, not a secret
        try:
            yield
        finally:
            # not with whoever is cancelled: the lock would stay for as long as this process
            await asyncio.shield(self._leave(key))

    async def _take(self, key: str) -> bool:
        if key in self._wanted:
            return False  # a session is given its own lock again
        self._wanted.add(key)
        asking = asyncio.ensure_future(self._ask(_LOCK, key))
        try:
            taken = bool(await asyncio.shield(asking))
        except BaseException:
            asking.add_done_callback(lambda done: self._abandon(key, done))
            raise
        if not taken:
            self._wanted.discard(key)
            return False
        self._held.add(key)
        if self._beats is None or self._beats.done():
            self._beats = asyncio.create_task(self._beat(), name="claims")
        return True

    def _abandon(self, key: str, asked: "asyncio.Future[Any]") -> None:
        """Whoever asked has gone away meanwhile."""
        if not asked.cancelled() and asked.exception() is None and asked.result():
            self._leave(key)
        else:
            self._wanted.discard(key)

    def _leave(self, key: str) -> "asyncio.Future[None]":
        leaving = asyncio.ensure_future(self._give_back(key))
        self._leaving.add(leaving)
        leaving.add_done_callback(self._leaving.discard)
        return leaving

    async def _give_back(self, key: str) -> None:
        self._held.discard(key)
        try:
            with suppress(LedgerUnavailable):  # then the lock has gone with its connection
                await self._ask(_UNLOCK, key)
        finally:
            self._wanted.discard(key)

    async def _ask(self, statement: str, key: str) -> Any:
        async with self._one:
            connection = await self._connected()
            return await guarded(partial(connection.fetchval, statement, key, timeout=10))

    async def _connected(self) -> Any:
        if self._connection is not None and _is_lost(self._connection):
            await self._drop()
        if self._connection is None:
            self._connection = await guarded(self._pool.acquire)
            try:
                await self._claim_again(self._connection)
            except BaseException:
                await self._drop()
                raise
        return self._connection

    async def _claim_again(self, connection: Any) -> None:
        """The connection was lost while the work went on."""
        for key in list(self._held):
            if not await guarded(partial(connection.fetchval, _LOCK, key, timeout=10)):
                log.warning("the claim %s was lost, and somebody else has it", key)

    async def _beat(self) -> None:
        """A sign of life now and then; when nothing is claimed any more, the connection is given back."""
        while True:
            await asyncio.sleep(BEAT)
            async with self._one:
                if not self._wanted:
                    await self._drop()
                    return
                with suppress(LedgerUnavailable):
                    connection = await self._connected()
                    await guarded(partial(connection.fetchval, "select 1", timeout=10))

    async def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(*UNREACHABLE):
                await self._pool.release(connection, timeout=2)

    async def close(self) -> None:
        """Gives everything back."""
        if self._beats is not None:
            self._beats.cancel()
        async with self._one:
            await self._drop()


def _is_lost(connection: Any) -> bool:
    try:
        return bool(connection.is_closed())
    except UNREACHABLE:
        return True  # the pool has noticed first, and taken it back
