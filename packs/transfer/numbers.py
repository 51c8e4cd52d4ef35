"""Amounts that are said in English words or with a fraction: "sixty thousand", "4.5 million", "1.5k". Those with digits
and a unit are found before."""

import re
from typing import NamedTuple

_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = dict(
    zip(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], range(20, 100, 10), strict=True)
)
_SMALL = {word: number for number, word in enumerate(_ONES)} | _TENS
_LARGE = {
    "thousand": 1_000,
    "grand": 1_000,
    "k": 1_000,
    "million": 1_000_000,
    "mil": 1_000_000,
    "billion": 1_000_000_000,
}
_WORD = "|".join(sorted((*_SMALL, "hundred", "a"), key=len, reverse=True))
_UNIT = "|".join(name for name in _LARGE if name != "k")
_SAID = re.compile(
    rf"\b(?P<count>\d+(?:\.\d+)?|(?:{_WORD})(?:[\s-](?:and[\s-])?(?:{_WORD})){{0,5}})[\s-](?P<unit>{_UNIT})\b"
    r"|(?<![\d.,])(?P<fraction>\d+\.\d+)(?P<kilo>k)\b",
    re.IGNORECASE,
)


class Said(NamedTuple):
    start: int
    end: int
    value: int
    text: str


def spoken_amounts(text: str) -> list[Said]:
    """Whole numbers from a thousand on, with where they stand."""
    return [
        Said(match.start(), match.end(), int(value), match[0])
        for match in _SAID.finditer(text)
        if (value := _value(match)) and value == int(value)
    ]


def _value(match: re.Match[str]) -> float:
    count, unit = match["count"] or match["fraction"], match["unit"] or match["kilo"]
    return round(_count(count.casefold()) * _LARGE[unit.casefold()], 3)


def _count(said: str) -> float:
    if said[0].isdigit():
        return float(said)
    total = 0
    for word in re.split(r"[\s-]", said):
        if word == "hundred":
            total = max(total, 1) * 100
        elif word == "a":
            total += 1
        else:
            total += _SMALL.get(word, 0)
    return total
