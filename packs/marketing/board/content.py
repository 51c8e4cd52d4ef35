"""What stands on the dashboard, in words and numbers, for the page and its picture alike."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from contracts.tools import ToolContext
from packs.marketing.artifacts import read_judged
from packs.marketing.board.measures import LatestChange, latest_change
from packs.marketing.board.orders import Orders
from packs.marketing.charts.style import short
from packs.marketing.evidence import Sentence, say
from packs.marketing.reporting.figures import count, days, out_of, percent, rating, share, source
from packs.marketing.reporting.material import Material
from packs.marketing.reporting.sentences import (
    changed_products,
    changes,
    limits,
    part_of,
    quiet,
    sampled,
    summary,
    worst_keyword,
)
from packs.marketing.shapes import Keywords, SentimentSummary, Tally, Trend

_PRODUCTS, _PERIODS, _TERMS = 15, 36, 10
_QUOTES, _LONGEST_QUOTE = 5, 180
Tone = Literal["main", "positive", "negative", "warm"]


@dataclass(frozen=True, slots=True)
class Card:
    """A key figure; `change` is how it moved, `good` whether that is welcome."""

    name: str
    label: str
    value: str
    note: str
    tone: Tone
    change: str = ""
    good: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    """The first column names, the others are numbers."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def numeric(self) -> list[bool]:
        return [place > 0 for place in range(len(self.head))]


@dataclass(frozen=True, slots=True)
class Panel:
    """A chart in words: what it is called, what it shows, its numbers."""

    section: str
    title: str
    told: str
    table: Table
    note: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    text: str
    source: str


@dataclass(frozen=True, slots=True)
class Board:
    title: str
    period: str
    cards: tuple[Card, ...]
    summary: tuple[str, ...]
    panels: tuple[Panel, ...]
    quotes: tuple[Said, ...]
    orders: Orders | None
    quality: tuple[str, ...]


def compose(title: str, material: Material | None, orders: Orders | None, ctx: ToolContext) -> Board:
    """Whatever is known; at least one of material and orders must be."""
    made = ctx.text("report.made", date=ctx.now.date().isoformat())
    period = made
    if material is not None:
        period = f"{days(material.about, ctx)} · {made}"
    return Board(
        title=title,
        period=period,
        cards=tuple(_cards(material, orders, ctx)),
        summary=tuple(summary(material, ctx)) if material else (),
        panels=tuple(_panels(material, ctx)) if material else (),
        quotes=tuple(_quotes(material, ctx)) if material else (),
        orders=orders,
        quality=tuple(_quality(material, ctx)) if material else (made,),
    )


def _cards(material: Material | None, orders: Orders | None, ctx: ToolContext) -> Iterator[Card]:
    if material is not None:
        yield from _of_reviews(material, ctx)
    if orders is not None:
        note = say(ctx, "dashboard.card.to_order_note", orders.number)
        yield Card("to_order", ctx.text("dashboard.card.to_order"), count(orders.number), note, "warm")


def _of_reviews(material: Material, ctx: ToolContext) -> Iterator[Card]:
    about, overall = material.about, material.sentiment.overall if material.sentiment else None
    note = say(ctx, "dashboard.card.products", about.reviews, products=count(about.products)) if about.products else ""
    yield Card("reviews", ctx.text("report.fact.reviews"), count(about.reviews), note, "main")
    if overall is not None:
        of, step = part_of("dashboard.card.of", overall, "positive", ctx), latest_change(material)
        change = _change(step, ctx) if step else ""
        good = step is None or not step.difference.significant or step.difference.value > 0
        value = percent(overall.positive_share)
        yield Card("positive", ctx.text("report.fact.positive"), value, of, "positive", change, good)
    if about.mean_rating is not None:
        value = out_of(about.mean_rating, about.quality.rating_scale)
        note = say(ctx, "dashboard.card.rated", about.rated, of={"rated": True}, rated=count(about.rated))
        yield Card("rating", ctx.text("report.fact.rating"), value, note, "warm")
    if overall is not None:
        of = part_of("dashboard.card.of", overall, "negative", ctx)
        yield Card("negative", ctx.text("dashboard.card.negative"), percent(overall.negative_share), of, "negative")
    complaint, words = worst_keyword(material), material.keywords
    if complaint is not None and complaint.tally is not None:
        note = say(
            ctx,
            "dashboard.card.complaint_sample"
            if words is not None and words.read < words.available
            else "dashboard.card.complaint_note",
            complaint.documents,
            of={"term": complaint.term},
            documents=count(complaint.documents),
            negative=count(complaint.tally.negative),
            read=count(words.read) if words else "",
        )
        yield Card("complaint", ctx.text("dashboard.card.complaint"), complaint.term, note, "negative")


