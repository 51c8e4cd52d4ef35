"""Connections for what lives in the ledger's database: how they are opened, and what the driver's errors mean there. A
pool that tells how long one waits for a connection, and how many are open."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar
from urllib.parse import parse_qs, urlsplit
from weakref import WeakSet

import asyncpg

from backbone.ledger.logins import SERVICES
from backbone.ledger.port import LedgerUnavailable, NotRecordable
from backbone.telemetry import metrics, tracing

Pool: TypeAlias = "asyncpg.Pool[asyncpg.Record]"
Url: TypeAlias = str | Callable[[], str]
"""Where the database is and who logs in; what is called is asked at each new connection, for a password may change."""
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
_NO_LOGIN = asyncpg.InvalidAuthorizationSpecificationError
CONNECT_SECONDS = 5.0
"""For one connection: where packets vanish, nobody answers at all, and a server that is back should be found soon."""
_NONE: Mapping[str, str] = MappingProxyType({})


async def _nothing(_: object) -> None:
    """Our statements leave nothing behind in a connection; asyncpg's own reset is a round trip after each of them."""


def _said(settings: Mapping[str, str]) -> str:
    """Statements, not parameters of the connection's start: a pooler in session mode refuses those, or drops them
    without a word, and then we would act as whoever logged in."""
    quoted = {name: value.replace("'", "''") for name, value in settings.items()}
    return "".join(f"select set_config('{name}', '{value}', false);" for name, value in quoted.items())


def now(url: Url) -> str:
    """The URL at this moment."""
    return url if isinstance(url, str) else url()


_ACT = """select set_config('role', coalesce((select rolname from pg_roles
      join unnest(array[{names}]) with ordinality o(name, place) on rolname = name
     where pg_has_role(session_user, oid, case when current_setting('server_version_num')::int < 160000 then 'MEMBER'
                                               else 'SET' end)
     order by place limit 1), '{last}'), false);"""
"""The first of some roles that whoever logged in may act as; where there is none, the last is refused, by its name."""


def _acting(roles: Sequence[str]) -> str:
    names = [role.replace("'", "''") for role in roles]
    return _ACT.format(names=", ".join(f"'{name}'" for name in names), last=names[-1]) if names else ""


async def open_pool(  # noqa: PLR0913  # what a pool is opened with; all but the URL by name
    url: Url,
    name: str = "ledger",
    *,
    roles: Sequence[str] = (SERVICES,),
    min_size: int = 2,
    max_size: int = 8,
    reset: bool = False,
    more: Mapping[str, str] = _NONE,
) -> Pool:
    """Opens a pool as the least privileged role. Raises LedgerUnavailable when there is no database at `url`.

    That is the first of `roles` which the login may act as; without any, whoever logs in. `reset` is for those who hold
    session locks: asyncpg gives them back on release. `more` are server settings; `name` is what the pool is called in
    metrics."""
    settings = {
        # A transaction that waits for nothing stalls every relay: Postgres ends it (docs/adr/0002).
        "idle_in_transaction_session_timeout": "15000",
        # Short set-based statements: compiling them costs more than running them.
        "jit": "off",
        # Their plans do not depend on the values; planning them anew takes as long as running them (-35 % CPU).
        "plan_cache_mode": "force_generic_plan",
        # And made over tables that are small then: one that reads a table whole is not right for long.
        "enable_seqscan": "off",
        # A plan without values thinks that relays read much, and starts processes for it at each look.
        "max_parallel_workers_per_gather": "0",
    }
    said = _acting(roles) + _said(settings | dict(more))

    async def begin(connection: "asyncpg.Connection[asyncpg.Record]") -> None:
        await connection.execute(said)

    async def begin_again(connection: "asyncpg.Connection[asyncpg.Record]") -> None:
        await connection.execute(f"{connection.get_reset_query()}\n{said}")

    async def connect(_: object, **options: Any) -> Any:  # the stubs want all of its arguments by name
        return await asyncpg.connect(now(url), **options)

    try:
        return await MeasuredPool(
            name,
            connect=connect,
            timeout=CONNECT_SECONDS,
            min_size=min_size,
            max_size=max_size,
            command_timeout=60,
            server_settings={"application_name": "dream"},
            init=begin,
            reset=begin_again if reset else _nothing,
        )
    except (*UNREACHABLE, *_NOT_YET) as error:
        raise LedgerUnavailable(f"no ledger at {_place(now(url))}: {error!r}") from error
    except _NO_LOGIN as error:
        metrics.LEDGER_REFUSED.labels("login").inc()
        raise LedgerUnavailable(f"no ledger: Postgres refuses the login: {error}") from None
    except asyncpg.InsufficientPrivilegeError as error:
        metrics.LEDGER_REFUSED.labels("right").inc()
        raise LedgerUnavailable(f"no ledger: Postgres refuses a right: {error}") from None
    except KeyError as error:
        if "getpwuid" not in str(error):
            raise
        raise LedgerUnavailable("no ledger: DREAM_DATABASE_URL names no user, and this one has no name") from None


def _place(url: str) -> str:
    """Where a database is, without a login: as it is told to people."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2] or parse_qs(parts.query).get("host", [""])[0]
    return f"{host}{parts.path}" if host else "DREAM_DATABASE_URL"


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
    except _NO_LOGIN as error:
        metrics.LEDGER_REFUSED.labels("login").inc()
        raise LedgerUnavailable(f"the ledger refuses the login: {error}") from None
    except asyncpg.InsufficientPrivilegeError as error:
        metrics.LEDGER_REFUSED.labels("right").inc()
        raise LedgerUnavailable(f"the ledger refuses a right: {error}") from error
    except asyncpg.DataError as error:
        raise NotRecordable(str(error)) from error


_DEFAULTS = {
    "max_queries": 50_000,
    "max_inactive_connection_lifetime": 300.0,
    "loop": None,
    "connection_class": asyncpg.Connection,
    "record_class": asyncpg.Record,
}
"""Those of asyncpg.create_pool, which makes pools of no other class."""
_open: "dict[str, WeakSet[MeasuredPool]]" = {}


class MeasuredPool(asyncpg.Pool):
    """See asyncpg.create_pool. `name` is what the pool is for; pools of one name are counted together."""

    def __init__(self, name: str, dsn: str | None = None, **options: Any) -> None:
        super().__init__(dsn, **(_DEFAULTS | options))
        self._waited = metrics.POOL_WAIT.labels(name)
        pools = _open.setdefault(name, WeakSet())
        pools.add(self)
        metrics.POOL_CONNECTIONS.labels(name, "used").set_function(lambda: sum(pool.used for pool in tuple(pools)))
        metrics.POOL_CONNECTIONS.labels(name, "idle").set_function(
            lambda: sum(pool.get_idle_size() for pool in tuple(pools))
        )

    @property
    def used(self) -> int:
        """Connections that somebody has now."""
        return self.get_size() - self.get_idle_size()

    async def _acquire(self, timeout: float | None) -> Any:  # noqa: ASYNC109  # of asyncpg; whatever it gives comes by here
        since = time.perf_counter()
        try:
            return await super()._acquire(timeout)  # type: ignore[misc]  # its stubs have only what is public
        finally:
            self._waited.observe(time.perf_counter() - since, tracing.exemplar())
