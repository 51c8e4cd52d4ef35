"""Keys made, listed and revoked, by who owns the database."""

from datetime import datetime
from typing import Any, NamedTuple

import asyncpg

from backbone.access.keys import ApiKey, new_key
from contracts.access import Role

_ADD = """insert into access.keys (key_id, digest, user_id, role, label, expires_at) values ($1, $2, $3, $4, $5, $6)"""
_LIST = """select key_id, user_id, role, label, created_at, expires_at, revoked_at from access.keys
    where $1 = '' or user_id = $1 order by created_at, key_id"""
_REVOKE = """update access.keys set revoked_at = coalesce(revoked_at, now()) where key_id = $1 returning true"""


class KeyRow(NamedTuple):
    """A key as it is listed: everything but what proves it."""

    key_id: str
    user_id: str
    role: str
    label: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


async def create(url: str, user: str, role: Role, label: str, expires_at: datetime | None) -> str:
    """The text of the new key, which nobody can ever see again."""
    text = new_key()
    key = ApiKey.read(text)
    assert key is not None
    connection: Any = await asyncpg.connect(url)
    try:
        await connection.execute(_ADD, key.key_id, key.digest, user, role.value, label, expires_at)
    finally:
        await connection.close()
    return text


async def listed(url: str, user: str = "") -> list[KeyRow]:
    """All keys, or those of a user, the oldest first."""
    connection: Any = await asyncpg.connect(url)
    try:
        return [KeyRow(*row) for row in await connection.fetch(_LIST, user)]
    finally:
        await connection.close()


async def revoke(url: str, key_id: str) -> bool:
    """False when there is no such key. Gateways heed it within seconds, and end the sockets it has opened."""
    connection: Any = await asyncpg.connect(url)
    try:
        return bool(await connection.fetchval(_REVOKE, key_id))
    finally:
        await connection.close()
