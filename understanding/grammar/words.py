"""The words and patterns of quantities, read once from this folder's YAML files, one per language."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from contracts.patterns import bounded
from understanding.kit.data import read_data

LANGUAGES = ("ko", "ja", "en")
Table = Mapping[str, Any]
_NAMED = re.compile(r"~(\w+)~")
Value = TypeVar("Value", int, str)


@dataclass(frozen=True, slots=True)
class Repeat:
    """A pattern that says how often: `freq` and `by` are parts of an RRULE."""

    pattern: re.Pattern[str]
    freq: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """All languages together: what a word means per table, and per kind the patterns in their order."""

    tables: Mapping[str, Table]
    patterns: Mapping[str, tuple[re.Pattern[str], ...]]
    repeats: tuple[Repeat, ...]
    money: Mapping[str, str]

    def number(self, word: str, table: str = "number") -> int | None:
        """The value of digits or of a word of the table."""
        if word.isdecimal():
            return int(word)
        value: int | None = self.tables[table].get(word.lower())
        return value


@cache
def words() -> Words:
    """Compiled at first use (30 ms)."""
    tables: dict[str, dict[str, Any]] = {}
    patterns: dict[str, list[re.Pattern[str]]] = {}
    repeats: list[Repeat] = []
    money: dict[str, list[str]] = {}
    for language in LANGUAGES:
        data = read_data(Path(__file__).with_name(f"{language}.yaml"))
        for name, table in data["tables"].items():
            tables.setdefault(name, {}).update({str(word): value for word, value in table.items()})
        for kind, found in data["patterns"].items():
            if kind == "money":
                for name, part in found.items():
                    money.setdefault(name, []).append(part)
            elif kind == "recurrence":
                repeats += [Repeat(_compiled(one["words"], data), one["freq"], one.get("by", "")) for one in found]
            else:
                patterns.setdefault(kind, []).extend(_compiled(one, data) for one in found)
    joined = {name: f"(?:{'|'.join(parts)})" for name, parts in money.items()}
    return Words(tables, {kind: tuple(found) for kind, found in patterns.items()}, tuple(repeats), joined)


def group(match: re.Match[str], *names: str) -> str | None:
    """The first of the named groups that the pattern has and that matched something."""
    groups = match.groupdict()
    return next((found for name in names if (found := groups.get(name))), None)


def _compiled(pattern: str, data: Mapping[str, Table]) -> re.Pattern[str]:
    """~name~ is a part of patterns, or any word of a table."""

    def filled(match: re.Match[str]) -> str:
        if part := data["parts"].get(match[1]):
            return _NAMED.sub(filled, part)
        longest_first = sorted(map(str, data["tables"][match[1]]), key=len, reverse=True)
        return f"(?:{'|'.join(map(re.escape, longest_first))})"

    return bounded(_NAMED.sub(filled, pattern))
