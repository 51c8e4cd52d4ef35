"""Ids that follow from others."""

from hashlib import sha1
from uuid import UUID

from asyncpg.pgproto import pgproto


def derived(cause: UUID, name: str) -> UUID:
    """uuid.uuid5, as the driver's own kind of UUID: in half the time, and so is everything that asks for its text."""
    digest = bytearray(sha1(cause.bytes + name.encode(), usedforsecurity=False).digest()[:16])
    digest[6] = digest[6] & 0x0F | 0x50
    digest[8] = digest[8] & 0x3F | 0x80
    made: UUID = pgproto.UUID(bytes(digest))
    return made
