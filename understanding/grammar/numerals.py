"""Whole numbers as they are written in Korean and Japanese: digits, words, and units of ten in any mixture
("3만 5천", "1억2천만", "오천", "三万五千")."""

import re
from decimal import Decimal
from functools import cache
from typing import NamedTuple

from understanding.grammar.words import words

FIGURES = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d{1,30})(?:\.\d{1,6})?"
_SUBJECT, LARGE_UNIT = "\uc774", 1000
"""A particle that is a digit, too: behind a large unit ("\uc0bc\ucc9c\uc774") it is one where the number goes on."""


@cache
def numeral_words() -> str:
    """The characters that numbers are written with, beside digits."""
    tables = words().tables
    return "".join([*tables["digit"], *tables["small"], *tables["big"]])


@cache
def _token() -> re.Pattern[str]:
    kinds = {kind: "".join(words().tables[kind]) for kind in ("digit", "small", "big")}
    return re.compile(rf"(?P<figures>{FIGURES})|" + "|".join(f"(?P<{kind}>[{some}])" for kind, some in kinds.items()))


class Numeral(NamedTuple):
    """`value` of the characters up to `end`. `units`: has 만, 천, ...; `figures`: has digits. `tail` is set when the
    last figures stand apart ("3만 5000"): where the number ends without them, and its value then."""

    value: Decimal
    end: int
    units: bool
    figures: bool
    tail: tuple[Decimal, int] | None = None


class _Reader:
    """Adds up tokens as long as they make one number: units get smaller, each has at most one digit before it."""

    def __init__(self) -> None:
        self.total = Decimal(0)
        self.section = Decimal(0)
        self.digit: Decimal | None = None
        self.small: int | None = None
        self.big: int | None = None

    @property
    def value(self) -> Decimal:
        return self.total + self.section + (self.digit or 0)

    def take(self, match: re.Match[str]) -> bool:
        """Whether the token goes on with the number."""
        said = match.group()
        tables = words().tables
        match match.lastgroup:
            case "small":
                return self._small(tables["small"][said])
            case "big":
                return self._big(tables["big"][said])
            case "digit":
                return self._digit(Decimal(tables["digit"][said]))
            case _:
                return self._digit(Decimal(said.replace(",", "")))

    def _digit(self, value: Decimal) -> bool:
        room = self.small or self.big
        if self.digit is not None or (room is not None and value >= room):
            return False
        self.digit = value
        return True

    def _small(self, unit: int) -> bool:
        if (self.small is not None and unit >= self.small) or (self.big is not None and unit >= self.big):
            return False
        self.section += (1 if self.digit is None else self.digit) * unit
        self.digit, self.small = None, unit
        return True

    def _big(self, unit: int) -> bool:
        if self.big is not None and unit >= self.big:
            return False
        here = self.section + (self.digit or 0)
        if self.digit is None and not self.section:
            if self.total:
                return False
            here = Decimal(1)
        self.total += here * unit
        self.section, self.digit, self.small, self.big = Decimal(0), None, None, unit
        return True


@cache
def _priced() -> re.Pattern[str]:
    """What is left of a number, up to its currency."""
    run = rf"(?:[{numeral_words()}]|{FIGURES})+"
    return re.compile(rf"{run}(?:\s{run})?\s?{words().money['won']}", re.IGNORECASE)


def _goes_on_after_space(text: str, match: re.Match[str], *, after_unit: bool) -> bool:
    """Digits may stand apart after a unit ("3만 5천"); a unit may where it is surely money ("십 만원", "3만 천원")."""
    if match.lastgroup in ("small", "big"):
        return bool(_priced().match(text, match.start()))
    return after_unit


@cache
def _further() -> re.Pattern[str]:
    """What shows that a digit before it is one."""
    return re.compile(rf"\s?(?:[{numeral_words()}]|{FIGURES}|{words().money['won']})", re.IGNORECASE)


def read_numeral(text: str, at: int) -> Numeral | None:
    """The longest number that begins at the position. Single spaces may stand in it."""
    reader, end, units, figures = _Reader(), at, False, False
    tail: tuple[Decimal, int] | None = None
    while True:
        after_unit = end > at and reader.digit is None
        gap = end > at and text[end : end + 1] == " "
        match = _token().match(text, end + gap)
        before = reader.value
        large = figures or (after_unit and max(reader.small or 0, reader.big or 0) >= LARGE_UNIT)
        if match is not None and large and match[0] == _SUBJECT and not _further().match(text, match.end()):
            break
        if match is None or (gap and not _goes_on_after_space(text, match, after_unit=after_unit)):
            break
        if not reader.take(match):
            break
        if match.lastgroup in ("small", "big"):
            tail = None
        elif gap:
            tail = (before, end)
        units = units or match.lastgroup in ("small", "big")
        figures = figures or match.lastgroup == "figures"
        end = match.end()
    return Numeral(reader.value, end, units, figures, tail if reader.digit is not None else None) if end > at else None


def count_of(said: str) -> int | None:
    """The whole number that a word or figures are ("열두", "십이", "三", "12"); None for anything else."""
    if (known := words().number(said)) is not None:
        return known
    read = read_numeral(said, 0)
    return int(read.value) if read is not None and read.end == len(said) else None
