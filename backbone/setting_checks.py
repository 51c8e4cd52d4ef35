"""What single settings have to be; what is wrong with one is said without it where it may hold a password."""

import ssl
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, SecretStr


def address(*schemes: str) -> AfterValidator:
    """Of a URL with one of the schemes. What is wrong with it is said without it: it may hold a password."""

    def check(value: Any) -> Any:
        url = value.get_secret_value() if isinstance(value, SecretStr) else value
        for part in url.split(","):
            scheme = part.partition("://")[0]
            if "://" in part and scheme not in schemes:
                raise ValueError(f"its scheme is {scheme!r}, not one of {', '.join(schemes)}")
            try:
                _ = urlsplit(part if "://" in part else f"//{part}").port
            except ValueError:
                raise ValueError("its port is no number, or a sign in its password is not percent-encoded") from None
        return value

    return AfterValidator(check)


def vouching(file: Path | None) -> Path | None:
    """Certificates in PEM, which can be read. Without a file they are the system's, which are not read here: that would
    take longer than all other settings together."""
    if file is None:
        return None
    try:
        ssl.create_default_context(cafile=file)
    except OSError as error:
        raise ValueError(f"no certificates can be read there: {error.strerror or error}") from None
    return file
