"""Numbers that a text writes in signs or in words, as figures: 八十六万円 is 86万円, 二〇二六年 2026年, sixty-four
flats 64 flats, 네 번 4번; half of something is 50 % of it, a quarter 25 %; 이틀 is 2일; who is 일흔 is 70살."""

import re
from functools import cache
from typing import Any

from contracts.patterns import bounded
from packs.documents.data import load

_NUMBER = re.compile(
    r"(?<!\d)[一二三四五六七八九十百千〇]{1,7}(?=[万億円年月日時分秒人名個本枚匹頭羽台冊回度階歳割泊週杯軒戸票点件食席割])"
)
_ONES = {sign: value for value, sign in enumerate("〇一二三四五六七八九")}
_AGES = 30
"""From so many on a Korean number that counts nothing is an age."""
_TENS = {"十": 10, "百": 100, "千": 1000}


def in_figures(text: str) -> str:
    """With each number before what it counts as figures; words that begin with one (一番, 十分) stay."""
    return _NUMBER.sub(lambda found: str(_value(found[0])), text)


def words_in_figures(text: str) -> str:
    """With each number in words before what it counts as figures, and parts of something as so many per cent of it."""
    return _worded().sub(lambda found: f"{_figures(found[0])}{'살' if found['age'] else ''}", text)


def _figures(words: str) -> str:
    low = words.casefold().strip()
    if low in load("amounts.yaml")["days"]:
        return f"{load('amounts.yaml')['days'][low]}일"
    if part := next((part for part, some in load("amounts.yaml")["parts"].items() if low in some), None):
        return f"{part}%" + " of" * low.endswith(" of") + " the" * low.endswith(" the")
    return str(sum(_numbers()[word] for word in low.split("-")))


@cache
def _numbers() -> dict[str, int]:
    counts: dict[int, list[str]] = load("amounts.yaml")["counts"]
    return {word: number for number, words in counts.items() for word in words}


@cache
def _worded() -> re.Pattern[str]:
    data: dict[str, Any] = load("amounts.yaml")
    words = [word for word in _numbers() if _numbers()[word] > 1 and word not in ("twice", "couple", "dozen")]
    narrow = "|".join(word for word in words if word.isascii())
    wide = "|".join(word for word in words if "가" <= word[0] <= "힣")
    ones = "|".join(word for word in words if word.isascii() and _numbers()[word] < 10)
    parts = [word for some in data["parts"].values() for word in some]
    part = "|".join(rf"\b{re.escape(word)}\b" if word.isascii() else re.escape(word) for word in parts)
    days = "|".join(data["days"])
    counted = "|".join(map(re.escape, data["counted"]))
    ages = "|".join(word for word in words if "가" <= word[0] <= "힣" and _numbers()[word] >= _AGES)
    narrow = rf"\b(?:{narrow})(?:-(?:one|{ones}))?(?=[\s-][a-z])"
    return bounded(
        rf"{part}|(?<![가-힣])(?:{days})|{narrow}|(?<![가-힣])(?!세대)(?:(?:{wide})\s?(?=(?:{counted}))|(?P<age>{ages})(?=[이인에]))"
    )


def _value(signs: str) -> int:
    if not any(sign in _TENS for sign in signs):
        return int("".join(str(_ONES[sign]) for sign in signs))
    whole, ones = 0, 0
    for sign in signs:
        if sign in _TENS:
            whole += (ones or 1) * _TENS[sign]
            ones = 0
        else:
            ones = ones * 10 + _ONES[sign]
    return whole + ones
