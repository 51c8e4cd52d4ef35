"""Small polarity lexicons per language, kept as data: regular expressions with a weight, and words that negate."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from understanding.kit.data import read_data

FOLDER = Path(__file__).parent / "lexicons"


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Weighted expressions, -1..1 each. `negation` is looked for right behind a match, `negation_before` right before
    it, and either turns its weight round, as a group `without` inside a match does; `lukewarm` finds phrases of
    indifference, `films` talk about films, which the words are not for."""

    weighted: tuple[tuple[re.Pattern[str], float], ...]
    negation: re.Pattern[str] | None
    lukewarm: re.Pattern[str] | None
    negation_before: re.Pattern[str] | None = None
    films: re.Pattern[str] | None = None

    def total(self, text: str) -> float:
        """The sum of the weights found in a text; an expression counts once, however often it occurs."""
        return sum(self._weight(found, weight) for pattern, weight in self.weighted if (found := pattern.search(text)))

    def is_lukewarm(self, text: str) -> bool:
        return self.lukewarm is not None and self.lukewarm.search(text) is not None

    def is_of_films(self, text: str) -> bool:
        return self.films is not None and self.films.search(text) is not None

    def _weight(self, found: re.Match[str], weight: float) -> float:
        behind = bool(self.negation and self.negation.match(found.string, found.end()))
        before = bool(self.negation_before and self.negation_before.search(found.string[: found.start()]))
        before = before or bool(found.groupdict().get("without"))
        return -weight if behind != before else weight


@cache
def load(language: str) -> Lexicon:
    """polarity/lexicons/<language>.yaml"""
    data = read_data(FOLDER / f"{language}.yaml")
    weighted = tuple(
        (_compiled(expression), float(weight))
        for weight, expressions in data["weights"].items()
        for expression in expressions
    )
    others = ("negation", "lukewarm", "negation_before", "films")
    return Lexicon(weighted, *(_compiled(data[name]) if name in data else None for name in others))


def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression, re.IGNORECASE)
