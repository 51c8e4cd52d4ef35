"""nkeys: how a user proves to nats-server who it is. The seed lies in a file for its user alone, the server has the
public half."""

import base64
import os
import secrets
import ssl
from collections.abc import Iterable
from pathlib import Path

import nkeys


def make(seed: Path) -> None:
    """Makes the seed of a user, for its owner's eyes only, where there is none."""
    if seed.exists():
        return
    seed.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = seed.with_name(seed.name + ".new")
    unfinished.unlink(missing_ok=True)
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(nkeys.encode_seed(secrets.token_bytes(32), nkeys.PREFIX_BYTE_USER))
    unfinished.replace(seed)


def public_keys(folder: Path, users: Iterable[str]) -> dict[str, str]:
    """User -> public key, of seeds <user>.seed in a folder; those that are missing are made. Raises OSError."""
    found = {}
    for user in users:
        make(seed_of(folder, user))
        found[user] = public_key(seed_of(folder, user))
    return found


def seed_of(folder: Path, user: str) -> Path:
    """Where the seed of a user lies."""
    return folder / f"{user}.seed"


def public_key(seed: Path) -> str:
    """The public half of the seed in a file. Raises OSError when it cannot be read or is no seed."""
    return str(_pair(seed).public_key.decode())


def signed(seed: Path, nonce: str) -> tuple[str, bytes]:
    """The public key, and the server's nonce signed with the seed that the file has now. Raises OSError."""
    pair = _pair(seed)
    return str(pair.public_key.decode()), base64.b64encode(pair.sign(nonce.encode()))


def trusting(authorities: Path | None) -> ssl.SSLContext | None:
    """Who vouches for the server, by their certificates in a PEM file; None for those of the system. Raises OSError."""
    return ssl.create_default_context(cafile=authorities) if authorities is not None else None


def _pair(seed: Path) -> nkeys.KeyPair:
    try:
        pair = nkeys.from_seed(bytearray(seed.read_bytes().strip()))
        _ = pair.public_key
    except OSError as error:
        raise OSError(f"the nkey seed cannot be read: {error}") from None
    except Exception as error:  # noqa: BLE001  # the library says it in its own way, base64 and struct in theirs
        raise OSError(f"{seed} holds no nkey seed of a user ({type(error).__name__})") from None
    return pair
