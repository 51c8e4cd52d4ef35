"""A name in another script, by how it sounds: 맨체스터 and マンチェスター are Manchester."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from packs.marketing.asking.phrasing import AskedSentence
from packs.marketing.asking.profile import Column

FEWEST = 4
"""Sounds of a name that is known by them."""
_LEADS = "kknttrmppss_cccktph"
_TAILS: tuple[str, ...] = ("", *"kkknnntrkmrrrprmppssnccktp", "")
_KANA = {
    "k": "カキクケコガギグゲゴ", "s": "サスセソザズゼゾ", "c": "シチジヂ", "t": "タツテトダヅデド", "n": "ナニヌネノン",
    "p": "ハヒフヘホバビブベボパピプペポヴ", "m": "マミムメモ", "r": "ラリルレロ",
}  # fmt: skip
_OF_KANA = {letter: sound for sound, letters in _KANA.items() for letter in letters}
_LATIN = {
    **dict.fromkeys("bfpv", "p"), **dict.fromkeys("ckgqx", "k"), **dict.fromkeys("dt", "t"), **dict.fromkeys("sz", "s"),
    **dict.fromkeys("lr", "r"), "m": "m", "n": "n", "j": "c",
}  # fmt: skip
_WORD = re.compile(r"[가-힣]{2,}|[ァ-ヶー]{3,}")


def by_sound(sentence: AskedSentence, categories: Sequence[Column]) -> None:
    """A value in the letters of another script is read as it stands in the table, where it sounds like one alone."""
    for start, end in words_in_other_scripts(sentence.text):
        said = sentence.text[start:end]
        found = {
            value
            for column in categories
            for value in column.values
            if value.isascii() and len(sounds(value)) >= FEWEST and sounds(value) == _begun(said, sounds(value))
        }
        if len(found) == 1 and not sentence.left[start:end].isspace():
            sentence.put(start, end, found.pop())


def _begun(said: str, sound: str) -> str:
    """The sounds of a word, or of its beginning, for what is joined to it in Korean."""
    return next((one for end in range(len(said), 1, -1) if (one := sounds(said[:end])) == sound), "")


def words_in_other_scripts(text: str) -> list[tuple[int, int]]:
    """Where they stand."""
    return [match.span() for match in _WORD.finditer(text)]


@lru_cache(1 << 12)
def sounds(name: str) -> str:
    """Its consonants, told apart as roughly as scripts without some of them do; _ for a vowel that it begins with."""
    found = "".join(map(_sound, _spelt_out(unicodedata.normalize("NFKC", name).casefold())))
    return re.sub(r"(?<=.)_", "", re.sub(r"(.)\1+", r"\1", found))


def _spelt_out(name: str) -> str:
    name = re.sub(r"ph", "f", re.sub(r"[cs]h|tch", "j", name))
    name = re.sub(r"c(?=[eiy])", "s", name)
    return re.sub(r"r(?=[^aeiouy]|$)", "", name)


def _sound(letter: str) -> str:
    code = ord(letter) - 0xAC00
    if 0 <= code < 11172:  # syllables of Hangul
        return _LEADS[code // 588] + _TAILS[code % 28]
    if letter in "aeiou" or letter in "アイウエオ":
        return "_"
    return _LATIN.get(letter) or _OF_KANA.get(letter, "")
