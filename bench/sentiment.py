"""How often polarity is right on labelled texts: `python -m bench sentiment [--file CSV] [--json]`.

A file has the columns text and rating (up to 4 negative, from 9 positive, others ignored), or text and mean_rating
(its sign, where its size is at least 1). Predictions are forced to two classes. Without --file, the Korean and English
files in ../shared/data are used.
"""

import argparse
import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from packs.marketing.cleaning.language import languages
from packs.marketing.cleaning.text import clean
from packs.marketing.polarity.judge import is_positive, judge

SHARED = Path(__file__).parents[2] / "shared" / "data"
KNOWN = {"ko": "naver_movie_reviews.csv", "en": "amazon_review_sentences.csv"}


class FileUnusable(Exception):
    """The file cannot be scored; the message says why."""


@dataclass(frozen=True, slots=True)
class Score:
    """`n` counts the texts with a clear label; `language` is that of most of them."""

    language: str
    n: int
    right: int

    @property
    def accuracy(self) -> float:
        return round(self.right / self.n, 4)


def main(argv: list[str]) -> int:
    """0 when scored, 2 when there is nothing to score; then the reason is on stderr."""
    parser = argparse.ArgumentParser(prog="python -m bench sentiment", description="Accuracy of polarity, two classes.")
    parser.add_argument("--file", type=Path, help="CSV with text and rating, or text and mean_rating")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    given = parser.parse_args(argv)
    try:
        scores = {str(given.file): score(given.file)} if given.file else _score_known()
    except FileUnusable as error:
        print(f"bench sentiment: {error}", file=sys.stderr)
        return 2
    if not given.json:
        for name, found in scores.items():
            print(f"{name}: accuracy {found.accuracy:.4f} of {found.n} texts (language {found.language})")
    elif given.file:
        found = scores[str(given.file)]
        report = {"file": str(given.file), "accuracy": found.accuracy, "n": found.n, "language": found.language}
        print(json.dumps(report, ensure_ascii=False))
    else:
        print(json.dumps({name: {"accuracy": found.accuracy, "n": found.n} for name, found in scores.items()}))
    return 0


def _score_known() -> dict[str, Score]:
    present = {language: SHARED / name for language, name in KNOWN.items() if (SHARED / name).exists()}
    if not present:
        raise FileUnusable(f"no data in {SHARED}; name a file with --file")
    return {language: score(path) for language, path in present.items()}


def score(path: Path) -> Score:
    """Raises FileUnusable."""
    labelled = _labelled(path)
    texts = [clean(text) for text in labelled["text"]]
    spoken = languages(texts)
    main_language = Counter(spoken).most_common(1)[0][0]
    judged = judge(texts, spoken)
    right = sum(
        is_positive(found) == positive for (_, found), positive in zip(judged, labelled["positive"], strict=True)
    )
    return Score(main_language, labelled.height, right)


def _labelled(path: Path) -> pl.DataFrame:
    """Rows with a text and a clear label, as text and positive."""
    try:
        frame = pl.read_csv(path, infer_schema=False)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise FileUnusable(f"{path} cannot be read as CSV: {error}") from error
    column = next((name for name in ("rating", "mean_rating") if name in frame.columns), None)
    if "text" not in frame.columns or column is None:
        raise FileUnusable(f"{path} needs the columns text and rating (or mean_rating), it has {frame.columns!r}")
    value = pl.col(column).cast(pl.Float64, strict=False)
    negative, positive = (value <= 4, value >= 9) if column == "rating" else (value <= -1, value >= 1)
    clear = frame.filter(pl.col("text").is_not_null(), negative | positive).select("text", positive.alias("positive"))
    if clear.is_empty():
        raise FileUnusable(f"{path} has no row with a text and a clear {column}")
    return clear
