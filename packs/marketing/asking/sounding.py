"""A name in another script, by how it sounds (맨체스터, マンチェスター are Manchester), and a heading with one letter
wrong ("memebership")."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from packs.marketing.asking.phrasing import AskedSentence, plain, plain_words
from packs.marketing.asking.profile import Column, Profile

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


def as_spelt(sentence: AskedSentence, profile: Profile) -> None:
    """A long Latin word with one letter wrong is read as the one word of the headings that it was to be. Its ends are
    right: what differs there is another form of a word, or another word."""
    there = {word for one in profile.columns for word in re.findall(r"[a-z]{7,}", one.name.casefold())}
    known = {*there, *plain_words(), *(plain(value) for one in profile.columns for value in one.values)}
    for match in list(re.finditer(r"(?<![A-Za-z])[A-Za-z]{7,}(?![A-Za-z])", sentence.text)) if there else ():
        said = match.group().casefold()
        meant = [one for one in there if one[0] == said[0] and one[-1] == said[-1] and _is_one_slip(said, one)]
        if said not in known and f"{said}s" not in known and said.removesuffix("s") not in known and len(meant) == 1:
            sentence.put(*match.span(), meant[0])
            return  # places behind it have moved


def _is_one_slip(said: str, meant: str) -> bool:
    """Whether one letter is missing, too many or another, or two have changed places."""
    if abs(len(said) - len(meant)) > 1 or said == meant:
        return False
    begin = next(at for at, (one, other) in enumerate(zip(said + " ", meant + " ", strict=False)) if one != other)
    one, other = said[begin:], meant[begin:]
    swapped = len(one) > 1 and one[:2] == other[1::-1] and one[2:] == other[2:]
    return swapped or one[1:] == other or one == other[1:] or one[1:] == other[1:]


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
