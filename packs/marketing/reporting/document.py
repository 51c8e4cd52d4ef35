"""The content of the report as data, and the PDF that typst sets from it with report.typ.

User text reaches typst as JSON strings, which it never evaluates: a review that holds markup stays a review.

The report's section about brands side by side: what is said of them, and one row for each."""

import re
from collections.abc import Sequence
from pathlib import Path

from pydantic import JsonValue

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.marketing.brands import sentences as brands
from packs.marketing.brands.sentences import details
from packs.marketing.evidence import say
from packs.marketing.reporting import fonts, tabular, typesetting
from packs.marketing.reporting.boss import agreement, first_page
from packs.marketing.reporting.figures import count, days, out_of, percent, rating, share, source, table
from packs.marketing.reporting.material import Findings, Material
from packs.marketing.reporting.sentences import course, limits, sampled, summary
from packs.marketing.reporting.stocktaking import facts as stock_facts
from packs.marketing.reporting.stocktaking import quality as stock_quality
from packs.marketing.reporting.stocktaking import stocktaking
from packs.marketing.shapes import Polarity, Tally
from packs.marketing.shapes_competitor import Brand, Competitor
from packs.marketing.slides.voices import listen
from packs.marketing.stock import sentences as shelves

TEMPLATE = Path(__file__).parent.parent / "report.typ"
_KEYWORD_ROWS = 15
_PRODUCT_ROWS = 15
_PERIOD_ROWS = 24
_HEADINGS = ("summary", "sentiment", "competitor", "trend", "keywords", "quotes", "inventory", "quality", "limits")


def compose(found: Findings, title: str, charts: Sequence[str], ctx: ToolContext) -> JsonObject:
    """Everything that stands in the report. `charts` are the sections that have one, a file of that name each."""
    material, stock, parts = found.material, found.stock, tabular.parts(found.table)
    return {
        "language": ctx.language,
        "fonts": list(fonts.families(ctx.language)),
        "title": title,
        "period": _period(found, ctx),
        "about": list[JsonValue](tabular.about(found.table)),
        "made": ctx.text("report.made", date=ctx.now.date().isoformat()),
        "date": [ctx.now.year, ctx.now.month, ctx.now.day],
        "files": ctx.text("report.files", files=", ".join(_files(found))),
        "page_of": ctx.text("report.page"),
        "facts": [list[JsonValue](fact) for fact in _facts(found, ctx)],
        "headings": dict[str, JsonValue]({name: ctx.text(f"report.heading.{name}") for name in _HEADINGS})
        | tabular.headings(found.table),
        "charts": {name: f"{name}.svg" for name in charts},
        # whose figures they are and what should be done about them, nobody here knows
        "boss": first_page(found, listen(ctx), ctx) if material or stock else None,
        "summary": list[JsonValue](
            [
                *(summary(material, ctx, compared=found.competitor is not None) if material else ()),
                *(brands.headline(ctx, found.competitor) if found.competitor else ()),
                *(shelves.headline(ctx, stock.checked) if stock else ()),
                *tabular.summary(found.table),
            ]
        ),
        "parts": list[JsonValue](parts),
        **parts,
        "quality": _quality(found, ctx),
        "sentiment": _sentiment(material, ctx) if material else None,
        "competitor": comparison(found.competitor, ctx),
        "trend": _trend(material, ctx) if material else None,
        "keywords": _keywords(material, ctx) if material else None,
        "quotes": _quotes(material, ctx) if material else [],
        "inventory": stocktaking(stock, ctx),
        "limits": list[JsonValue](_limits(found, ctx)),
    }


def _period(found: Findings, ctx: ToolContext) -> str:
    """The days of the reviews and the day of the stock check, as far as there are any."""
    said = []
    if found.material is not None:
        said.append(days(found.material.about, ctx))
    if found.stock is not None:
        said.append(ctx.text("report.stock.as_of", date=found.stock.checked.today.isoformat()))
    if found.table is not None and found.table.date_from is not None:
        said.append(f"{found.table.date_from} – {found.table.date_to}")
    return " · ".join(said)


def _files(found: Findings) -> list[str]:
    of_reviews = found.material.about.quality.files if found.material else ()
    of_table = [found.table.file] if found.table else []
    return list(dict.fromkeys([*of_reviews, *(found.stock.files if found.stock else ()), *of_table]))


def _facts(found: Findings, ctx: ToolContext) -> list[list[str]]:
    """Four boxes at most: of the stock as many as the reviews leave room for."""
    of_reviews = _review_facts(found.material, ctx) if found.material else []
    of_stock = stock_facts(found.stock, ctx) if found.stock else []
    if of_reviews and of_stock:
        return [of_reviews[0], *of_reviews[-1:], *of_stock[:2]] if len(of_reviews) > 1 else of_reviews + of_stock[:3]
    return of_reviews or of_stock or [list(fact) for fact in (found.table.facts if found.table else ())]


