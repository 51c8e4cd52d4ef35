"""Finds a gazetteer's names in a text: exactly by Aho-Corasick, then misspelt ones by similarity."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import islice

import ahocorasick
from rapidfuzz import fuzz, process

from contracts.cognitive import Entity
from understanding.offline.pack import Name

EXACT = 0.95
LIKE_ENOUGH = 88
MISSPELT_TOKENS = 40
SHORT = 2
SHORTEST, SHORTEST_HANGUL = 5, 4
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
        self._like = _alike(self._names)
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
        for token in islice(_TOKEN.finditer(text), MISSPELT_TOKENS):
            start = token.start()
            if any(start < one.end and one.start < token.end() for one in exact):
                continue
            lengths = [len(token.group())] if _LATIN.match(token.group()) else [n for n in self._like if n > 0]
            likely = [found for length in lengths if (found := self._likeliest(text, start, length))]
            if likely:
                score, end, index = max(likely)
                yield _entity(self._names[index][0], text, start, end, round(score / 100 * EXACT, 2))

    def _likeliest(self, text: str, start: int, length: int) -> tuple[float, int, int] | None:
        """The name most like the `length` characters from `start`: score, end, index of the name."""
        end = start + length
        hangul = bool(_HANGUL.match(text[start]))
        if hangul and not (_HANGUL.match(text[end - 1 : end]) and _PARTICLES.match(text, end)):
            return None
        words = self._like.get(length if hangul else 0, {})
        best = process.extractOne(_letters(text[start:end]), words, scorer=fuzz.ratio, score_cutoff=LIKE_ENOUGH)
        return (best[1], end, best[2]) if best else None


def _alike(names: Sequence[tuple[Name, str]]) -> dict[int, dict[int, str]]:
    """The words that can be recognised misspelt, as letters by index: Korean ones by length, others under 0."""
    words: dict[int, dict[int, str]] = {0: {}}
    for index, (name, word) in enumerate(names):
        hangul = bool(_HANGUL.match(word))
        if name.spelling_tolerant and len(word) >= (SHORTEST_HANGUL if hangul else SHORTEST):
            words.setdefault(len(word) if hangul else 0, {})[index] = _letters(word)
    return words


def _fold(text: str) -> str:
    """Lower case of the same length, so that positions stay true ("İ".lower() is two characters)."""
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def _letters(text: str) -> str:
    """Hangul syllables as letters: one wrong vowel is one letter of three, not the whole syllable."""
    return unicodedata.normalize("NFD", text.lower())


def _is_word(text: str, start: int, end: int) -> bool:
    """Whether the span stands as a word of its own in its script."""
    before, after, first, last = text[start - 1 : start], text[end : end + 1], text[start], text[end - 1]
    if any(script.match(first) and script.match(before) for script in (_LATIN, _HANGUL, _KATAKANA)):
        return False
    if any(script.match(last) and script.match(after) for script in (_LATIN, _KATAKANA)):
        return False
    if _HANGUL.match(last) and end - start <= SHORT:
        return bool(_PARTICLES.match(text, end))
    return end - start > 1 or not (_HAN.match(before) or _HAN.match(after))


def _longest(entities: Iterator[Entity]) -> list[Entity]:
    taken: list[Entity] = []
    occupied: set[int] = set()
    for one in sorted(entities, key=lambda entity: (entity.start - entity.end, entity.start, entity.type)):
        if one.start not in occupied and one.end - 1 not in occupied:
            occupied.update(range(one.start, one.end))
            taken.append(one)
    return taken


def _entity(name: Name, text: str, start: int, end: int, confidence: float) -> Entity:
    return Entity(type=name.type, text=text[start:end], value=name.value, start=start, end=end, confidence=confidence)
