"""Nouns that take their Korean particle: `{product:topic}` becomes the noun with the form its last sound asks for."""

from collections.abc import Mapping, Sequence

_FIRST_SYLLABLE, _LAST_SYLLABLE, _FINALS = 0xAC00, 0xD7A3, 28
# Read aloud in Korean, these end in a consonant: 0 yeong, 1 il, 3 sam, 6 yuk, 7 chil, 8 pal; and L, M, N of words.
_CLOSED_DIGITS, _OPEN_DIGITS = "013678", "2459"
_CLOSED_LETTERS, _OPEN_LETTERS = "lmn", "aioudfhjrsvwxyz"
# A name spelled letter by letter: R is "al", all others but L, M, N end in a vowel.
_CLOSED_NAMES = "LMNR"
_LONGEST_ABBREVIATION = 4


class Undecided(ValueError):
    """How the noun ends when read in Korean is not known."""


def ends_in_consonant(word: str) -> bool | None:
    """Whether the last sound is a consonant; none where nobody can tell from the spelling."""
    last = next((character for character in reversed(word) if character.isalnum()), "")
    if not last:
        return None
    if _FIRST_SYLLABLE <= ord(last) <= _LAST_SYLLABLE:
        return (ord(last) - _FIRST_SYLLABLE) % _FINALS != 0
    if last in _CLOSED_DIGITS or last in _OPEN_DIGITS:
        return last in _CLOSED_DIGITS
    return _latin_ends_in_consonant(word, last) if last.isascii() else None


def _latin_ends_in_consonant(word: str, last: str) -> bool | None:
    spelled = "".join(character for character in word.rsplit(maxsplit=1)[-1] if character.isalpha())
    if spelled.isupper() and len(spelled) <= _LONGEST_ABBREVIATION:
        return last in _CLOSED_NAMES
    if word.rstrip().lower().endswith("ng"):
        return True
    letter = last.lower()
    return letter in _CLOSED_LETTERS if letter in _CLOSED_LETTERS + _OPEN_LETTERS else None


class Noun:
    """A word in a pattern. Specs: a particle's name, `cap` for a capital first letter, none for the word alone."""

    def __init__(self, word: str, particles: Mapping[str, Sequence[str]]) -> None:
        self._word = word
        self._particles = particles

    def __format__(self, spec: str) -> str:
        """Raises Undecided where the right particle is not known."""
        if not spec:
            return self._word
        if spec == "cap":
            return self._word[:1].upper() + self._word[1:]
        after_consonant, after_vowel = self._particles[spec]
        closed = ends_in_consonant(self._word)
        if closed is None:
            raise Undecided(self._word)
        return self._word + (after_consonant if closed else after_vowel)
