"""What a key looks like: `dream_<id>_<secret><checksum>`. The id names its row, the secret proves it, and the checksum
lets scanners of repositories know a key from a word, and us refuse what was copied in half without asking anybody."""

import re
import secrets
from dataclasses import dataclass
from hashlib import sha256
from typing import Self
from zlib import crc32

ID_DIGITS, SECRET_DIGITS, CHECK_DIGITS = 12, 40, 8
"""Hexadecimal: a secret has 160 random bits."""
_KEY = re.compile(rf"dream_([0-9a-f]{{{ID_DIGITS}}})_([0-9a-f]{{{SECRET_DIGITS}}})([0-9a-f]{{{CHECK_DIGITS}}})")


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as its holder has it. Its text is shown once, and is in no `repr`."""

    key_id: str
    digest: bytes
    """SHA-256 of the text, which alone is stored."""

    @classmethod
    def read(cls, text: str) -> Self | None:
        """None when it cannot be a key at all."""
        found = _KEY.fullmatch(text)
        if found is None or found[3] != _check(found[1], found[2]):
            return None
        return cls(found[1], digest_of(text))


def new_key() -> str:
    """The text of a new key."""
    key_id, secret = secrets.token_hex(ID_DIGITS // 2), secrets.token_hex(SECRET_DIGITS // 2)
    return f"dream_{key_id}_{secret}{_check(key_id, secret)}"


def new_login() -> str:
    """What a browser gets in the place of a key: 256 random bits that say nothing."""
    return secrets.token_hex(32)


def digest_of(text: str) -> bytes:
    return sha256(text.encode()).digest()


def _check(key_id: str, secret: str) -> str:
    return f"{crc32(f'{key_id}_{secret}'.encode()):08x}"
