"""Amounts in won: "3만원", "10^18원", "thirty thousand won", "3万ウォン". What is in another currency is no amount."""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache

from contracts.cognitive import Entity
from contracts.patterns import bounded
from understanding.grammar.english_numbers import ENGLISH, read_english
from understanding.grammar.numerals import Numeral, numeral_words, read_numeral
from understanding.grammar.words import words

CERTAIN, LIKELY, POSSIBLE = 0.95, 0.8, 0.6
LARGEST_POWER = 30
BAREST = 1000
BEFORE = 40
"""Characters before a number that may say its sign or its currency."""
"""The smallest unit that makes an amount of a number without its currency ("3천", "5万")."""
_HANGUL = re.compile("[\uac00-\ud7a3]")
_ONLY = re.compile("(?<=[\uac00-\ud7a3])\ub9cc\\s(?!\\s*\uc6d0)")
"""The particle "만" ("only") behind a word, which is no ten thousand."""
_KANA_BEFORE = re.compile("[\u3040-\u30ff]$")
"""Behind which a number in another script may begin, where its currency follows."""


def find_money(text: str) -> Iterator[Entity]:
    """Amounts in reading order; the value is in whole won, and may be 0 or negative."""
    at = 0
    while match := _pattern("start").search(text, at):
        found = _at(text, match.start())
        if found is None:
            at = match.start() + 1
            continue
        entity, at = found
        if entity is not None:
            yield entity


@cache
def _pattern(name: str) -> re.Pattern[str]:
    money = words().money
    patterns = {
        "start": rf"[\d{numeral_words()}]|{ENGLISH.pattern}",
        "won": rf"\s?{money['won']}",
        "other": rf"\s?{money['other']}",
        "counted": rf"\s?{money['counted']}",
        "tied": money["tied"],
        "led": rf"(?:{money['led']})$",
        "after": rf"(?:{money['after']}|{money['minus']})\s?$",
        "sign": (
            rf"(?:(?P<minus>{money['minus']}|(?<![\w)])[-\u2212\uff0d])\s?)?"
            r"(?:(?P<currency>\u20a9|\uffe6|\bkrw)\s?)?$"
        ),
        "power": (
            rf"(?P<base>\d{{1,6}})(?P<of>{money['of']})(?P<exponent>\d{{1,2}})(?:\s?(?P<power>{money['power']}))?"
            r"|(?P<mantissa>\d{1,3})[eE]\+?(?P<ten>\d{1,2})(?=\s?\D)"
        ),
    }
    return bounded(patterns[name])


def _at(text: str, start: int) -> tuple[Entity | None, int] | None:
    """What the number that begins here is, and where to go on; None when no number begins here."""
    before, further = text[max(start - 1, 0) : start], text[max(start - 2, 0) : max(start - 1, 0)]
    if before.isdecimal() or (before in (".", ",", ":", "/") and further.isdecimal()):
        return None
    read = _power(text, start) or _english(text, start) or _numeral(text, start)
    if read is None:
        return None
    value, end, confidence = read
    sign = _pattern("sign").search(text, max(start - BEFORE, 0), start)
    signed = sign is not None and sign["currency"] is not None
    won = _pattern("won").match(text, end)
    foreign = won is None and _pattern("other").match(text, end)
    if foreign or (won is None and not signed and confidence >= CERTAIN) or value != value.to_integral_value():
        return None, end
    first = sign.start() if sign and (sign["minus"] or sign["currency"]) else start
    end = won.end() if won else end
    amount = -int(value) if sign and sign["minus"] else int(value)
    sure = CERTAIN if won or signed else confidence
    return Entity(type="money", text=text[first:end], value=amount, start=first, end=end, confidence=sure), end


def _power(text: str, start: int) -> tuple[Decimal, int, float] | None:
    """10^18, 10의 18승, 1e18: an absurd amount is an amount all the same."""
    match = _pattern("power").match(text, start)
    if match is None:
        return None
    base, exponent = (match["base"], match["exponent"]) if match["base"] else ("10", match["ten"])
    written = match["ten"] or match["power"] or match["of"].strip() in ("^", "**")
    if not written or int(exponent) > LARGEST_POWER:
        return None
    factor = Decimal(match["mantissa"] or 1)
    return factor * Decimal(int(base) ** int(exponent)), match.end(), CERTAIN


def _english(text: str, start: int) -> tuple[Decimal, int, float] | None:
    if start and text[start - 1].isalpha() and text[start - 1].isascii():
        return None
    found = read_english(text, start)
    if found is None:
        return None
    led = text[found[1] - 1 : found[1]].lower() == "k" and _pattern("led").search(text, max(start - BEFORE, 0), start)
    return found[0], found[1], LIKELY if led else CERTAIN


def _numeral(text: str, start: int) -> tuple[Decimal, int, float] | None:
    """A Korean or Japanese number. Without its currency only one with a unit counts, where nothing else is counted:
    its confidence is less than CERTAIN."""
    begins = text[start].isdecimal() or _begins_word(text, start)
    if _ONLY.match(text, start) or not (begins or _KANA_BEFORE.search(text, 0, start)):
        return None
    numeral = read_numeral(text, start)
    if numeral is None or not (begins or _pattern("won").match(text, numeral.end)):
        return None
    if numeral.tail is not None and not _pattern("won").match(text, numeral.end):
        numeral = Numeral(*numeral.tail, numeral.units, numeral.figures)
    if not numeral.figures and not numeral.units:
        return None
    counted = _pattern("counted").match(text, numeral.end)
    if counted or _bare_units().isdisjoint(text[start : numeral.end]):
        return numeral.value, numeral.end, CERTAIN
    if numeral.figures:
        return numeral.value, numeral.end, LIKELY
    follows = _HANGUL.match(text[numeral.end : numeral.end + 1]) and not _pattern("tied").match(text, numeral.end)
    alone = numeral.end - start > 1 and not follows
    return numeral.value, numeral.end, POSSIBLE if alone else CERTAIN


@cache
def _bare_units() -> frozenset[str]:
    tables = words().tables
    return frozenset(unit for unit, value in {**tables["small"], **tables["big"]}.items() if value >= BAREST)


def _begins_word(text: str, start: int) -> bool:
    """Whether a word may begin here: "만원" does in "엄마한테만원", "구원" does not in "연구원"."""
    before = text[start - 1 : start]
    return not (before and before.isalpha()) or bool(_pattern("after").search(text, max(start - BEFORE, 0), start))
