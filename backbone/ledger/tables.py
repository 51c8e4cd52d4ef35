"""The tables of packs (contracts.tables): each pack logs in to the ledger's database as a role of its own."""

import asyncio
import logging
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import asyncpg

from backbone.ledger.logins import login_url, role_of
from backbone.ledger.pool import UNREACHABLE, Pool, Url, close_pool, now, open_pool
from backbone.telemetry import metrics
from contracts.tables import DatabaseUnavailable, RowRefused, Rows

log = logging.getLogger(__name__)

MOST = 4
"""Connections of one pack in one process. They are opened when they are needed, and closed after five idle minutes."""
_NO_LOGIN = (asyncpg.InvalidAuthorizationSpecificationError, asyncpg.InvalidCatalogNameError)
_WORD = re.compile(r"[\s(]{0,100}([a-z]+)", re.IGNORECASE)
_STATEMENTS = frozenset({"delete", "insert", "lock", "merge", "select", "truncate", "update", "values", "with"})
"""What a pack may say: rows are read and written. This is not what keeps it in its schema: its login is, whatever it
says (docs/adr/0016). It is for what a login may do to itself, should such text get into a statement: end its
transaction half way, forget what the driver has prepared, change its own password."""


@dataclass(slots=True)
class PostgresTables:
    """The schema `pack_<name>`, by logging in as `dream_pack_<name>`. A pack that is not used opens nothing."""

    url: Url = field(repr=False)
    """Of the ledger's database, as services log in."""
    pack: str
    secret: Url = field(repr=False, default="")
    """What the passwords of packs follow from; without one, from the password in `url`."""
    refused: str = field(init=False, default="")
    """Why the pack could not log in, the last time that it tried."""
    _pool: "Pool | None" = field(init=False, repr=False, default=None)
    _opening: asyncio.Lock = field(init=False, repr=False, default_factory=asyncio.Lock)

    def transaction(self) -> AbstractAsyncContextManager[Rows]:
        return self._transaction()

    @asynccontextmanager
    async def _transaction(self) -> AsyncGenerator[Rows]:
        try:
            pool = self._pool or await self._open()
            async with pool.acquire() as connection, connection.transaction():
                self.refused = ""
                yield _PostgresRows(connection)
        except UNREACHABLE as error:
            raise DatabaseUnavailable(f"the tables of {self.pack!r} cannot be reached: {error!r}") from error
        except _NO_LOGIN as error:
            self.refused = (
                f"the pack {self.pack!r} cannot log in ({error.sqlstate} {error}): run `dream migrate`, with "
                "DREAM_DATABASE_PACKS_SECRET, or without one DREAM_DATABASE_URL, as services have it"
            )
            metrics.LEDGER_REFUSED.labels("login").inc()
            log.error(self.refused)  # noqa: TRY400  # the trace says no more
            raise DatabaseUnavailable(self.refused) from error
        except asyncpg.PostgresError as error:
            constraint = getattr(error, "constraint_name", None)
            # not its detail, nor the error itself below: they show the row, and this goes into logs
            said = getattr(error, "message", None) or ""
            raise RowRefused(f"{type(error).__name__} ({error.sqlstate}): {said}", constraint) from None

    async def _open(self) -> Pool:
        async with self._opening:
            if self._pool is None:
                self._pool = await open_pool(
                    lambda: login_url(now(self.url), role_of(self.pack), now(self.secret)),
                    roles=(),
                    min_size=0,
                    max_size=MOST,
                    # settings and locks that a transaction has left behind are gone before the next
                    reset=True,
                    # temporary tables last, lest they stand before the pack's own
                    more={"search_path": f"pack_{self.pack}, public, pg_temp"},
                    name="packs",
                )
            return self._pool

    async def close(self) -> None:
        if self._pool is not None:
            await close_pool(self._pool)


@dataclass(frozen=True, slots=True)
class PackTables:
    """The tables of all packs, for a whole process: however many ask, a pack has one pool."""

    url: Url = field(repr=False)
    secret: Url = field(repr=False, default="")
    _packs: dict[str, PostgresTables] = field(init=False, repr=False, default_factory=dict)

    def of(self, pack: str) -> PostgresTables:
        return self._packs.setdefault(pack, PostgresTables(self.url, pack, self.secret))

    @property
    def problem(self) -> str:
        """Which packs could not log in when they last tried; empty when none was refused."""
        return "; ".join(tables.refused for tables in self._packs.values() if tables.refused)

    async def close(self) -> None:
        await asyncio.gather(*(tables.close() for tables in self._packs.values()))


@dataclass(frozen=True, slots=True)
class _PostgresRows:
    """See contracts.tables.Rows."""

    connection: Any  # asyncpg's proxy of a pooled connection has no type of its own

    async def fetch(self, sql: str, *args: object) -> Sequence[Mapping[str, Any]]:
        rows: Sequence[Mapping[str, Any]] = await self.connection.fetch(_allowed(sql), *args)
        return rows

    async def fetchrow(self, sql: str, *args: object) -> Mapping[str, Any] | None:
        row: Mapping[str, Any] | None = await self.connection.fetchrow(_allowed(sql), *args)
        return row

    async def execute(self, sql: str, *args: object) -> None:
        # as a fetch: without arguments the driver's own execute() takes several statements at once
        await self.connection.fetch(_allowed(sql), *args)


def _allowed(sql: str) -> str:
    """The statement, if it is one that reads or writes rows. Raises RowRefused."""
    word = _WORD.match(sql)  # a comment before it is refused: they nest, and hide what comes after
    if word is None or word[1].lower() not in _STATEMENTS:
        raise RowRefused(f"{sql.strip()[:40]!r}: a pack's statement is one of {', '.join(sorted(_STATEMENTS))}")
    return sql
