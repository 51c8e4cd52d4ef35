"""What a question asks for: its kinds (a time, a sum of money), and the words that it is about."""

import re
import unicodedata
from functools import cache
from typing import Any, NamedTuple

from contracts.patterns import bounded
from packs.documents.data import load
from packs.documents.sentences import sentences

_WORD = re.compile(r"[^\W_]+")
_JAPANESE = re.compile(r"[一-龯々〆ヵヶ]+|[ァ-ヴー]+|[a-z0-9]+|[ぁ-ん]+")
_KANA = re.compile(r"[ぁ-ん]+")


WEAK = frozenset({"number", "allowed"})
"""Kinds that say less than any other: a sum of money is more than some number."""
_CASED = re.RegexFlag(0)


class Kind(NamedTuple):
    """See asked.yaml."""

    name: str
    cues: tuple[re.Pattern[str], ...]
    shown: tuple[re.Pattern[str], ...]
    words: tuple[str, ...]
    cased: bool = False
    narrows: tuple[str, ...] = ()
    """Kinds that say less of the same, and go where this one is asked for."""

    def is_shown(self, text: str) -> bool:
        """Whether an answer of this kind stands in a text, which is in one width, and in one case unless the kind
        is `cased`."""
        told = text if self.cased else text.casefold()
        return not self.shown or any(pattern.search(told) for pattern in self.shown)


class Question(NamedTuple):
    """The text in one width and case, what it asks for, and the words that it is about; `counter` is what it counts by
    (몇 권, 何冊)."""

    text: str
    kinds: tuple[Kind, ...]
    words: tuple[str, ...]
    counter: str = ""

    @property
    def asks(self) -> bool:
        """Whether an answer can be told by what stands in it."""
        return bool(self.counter) or any(kind.shown for kind in self.kinds)

    @property
    def called(self) -> tuple[str, ...]:
        """What answers are called."""
        return tuple(word for kind in self.kinds for word in kind.words)

    def is_shown(self, text: str) -> bool:
        if self.counter and not any(kind.shown for kind in self.kinds):
            return _counted(self.counter).search(text) is not None
        return not self.kinds or any(kind.is_shown(text) for kind in self.kinds)


def read_question(text: str) -> Question:
    """Of several sentences those that ask say what is asked for; the others what it is about as well."""
    whole = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    asking = " ".join(one for one in sentences(whole) if one.endswith("?"))
    flat = asking or whole
    found = tuple(kind for kind in kinds() if any(cue.search(flat) for cue in kind.cues))
    if len(found) > 1:
        less = WEAK.union(*(kind.narrows for kind in found))
        found = tuple(kind for kind in found if kind.name not in less) or found
    counter = _counter(flat)
    rest = flat.replace(counter[0], " ") if counter else flat
    for kind in found:
        for cue in kind.cues:
            rest = _without(cue, rest)
    about = [] if flat == whole else _content(whole.replace(asking, " "))
    return Question(whole, found, tuple(dict.fromkeys([*_content(rest), *about])), counter[1] if counter else "")


def _without(cue: re.Pattern[str], text: str) -> str:
    """With what is left of a Korean word that a cue begins (얼마 of 얼마예요) taken out as well. A thing that a cue
    names (the rent: 월세 얼마예요) is what the question is about, and stays."""
    kept, start = [], 0
    for found in cue.finditer(text):
        if found.start() < start:
            continue
        kept.append(text[start : found.start()])
        kept += [thing for thing in _data()["things"] if thing in found.group()]
        start = found.end()
        while found.group()[-1:] > "\uabff" and start < len(text) and "\uac00" <= text[start] <= "\ud7a3":
            start += 1
    return " ".join([*kept, text[start:]])


def _counter(text: str) -> tuple[str, str] | None:
    """The words that ask for a number of something, and what it is counted by."""
    for word in _data()["counters"]:
        if match := re.search(rf"(?:몇\s?|何){re.escape(word)}", text):
            return match.group(), word
    return None


@cache
def _counted(counter: str) -> re.Pattern[str]:
    return bounded(
        rf"(?:[\d０-９一二三四五六七八九十百千万억만천백한두세네섯]|다섯|여덟|아홉|스무|반)\s?{re.escape(counter)}|[(（]{re.escape(counter)}[)）]"
    )


def words_of(text: str) -> tuple[str, ...]:
    """The words that say what a text is about."""
    return tuple(dict.fromkeys(_content(" ".join(unicodedata.normalize("NFKC", text).casefold().split()))))


def is_empty(word: str) -> bool:
    """Whether a word says nothing of what a text is about."""
    return word in _data()["empty"] or (word.isascii() and len(word) < 3 and not word.isdigit())


def names(word: str) -> bool:
    """Whether a word names something, as far as its end tells: words that say or do something, and single
    characters that an ending is cut from, do not."""
    if "\uac00" <= word[-1] <= "\ud7a3":
        return len(word) > 1 and not word.endswith(tuple(_data()["endings"]))
    return len(word) > 1 and not (word.isascii() and word.endswith(("ing", "ed")))


def _content(text: str) -> list[str]:
    words = []
    for word in _WORD.findall(text):
        parts = _JAPANESE.findall(word) if re.search(r"[ぁ-んァ-ヴ一-龯]", word) else [word]
        for part in parts:
            stem = _stem(part)
            if stem and not _KANA.fullmatch(stem):
                words.append(stem)
    return words


def _stem(word: str) -> str:
    data = _data()
    if word in data["empty"]:
        return ""
    if "\uac00" <= word[0] <= "\ud7a3":
        for ending in data["particles"]:
            if len(word) - len(ending) >= 2 and word.endswith(ending):
                word = word[: -len(ending)]
                break
        if word in data["empty"] or any(word.startswith(one) for one in data["asks"]) or len(word) < 2:
            return ""
    elif word.isascii() and len(word) < 3 and not word.isdigit():
        return ""
    return word


@cache
def _data() -> dict[str, Any]:
    words: dict[str, Any] = load("empty.yaml")
    for name in ("particles", "counters"):
        words[name].sort(key=len, reverse=True)
    return words | {"empty": frozenset(words["empty"])}


@cache
def kinds() -> tuple[Kind, ...]:
    entries: dict[str, Any] = load("asked.yaml")
    return tuple(
        Kind(
            name,
            tuple(bounded(cue) for cues in entry["cue"].values() for cue in cues),
            tuple(bounded(one, _CASED if entry.get("cased") else re.IGNORECASE) for one in entry.get("shown", ())),
            tuple(word for words in entry["words"].values() for word in words),
            bool(entry.get("cased")),
            tuple(entry.get("narrows", ())),
        )
        for name, entry in entries.items()
    )
