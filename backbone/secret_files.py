"""Secrets from files: DREAM_DATABASE_URL_FILE names a file that holds what DREAM_DATABASE_URL would.

They are how platforms hand out secrets, and the only way to change one while a process runs: the file is read again
whenever the secret is needed anew."""

from collections.abc import Mapping
from pathlib import Path

SUFFIX = "_FILE"


class SecretUnusable(ValueError):
    """A file of a secret cannot be read or is empty, or the variable beside it is set as well."""


def read(name: str, path: Path) -> str:
    """What the file holds, without the newline that editors put at its end. `name` is of the variable that names it.
    Raises SecretUnusable."""
    try:
        secret = path.read_text(encoding="utf-8").rstrip("\r\n")
    except OSError as error:
        raise SecretUnusable(f"{name} is {str(path)!r}, which cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SecretUnusable(f"{name} is {str(path)!r}, which is not text") from None
    if not secret.strip():
        raise SecretUnusable(f"{name} is {str(path)!r}, which is empty")
    return secret


def file_of(name: str, environment: Mapping[str, str]) -> Path | None:
    """The file that holds the variable; None where none is named. Raises SecretUnusable when both are set."""
    told = environment.get(f"{name}{SUFFIX}", "")
    if not told:
        return None
    if environment.get(name):
        raise SecretUnusable(f"{name} and {name}{SUFFIX} are both set: keep one of them")
    return Path(told)


def value_of(name: str, environment: Mapping[str, str]) -> str:
    """The variable, or what its file holds; empty where neither is set. Raises SecretUnusable."""
    file = file_of(name, environment)
    return read(f"{name}{SUFFIX}", file) if file else environment.get(name, "")
