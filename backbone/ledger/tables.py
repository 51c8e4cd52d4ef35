"""The tables of a pack (contracts.tables): its own schema and role in the ledger's database, on the ledger's pool."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import asyncpg

from backbone.ledger.pool import UNREACHABLE, Pool
from contracts.tables import DatabaseUnavailable, RowRefused, Rows


@dataclass(frozen=True, slots=True)
class PostgresTables:
    """The schema `pack_<name>`, entered as the role `dream_pack_<name>` for the length of a transaction: a pack's
    statements cannot reach the ledger, whatever they say."""

    pool: Pool
    pack: str

    def transaction(self) -> AbstractAsyncContextManager[Rows]:
        return self._transaction()

    @asynccontextmanager
    async def _transaction(self) -> AsyncGenerator[Rows]:
        try:
            async with self.pool.acquire() as connection, connection.transaction():
                # both end with the transaction; the name was checked when the pack was loaded
                await connection.execute(
                    f"set local role dream_pack_{self.pack}; set local search_path = pack_{self.pack}, public"
                )
                yield _PostgresRows(connection)
        except UNREACHABLE as error:
            raise DatabaseUnavailable(f"the tables of {self.pack!r} cannot be reached: {error!r}") from error
        except asyncpg.PostgresError as error:
            constraint = getattr(error, "constraint_name", None)
            raise RowRefused(f"{type(error).__name__}: {error}", constraint) from error


@dataclass(frozen=True, slots=True)
class _PostgresRows:
    """See contracts.tables.Rows."""

    connection: Any  # asyncpg's proxy of a pooled connection has no type of its own

    async def fetch(self, sql: str, *args: object) -> Sequence[Mapping[str, Any]]:
        rows: Sequence[Mapping[str, Any]] = await self.connection.fetch(sql, *args)
        return rows

    async def fetchrow(self, sql: str, *args: object) -> Mapping[str, Any] | None:
        row: Mapping[str, Any] | None = await self.connection.fetchrow(sql, *args)
        return row

    async def execute(self, sql: str, *args: object) -> None:
        await self.connection.execute(sql, *args)
