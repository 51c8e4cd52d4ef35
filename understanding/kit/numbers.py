"""Large numbers that are said in English words or with a fraction, without a currency: "sixty thousand", "4.5 million",
"1.5k". Whether one is an amount is for the pack to say: of views or steps there are sixty thousand as well."""

import re
from typing import NamedTuple

from understanding.grammar.english_numbers import ENGLISH, SCALES, read_english

LEAST = 1_000
_BEGINS = re.compile(rf"(?<![\w.,])(?:\d|{ENGLISH.pattern})", re.IGNORECASE)
_PLAIN_KILO = re.compile(r"[\d,]{1,20}\s?k", re.IGNORECASE)
"""Figures and a sign: an entity of type number already."""


class Spoken(NamedTuple):
    """The whole number `value` at `text[start:end]`."""

    start: int
    end: int
    value: int
    text: str


def spoken_numbers(text: str, least: int = LEAST) -> tuple[Spoken, ...]:
    """In reading order, without overlaps, from `least` on."""
    found: list[Spoken] = []
    at = 0
    while match := _BEGINS.search(text, at):
        start, at = match.start(), match.end()
        if (read := read_english(text, start)) is None:
            continue
        value, end = read
        said, at = text[start:end], end
        plain = _PLAIN_KILO.fullmatch(said) or said.lower() in SCALES
        if value >= least and value == value.to_integral_value() and not plain:
            found.append(Spoken(start, end, int(value), said))
    return tuple(found)
