"""The shapes inside the pack's artifacts: what travels with a table, and what the JSON insights hold.

Shares are fractions 0..1; scores run from -1 (bad) to 1 (good); dates are ISO 8601 in JSON.
"""

from datetime import date
from typing import Literal

from pydantic import Field

from contracts.profiles import Scale
from contracts.shape import Contract, Digest

Polarity = Literal["negative", "neutral", "positive"]
Grain = Literal["day", "week", "month", "quarter", "year"]
Measure = Literal["reviews", "mean_rating", "positive_share"]
RatingScale = Scale
"""The scale that a rating column uses, and where a clear opinion begins on it."""


class Quality(Contract):
    """What happened to the rows on the way: rows_read = rows_kept + rows_bad, always."""

    files: tuple[str, ...]
    rows_read: int
    rows_kept: int
    rows_bad: int
    bad_by_reason: dict[str, int] = Field(default_factory=dict)
    warnings_by_reason: dict[str, int] = Field(default_factory=dict)
    rating_scale: RatingScale | None = None
    duplicates_exact: int = 0
    duplicates_near: int = 0
    repeated: int = Field(
        default=0, description="counted reviews with the words, product, day and rating of another; other cells differ"
    )
    emptied: int = Field(default=0, description="rows with nothing left after cleaning")
    languages: dict[str, int] = Field(default_factory=dict)
    period_from: date | None = Field(default=None, description="first day asked for, if any")
    period_to: date | None = Field(default=None, description="last day asked for, if any")
    out_of_period: int = Field(default=0, description="reviews of other days than those asked for")
    undated: int = Field(default=0, description="reviews without a day, left out because a period was asked for")
    rows_asked: tuple[str, ...] = Field(default=(), description="which rows were asked for, in words")
    rows_left_out: int = Field(default=0, description="rows of the files that were not asked for; not in rows_read")
    products_asked: tuple[str, ...] = ()
    other_products: int = Field(default=0, description="reviews of other products than those asked for")
    products_unknown: bool = Field(default=False, description="no review names a product, so none was left out")


class About(Contract):
    """Which reviews an insight speaks of. `of` is the artifact id of the reviews.clean it was made from."""

    of: Digest
    reviews: int
    products: int
    date_from: date | None
    date_to: date | None
    mean_rating: float | None
    rated: int = Field(description="reviews that carry a rating")
    quality: Quality


class Tally(Contract):
    """Reviews by polarity; the three add up to `reviews`."""

    reviews: int
    negative: int
    neutral: int
    positive: int
    mean_rating: float | None = None

    @property
    def positive_share(self) -> float:
        return self.positive / self.reviews if self.reviews else 0.0

    @property
    def negative_share(self) -> float:
        return self.negative / self.reviews if self.reviews else 0.0


class NamedTally(Tally):
    """A tally of one product or one month (YYYY-MM)."""

    name: str


class Difference(Contract):
    """A difference of two figures. `low` and `high` hold for all that was looked at to pick the two: `confidence` is
    that of this one interval, chosen so that together they are right in 95 of 100 cases."""

    value: float
    low: float
    high: float
    confidence: float
    significant: bool = Field(description="zero is outside the interval: more than chance")


class Extremes(Contract):
    """The products with the largest and the smallest share of positive reviews, among all with enough of them."""

    compared: int
    fewer: int = Field(description="products with too few reviews to compare")
    best: tuple[NamedTally, ...] = Field(description="several when they are level; at most four")
    best_level: int = Field(description="how many are level")
    worst: tuple[NamedTally, ...]
    worst_level: int
    difference: Difference


class Quote(Contract):
    """A review that speaks for many."""

    text: str
    polarity: Polarity
    score: float
    product: str | None
    date: date | None
    rating: float | None


class Agreement(Contract):
    """How often polarity, forced to two classes, agrees with a clear rating."""

    reviews: int
    agree: int


class Stars(Contract):
    """Reviews with a rating: how many of the ratings are clearly good and bad, and how the texts of the same speak."""

    rated: int
    good: int
    bad: int
    positive: int
    negative: int


class Method(Contract):
    """How the reviews of one language were judged; `none` means that they count as neutral unjudged."""

    language: str
    method: Literal["model", "lexicon", "small_lexicon", "none"]
    reviews: int


class SentimentSummary(Contract):
    """insight.sentiment, beside its per-review columns."""

    about: About
    overall: Tally
    by_rating: int = Field(default=0, description="reviews whose text left it open and whose rating decided")
    mean_score: float
    by_product: tuple[NamedTally, ...] = Field(description="the fifty with most reviews")
    extremes: Extremes | None = Field(default=None, description="none where no two products differ")
    by_month: tuple[NamedTally, ...]
    agreement: Agreement | None
    stars: Stars | None = None
    methods: tuple[Method, ...]
    quotes: tuple[Quote, ...]


class Keyword(Contract):
    """A term that stands out. `documents` counts the reviews that hold it, `tally` their polarity."""

    term: str
    language: str
    count: int
    documents: int
    score: float = Field(description="0..1 within its language, 1 for the strongest term")
    tally: Tally | None


class Keywords(Contract):
    """insight.keywords"""

    about: About
    keywords: tuple[Keyword, ...]
    available: int = Field(description="reviews in the languages that terms were looked for in")
    read: int = Field(description="reviews that were read for terms; fewer than available in a very large set")
    skipped_languages: tuple[str, ...]


class Point(Contract):
    """One period of a trend. In a gap there are no reviews, so its measures are null."""

    period: str
    start: date
    reviews: int
    mean_rating: float | None
    positive_share: float | None
    gap: bool


class Within(Contract):
    """A change counted within the products that have reviews before and after it, each with its own weight on both
    sides. `products` is 0, and the levels are null, where there is none."""

    products: int
    before: float | None
    after: float | None


class Change(Contract):
    """From `period` on a measure runs at another level; the level before it ran from `since` to `until`. Shares and
    means are those of all `before_n` and `after_n` reviews of the two spans (of reviews: means of so many periods)."""

    measure: Measure
    period: str
    since: str
    until: str
    before: float
    after: float
    before_n: int
    after_n: int
    difference: Difference | None = Field(description="null for numbers of reviews")
    within: Within | None = Field(description="set where other products explain the change, or may do so")


class ProductChange(Contract):
    """The last change of level of one product's own reviews."""

    product: str
    change: Change


class Slope(Contract):
    """A straight line through a measure; `direction` is flat unless the slope is more than chance over its periods."""

    measure: Measure
    per_period: float
    low: float
    high: float
    periods: int
    direction: Literal["rising", "falling", "flat"]


class Ends(Contract):
    """The best and the worst period of a measure, among the `compared` ones with enough reviews."""

    measure: Measure
    compared: int
    best: str
    best_value: float
    best_n: int
    worst: str
    worst_value: float
    worst_n: int
    difference: Difference


class Trend(Contract):
    """insight.trend"""

    about: About
    grain: Grain
    points: tuple[Point, ...]
    changes: tuple[Change, ...]
    slopes: tuple[Slope, ...]
    ends: tuple[Ends, ...] = ()
    products: tuple[ProductChange, ...] = Field(default=(), description="falls first, by the reviews that they cost")
    undated: int
