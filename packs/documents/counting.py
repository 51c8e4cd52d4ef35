"""How many of something a question says, in figures and in words, and how many of which."""

import re
from functools import cache

from contracts.patterns import bounded
from packs.documents.alike import said
from packs.documents.amounts import Amount, number_of, units

NEAR, MANY = 14, 100
"""Letters between a name and how many of it there are; more than that are no number of things."""
_DIGITS = re.compile(r"\d{1,9}")
_OFTEN = re.compile(r"\W{1,2}(once|twice|thrice)\b")
_NOT_OF = r"(?<![\d.,:월月])(?<![월月]\s)(?<!i'm )(?<!i am )(?<!aged )"
_DATED = r"\s(?:of\s)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\b"
_NOT_MORE = rf"(?![\d:-]|{_DATED}|\s?(?:[월月년年살歳才호号원円%만천억万千億]|세(?!트)|학[년기]|분기|번째))"
"""What a number of things does not stand behind, or before: a month, an age, a sum of money."""
OFTEN = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
"""How often, behind what is done."""
Counts = list[tuple[float, int]]
"""Numbers, and where each stands."""


def counts_in(text: str) -> Counts:
    """Of a question in one case and width."""
    words = {str(word): float(number) for number, some in units()["counts"].items() for word in some}
    return [
        (words[match[2] or match[3]] if match[2] or match[3] else number_of(match[1]), match.start())
        for match in _counting().finditer(text)
    ]


def times_of(amount: Amount, text: str, counts: Counts) -> float:
    """How many of it the question says: the number nearest to its name, behind it but in English."""
    tokens = [token for token in said(amount.clause).tokens if len(token) > 1 and not token.isdigit()]
    places = [place for token in tokens if (place := text.find(token)) >= 0]
    if not places:
        return 1.0
    ahead = text.isascii()
    at = min(places) if ahead else max(places)
    if behind := next(filter(None, (_OFTEN.match(text, text.find(token) + len(token)) for token in tokens)), None):
        return OFTEN[behind[1]]
    its_own = _DIGITS.findall(amount.clause)
    near = [
        (abs(place - at), number)
        for number, place in counts
        if (place < at) == ahead
        and abs(place - at) < NEAR
        and number < MANY
        and f"{number:g}" not in its_own
        and not text.startswith(tuple(OFTEN), place)
    ]
    return min(near)[1] if near else 1.0


@cache
def _counting() -> re.Pattern[str]:
    every = sorted((str(word) for some in units()["counts"].values() for word in some), key=len, reverse=True)
    narrow, wide = ("|".join(re.escape(one) for one in every if one.isascii() == narrow) for narrow in (True, False))
    wide = rf"(?<![가-힣])(?:{wide})"  # the tax of 부가세 is not three of them
    counted = "|".join(map(re.escape, units()["counted"]))
    return bounded(
        rf"{_NOT_OF}(?!(?:19|20)\d\d\b)(\d{{1,4}}(?:[.,]\d{{1,3}})?){_NOT_MORE}|"
        rf"\b({narrow})\b(?!-)|({wide})(?=\s?(?:{counted})|(?:이서|[에이랑과와은는만도])?(?:\s|$))"
    )