def _review_facts(material: Material, ctx: ToolContext) -> list[list[str]]:
    about = material.about
    facts = [[ctx.text("report.fact.reviews"), count(about.reviews)]]
    if about.products:
        facts.append([ctx.text("report.fact.products"), count(about.products)])
    if about.mean_rating is not None:
        facts.append([ctx.text("report.fact.rating"), out_of(about.mean_rating, about.quality.rating_scale)])
    if material.sentiment:
        facts.append([ctx.text("report.fact.positive"), percent(material.sentiment.overall.positive_share)])
    return facts


def _limits(found: Findings, ctx: ToolContext) -> list[str]:
    said: list[str] = [*limits(found.material, ctx)] if found.material else []
    said += [ctx.text("report.limit.competitor")] if found.competitor else []
    return [*said, ctx.text("report.limit.stock")] if found.stock else said


def shortened(content: JsonObject) -> JsonObject:
    """What fits on one page: what is the matter, what to do, how sure that is, and two charts."""
    drawn = content["charts"]
    parts = content["parts"] if isinstance(content["parts"], list) else []
    names = [one for one in (*_HEADINGS, *map(str, parts)) if isinstance(drawn, dict) and one in drawn][:2]
    charts: JsonObject = {name: drawn[name] for name in names} if isinstance(drawn, dict) else {}
    left_out: JsonObject = dict.fromkeys(
        (*map(str, parts), "sentiment", "competitor", "trend", "keywords", "inventory", "quality")
    )
    return {**content, **left_out, "quotes": [], "limits": [], "parts": [], "charts": charts, "form": "one_page"}


def typeset(content: JsonObject, logo: bytes | None, ctx: ToolContext) -> bytes:
    """A PDF. The charts that the content names lie in ctx.workdir."""
    # typst takes whole seconds only
    return typesetting.typeset(TEMPLATE, "report.json", content, logo, ctx, timestamp=ctx.now.replace(microsecond=0))


def page_count(pdf: bytes) -> int:
    """From the page tree's root, which typst writes uncompressed."""
    return max((int(found) for found in re.findall(rb"/Type\s*/Pages\s*/Count (\d+)", pdf)), default=1)


def sections(content: JsonObject) -> list[str]:
    return [*(name for name in _HEADINGS if content[name]), *(["table"] if content["parts"] else [])]


def _quality(found: Findings, ctx: ToolContext) -> JsonObject | None:
    if found.material is None and found.stock is None:
        return None
    notes, rows = stock_quality(found.stock, ctx)
    if found.material is not None:
        notes = [*_review_notes(found.material, ctx), *notes]
        rows = [*_review_rows(found.material, ctx), *rows]
    return {"table": table(ctx, ("item", "number"), rows), "notes": list[JsonValue](notes)}


def _review_rows(material: Material, ctx: ToolContext) -> list[list[str]]:
    quality, about = material.about.quality, material.about
    return [
        [ctx.text("report.quality.rows_read"), count(quality.rows_read)],
        [ctx.text("report.quality.rows_kept"), count(quality.rows_kept)],
        [ctx.text("report.quality.rows_bad"), count(quality.rows_bad)],
        *(
            [ctx.text("report.quality.reason", reason=ctx.text(f"collector.reason.{reason}")), count(number)]
            for reason, number in sorted(quality.bad_by_reason.items())
        ),
        *(
            [ctx.text(f"report.quality.{name}"), count(number)]
            for name, number in (
                ("out_of_period", quality.out_of_period),
                ("undated", quality.undated),
                ("other_products", quality.other_products),
                ("emptied", quality.emptied),
            )
            if number
        ),
        [ctx.text("report.quality.duplicates_exact"), count(quality.duplicates_exact)],
        [ctx.text("report.quality.duplicates_near"), count(quality.duplicates_near)],
        [ctx.text("report.quality.reviews"), count(about.reviews)],
        *([[ctx.text("report.quality.repeated"), count(quality.repeated)]] if quality.repeated else []),
        *(
            [ctx.text("report.quality.warning", reason=ctx.text(f"collector.warning.{reason}")), count(number)]
            for reason, number in sorted(quality.warnings_by_reason.items())
        ),
    ]


def _review_notes(material: Material, ctx: ToolContext) -> list[str]:
    languages = ", ".join(
        f"{ctx.text(f'language.{name}')} {count(number)}" for name, number in material.about.quality.languages.items()
    )
    reviews = material.about.reviews
    said = say(ctx, "report.languages", reviews, languages=languages)
    return [ctx.text("report.method"), said, *agreement(material, ctx)]


