"""Japanese polarity by a small list of words (lexicons/ja.yaml): modest, and said to be so in the result."""

from collections.abc import Sequence

from packs.marketing.polarity.lexicon import load


def scores(texts: Sequence[str]) -> list[float]:
    """-1..1 per text; 0 where the list knows no word."""
    lexicon = load("ja")
    totals = [lexicon.total(text) for text in texts]
    return [round(total / (1.0 + abs(total)), 4) for total in totals]
