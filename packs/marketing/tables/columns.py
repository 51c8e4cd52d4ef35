"""Which column is what: a guess from names and content, with how sure it is and why."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from packs.marketing.tables.values import is_day_number, is_empty, parse_date, parse_rating
from understanding.kit.data import read_data

Role = Literal["text", "rating", "date", "product", "author", "id"]
Found = Literal["given", "name", "content"]
ROLES: tuple[Role, ...] = ("text", "rating", "date", "product", "author", "id")

_SAMPLE = 300
# A name this long is a sentence, so the first line is already a row.
_LONGEST_NAME = 40


@dataclass(frozen=True, slots=True)
class Guess:
    """`confidence` 0..1. `role` is None for a column that plays none."""

    column: str
    role: Role | None
    confidence: float
    found: Found | None


@cache
def _names() -> dict[str, Role]:
    data = read_data(Path(__file__).parent / "column_names.yaml")
    return {str(name): role for role in ROLES for name in data[role]}


_LONGEST_ASKING = 24
"""Letters of a heading that asks something of each row."""
_SCALED = re.compile(r"[(\[（]\d[\d~〜–/ -]{0,8}[점点]?[)\]）]$")
"""Behind a heading: from where to where its marks go."""


def role_of_name(name: str) -> tuple[Role, float] | None:
    """The role that a name speaks of: 1.0 for the name itself, less for its ending or its beginning."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", _SCALED.sub("", name.strip()).strip())
    plain = re.sub(r"[\s_\-.:/()\[\]]+", " ", spaced.lower()).strip()
    names = _names()
    if plain in names:
        return names[plain], 1.0
    words = plain.split(" ")
    for start in range(1, len(words)):
        if (role := names.get(" ".join(words[start:]))) is not None:
            return role, 0.9
    joined = plain.replace(" ", "")
    if not joined.isascii():
        for start in range(len(joined) - 1):
            if (role := names.get(joined[start:])) is not None:
                return role, 0.9
    role = names.get(words[0])
    return (role, 0.6) if role is not None else None


def is_header(cells: Sequence[str]) -> bool:
    """Whether a first line names columns. Known names decide; otherwise values or sentences say that it does not."""
    if any(role_of_name(cell) is not None and len(cell) <= _LONGEST_NAME for cell in cells if cell.strip()):
        return not any(parse_date(cell) or parse_rating(cell) is not None for cell in cells)
    for cell in cells:
        if parse_date(cell) or parse_rating(cell) is not None or len(cell.strip()) > _LONGEST_NAME:
            return False
        asks = cell.strip().endswith(("?", "？")) and len(cell.strip()) > _LONGEST_ASKING  # "Under warranty?" heads
        if asks or cell.strip().endswith((".", "!", "。", "요", "다")):
            return False
    return len(cells) > 1


def guess_columns(
    columns: Sequence[str], rows: Sequence[Sequence[str]], given: Mapping[str, str] | None = None
) -> list[Guess]:
    """One guess per column; each role goes to at most one. `given` (column to role or "ignore") is not questioned."""
    given = {column: role for column, role in (given or {}).items() if column in columns}
    offers: list[tuple[float, int, Role, Found]] = []
    for index, column in enumerate(columns):
        if column in given:
            continue
        values = [row[index] for row in rows[:_SAMPLE] if not is_empty(row[index])]
        if (named := role_of_name(column)) is not None:
            role, confidence = named
            offers.append((round(confidence * _support(role, values), 2), -index, role, "name"))
        offers += [(confidence, -index, role, "content") for role, confidence in _content(values)]
    taken: dict[int, Guess] = {
        columns.index(column): Guess(column, role, 1.0, "given")
        for role in ROLES
        for column in given
        if given[column] == role
    }
    roles = {guess.role for guess in taken.values()}
    for confidence, negative, role, found in sorted(offers, reverse=True):
        if -negative not in taken and role not in roles and confidence >= 0.3:
            taken[-negative] = Guess(columns[-negative], role, confidence, found)
            roles.add(role)
    nothing = (Guess(column, None, 0.0, "given" if column in given else None) for column in columns)
    return [taken.get(index, guess) for index, guess in enumerate(nothing)]


def _support(role: Role, values: Sequence[str]) -> float:
    """How far the content bears out what a name says: 1.0 fully, down to 0.3."""
    if not values:
        return 0.5
    if role == "rating":
        return 0.3 + 0.7 * _share(values, lambda cell: parse_rating(cell) is not None)
    if role == "date":
        return 0.3 + 0.7 * _share(values, lambda cell: parse_date(cell) is not None)
    if role == "text":
        return 0.3 + 0.7 * _share(values, _is_wordy)
    return 1.0


def _content(values: Sequence[str]) -> list[tuple[Role, float]]:
    """What values look like by themselves. Never surer than 0.8, so that a fitting name goes first."""
    if not values:
        return []
    distinct = len(set(values)) / len(values)
    lengths = sorted(len(value) for value in values)
    offers: list[tuple[Role, float]] = []
    dates = _share(values, lambda cell: parse_date(cell) is not None and not is_day_number(cell))
    if dates >= 0.8:
        offers.append(("date", round(0.8 * dates, 2)))
    numbers = [number for cell in values if (number := parse_rating(cell)) is not None]
    if dates < 0.8 and len(numbers) >= 0.8 * len(values) and len(set(numbers)) <= 21 and max(map(abs, numbers)) <= 10:
        offers.append(("rating", round(0.7 * len(numbers) / len(values), 2)))
    wordy = _share(values, _is_wordy)
    if wordy >= 0.5 and lengths[len(lengths) // 2] >= 8 and distinct >= 0.5:
        offers.append(("text", round(min(0.79, 0.4 * wordy + 0.4 * min(1.0, lengths[len(lengths) // 2] / 40)), 2)))
    return offers


def _is_wordy(cell: str) -> bool:
    """Holds words: some letters, and not a date or an address."""
    letters = sum(character.isalpha() for character in cell)
    return letters >= 2 and letters >= 0.3 * len(cell) and not cell.startswith(("http://", "https://"))


def _share(values: Sequence[str], test: Callable[[str], object]) -> float:
    return sum(bool(test(value)) for value in values) / len(values)


def role_names(role: Role) -> list[str]:
    """What columns of this role are called, in all languages."""
    return [name for name, of in _names().items() if of == role]
