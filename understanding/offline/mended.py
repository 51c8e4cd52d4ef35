"""A sentence whose speaker has put a day or a time of it right: as it was meant ("at 12. Sorry, 12:30. No, 1 pm")."""

import re
from datetime import datetime

from contracts.cognitive import Entity
from contracts.patterns import bounded
from understanding.offline.tasks import clause_of

_MOST = 5
"""Corrections in one sentence."""
_MENDED = ("date", "time")
_MARK = r"[\s,.…~!？?、。！-]{0,12}"
_NO = {
    "ko": r"(?:(?:아|앗|참|어|음)[\s,.…]+)?"
    r"(?:아니(?:다|야|요|에요|고|라)?|아냐|정정(?:할게요?)?|잠깐만?|실수|말고|착각했다)",
    "en": r"(?:oh|uh|no|wait|sorry|oops|actually|i mean|i meant|make (?:it|that)|or rather|scratch that"
    r"|hang on|hold on)",
    "ja": r"(?:あ|いや|ごめん|すみません|間違えた|間違い|違った|違う|じゃなくて|ではなくて|じゃない|訂正|やっぱり?)",
}
_WORDS = {language: re.compile(words, re.IGNORECASE) for language, words in _NO.items()}
_BETWEEN = {
    "ko": bounded(rf"(?:에|로|날)?{_MARK}(?:{_NO['ko']}{_MARK}){{1,3}}"),
    "en": bounded(rf"{_MARK}(?:\b{_NO['en']}\b{_MARK}){{1,4}}(?:(?:on|at|for|the)\s+)*"),
    "ja": bounded(rf"[にはの]?{_MARK}(?:{_NO['ja']}{_MARK}){{1,3}}"),
}
"""What stands between a value and the one that is said in its place."""
_BEGINS = {
    "ko": bounded(rf"[.!?…~]\s*(?:{_NO['ko']}{_MARK}){{1,3}}\Z"),
    "en": bounded(rf"[.!?…-]\s*(?:{_NO['en']}\b{_MARK}){{1,4}}(?:(?:on|at|for|the)\s+)*\Z"),
    "ja": bounded(rf"[。！？…]\s*(?:{_NO['ja']}{_MARK}){{1,3}}\Z"),
}
_ENDS = bounded(
    r"(?:\s?(?:이?(?:다|야|네|에요|예요|었다|었네)|로|に|だ|だった|です|でした|だな))?\s*(?:[.!~…。！]+|\Z)"
)
"""A sentence behind another one that says nothing but what it was to be."""


def mended(text: str, now: datetime, language: str) -> str:
    """The text without what its speaker takes back; the text itself where nothing is put right."""
    if language not in _NO or not _WORDS[language].search(text):
        return text  # most sentences; figures take long to read
    for _ in range(_MOST):
        changed = _once(text, now, language)
        if changed == text:
            break
        text = changed
    return text


def _once(text: str, now: datetime, language: str) -> str:
    found = sorted((one for one in clause_of(text, now, language).entities if one.type in _MENDED), key=_start)
    for place, other in enumerate(found):
        before = [one for one in found[:place] if one.type == other.type and one.end <= other.start]
        if not before:
            continue
        one = before[-1]
        if _BETWEEN[language].fullmatch(text, one.end, other.start):
            return text[: one.start] + text[other.start :]
        begins, ends = _BEGINS[language].search(text[one.end : other.start]), _ENDS.match(text, other.end)
        if begins and ends:
            between = text[one.end : one.end + begins.start() + 1]
            return text[: one.start] + text[other.start : other.end] + between + " " + text[ends.end() :].lstrip()
    return text


def _start(one: Entity) -> int:
    return one.start
