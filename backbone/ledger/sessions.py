"""Whether a connection to the database is a session of its own. Behind a pooler that shares sessions by transaction,
locks and settings are everybody's: two relays would lead at once (docs/adr/0031)."""

import asyncpg

from backbone.ledger.pool import Pool
from backbone.ledger.readable import LedgerRefused

_PID = "select pg_backend_pid()"
ROUNDS = 3


class SessionsShared(LedgerRefused):
    """The database is reached through a pooler in transaction or statement mode."""

    def __init__(self) -> None:
        super().__init__(
            "the database's connections are shared by transaction (PgBouncer's pool_mode = transaction?): locks and"
            " settings do not last. Use pool_mode = session, or no pooler"
        )


async def check_sessions(pool: Pool) -> None:
    """Raises SessionsShared. Two connections of ours must never be the same session, nor one of them change it."""
    try:
        async with pool.acquire() as one, pool.acquire() as other:
            for _ in range(ROUNDS):
                before = await one.fetchval(_PID)
                async with other.transaction():
                    theirs = await other.fetchval(_PID)
                    after = await one.fetchval(_PID)
                if theirs in (before, after) or before != after:
                    raise SessionsShared
    except (
        asyncpg.DuplicatePreparedStatementError,
        asyncpg.InvalidSQLStatementNameError,
        asyncpg.ProtocolViolationError,
    ) as error:
        raise SessionsShared from error
