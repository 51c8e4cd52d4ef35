"""Words of substance that nothing has read: then the figures would answer another question."""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

from packs.marketing.asking.linking import name_pattern, names_of
from packs.marketing.asking.phrasing import AskedSentence, is_measured, plain, segments, words
from packs.marketing.asking.profile import Profile
from packs.marketing.keywords import korean

_HANGUL = re.compile(r"[\uac00-\ud7a3]+")
_LATIN = re.compile(r"[A-Za-z][A-Za-z'\u2019-]+")
_JAPANESE = re.compile(r"[\u4e00-\u9fffァ-ヶー々]+")
_SHORTEST = 2
_ALONE = frozenset("ー々")
_STEM = re.compile(r"[\u4e00-\u9fff](?=[ぁ-ん])(?![がをにのはでともへや])")
"""One ideograph with the ending of a verb or an adjective: it names nothing."""


def unread(sentence: AskedSentence, profile: Profile, file: str = "") -> list[str]:
    """In their order. Words that say nothing about figures (words.yaml, `plain`), names of columns, words of the
    file's name, which say what a row is, and what is said beside the question are none."""
    left = " ".join(sentence.left[start:end] for start, end in segments(sentence.text))
    text = unicodedata.normalize("NFKC", left)
    for name in sorted({name for column in profile.columns for name in names_of(column)}, key=len, reverse=True):
        text = re.sub(name_pattern(name), " ", text, flags=re.IGNORECASE)
    found = [*_korean(text), *_latin(text), *_japanese(text)]
    rows = _rows(file)
    return [
        word for word in dict.fromkeys(found) if plain(word) not in _plain() and plain(word).rstrip("s") not in rows
    ]


def _rows(file: str) -> frozenset[str]:
    stem = file.rpartition(".")[0]
    named = [one for one in re.split(r"[\W_\d]+", stem) if len(one) >= _SHORTEST and not is_measured(one)]
    return frozenset(plain(one).rstrip("s") for one in named)


def _korean(text: str) -> list[str]:
    spoken = _HANGUL.findall(text)
    if all(map(_says_nothing().fullmatch, spoken)):
        return []
    runs = next(iter(korean.nouns([" ".join(spoken)])), [])
    nouns = [part for run in runs for part in run if len(part) >= _SHORTEST and plain(part) not in _plain()]
    return [_as_said(noun, spoken) for noun in nouns]


@cache
def _says_nothing() -> re.Pattern[str]:
    """Plain words with what is joined to them, and forms of speech: most sentences leave nothing else, and the
    dictionary of nouns takes a second to load."""
    said = "|".join(map(re.escape, sorted(words()["plain"]["ko"], key=len, reverse=True)))
    return re.compile(rf"(?:{said}|{words()['forms_of_speech']})(?:{words()['joined']})*|{words()['joined']}")


def _as_said(noun: str, spoken: Sequence[str]) -> str:
    """With what stands before it in the word, as people would know it again: a part of it alone they never said."""
    word = next((one for one in spoken if noun in one), noun)
    return word[: word.find(noun) + len(noun)] if noun in word else noun


def _latin(text: str) -> list[str]:
    return [word.lower() for word in _LATIN.findall(text) if len(word) >= _SHORTEST]


def _japanese(text: str) -> list[str]:
    """Runs of ideographs or katakana, without the plain words in them."""
    rest: list[str] = []
    known = "|".join(map(re.escape, sorted(words()["plain"]["ja"], key=len, reverse=True)))
    for said in _with_kana():
        text = text.replace(said, " ")
    text = re.sub(rf"(?<![\u4e00-\u9fff]){_STEM.pattern}", " ", text)
    for run in _JAPANESE.findall(text):
        rest += [part for part in re.split(known, run) if part and part not in _ALONE]
    return rest


@cache
def _with_kana() -> tuple[str, ...]:
    """Plain words that end in hiragana, as they are said: the runs do not hold them whole."""
    return tuple(one for one in words()["plain"]["ja"] if "\u3041" <= one[-1] <= "\u309f")


@cache
def _plain() -> frozenset[str]:
    return frozenset(plain(word) for said in words()["plain"].values() for word in said)
