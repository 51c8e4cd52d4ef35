"""The words of a sentence, without those that a person says on the way and means nothing by (actions.yaml). Pure."""

import re
from functools import cache

from packs.assistant.actions import words

HANGUL = re.compile(r"[가-힣]")
_SPLIT = re.compile(r"[\s.,!?~…·:;\"'“”‘’()\[\]ㅋㅎㅠㅜ^。、！？「」『』〜]+")
ENDS = re.compile(r"(?<!\d)[.,]+(?=\s|\Z)|[!?~…;。、！？\n]+|\.{2,}|(?:\s-\s)|[ㅋㅎㅠㅜ^]{2,}")
"""Where one thing that is said ends and another begins; not in a number, nor in an address."""
ROUNDS = 6


def plain_words(text: str) -> list[str]:
    """Without marks, laughs and tears."""
    return [word for word in _SPLIT.split(text) if word]


def segments(text: str) -> list[str]:
    """What is said one after the other."""
    return [part.strip() for part in ENDS.split(text) if part and part.strip()]


def without_fillers(text: str, language: str) -> str:
    """Without the words at its beginning that say nothing."""
    for _ in range(ROUNDS):
        found = _beginning(language).match(text)
        if found is None or not found.end():
            return text.strip()
        text = text[found.end() :]
    return text.strip()


def is_filler(word: str, language: str) -> bool:
    """Whether a word by itself says nothing."""
    return word.casefold() in _fillers(language)


@cache
def _fillers(language: str) -> frozenset[str]:
    return frozenset(words("fillers", language))


@cache
def _beginning(language: str) -> re.Pattern[str]:
    some = sorted(words("fillers", language), key=len, reverse=True)
    either = "|".join(re.escape(word).replace(r"\ ", r"\s{1,3}") for word in some)
    behind = (
        r"(?=[\s.,!?~…;。、！？ㅋㅎㅠㅜ]|\Z)"
        if language != "ja"
        else r"(?=[、。,.!?！？…\s]|\Z|(?<=やっぱ)|(?<=やっぱり))"
    )
    return re.compile(
        rf"\A[\s.,!?~…;。、！？ㅋㅎㅠㅜ^]{{0,10}}(?:(?:{either}){behind})?[\s.,~…;。、ㅋㅎㅠㅜ^!]{{0,10}}",
        re.IGNORECASE,
    )


def without_also(text: str, language: str) -> str:
    """Without the words at its beginning that only tie it to what was said before ("글고", "also")."""
    some = sorted(words("ways", language)["also"], key=len, reverse=True)
    for word in some:
        rest = text[len(word) :]
        ends = rest.lstrip(",、") != rest or rest[:1].isspace()
        if text.casefold().startswith(word) and len(word) > 1 and ends:
            return rest.lstrip(" ,、")
    return text
