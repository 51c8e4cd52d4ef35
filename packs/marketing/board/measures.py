"""The key figures, and how the newest period compares with the one before."""

from dataclasses import dataclass

from contracts.shape import JsonObject
from packs.marketing.board.orders import Orders
from packs.marketing.brands.intervals import LEVEL, difference
from packs.marketing.reporting.material import FEWEST, Material
from packs.marketing.reporting.sentences import worst_keyword
from packs.marketing.shapes import Difference, NamedTally


@dataclass(frozen=True, slots=True)
class LatestChange:
    """The reviews of the newest period with enough of them, those of the one before, and how their positive shares
    differ."""

    newest: NamedTally
    before: NamedTally
    difference: Difference


def latest_change(material: Material) -> LatestChange | None:
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


def as_json(material: Material | None, orders: Orders | None) -> JsonObject:
    """For the tool's result. Shares are fractions; null where nothing is known."""
    overall = material.sentiment.overall if material and material.sentiment else None
    step, complaint = (latest_change(material), worst_keyword(material)) if material else (None, None)
    return {
        "reviews": material.about.reviews if material else None,
        "positive_share": round(overall.positive_share, 4) if overall else None,
        "negative_share": round(overall.negative_share, 4) if overall else None,
        "positive_change": step.difference.value if step else None,
        "period": step.newest.name if step else None,
        "previous_period": step.before.name if step else None,
        "mean_rating": material.about.mean_rating if material else None,
        "complaint": {
            "term": complaint.term,
            "reviews": complaint.documents,
            "negative": complaint.tally.negative,
        }
        if complaint and complaint.tally
        else None,
        "to_order": orders.number if orders else None,
    }
