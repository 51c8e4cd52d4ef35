"""Values as they may stand in a sentence that a person answers: all of them seen, none of them steering what is."""

import json
import unicodedata
from collections.abc import Callable

from contracts.shape import JsonObject

TITLE_LIMIT = 120
VALUE_LIMIT = 120
NAME_LIMIT = 60
ARGUMENTS = 20
"""How many arguments are written out; each at most NAME_LIMIT and VALUE_LIMIT characters."""
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_BLANK = frozenset(map(chr, (0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0)))
"""Letters by category, and nothing to be seen."""
_MARKS = frozenset({"Mn", "Me"})
_MARKS_IN_A_ROW = 3
"""More of them on one letter paint over the lines around it."""


def visible(text: str, limit: int) -> str:
    """On one line, in the order it is written in, without what nobody sees; cut at `limit` with the number of
    characters that there are."""
    kept: list[str] = []
    marks = 0
    for character in unicodedata.normalize("NFC", text[: 4 * limit]):
        category = unicodedata.category(character)
        marks = marks + 1 if category in _MARKS else 0
        if character.isspace():
            if kept and kept[-1] != " ":
                kept.append(" ")
        elif category not in _UNSEEN and character not in _BLANK and marks <= _MARKS_IN_A_ROW:
            kept.append(character)
    shown = "".join(kept).strip()
    if len(shown) <= limit and len(text) <= 4 * limit:
        return shown
    return f"{shown[:limit]}… ({len(text):,})"


def as_call(tool: str, arguments: JsonObject, more: Callable[[int], str]) -> str:
    """`tool: name = value, …`; text stands in quotes, so that none of it passes for another argument. `more` says how
    many were left out."""
    if not arguments:
        return tool
    said = [f"{visible(name, NAME_LIMIT)} = {_value(value)}" for name, value in list(arguments.items())[:ARGUMENTS]]
    if len(arguments) > ARGUMENTS:
        said.append(more(len(arguments) - ARGUMENTS))
    return f"{tool}: {', '.join(said)}"


def _value(value: object) -> str:
    if isinstance(value, str):
        shown = visible(value, VALUE_LIMIT)
        return json.dumps(shown, ensure_ascii=False)
    return visible(json.dumps(value, ensure_ascii=False), VALUE_LIMIT)
