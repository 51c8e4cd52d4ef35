"""Secrets and logins that live in the database: what there is, and new ones in their place. As the owner."""

import secrets
from typing import Any, NamedTuple

import asyncpg

from backbone.ledger.rights import ROLES

_KEYS = "select 'secret' as kind, name, made_at::text as since from ledger.secrets order by name"
_LOGINS = f"""select 'login' as kind, rolname::text as name, null as since from pg_roles
    where rolcanlogin and (rolname = any('{{{",".join(ROLES)}}}') or rolname like 'dream\\_pack\\_%')
    order by rolname"""  # noqa: S608  # names of ours
_RENEW = "update ledger.secrets set value = $2, made_at = now() where name = $1 returning true"


class Key(NamedTuple):
    """What it is, how it is called, and since when it is there, where that is known. Never its value."""

    kind: str
    name: str
    since: str | None


async def keys(url: str) -> list[Key]:
    """Of the database."""
    connection: Any = await asyncpg.connect(url)
    try:
        return [Key(*row) for sql in (_KEYS, _LOGINS) for row in await connection.fetch(sql)]
    finally:
        await connection.close()


async def renew_secret(url: str, name: str) -> bool:
    """False when there is none of this name. Processes have the old one until they start again."""
    connection: Any = await asyncpg.connect(url)
    try:
        return bool(await connection.fetchval(_RENEW, name, secrets.token_bytes(32)))
    finally:
        await connection.close()
