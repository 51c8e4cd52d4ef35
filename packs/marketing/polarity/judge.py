"""One judgement per review: the language decides which method speaks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from packs.marketing.polarity import english, japanese, korean
from packs.marketing.shapes import Polarity, RatingScale

MethodName = Literal["model", "lexicon", "small_lexicon", "none"]


@dataclass(frozen=True, slots=True)
class Scorer:
    """`band`: scores from -band to band are neutral."""

    name: MethodName
    scores: Callable[[Sequence[str]], list[float]]
    band: float


# Bands: for Korean 0.3 is odds of about two to one either way; 0.05 is the band that VADER's authors give.
# Texts without letters ("und") go to VADER for its emoji.
METHODS = {
    "ko": Scorer("model", korean.scores, 0.3),
    "en": Scorer("lexicon", english.scores, 0.05),
    "und": Scorer("lexicon", english.scores, 0.05),
    "ja": Scorer("small_lexicon", japanese.scores, 0.0),
}

# Texts between two signs of life.
_STEP = 5_000


def judge(
    texts: Sequence[str], languages: Sequence[str], progress: Callable[[float], None] = lambda _: None
) -> list[tuple[Polarity, float]]:
    """Polarity and score per text. A language without a method gives neutral, 0."""
    judged: list[tuple[Polarity, float]] = [("neutral", 0.0)] * len(texts)
    done = 0
    for language, method in METHODS.items():
        where = [index for index, found in enumerate(languages) if found == language]
        for start in range(0, len(where), _STEP):
            part = where[start : start + _STEP]
            for index, score in zip(part, method.scores([texts[index] for index in part]), strict=True):
                judged[index] = (polarity(score, method.band), score)
            done += len(part)
            progress(done / len(texts))
    return judged


def polarity(score: float, band: float) -> Polarity:
    if score > band:
        return "positive"
    return "negative" if score < -band else "neutral"


def settled_by_rating(judged: pl.DataFrame, scale: RatingScale | None) -> tuple[pl.DataFrame, int]:
    """`judged` (language, rating, polarity), where a clear rating decides what the text leaves open, and how many it
    decided. Texts in a language that nothing here judges stay neutral: that is said of them."""
    if scale is None:
        return judged, 0
    rating, language = pl.col("rating"), pl.col("language").is_in(list(METHODS))
    open_ = (pl.col("polarity") == "neutral") & language
    settled = judged.with_columns(
        polarity=pl.when(open_ & (rating >= scale.positive_from))
        .then(pl.lit("positive"))
        .when(open_ & (rating <= scale.negative_to))
        .then(pl.lit("negative"))
        .otherwise(pl.col("polarity"))
    )
    return settled, int((settled["polarity"] != judged["polarity"]).sum())


def is_positive(score: float) -> bool:
    """Forced to two classes. No evidence counts as positive, since most reviews are."""
    return score >= 0.0
