"""What a clause wants done with a thing: which of the words of actions.yaml it has. Pure."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from understanding.kit.data import read_data

FALLBACK = "en"
LAST = frozenset({"ko", "ja"})
"""Languages whose verb stands at the end: the last one is what is wanted."""

_LEFT = {"ko": 4, "en": 8, "ja": 6}
"""Letters of politeness that may be left over."""
_NOT_OF_A_THING = (
    r"(?!(?:한|은|된|던|했던|었던|았던|\s?둔|\s?놓은|놨던|뒀던|논|해\s?둔|해\s?놓은|해\s?뒀던)"
    r"(?:\s|$|[가-힣]{0,2}(?:거|것)))"
)
_DEED = {
    # not autumn, a village or the glow of the evening sky, which end like an object
    "ko": re.compile(r"[가-힣](?<!\b[가마노])(?:을|를)\s[가-힣]{1,8}\Z"),
    "ja": re.compile(r"を\s?[^\s]{0,6}[てで]\Z"),
}
_ENDS = {
    "ko": r"(?:은|는|이|가|을|를|이지|이야|이더라|이었지|이었더라|였지|였더라|인지|이에요|예요|야|지|더라|라고|했|좀)?"
    r"\s*[?!.]*\Z",
    "ja": r"(?:は|が|を|って|の予定は|の予定|だっけ|でしたっけ|ですか|からだっけ|から|に|だった|です|[か。、？?\s])*\Z",
    "en": r"\A\s*(?:(?:['’]?s|is|are|was|were|does|do i have)\s)+"
    r"|(?:is|are|does|start|starts|begin|begins|again|was|do|have|s|[?.!])*\s*[?.!]*\Z",
}


@cache
def _lists() -> dict[str, Any]:
    path = Path(__file__).with_name("actions.yaml")
    lists: dict[str, Any] = read_data(path)
    return lists


def words(of: str, language: str) -> Any:
    """A list of actions.yaml, or lists by name."""
    languages = _lists()[of]
    return languages.get(language) or languages[FALLBACK]


def verb(text: str, language: str, names: Iterable[str], deletes: Sequence[int] = ()) -> str:
    """Which of the names (lists of `verbs`) is meant; empty when it has no word of any. `deletes` are places of other
    words for taking it out."""
    verbs = words("verbs", language)
    found = [(place, name) for name in names for place in _places(text, tuple(verbs[name]), language, verbs=True)]
    found += [(place, "delete") for place in deletes]
    if not found:
        return ""
    return max(found)[1] if language in LAST else min(found)[1]


def says(text: str, way: str, language: str) -> bool:
    """Whether it has a word of `ways`."""
    return any(True for _ in _places(text, tuple(words("ways", language)[way]), language))


def without_all(name: str, language: str) -> str:
    """Without words for all there is, which are no name; empty where only words for any thing are left ("all my
    appointments")."""
    some, kinds = words("ways", language)["all"], words("kinds", language)
    if name.casefold() in some:
        return ""
    left = [word for word in name.split() if word.casefold() not in some]
    return " ".join(left) if any(word.casefold().removesuffix("s") not in kinds for word in left) else ""


def every(of: str) -> frozenset[str]:
    """The words of all languages."""
    return frozenset(word for some in _lists()[of].values() for word in some)


def without(text: str, some: Sequence[str], language: str) -> str:
    """The text without those words, and what hangs on them."""
    return " ".join(_pattern(tuple(some), language, whole=True).sub(" ", text).split())


def asked(text: str, language: str) -> str:
    """What a question is about: without its question words and verbs, and what ends it."""
    ways, verbs = words("ways", language), words("verbs", language)
    return _ends(language).sub("", without(text, [*ways["asks"], *verbs["look"]], language))


def names_one(title: str, language: str) -> bool:
    """Whether it says more than that it is an appointment."""
    return bool(_letters(without(title, words("kinds", language), language)))


def is_last_added(text: str, language: str) -> bool:
    """Whether it speaks of what was put in just now, and by no other name."""
    if not says(text, "just_now", language):
        return False
    ways, verbs = words("ways", language), words("verbs", language)
    every = [
        *ways["just_now"],
        *ways["that"],
        *verbs["add"],
        *verbs["delete"],
        *words("kinds", language),
        "줘",
        "주세요",
    ]
    return len(_letters(without(text, every, language))) <= _LEFT[language if language in _LEFT else FALLBACK]


def is_deed(title: str, language: str) -> bool:
    """Whether what should be a name is a thing and what to do with it ("歯医者を 磨いて")."""
    return language in LAST and _DEED[language].search(title) is not None


def _letters(text: str) -> str:
    return "".join(one for one in text if one.isalnum())


def places(text: str, some: Sequence[str], language: str) -> Iterable[int]:
    """Where its words of a list begin, in their order."""
    return _places(text, tuple(some), language)


def has(text: str, of: str, language: str) -> bool:
    """Whether it has a word of a list."""
    return any(True for _ in _places(text, tuple(words(of, language)), language))


def part_of_day(text: str, language: str) -> tuple[str, int] | None:
    """From when, and how many minutes: of the only part of a day that is named."""
    named = [(word, part) for word, part in words("parts", language).items() if has_word(text, word, language)]
    return (str(named[0][1][0]), int(named[0][1][1])) if len(named) == 1 else None


def has_word(text: str, word: str, language: str) -> bool:
    """Whether it has that word."""
    return any(True for _ in _places(text, (word,), language))


def _places(text: str, some: tuple[str, ...], language: str, *, verbs: bool = False) -> Iterable[int]:
    """`verbs`: those that only describe a thing ("추가한 거") do not count."""
    return (found.start() for found in _pattern(some, language, verbs=verbs).finditer(text))


@cache
def _ends(language: str) -> re.Pattern[str]:
    return re.compile(_ENDS.get(language, _ENDS[FALLBACK]), re.IGNORECASE)


def pattern_of(some: Sequence[str], language: str) -> re.Pattern[str]:
    """What finds any of the words."""
    return _pattern(tuple(some), language)


@cache
def _pattern(some: tuple[str, ...], language: str, *, whole: bool = False, verbs: bool = False) -> re.Pattern[str]:
    """`whole`: with what hangs on them."""
    gap = r"\s{0,3}" if language == "ko" else r"\s{1,3}"  # who types in a hurry leaves Korean spaces out
    either = "|".join(re.escape(word).replace(r"\ ", gap) for word in sorted(some, key=len, reverse=True))
    if language == "ko":
        return re.compile(
            rf"(?<![가-힣])(?:{either})" + (r"[가-힣]{0,12}" if whole else _NOT_OF_A_THING if verbs else "")
        )
    if language == "ja":
        return re.compile(f"(?:{either})" + (r"(?:して|した|し|て)?" if whole else ""))
    return re.compile(rf"\b(?:{either})\b", re.IGNORECASE)
