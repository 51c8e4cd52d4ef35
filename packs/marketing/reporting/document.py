"""The content of the report as data, and the PDF that typst sets from it with report.typ.

User text reaches typst as JSON strings, which it never evaluates: a review that holds markup stays a review.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from pydantic import JsonValue

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.marketing.reporting import fonts
from packs.marketing.reporting.figures import count, percent, rating, scale_end, share
from packs.marketing.reporting.material import Material
from packs.marketing.reporting.sentences import changes, limits, summary
from packs.marketing.shapes import Polarity, Tally

TEMPLATE = Path(__file__).parent.parent / "report.typ"
_KEYWORD_ROWS = 15
_PRODUCT_ROWS = 15
_PERIOD_ROWS = 24
_HEADINGS = ("summary", "quality", "sentiment", "trend", "keywords", "quotes", "limits")


def compose(material: Material, title: str, charts: Mapping[str, str], ctx: ToolContext) -> JsonObject:
    """Everything that stands in the report. `charts` are file names by section."""
    about = material.about
    facts = [
        [ctx.text("report.fact.reviews"), count(about.reviews)],
        [ctx.text("report.fact.products"), count(about.products)] if about.products else None,
        [ctx.text("report.fact.rating"), _out_of(material)] if about.mean_rating is not None else None,
        [ctx.text("report.fact.positive"), percent(material.sentiment.overall.positive_share)]
        if material.sentiment
        else None,
    ]
    dated = about.date_from and about.date_to
    return {
        "language": ctx.language,
        "fonts": list(fonts.families(ctx.language)),
        "title": title,
        "period": f"{about.date_from} – {about.date_to}" if dated else ctx.text("report.undated"),
        "made": ctx.text("report.made", date=ctx.now.date().isoformat()),
        "date": [ctx.now.year, ctx.now.month, ctx.now.day],
        "files": ctx.text("report.files", files=", ".join(about.quality.files)),
        "page_of": ctx.text("report.page"),
        "facts": [list[JsonValue](fact) for fact in facts if fact is not None],
        "headings": {name: ctx.text(f"report.heading.{name}") for name in _HEADINGS},
        "charts": dict(charts),
        "summary": list[JsonValue](summary(material, ctx)),
        "quality": _quality(material, ctx),
        "sentiment": _sentiment(material, ctx),
        "trend": _trend(material, ctx),
        "keywords": _keywords(material, ctx),
        "quotes": _quotes(material, ctx),
        "limits": list[JsonValue](limits(material, ctx)),
    }


def typeset(content: JsonObject, ctx: ToolContext) -> bytes:
    """A PDF. The charts that the content names lie in ctx.workdir."""
    import typst

    source = ctx.workdir / "report.typ"
    source.write_bytes(TEMPLATE.read_bytes())
    (ctx.workdir / "report.json").write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    pdf: bytes = typst.compile(
        str(source),
        root=str(ctx.workdir),
        font_paths=[str(folder) for folder in fonts.folders()],
        # The same report on every machine, whatever fonts it has.
        ignore_system_fonts=True,
        timestamp=ctx.now.replace(microsecond=0),  # typst takes whole seconds only
    )
    return pdf


def page_count(pdf: bytes) -> int:
    """From the page tree's root, which typst writes uncompressed."""
    return max((int(found) for found in re.findall(rb"/Type\s*/Pages\s*/Count (\d+)", pdf)), default=1)


def sections(content: JsonObject) -> list[str]:
    return [name for name in _HEADINGS if content[name]]


def _out_of(material: Material) -> str:
    scale = material.about.quality.rating_scale
    mean = rating(material.about.mean_rating)
    return f"{mean} / {scale_end(scale.high)}" if scale else mean


def _table(ctx: ToolContext, columns: list[str], rows: list[list[str]]) -> JsonObject:
    head: list[JsonValue] = [ctx.text(f"report.column.{name}") for name in columns]
    return {"head": head, "rows": [list[JsonValue](row) for row in rows]}


def _quality(material: Material, ctx: ToolContext) -> JsonObject:
    quality, about = material.about.quality, material.about
    rows = [
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
        *(
            [ctx.text("report.quality.warning", reason=ctx.text(f"collector.warning.{reason}")), count(number)]
            for reason, number in sorted(quality.warnings_by_reason.items())
        ),
    ]
    languages = ", ".join(
        f"{ctx.text(f'language.{name}')} {count(number)}" for name, number in quality.languages.items()
    )
    notes = [ctx.text("report.method"), ctx.text("report.languages", languages=languages)]
    if material.sentiment is not None and (agreement := material.sentiment.agreement) is not None:
        notes.append(
            ctx.text(
                "report.agreement",
                reviews=count(agreement.reviews),
                agree=count(agreement.agree),
                share=share(agreement.agree, agreement.reviews),
            )
        )
    return {"table": _table(ctx, ["item", "number"], [row for row in rows if row]), "notes": list[JsonValue](notes)}


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
    hidden = len(found.by_product) - _PRODUCT_ROWS
    columns = ["product", "reviews", "positive", "neutral", "negative", "rating"]
    return {
        "table": _table(ctx, columns, rows),
        "note": ctx.text("report.more_products", number=hidden) if hidden > 0 else "",
    }


def _trend(material: Material, ctx: ToolContext) -> JsonObject | None:
    if material.trend is None:
        return None
    trend = material.trend
    rows = [
        [point.period, count(point.reviews), percent(point.positive_share), rating(point.mean_rating)]
        for point in trend.points[-_PERIOD_ROWS:]
    ]
    notes = list(changes(material, ctx, "positive_share", "mean_rating", "reviews")) or [ctx.text("report.trend_quiet")]
    gaps = sum(point.gap for point in trend.points)
    if gaps:
        notes.append(ctx.text("report.gaps", gaps=gaps, periods=len(trend.points)))
    if len(trend.points) > _PERIOD_ROWS:
        notes.append(ctx.text("report.newest_periods", shown=_PERIOD_ROWS, periods=len(trend.points)))
    table = _table(ctx, ["period", "reviews", "positive_share", "rating"], rows)
    return {"table": table, "notes": list[JsonValue](notes)}


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
    return {"table": _table(ctx, columns, rows), "note": ctx.text("report.keywords_note")}


def _quotes(material: Material, ctx: ToolContext) -> list[JsonValue]:
    if material.sentiment is None:
        return []
    sides: tuple[Polarity, ...] = ("positive", "negative")
    groups: list[JsonValue] = []
    for side in sides:
        quotes: list[JsonValue] = [
            {
                "text": quote.text,
                "source": " · ".join(
                    part
                    for part in (
                        quote.product,
                        quote.date.isoformat() if quote.date else None,
                        ctx.text("report.rated", rating=scale_end(quote.rating)) if quote.rating is not None else None,
                    )
                    if part
                ),
            }
            for quote in material.sentiment.quotes
            if quote.polarity == side
        ]
        if quotes:
            groups.append({"polarity": side, "title": ctx.text(f"report.quotes.{side}"), "quotes": quotes})
    return groups
