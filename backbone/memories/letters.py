"""Text as words of ASCII letters, so that trigram indexes see every script: where the database's locale is C, pg_trgm
drops all letters that are not ASCII, and a text in Hangul has no trigrams at all.

A Hangul syllable becomes the keys it is typed with, so that a trigram is about a syllable and a half; any other letter
becomes three: a digit that begins it, then two letters."""

import unicodedata
from collections.abc import Iterator
from itertools import groupby

LONGEST = 4000
"""Characters of the result; what is longer is found by its beginning and by its meaning."""
TRIGRAM = 3
WORDS = 5
"""Words of a query that are looked for."""

_INITIALS = ("r", "rr", "s", "e", "ee", "f", "a", "q", "qq", "t", "tt", "d", "w", "ww", "c", "z", "x", "v", "g")
_VOWELS = (
    "k", "o", "i", "io", "j", "p", "u", "up", "h", "hk", "ho", "hl", "y", "n", "nj", "np", "nl", "b", "m", "ml",
    "l",
)  # fmt: skip
_FINALS = (
    "r", "rr", "rt", "s", "sw", "sg", "e", "f", "fr", "fa", "fq", "ft", "fx", "fv", "fg", "a", "q", "qt", "t",
    "tt", "d", "w", "c", "z", "x", "v", "g",
)  # fmt: skip
_KEYS = (
    {chr(0x1100 + number): keys for number, keys in enumerate(_INITIALS)}
    | {chr(0x1161 + number): keys for number, keys in enumerate(_VOWELS)}
    | {chr(0x11A8 + number): keys for number, keys in enumerate(_FINALS)}
)
_SYLLABLES = range(0xAC00, 0xD7A4)
_HIRAGANA, _KATAKANA = range(0x3041, 0x3097), range(0x30A1, 0x30F7)
_TO_HIRAGANA = 0x60
_HANGUL, _PARTICLES = "hangul", "hiragana"
_STEM = 3
"""Syllables."""


def letters(text: str) -> str:
    """Words of a-z and 0-9, a space between them; equal words of one language become equal words."""
    return " ".join("".join(keys) for _, keys in _words(text))[:LONGEST]


def query_words(text: str) -> list[str]:
    """The words of a query that tell most, longest first; at most WORDS. Runs of hiragana, which are mostly endings
    and particles, and words of less than a trigram only where there is nothing else."""
    found = [(script, _stem(script, keys)) for script, keys in _words(text)]
    telling = [word for script, word in found if script != _PARTICLES] or [word for _, word in found]
    unique = list(dict.fromkeys(word for word in telling if len(word) > 1))
    long = [word for word in unique if len(word) >= TRIGRAM] or unique
    return sorted(long, key=len, reverse=True)[:WORDS]


def _stem(script: str, keys: list[str]) -> str:
    """A Korean word without its last syllable, which may be a particle: the rest finds it with another one, or none."""
    return "".join(keys[:-1] if script == _HANGUL and len(keys) >= _STEM else keys)


def _words(text: str) -> Iterator[tuple[str, list[str]]]:
    """(script, what each letter becomes): a change of script begins a word, for those who write without spaces."""
    read = (_letter(character) for character in unicodedata.normalize("NFKC", text).casefold())
    for script, run in groupby(read, key=lambda pair: pair[0]):
        if script:
            yield script, [keys for _, keys in run]


def _letter(character: str) -> tuple[str, str]:
    """Its script and what it becomes; no script for what is no letter and no digit."""
    if character.isascii():
        return ("latin", character) if character.isalnum() else ("", "")
    number = ord(character)
    if number in _SYLLABLES or character in _KEYS:
        return _HANGUL, "".join(_KEYS.get(jamo, "") for jamo in unicodedata.normalize("NFD", character))
    if not character.isalnum():
        return "", ""
    if number in _HIRAGANA:
        return _PARTICLES, _coded(number)
    if number in _KATAKANA:
        return "katakana", _coded(number - _TO_HIRAGANA)
    plain = unicodedata.normalize("NFKD", character)[0]
    return ("latin", plain) if plain.isascii() and plain.isalnum() else ("other", _coded(number))


def _coded(number: int) -> str:
    """Three characters, of which only the first is a digit: trigrams that are out of step never look alike."""
    rest, last = divmod(number, 26)
    first, middle = divmod(rest, 26)
    return f"{first % 10}{chr(97 + middle)}{chr(97 + last)}"