def _tally_cells(tally: Tally) -> list[str]:
    return [
        count(tally.reviews),
        f"{count(tally.positive)} ({share(tally.positive, tally.reviews)})",
        f"{count(tally.neutral)} ({share(tally.neutral, tally.reviews)})",
        f"{count(tally.negative)} ({share(tally.negative, tally.reviews)})",
        rating(tally.mean_rating),
    ]


def _sentiment(material: Material, ctx: ToolContext) -> JsonObject | None:
    if material.sentiment is None:
        return None
    found = material.sentiment
    rows = [[ctx.text("report.all_products"), *_tally_cells(found.overall)]]
    rows += [[product.name, *_tally_cells(product)] for product in found.by_product[:_PRODUCT_ROWS]]
    hidden = material.about.products - _PRODUCT_ROWS
    columns = ["product", "reviews", "positive", "neutral", "negative", "rating"]
    return {
        "table": table(ctx, columns, rows),
        "note": say(ctx, "report.more_products", hidden, number=count(hidden)) if hidden > 0 else "",
    }


def _trend(material: Material, ctx: ToolContext) -> JsonObject | None:
    if material.trend is None:
        return None
    trend = material.trend
    rows = [
        [point.period, count(point.reviews), percent(point.positive_share), rating(point.mean_rating)]
        for point in trend.points[-_PERIOD_ROWS:]
    ]
    notes = list(course(material, ctx))
    gaps, periods = sum(point.gap for point in trend.points), len(trend.points)
    if gaps:
        notes.append(say(ctx, "report.gaps", periods, gaps=gaps, periods=periods))
    if periods > _PERIOD_ROWS:
        notes.append(say(ctx, "report.newest_periods", periods, shown=_PERIOD_ROWS, periods=periods))
    columns = ["period", "reviews", "positive_share", "rating"]
    return {"table": table(ctx, columns, rows), "notes": list[JsonValue](notes)}


def _keywords(material: Material, ctx: ToolContext) -> JsonObject | None:
    if material.keywords is None or not material.keywords.keywords:
        return None
    rows = [
        [
            keyword.term,
            count(keyword.count),
            count(keyword.documents),
            share(keyword.documents, material.keywords.read),
            share(keyword.tally.positive, keyword.documents) if keyword.tally else "–",
            share(keyword.tally.negative, keyword.documents) if keyword.tally else "–",
        ]
        for keyword in material.keywords.keywords[:_KEYWORD_ROWS]
    ]
    columns = ["term", "count", "reviews", "reach", "positive_share", "negative_share"]
    notes = [ctx.text("report.keywords_note"), *sampled(material.keywords, ctx)]
    return {"table": table(ctx, columns, rows), "note": " ".join(notes)}


def _quotes(material: Material, ctx: ToolContext) -> list[JsonValue]:
    if material.sentiment is None:
        return []
    sides: tuple[Polarity, ...] = ("positive", "negative")
    groups: list[JsonValue] = []
    for side in sides:
        quotes: list[JsonValue] = [
            {"text": quote.text, "source": source(quote.product, quote.date, quote.rating, ctx)}
            for quote in material.sentiment.quotes
            if quote.polarity == side
        ]
        if quotes:
            groups.append({"polarity": side, "title": ctx.text(f"report.quotes.{side}"), "quotes": quotes})
    return groups


_ROWS = 15
_COLUMNS = ("brand", "reviews", "voice", "positive_interval", "rating", "complaint")


def comparison(facts: Competitor | None, ctx: ToolContext) -> JsonObject | None:
    if facts is None:
        return None
    rows = [_cells(brand, ctx) for brand in facts.brands[:_ROWS]]
    hidden = facts.left_out + max(0, len(facts.brands) - _ROWS)
    remarks = [ctx.text("report.competitor.interval")]
    remarks += [say(ctx, "report.competitor.more", hidden, number=count(hidden))] if hidden else []
    return {
        "notes": list[JsonValue](details(ctx, facts)),
        "table": table(ctx, _COLUMNS, rows),
        "remark": " ".join(remarks),
    }


def _cells(brand: Brand, ctx: ToolContext) -> list[str]:
    positive = ctx.text(
        "report.competitor.share",
        share=share(brand.tally.positive, brand.tally.reviews),
        low=percent(brand.positive_low),
        high=percent(brand.positive_high),
    )
    return [
        ctx.text("report.competitor.own", name=brand.name) if brand.own else brand.name,
        count(brand.tally.reviews),
        percent(brand.share_of_voice),
        positive,
        rating(brand.tally.mean_rating),
        brand.disliked[0].term if brand.disliked else "–",
    ]
