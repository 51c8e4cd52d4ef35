"""Connections for what lives in the ledger's database: how they are opened, and what the driver's errors mean there."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias, TypeVar

import asyncpg

from backbone.ledger.port import LedgerUnavailable, NotRecordable

Pool: TypeAlias = "asyncpg.Pool[asyncpg.Record]"
T = TypeVar("T")

UNREACHABLE = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # what asyncpg says when a connection died in the middle of a conversation
    asyncpg.OperatorInterventionError,  # shutdown, crash, start-up, cancelled by an administrator
    asyncpg.InsufficientResourcesError,  # disk full, out of memory, too many connections
    asyncpg.ReadOnlySQLTransactionError,  # a standby that is not promoted yet
    TimeoutError,
)
_NOT_YET = (
    asyncpg.InvalidCatalogNameError,
    asyncpg.InvalidParameterValueError,
)  # no database or no role: not migrated yet
_NONE: Mapping[str, str] = MappingProxyType({})


async def _nothing(_: object) -> None:
    """Our statements leave nothing behind in a connection; asyncpg's own reset is a round trip after each of them."""


def _said(settings: Mapping[str, str]) -> str:
    """Statements, not parameters of the connection's start: a pooler in session mode refuses those, or drops them
    without a word, and then we would act as whoever logged in."""
    quoted = {name: value.replace("'", "''") for name, value in settings.items()}
    return "".join(f"select set_config('{name}', '{value}', false);" for name, value in quoted.items())


async def open_pool(
    url: str,
    *,
    role: str | None = "dream_service",
    min_size: int = 2,
    max_size: int = 8,
    reset: bool = False,
    more: Mapping[str, str] = _NONE,
) -> Pool:
    """Opens a pool as the least privileged role. Raises LedgerUnavailable when there is no database at `url`.

    `role` None is whoever logs in. `reset` is for those who hold session locks: asyncpg gives them back on release.
    `more` are server settings."""
    settings = ({"role": role} if role else {}) | {
        # A transaction that waits for nothing stalls every relay: Postgres ends it (docs/adr/0002).
        "idle_in_transaction_session_timeout": "15000",
        # Short set-based statements: compiling them costs more than running them.
        "jit": "off",
        # Their plans do not depend on the values; planning them anew takes as long as running them (-35 % CPU).
        "plan_cache_mode": "force_generic_plan",
    }
    said = _said(settings | dict(more))

    async def begin(connection: "asyncpg.Connection[asyncpg.Record]") -> None:
        await connection.execute(said)

    async def begin_again(connection: "asyncpg.Connection[asyncpg.Record]") -> None:
        await connection.execute(f"{connection.get_reset_query()}\n{said}")

    try:
        return await asyncpg.create_pool(
            url,
            min_size=min_size,
            max_size=max_size,
            command_timeout=60,
            server_settings={"application_name": "dream"},
            init=begin,
            reset=begin_again if reset else _nothing,
        )
    except (*UNREACHABLE, *_NOT_YET) as error:
        raise LedgerUnavailable(f"no ledger: {error!r}") from error


async def close_pool(pool: Pool) -> None:
    """Waits for who still uses a connection, but not for long."""
    try:
        async with asyncio.timeout(5):
            await pool.close()
    except TimeoutError:
        pool.terminate()


async def guarded(call: Callable[[], Awaitable[T]]) -> T:
    """Translates the driver's errors: LedgerUnavailable may succeed later, NotRecordable never will."""
    try:
        return await call()
    except UNREACHABLE as error:
        raise LedgerUnavailable(f"the ledger does not answer: {error!r}") from error
    except asyncpg.DataError as error:
        raise NotRecordable(str(error)) from error
