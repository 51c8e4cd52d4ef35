"""The logins of services, and that of each pack: a role with a password that follows from one secret for all packs, so
that none is kept."""

import hashlib
import hmac
import os
import re
from base64 import b64encode
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

ITERATIONS = 4096
"""As Postgres' own. The passwords hashed here are 256 random bits to whoever does not have the one they follow from."""
_OF_SERVICES = ("user", "password", "passfile")
_RANDOM = re.compile("[0-9a-f]{64}")
SERVICES = "dream_service"
"""The role of all services together: those of earlier versions act as it, and those whose login has no other."""


def role_of(pack: str) -> str:
    """A pack's name is letters, digits and underscores, 32 at most: it needs no quotes and is not cut."""
    return f"dream_pack_{pack}"


def role_of_service(service: str) -> str:
    """The role of one service, or of the administrator."""
    return f"dream_{service}"


def login_of(url: str) -> tuple[str, str]:
    """Role and password that stand in `url`; empty where they do not."""
    parts = urlsplit(url)
    others = dict(parse_qsl(parts.query))
    return (
        unquote(parts.username or "") or others.get("user", ""),
        unquote(parts.password or "") or others.get("password", ""),
    )


def packs_secret_of(url: str, secret: str = "") -> str:
    """What the passwords of packs follow from: a secret of their own, else the password in `url`, where all services
    log in as one. Empty where there is neither."""
    return secret or login_of(url)[1]


def password_of(secret: str, role: str) -> str | None:
    """The role's password. None where there is no secret: the server lets packs in by other means; and what follows
    from no secret, anybody can work out."""
    if not secret:
        return None
    return hmac.new(secret.encode(), f"dream:login:1:{role}".encode(), "sha256").hexdigest()


def login_url(url: str, role: str, secret: str = "") -> str:
    """`url`, where services log in, as the role of a pack does it."""
    parts = urlsplit(url)
    password = password_of(packs_secret_of(url, secret), role)
    login = f"{role}:{password}" if password else role
    others = [(name, value) for name, value in parse_qsl(parts.query) if name not in _OF_SERVICES]
    return parts._replace(netloc=f"{login}@{parts.netloc.rpartition('@')[2]}", query=urlencode(others)).geturl()


def iterations_for(secret: str) -> int:
    """How often a password that is, or follows from, `secret` is hashed. To guess 256 random bits nobody need be slowed
    down; the driver would hold up its event loop for 20 ms at each connection instead."""
    return 1 if _RANDOM.fullmatch(secret) else ITERATIONS


def verifier(password: str, iterations: int = ITERATIONS) -> str:
    """What Postgres keeps of a password (SCRAM-SHA-256, RFC 5803). Made here: a statement with the password itself
    would stand in the server's log, and in its statistics."""
    salt = os.urandom(16)
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, iterations)
    stored = hashlib.sha256(_keyed(salted, b"Client Key")).digest()
    return f"SCRAM-SHA-256${iterations}:{_text(salt)}${_text(stored)}:{_text(_keyed(salted, b'Server Key'))}"


def _keyed(key: bytes, words: bytes) -> bytes:
    return hmac.new(key, words, "sha256").digest()


def _text(raw: bytes) -> str:
    return b64encode(raw).decode()
