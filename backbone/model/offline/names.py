"""Finds a gazetteer's names in a text: exactly by Aho-Corasick, then misspelt ones by similarity."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

import ahocorasick  # type: ignore[import-not-found, unused-ignore]  # a C extension without stubs
from rapidfuzz import fuzz

from backbone.model.offline.pack import Name
from contracts.cognitive import Entity

EXACT = 0.95
LIKE_ENOUGH = 88
MISSPELT_TYPES = frozenset({"brand", "product", "platform"})
MISSPELT_TOKENS = 40
_TOKEN = re.compile(r"[A-Za-z]{5,}|[가-힣]{4,}")
# Korean particles may follow a short name; other syllables make another word of it ("애플" is not in "애플망고").
_PARTICLES = re.compile(
    r"(?:들|에서|에게|한테|으로|부터|까지|처럼|보다|이랑|하고|라는|이나|은|는|이|가|을|를|의|에|도|와|과|로|랑|만|나)*(?![가-힣])"
)
_LATIN = re.compile(r"[A-Za-z0-9À-ɏ]")
_HANGUL = re.compile(r"[가-힣]")
_KATAKANA = re.compile(r"[ァ-ヺー]")
_HAN = re.compile(r"[一-龯]")


class NameFinder:
    """Built once per pack; `find` gives entities in reading order without overlaps."""

    def __init__(self, names: Sequence[Name]) -> None:
        self._names = [(name, word) for name in names for word in name.words]
        self._automaton = ahocorasick.Automaton()
        for index, (_, word) in enumerate(self._names):
            folded = _fold(word)
            self._automaton.add_word(folded, (index, len(folded)))
        if self._names:
            self._automaton.make_automaton()

    def find(self, text: str) -> list[Entity]:
        if not self._names:
            return []
        exact = _longest(self._exact(text))
        return sorted([*exact, *self._misspelt(text, exact)], key=lambda one: one.start)

    def _exact(self, text: str) -> Iterator[Entity]:
        for last, (index, length) in self._automaton.iter(_fold(text)):
            start, end = last - length + 1, last + 1
            if _is_word(text, start, end):
                yield _entity(self._names[index][0], text, start, end, EXACT)

    def _misspelt(self, text: str, exact: Sequence[Entity]) -> Iterator[Entity]:
        for count, token in enumerate(_TOKEN.finditer(text)):
            if count >= MISSPELT_TOKENS:
                return
            if any(token.start() < one.end and one.start < token.end() for one in exact):
                continue
            best = max((self._likeness(token, index) for index in range(len(self._names))), default=None)
            if best and best[0] >= LIKE_ENOUGH:
                score, end, index = best
                yield _entity(self._names[index][0], text, token.start(), end, round(score / 100 * EXACT, 2))

    def _likeness(self, token: re.Match[str], index: int) -> tuple[float, int, int]:
        name, word = self._names[index]
        hangul = bool(_HANGUL.match(token.group()))
        if name.type not in MISSPELT_TYPES or len(word) < (4 if hangul else 5) or len(token.group()) < len(word) - 1:
            return 0.0, token.end(), -index
        written = token.group()[: len(word)] if hangul else token.group()
        end = token.start() + len(written)
        if hangul and not _PARTICLES.match(token.string, end):
            return 0.0, end, -index
        return fuzz.ratio(_letters(written), _letters(word)), end, index


def _fold(text: str) -> str:
    """Lower case of the same length, so that positions stay true ("İ".lower() is two characters)."""
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def _letters(text: str) -> str:
    """Hangul syllables as letters: one wrong vowel is one letter of three, not the whole syllable."""
    return unicodedata.normalize("NFD", text.lower())


def _is_word(text: str, start: int, end: int) -> bool:
    """Whether the span stands as a word of its own in its script."""
    before, after, first, last = text[start - 1 : start], text[end : end + 1], text[start], text[end - 1]
    if _LATIN.match(first) and _LATIN.match(before):
        return False
    if _LATIN.match(last) and _LATIN.match(after):
        return False
    if _HANGUL.match(first) and _HANGUL.match(before):
        return False
    if _HANGUL.match(last) and end - start <= 2 and not _PARTICLES.match(text, end):
        return False
    if _KATAKANA.match(first) and _KATAKANA.match(before):
        return False
    if _KATAKANA.match(last) and _KATAKANA.match(after):
        return False
    return not (end - start == 1 and (_HAN.match(before) or _HAN.match(after)))


def _longest(entities: Iterator[Entity]) -> list[Entity]:
    taken: list[Entity] = []
    for one in sorted(entities, key=lambda entity: (entity.start - entity.end, entity.start, entity.type)):
        if not any(one.start < other.end and other.start < one.end for other in taken):
            taken.append(one)
    return taken


def _entity(name: Name, text: str, start: int, end: int, confidence: float) -> Entity:
    return Entity(type=name.type, text=text[start:end], value=name.value, start=start, end=end, confidence=confidence)
