"""English numbers in words and figures: "thirty thousand", "1.5 million", "30k", "a hundred"."""

import re
from decimal import Decimal

UNITS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
SCALES = {
    "hundred": 100,
    "thousand": 1000,
    "thou": 1000,
    "grand": 1000,
    "million": 10**6,
    "mil": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "k": 1000,
    "m": 10**6,
}
_SMALL = {word: value for value, word in enumerate(UNITS)} | {word: 10 * at for at, word in enumerate(TENS, start=2)}
_SMALL |= {"fourty": 40, "ninty": 90}  # as they are often misspelt
_WORD = re.compile(r"[a-z]+", re.IGNORECASE)
_FIGURES = re.compile(r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d{1,30})(?:\.\d{1,6})?")
_SCALE = re.compile(rf"\s?(?P<scale>{'|'.join(SCALES)})\b", re.IGNORECASE)
_GAP = re.compile(r"(?:\s+and)?[\s-]+", re.IGNORECASE)
_PART = {"half": Decimal("0.5"), "quarter": Decimal("0.25")}
_OF_SCALE = re.compile(
    rf"(?:(?P<whole>\d{{1,3}}|{'|'.join(_SMALL)}) and )?(?:an? )?(?P<part>half|quarter)(?: of)?(?: an?)?"
    r" (?P<scale>thousand|million|billion)\b",
    re.IGNORECASE,
)
_VAGUE = re.compile(r"\b(?:couple(?: of)?|few|several|some)\s$", re.IGNORECASE)
"""What follows is a size, not a number: "a few thousand"."""
_AND_A_HALF = re.compile(r" and a half\b", re.IGNORECASE)
ENGLISH = re.compile(
    rf"\b(?:{'|'.join([*_SMALL, 'a', 'half', 'quarter', 'hundred', 'thousand', 'million'])})\b", re.IGNORECASE
)


def read_english(text: str, start: int) -> tuple[Decimal, int] | None:
    """The value of the number that begins here and its end; None for figures without a word, and for a bare "a"."""
    if part := _OF_SCALE.match(text, start):
        return _part_of_scale(part), part.end()
    total, section, end, scaled = Decimal(0), Decimal(0), start, False
    if figures := _FIGURES.match(text, start):
        section, end = Decimal(figures.group().replace(",", "")), figures.end()
    elif not ENGLISH.match(text, start) or _VAGUE.search(text, 0, start):
        return None
    follows = _SCALE.match(text, end) if figures else None
    at, spoken = follows.start("scale") if follows else end, False
    while match := _WORD.match(text, at):
        word = match.group().lower()
        if word in SCALES:
            scale = SCALES[word]
            if scale == SCALES["hundred"]:
                section = (section or Decimal(1)) * scale
            else:
                total, section = total + (section or Decimal(1)) * scale, Decimal(0)
            scaled = True
            if half := _AND_A_HALF.match(text, match.end()):
                return total + section + Decimal(scale) / 2, half.end()
        elif word in _SMALL and not (figures and not scaled):
            section += _SMALL[word]
        elif not (word == "a" and at == start):
            break
        spoken, end = spoken or word != "a", match.end()
        gap = _GAP.match(text, end)
        at = gap.end() if gap else end
    return (total + section, end) if spoken else None


def _part_of_scale(match: re.Match[str]) -> Decimal:
    """Half a million, two and a half thousand."""
    said = (match["whole"] or "0").lower()
    whole = Decimal(said) if said.isdecimal() else Decimal(_SMALL[said])
    return (whole + _PART[match["part"].lower()]) * SCALES[match["scale"].lower()]
