"""`--brand FILE`: a company's title, colour and logo, packed into one file that travels with a request."""

import base64
import json
from pathlib import Path

import yaml

SETTINGS = frozenset({"title", "colour", "logo"})


class BrandUnreadable(Exception):
    """The settings cannot be used; the message says why."""


def packed(file: Path) -> bytes:
    """What a `.brand.json` holds. `logo` is the path of a PNG, seen from the file that names it. Raises
    BrandUnreadable."""
    try:
        given = yaml.safe_load(file.read_text(encoding="utf-8"))
        if not isinstance(given, dict) or not given or not given.keys() <= SETTINGS:
            raise BrandUnreadable(f"{file}: {', '.join(sorted(SETTINGS))}")
        if "logo" in given:
            given["logo"] = base64.b64encode((file.parent / str(given["logo"])).read_bytes()).decode()
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise BrandUnreadable(f"{file}: {error}") from error
    return json.dumps(given, ensure_ascii=False).encode()
