"""Numbers that a Japanese text writes in signs, as figures: 八十六万円 is 86万円, 二〇二六年 2026年."""

import re

_NUMBER = re.compile(
    r"[一二三四五六七八九十百千〇]{1,7}(?=[万億円年月日時分秒人名個本枚匹頭羽台冊回度階歳割泊週杯軒戸票点件食席])"
)
_ONES = {sign: value for value, sign in enumerate("〇一二三四五六七八九")}
_TENS = {"十": 10, "百": 100, "千": 1000}


def in_figures(text: str) -> str:
    """With each number before what it counts as figures; words that begin with one (一番, 十分) stay."""
    return _NUMBER.sub(lambda found: str(_value(found[0])), text)


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
