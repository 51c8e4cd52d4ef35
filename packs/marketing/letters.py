"""Letters that XML can hold. Names and reviews come with control characters, which no slide and no drawing survives."""

import re
from typing import Any

from contracts.shape import JsonObject

_FOREIGN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def plain(text: str) -> str:
    """Without what XML cannot hold."""
    return _FOREIGN.sub("", text)


def plain_spec(value: Any) -> Any:
    """A chart's specification with every text made plain: the drawing engine ends the process on the others."""
    match value:
        case str():
            return plain(value)
        case dict():
            return {plain(str(key)): plain_spec(member) for key, member in value.items()}
        case list() | tuple():
            return [plain_spec(member) for member in value]
        case _:
            return value


def names_given(params: JsonObject, name: str) -> list[str]:
    """A parameter that is a name or a list of names; none is empty."""
    given = params.get(name)
    return [
        one.strip() for one in (given if isinstance(given, list) else [given]) if isinstance(one, str) and one.strip()
    ]


def words_given(params: JsonObject, name: str) -> str | None:
    """A parameter's words without blanks around and between them; none for no words."""
    found = params.get(name)
    return " ".join(found.split()) or None if isinstance(found, str) else None
