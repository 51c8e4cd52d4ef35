"""Small polarity lexicons per language, kept as data: regular expressions with a weight, and words that negate."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from understanding.kit.data import read_data

FOLDER = Path(__file__).parent / "lexicons"


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Weighted expressions, -1..1 each. `negation` is looked for right behind a match and turns its weight round;
    `lukewarm` finds phrases of indifference."""

    weighted: tuple[tuple[re.Pattern[str], float], ...]
    negation: re.Pattern[str] | None
    lukewarm: re.Pattern[str] | None

    def total(self, text: str) -> float:
        """The sum of the weights found in a text; an expression counts once, however often it occurs."""
        return sum(self._weight(found, weight) for pattern, weight in self.weighted if (found := pattern.search(text)))

    def is_lukewarm(self, text: str) -> bool:
        return self.lukewarm is not None and self.lukewarm.search(text) is not None

    def _weight(self, found: re.Match[str], weight: float) -> float:
        negated = self.negation is not None and self.negation.match(found.string, found.end())
        return -weight if negated else weight


@cache
def load(language: str) -> Lexicon:
    """polarity/lexicons/<language>.yaml"""
    data = read_data(FOLDER / f"{language}.yaml")
    weighted = tuple(
        (_compiled(expression), float(weight))
        for weight, expressions in data["weights"].items()
        for expression in expressions
    )
    negation, lukewarm = data.get("negation"), data.get("lukewarm")
    return Lexicon(weighted, negation and _compiled(negation), lukewarm and _compiled(lukewarm))


def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression, re.IGNORECASE)
