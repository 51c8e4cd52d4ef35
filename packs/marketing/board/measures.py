"""The key figures, and how the newest period compares with the one before."""

from dataclasses import dataclass

from contracts.shape import JsonObject
from packs.marketing.board.orders import Orders
from packs.marketing.brands.intervals import LEVEL, difference
from packs.marketing.reporting.material import FEWEST, Material
from packs.marketing.reporting.sentences import worst_keyword
from packs.marketing.shapes import Difference, Keyword, NamedTally


@dataclass(frozen=True, slots=True)
class LatestChange:
    """The reviews of the newest period with enough of them, those of the one before, and how their positive shares
    differ."""

    newest: NamedTally
    before: NamedTally
    difference: Difference


@dataclass(frozen=True, slots=True)
class Measures:
    """Shares are fractions; null where nothing is known."""

    reviews: int | None
    positive_share: float | None
    negative_share: float | None
    step: LatestChange | None
    mean_rating: float | None
    complaint: Keyword | None
    to_order: int | None


def measure(material: Material | None, orders: Orders | None) -> Measures:
    to_order = orders.number if orders else None
    if material is None:
        return Measures(None, None, None, None, None, None, to_order)
    overall = material.sentiment.overall if material.sentiment else None
    return Measures(
        reviews=material.about.reviews,
        positive_share=overall.positive_share if overall else None,
        negative_share=overall.negative_share if overall else None,
        step=_step(material),
        mean_rating=material.about.mean_rating,
        complaint=worst_keyword(material),
        to_order=to_order,
    )


def _step(material: Material) -> LatestChange | None:
    """By the trend's periods, else by months. A trend has shares; what they are shares of are whole reviews."""
    series: list[NamedTally] = []
    if material.trend is not None:
        for point in material.trend.points:
            if point.reviews >= FEWEST and point.positive_share is not None:
                positive = round(point.positive_share * point.reviews)
                rest = point.reviews - positive
                series.append(
                    NamedTally(name=point.period, reviews=point.reviews, positive=positive, neutral=rest, negative=0)
                )
    elif material.sentiment is not None:
        series = [month for month in material.sentiment.by_month if month.reviews >= FEWEST]
    if len(series) < 2:
        return None
    before, newest = series[-2:]
    return LatestChange(newest, before, difference(newest, before, LEVEL))


def as_json(found: Measures) -> JsonObject:
    """For the tool's result."""
    step, complaint = found.step, found.complaint
    return {
        "reviews": found.reviews,
        "positive_share": _rounded(found.positive_share),
        "negative_share": _rounded(found.negative_share),
        "positive_change": step.difference.value if step else None,
        "period": step.newest.name if step else None,
        "previous_period": step.before.name if step else None,
        "mean_rating": found.mean_rating,
        "complaint": {
            "term": complaint.term,
            "reviews": complaint.documents,
            "negative": complaint.tally.negative,
        }
        if complaint and complaint.tally
        else None,
        "to_order": found.to_order,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
