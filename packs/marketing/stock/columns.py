"""Which column of a stock table is what, by its name, and over how many days its numbers run."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from understanding.kit.data import read_data

Role = Literal[
    "item", "name", "stock", "daily", "weekly", "monthly", "sold", "date", "lead", "incoming", "cost", "ordering",
    "rate", "holding", "deviation", "safety", "point",
]  # fmt: skip
ROLES: tuple[Role, ...] = get_args(Role)
DEMAND: tuple[Role, ...] = ("daily", "weekly", "monthly", "sold")
MONTH = 365.25 / 12

_BRACKETS = re.compile(r"[(\[（【]([^)\]）】]{0,100})[)\]）】]")
_SEPARATORS = re.compile(r"[\s_\-./:,]+")


@dataclass(frozen=True, slots=True)
class Columns:
    """Where each role stands, and how many days one unit of a demand or lead time column is."""

    where: Mapping[Role, int]
    names: Sequence[str]

    def name(self, role: Role) -> str:
        return self.names[self.where[role]] if role in self.where else ""

    @property
    def demand(self) -> Role | None:
        """The most exact demand column there is."""
        return next((role for role in DEMAND if role in self.where), None)


@cache
def _lists() -> Any:  # plain YAML
    return read_data(Path(__file__).parent / "column_names.yaml")


@cache
def _words() -> Mapping[str, Role | None]:
    ignored: dict[str, Role | None] = {str(name): None for name in _lists()["ignore"]}
    return ignored | {str(name): role for role in ROLES for name in _lists()[role]}


@cache
def time_units() -> Mapping[str, float]:
    """Days by word: week -> 7."""
    lengths = {"day": 1.0, "week": 7.0, "month": MONTH}
    return {str(word): lengths[unit] for unit, words in _lists()["time_units"].items() for word in words}


@cache
def count_units() -> frozenset[str]:
    return frozenset(map(str, _lists()["count_units"]))


@cache
def _period() -> re.Pattern[str]:
    """A number of days, weeks or months within a name."""
    words = "|".join(sorted(map(re.escape, time_units()), key=len, reverse=True))
    return re.compile(rf"(\d{{1,3}})\s*({words})(?![a-z])")


def find_columns(names: Sequence[str], given: Mapping[str, str] | None = None) -> Columns:
    """`given` (column to role, or "ignore") is not questioned; of two columns of one role the surer, then the first."""
    given = given or {}
    where: dict[Role, int] = {}
    for index, name in enumerate(names):
        for role in ROLES:
            if given.get(name) == role:
                where.setdefault(role, index)
    offers = [(*found, index) for index, name in enumerate(names) if name not in given and (found := role_of(name))]
    for _, role, index in sorted(offers, key=lambda offer: (-offer[0], offer[2])):
        where.setdefault(role, index)
    return Columns(where, names)


def role_of(name: str) -> tuple[float, Role] | None:
    """The role that a name speaks of: 1.0 for the name itself, less the less of it is known."""
    plain = _SEPARATORS.sub(" ", _period().sub(" ", _BRACKETS.sub(" ", _plain(name)))).strip()
    joined = plain.replace(" ", "")
    best: tuple[float, Role | None] = (0.0, None)
    for word, role in _words().items():
        if word in (plain, joined):
            return (1.0, role) if role else None
        if word.isascii():
            fits = re.search(rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])", plain) is not None
        else:
            fits = len(word) > 1 and joined.endswith(word.replace(" ", ""))
        if fits and len(word) / max(1, len(plain)) > best[0]:
            best = (len(word) / len(plain), role)
    return (round(0.9 * best[0], 3), best[1]) if best[1] else None


def days_in(name: str, otherwise: float) -> float:
    """The days that a column's numbers run over: what its name says ("sales last 30 days", "lead time (weeks)"), or
    else `otherwise`."""
    plain = _plain(name)
    if (found := _period().search(plain)) is not None:
        return int(found[1]) * time_units()[found[2]]
    unit = _BRACKETS.search(plain)
    return time_units().get(unit[1].strip(), otherwise) if unit is not None else otherwise


def is_daily(name: str) -> bool:
    return _plain(name).startswith(tuple(map(str, _lists()["one_day"])))


def _plain(name: str) -> str:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", unicodedata.normalize("NFKC", name).strip())
    return spaced.lower()
