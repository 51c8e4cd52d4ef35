"""marketing.competitor: brands or products side by side, and whether their difference is more than chance."""

import polars as pl
from pydantic import JsonValue

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tools import ToolContext, ToolError
from packs.marketing.artifacts import (
    CLEAN,
    COMPETITOR,
    KEYWORDS,
    SENTIMENT,
    Reviews,
    about,
    dump,
    read_json,
    read_reviews,
    read_sentiment,
    save_json,
)
from packs.marketing.brands.compare import compare
from packs.marketing.brands.groups import Grouping, UnknownBrand, group
from packs.marketing.brands.names import nearest
from packs.marketing.brands.sentences import told
from packs.marketing.charts.style import NARROW
from packs.marketing.evidence import summed_up
from packs.marketing.letters import names_given
from packs.marketing.shapes import Keywords
from packs.marketing.shapes_competitor import Brand, Competitor

_SHOWN = 10
_SHOWN_TERMS = 5
_SHOWN_MONTHS = 12


def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """All products of the reviews, or params.brands; params.own marks ours. Raises TOOL_ARGUMENTS_INVALID for a brand
    that is not in the data, NOTHING_TO_REPORT when fewer than two brands have reviews."""
    # Imported here: reading the reviews must not pay for the drawing engine.
    from packs.marketing.brands.chart import chart
    from packs.marketing.charts.reviews import save_picture

    reviews = read_reviews(ctx, CLEAN)
    judged = _judged(reviews, ctx)
    ctx.progress(0.1, ctx.text("competitor.sorting", reviews=f"{judged.height:,}"))
    grouping = _group(params, judged, ctx)
    ctx.progress(0.2, ctx.text("competitor.comparing", brands=len(grouping.names)))
    keywords = read_json(ctx, KEYWORDS, Keywords)
    facts = compare(
        judged, grouping, about(reviews), keywords if keywords and keywords.about.of == reviews.of else None
    )
    save_json(ctx, facts, type_=COMPETITOR, name="competitor.json", brands=len(facts.brands))
    ctx.progress(0.8, ctx.text("report.drawing"))
    save_picture(chart(facts, ctx, NARROW), "competitor", ctx)
    return result_of(facts, ctx)


def _judged(reviews: Reviews, ctx: ToolContext) -> pl.DataFrame:
    """The reviews with their polarity; sentiment has the rows of reviews.clean in the same order."""
    sentiment = read_sentiment(ctx, reviews.of)
    if sentiment is None:
        raise ToolError(Code.INPUT_MISSING, ctx.text("competitor.error.sentiment_missing"), type=SENTIMENT)
    return reviews.frame.with_columns(polarity=sentiment[0]["polarity"])


def _group(params: JsonObject, judged: pl.DataFrame, ctx: ToolContext) -> Grouping:
    wanted, own = asked(params)
    try:
        grouping = group(judged, wanted, own)
    except UnknownBrand as unknown:
        raise _unknown(unknown, ctx) from unknown
    if len(grouping.names) < 2:
        found = grouping.names
        key = "competitor.error.one_brand" if found else "competitor.error.no_brand"
        message = ctx.text(key, reviews=f"{judged.height:,}", found=", ".join(found))
        raise ToolError(Code.NOTHING_TO_REPORT, message, found=list[JsonValue](found), shared=grouping.shared)
    return grouping


def asked(params: JsonObject) -> tuple[list[str], str | None]:
    """The brands to compare, and our own. Names in the sentence itself (`product`, `brand`) say both: several are what
    to compare, a single one is ours."""
    wanted, own = names_given(params, "brands"), names_given(params, "own")
    for said in (names_given(params, "product"), names_given(params, "brand")):
        if not wanted and len(said) > 1:
            wanted = said
        elif not wanted and not own and said:
            own = said
    return list(dict.fromkeys(wanted)), own[0] if own else None


def _unknown(unknown: UnknownBrand, ctx: ToolContext) -> ToolError:
    known = list(unknown.known[:_SHOWN])
    close = nearest(unknown.name, unknown.known)
    if not known:
        message = ctx.text("competitor.error.unknown_nothing", name=unknown.name)
    elif close:
        message = ctx.text("competitor.error.unknown_close", name=unknown.name, close=close, known=", ".join(known))
    else:
        message = ctx.text("competitor.error.unknown", name=unknown.name, known=", ".join(known))
    return ToolError(
        Code.TOOL_ARGUMENTS_INVALID, message, brand=unknown.name, known=list[JsonValue](known), close=close
    )


def result_of(facts: Competitor, ctx: ToolContext) -> JsonObject:
    """What the answer needs of the facts: it travels in an event, so it stays small."""
    return {
        "reviews": facts.about.reviews,
        "source": facts.source,
        "compared": sum(brand.tally.reviews for brand in facts.brands),
        "unassigned": facts.unassigned,
        "shared": facts.shared,
        "brands": [_shown(brand) for brand in facts.brands[:_SHOWN]],
        "left_out": facts.left_out + max(0, len(facts.brands) - _SHOWN),
        "lead": dump(facts.lead) if facts.lead else None,
        "topics": [{**dump(row), "brands": [dump(found) for found in row.brands[:_SHOWN]]} for row in facts.topics],
        **summed_up(told(ctx, facts)),
    }


def _shown(brand: Brand) -> JsonObject:
    """The strongest terms and the newest months; the artifact has all."""
    return {
        **dump(brand),
        "products": list[JsonValue](brand.products[:_SHOWN]),
        "liked": [dump(term) for term in brand.liked[:_SHOWN_TERMS]],
        "disliked": [dump(term) for term in brand.disliked[:_SHOWN_TERMS]],
        "months": [dump(month) for month in brand.months[-_SHOWN_MONTHS:]],
    }
