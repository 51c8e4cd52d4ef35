"""The tables of a pack (contracts.tables): its own schema and role in the ledger's database, on the ledger's pool."""

import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import asyncpg

from backbone.ledger.pool import UNREACHABLE, Pool
from contracts.tables import DatabaseUnavailable, RowRefused, Rows

_WORD = re.compile(r"[\s(]*([a-z]+)", re.IGNORECASE)
_STATEMENTS = frozenset({"delete", "insert", "lock", "merge", "select", "truncate", "update", "values", "with"})
"""What a pack may say: rows are read and written. Postgres lets any statement give the role back (reset role, commit,
a block of code), for the login of the pool may have every role that services have (docs/adr/0016)."""
_BACK_DOORS = re.compile(r"set_config|_to_xml|ts_stat|ts_rewrite|dblink|pg_settings|u&[\"']", re.IGNORECASE)
"""Functions and views that set the role, and those that run text as a statement."""


@dataclass(frozen=True, slots=True)
class PostgresTables:
    """The schema `pack_<name>`, entered as the role `dream_pack_<name>` for the length of a transaction: a pack's
    statements read and write rows, one statement at a time, and none of them may leave the role."""

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
            # not its detail, nor the error itself below: they show the row, and this goes into logs
            said = getattr(error, "message", None) or ""
            raise RowRefused(f"{type(error).__name__}: {said}", constraint) from None


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
    if found := _BACK_DOORS.search(sql):
        raise RowRefused(f"{found[0]!r} is not for the statements of a pack: what it does cannot be held to its role")
    return sql