def _change(step: LatestChange, ctx: ToolContext) -> Sentence:
    """A step that may be chance is neither up nor down."""
    newest, before, apart = step.newest, step.before, step.difference
    way = "chance" if not apart.significant else "up" if apart.value > 0 else "down"
    return say(
        ctx,
        f"dashboard.change.{way}",
        newest.reviews + before.reviews,
        of={"periods": [before.name, newest.name]},
        interval=(apart.low, apart.high),
        period=newest.name,
        share=percent(newest.positive_share),
        n=count(newest.reviews),
        previous=before.name,
        before=percent(before.positive_share),
        before_n=count(before.reviews),
        points=f"{100 * abs(apart.value):.1f}",
    )


def _panels(material: Material, ctx: ToolContext) -> Iterator[Panel]:
    if material.trend is not None and len(material.trend.points) > 1:
        yield _trend(material, material.trend, ctx)
    if material.sentiment is not None:
        yield _sentiment(material.sentiment, ctx)
    if material.keywords is not None and material.keywords.keywords:
        yield _keywords(material.keywords, ctx)


def _trend(material: Material, trend: Trend, ctx: ToolContext) -> Panel:
    rows = tuple(
        (point.period, count(point.reviews), percent(point.positive_share), rating(point.mean_rating))
        for point in trend.points[-_PERIODS:]
    )
    head = _head(ctx, "period", "reviews", "positive_share", "rating")
    said = [*changes(material, ctx, "positive_share", "mean_rating"), *changed_products(trend, ctx)]
    said = said or [quiet(trend, ctx)]
    title = ctx.text("report.chart.trend")
    return Panel("trend", title, _told(title, said), Table(head, rows), said[0])


def _sentiment(sentiment: SentimentSummary, ctx: ToolContext) -> Panel:
    tallies: list[tuple[str, Tally]] = [(ctx.text("report.all_products"), sentiment.overall)]
    tallies += [(product.name, product) for product in sentiment.by_product[:_PRODUCTS]]
    rows = tuple((name, count(tally.reviews), *_parts(tally)) for name, tally in tallies)
    head = _head(ctx, "product", "reviews", "positive", "neutral", "negative")
    title, positive = ctx.text("report.chart.sentiment"), ctx.text("report.polarity.positive")
    return Panel("sentiment", title, _told(title, [f"{row[0]} {positive} {row[2]}" for row in rows]), Table(head, rows))


def _keywords(keywords: Keywords, ctx: ToolContext) -> Panel:
    rows = tuple(
        (
            term.term,
            count(term.documents),
            share(term.tally.positive, term.documents) if term.tally else "–",
            share(term.tally.negative, term.documents) if term.tally else "–",
        )
        for term in keywords.keywords[:_TERMS]
    )
    head = _head(ctx, "term", "reviews", "positive_share", "negative_share")
    title = ctx.text("report.chart.keywords")
    told = _told(title, [f"{row[0]} {row[1]}" for row in rows])
    return Panel("keywords", title, told, Table(head, rows), next(sampled(keywords, ctx), ""))


def _parts(tally: Tally) -> Iterator[str]:
    for part in (tally.positive, tally.neutral, tally.negative):
        yield f"{count(part)} ({share(part, tally.reviews)})"


def _head(ctx: ToolContext, *columns: str) -> tuple[str, ...]:
    return tuple(ctx.text(f"report.column.{column}") for column in columns)


def _told(title: str, parts: Sequence[str]) -> str:
    return f"{title}: {', '.join(parts)}"


def _quotes(material: Material, ctx: ToolContext) -> Iterator[Said]:
    """The newest negative reviews; without the texts, those that the sentiment analysis chose."""
    if (judged := read_judged(ctx)) is not None:
        said = judged[0].filter(pl.col("polarity") == "negative").unique("text", keep="first", maintain_order=True)
        said = said.sort("date", "score", descending=[True, False], nulls_last=True).head(_QUOTES)
        for row in said.iter_rows(named=True):
            yield Said(
                short(" ".join(row["text"].split()), _LONGEST_QUOTE),
                source(row["product"], row["date"], row["rating"], ctx),
            )
    elif material.sentiment is not None:
        for quote in [quote for quote in material.sentiment.quotes if quote.polarity == "negative"][:_QUOTES]:
            yield Said(
                short(" ".join(quote.text.split()), _LONGEST_QUOTE),
                source(quote.product, quote.date, quote.rating, ctx),
            )


def _quality(material: Material, ctx: ToolContext) -> Iterator[str]:
    quality = material.about.quality
    yield ctx.text("report.files", files=", ".join(quality.files) or "–")
    yield ctx.text("report.made", date=ctx.now.date().isoformat())
    yield say(
        ctx,
        "dashboard.quality.rows",
        quality.rows_read,
        read=count(quality.rows_read),
        kept=count(quality.rows_kept),
        bad=count(quality.rows_bad),
        duplicates=count(quality.duplicates_exact + quality.duplicates_near),
        reviews=count(material.about.reviews),
    )
    yield from limits(material, ctx)
