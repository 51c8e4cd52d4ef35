"""Where sentences end: numbers, dates, decimals and abbreviations are never cut in two."""

import re
from functools import cache

from packs.documents.data import load

_MARK = re.compile(r"[.!?。！？…]+[\"'”’」』)\]]*")
_WIDE_MARKS = frozenset("。！？")
_POLITE_END = re.compile(r"[다요죠음함까]$")
_DATE = re.compile(r"\d{1,4}\.\s?\d{1,2}\.\s?\d{1,2}$|(?<![\d.])\d{4}\.\s?\d{1,2}$|(?<![\d.])\d{1,2}\.\s?\d{1,2}$")
_FIGURE = re.compile(r"\d\s?[A-Z]$")
_LAST_WORD = re.compile(r"[A-Za-z](?:[A-Za-z.]{0,14}[A-Za-z])?$")
_FRONT = re.compile(
    r"^\s*(?:[-*+•·▪■□○●◦‣–—※▶]\s+|[•·▪■□○●◦‣※▶①-⑳]\s*|\(?\d{1,2}[.)]\s+|\d{1,2}[．）]\s*|[가나다라마바사아자차카타파하a-z][.)]\s+)+"
)


def sentences(text: str) -> list[str]:
    """The sentences of a paragraph without line breaks, each without blanks around it."""
    found, start = [], 0
    for mark in _MARK.finditer(text):
        if _ends(text, mark):
            found.append(text[start : mark.end()])
            start = mark.end()
    found.append(text[start:])
    return [sentence for one in found if (sentence := " ".join(one.split()))]


def unlisted(line: str) -> str:
    """Without the bullet or the number of a list in front."""
    return _FRONT.sub("", line).strip()


def is_listed(line: str) -> bool:
    """Whether a bullet or the number of a list stands in front."""
    return _FRONT.match(line) is not None


def is_ended(line: str) -> bool:
    """Whether a sentence ends with the line."""
    return bool((marks := list(_MARK.finditer(line.rstrip()))) and marks[-1].end() == len(line.rstrip()))


@cache
def _shortened() -> dict[str, frozenset[str]]:
    return {name: frozenset(words) for name, words in load("abbreviations.yaml").items()}


def _ends(text: str, mark: re.Match[str]) -> bool:
    before, after, signs = text[: mark.start()], text[mark.end() :], mark.group()
    if not after.strip():
        return True
    if not after[0].isspace():
        wide = bool(_WIDE_MARKS & set(signs)) or (signs == "." and bool(_POLITE_END.search(before)))
        return after[0].isalpha() and wide
    return signs != "." or _is_full_stop(before, after.lstrip()[0])


def _is_full_stop(before: str, follows: str) -> bool:
    """Of a dot with a blank after it."""
    if before[-1:].isdigit():
        # "2027. 1. 15. in the hall": the last of a date has no number behind it
        return not follows.isdigit() and (follows.isascii() or not _DATE.search(before))
    word = match.group().casefold() if (match := _LAST_WORD.search(before)) else ""
    if len(word) == 1 and before[-1].isupper():
        return _FIGURE.search(before) is not None  # 550 W ends a sentence, J. K. Rowling does not
    if word in _shortened()["always"]:
        return False
    return word not in _shortened()["within"] or follows.isupper()
