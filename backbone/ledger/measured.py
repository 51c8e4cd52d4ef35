"""A pool that tells how long one waits for a connection, and how many are open."""

import time
from typing import Any
from weakref import WeakSet

import asyncpg

from backbone.telemetry import metrics, tracing

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
