"""The slides that stand on one chart: sentiment and trend."""

from collections.abc import Iterable
from typing import Literal

from contracts.tools import ToolContext
from packs.marketing.charts.style import short
from packs.marketing.reporting.figures import count, percent, rating, share
from packs.marketing.reporting.material import Material
from packs.marketing.reporting.sentences import course, part_of, polarity, products
from packs.marketing.shapes import Tally
from packs.marketing.slides.native import Chart, SlideSeries
from packs.marketing.slides.pages import Figure, Page, Tone

_BARS, _PERIODS = 6, 24


def sentiment_page(material: Material, ctx: ToolContext) -> Page | None:
    if material.sentiment is None:
        return None
    overall = material.sentiment.overall
    rows: list[tuple[str, Tally]] = [(product.name, product) for product in material.products[:_BARS]]
    if len(rows) != 1:
        rows.insert(0, (ctx.text("report.all_products"), overall))
    names = tuple(f"{short(name)} ({count(tally.reviews)})" for name, tally in rows)
    sides: tuple[Literal["positive", "neutral", "negative"], ...] = ("positive", "neutral", "negative")
    chart = Chart(
        "shares",
        names,
        tuple(
            SlideSeries(
                ctx.text(f"report.polarity.{side}"),
                side,
                tuple(round(getattr(tally, side) / tally.reviews, 4) if tally.reviews else 0.0 for _, tally in rows),
            )
            for side in sides
        ),
        told_of(
            ctx.text("report.chart.sentiment"),
            (
                (name, f"{ctx.text('report.polarity.positive')} {share(tally.positive, tally.reviews)}")
                for name, tally in rows
            ),
        ),
        percent=True,
    )
    said = [*polarity(material, ctx), *products(material, ctx)]
    if len(rows) > 1:
        return Page("sentiment", ctx.text("sales_material.heading.sentiment"), said[-1], (chart,), notes=tuple(said))
    tones: dict[str, Tone] = {"positive": "positive", "neutral": "main", "negative": "negative"}
    figures = tuple(
        Figure(
            share(getattr(overall, side), overall.reviews),
            ctx.text(f"report.polarity.{side}"),
            part_of("sales_material.fact.of", overall, side, ctx),
            tones[side],
        )
        for side in sides
    )
    heading = ctx.text("sales_material.heading.sentiment_one")
    return Page("sentiment", heading, said[-1], (*figures, chart), notes=tuple(said))


def trend_page(material: Material, ctx: ToolContext) -> Page | None:
    if material.trend is None or len(material.trend.points) < 2:
        return None
    points = material.trend.points[-_PERIODS:]
    periods = tuple(point.period for point in points)
    shares = tuple(point.positive_share for point in points)
    ratings = tuple(point.mean_rating for point in points)
    charts: list[Chart] = []
    measures: tuple[tuple[Literal["positive_share", "mean_rating"], tuple[float | None, ...]], ...] = (
        ("positive_share", shares),
        ("mean_rating", ratings),
    )
    for measure, values in measures:
        if any(value is not None for value in values) and not charts:
            name = ctx.text(f"report.measure.{measure}")
            shown = percent if measure == "positive_share" else rating
            told = told_of(name, ((period, shown(value)) for period, value in zip(periods, values, strict=True)))
            charts.append(
                Chart("line", periods, (SlideSeries(name, "main", values),), told, percent=measure == "positive_share")
            )
    name = ctx.text("report.measure.reviews")
    told = told_of(name, ((point.period, count(point.reviews)) for point in points))
    charts.append(
        Chart("columns", periods, (SlideSeries(name, "light", tuple(float(p.reviews) for p in points)),), told)
    )
    said = list(course(material, ctx))
    return Page(
        "trend",
        ctx.text("sales_material.heading.trend"),
        said[0],
        tuple(charts),
        aside=tuple(said[1:3]),
        notes=tuple(said),
    )


def told_of(name: str, pairs: Iterable[tuple[str, str]]) -> str:
    """What a chart shows, in words."""
    return f"{name}: " + ", ".join(f"{label} {value}" for label, value in pairs)
