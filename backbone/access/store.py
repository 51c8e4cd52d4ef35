"""Keys, logins and whose files are whose, on Postgres, on the ledger's pool: as the gateway asks for them."""

import hmac
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Any

from backbone.access.keys import ApiKey, digest_of, new_login
from backbone.ledger.pool import Pool, guarded
from contracts.access import Principal, Role

LOGIN_LASTS = timedelta(days=14)

_VALID = "revoked_at is null and (k.expires_at is null or k.expires_at > $2)"
_OF_KEY = f"select key_id, digest, user_id, role from access.keys k where key_id = $1 and {_VALID}"  # noqa: S608  # ours
_OF_LOGIN = f"""select key_id, user_id, role from access.logins l join access.keys k using (key_id)
    where l.digest = $1 and l.expires_at > $2 and {_VALID}"""  # noqa: S608  # ours
_LOG_IN = "insert into access.logins (digest, key_id, expires_at) values ($1, $2, $3)"
_LOG_OUT = "delete from access.logins where digest = $1 or expires_at < $2"
_KEEP_FILES = "insert into access.files (user_id, digest) select $1, unnest($2::bytea[]) on conflict do nothing"
_FILES_OF = "select encode(digest, 'hex') as digest from access.files where user_id = $1 and digest = any($2::bytea[])"


class AccessStore:
    """Raises LedgerUnavailable where the database cannot be reached."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def of_key(self, text: str) -> Principal | None:
        """Whose key this is; None when it is nobody's, any more or yet."""
        key = ApiKey.read(text)
        if key is None:
            return None
        row = await self._row(_OF_KEY, key.key_id, datetime.now(UTC))
        return _principal(row) if row and hmac.compare_digest(bytes(row["digest"]), key.digest) else None

    async def of_login(self, login: str) -> Principal | None:
        """Who logged in with it; None when it has been logged out, or its key is no more."""
        row = await self._row(_OF_LOGIN, digest_of(login), datetime.now(UTC))
        return _principal(row) if row else None

    async def log_in(self, principal: Principal) -> str:
        """A login for a browser of somebody who showed a key."""
        login = new_login()
        until = datetime.now(UTC) + LOGIN_LASTS
        await guarded(lambda: self._pool.execute(_LOG_IN, digest_of(login), principal.key_id, until))
        return login

    async def log_out(self, login: str) -> None:
        """May be said again. What has expired goes with it."""
        await guarded(lambda: self._pool.execute(_LOG_OUT, digest_of(login), datetime.now(UTC)))

    async def keep_files(self, user: str, artifact_ids: Collection[str]) -> None:
        """They are the person's, too. May be said again."""
        digests = sorted(map(bytes.fromhex, artifact_ids))  # in one order: two who say the same at once wait in line
        await guarded(lambda: self._pool.execute(_KEEP_FILES, user, digests))

    async def files_of(self, user: str, artifact_ids: Collection[str]) -> set[str]:
        """Those of the files that are the person's."""
        digests = [bytes.fromhex(one) for one in artifact_ids]
        return {row["digest"] for row in await guarded(lambda: self._pool.fetch(_FILES_OF, user, digests))}

    async def _row(self, sql: str, *values: object) -> Any:
        return await guarded(lambda: self._pool.fetchrow(sql, *values))


def _principal(row: Any) -> Principal:
    return Principal(user=row["user_id"], role=Role(row["role"]), key_id=row["key_id"])
