"""marketing.report: what is known about reviews, competitors and stock, as a PDF that can be handed on or in Word."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import JsonValue

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.marketing.artifacts import REPORT
from packs.marketing.charts.style import NARROW, WIDE
from packs.marketing.evidence import summed_up
from packs.marketing.reporting.brand import read_brand
from packs.marketing.reporting.document import compose, page_count, sections, shortened, typeset
from packs.marketing.reporting.material import Findings, findings

if TYPE_CHECKING:
    from packs.marketing.charts.drawing import Spec


def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Needs an insight or a stock check; says what it had. Raises NOTHING_TO_REPORT."""
    found = findings(ctx)
    material = found.material
    given = params.get("title")
    brand, short = read_brand(ctx), params.get("form") == "one_page"
    title = given if isinstance(given, str) else brand.title or ctx.text(f"report.{_subject(found)}")
    ctx.progress(0.1, ctx.text("report.drawing"))
    specs = _charts(found, NARROW if short else WIDE, ctx)
    ctx.progress(0.6, ctx.text("report.typesetting"))
    content = compose(found, title, list(specs), ctx) | {"colour": brand.colour, "logo": brand.png is not None}
    if short:
        content = shortened(content)
    subject = "review" if material else "inventory" if found.stock else "table"
    name = f"{subject}_report_{ctx.now:%Y-%m-%d}"
    if params.get("file") == "docx":
        made = _in_word(content, specs, f"{name}.docx", brand.png, ctx)
    else:
        made = _as_pdf(content, specs, f"{name}.pdf", brand.png, ctx)
    return {
        **made,
        "reviews": material.about.reviews if material else 0,
        "sections": list[JsonValue](sections(content)),
        "charts": list[JsonValue](content["charts"] if isinstance(content["charts"], dict) else ()),
        **summed_up(_sentences(content), content),
    }


def _sentences(content: JsonObject) -> list[str]:
    found = content["summary"]
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _subject(found: Findings) -> str:
    """The text key of the title: what the report is about, if that is not all that reviews say."""
    material = found.material
    if material is None:
        return "title_inventory" if found.stock else "title_table"
    if found.stock is not None:
        return "title_both"
    alone = found.competitor is not None and material.keywords is None and material.trend is None
    return "title_competitor" if alone else "title"


def _as_pdf(
    content: JsonObject, specs: Mapping[str, "Spec"], name: str, logo: bytes | None, ctx: ToolContext
) -> JsonObject:
    from packs.marketing.charts.drawing import svg

    for section, spec in specs.items():
        (ctx.workdir / f"{section}.svg").write_text(svg(spec, ctx.language), encoding="utf-8")
    pdf = typeset(content, logo, ctx)
    pages = page_count(pdf)
    ctx.save(pdf, name=name, media_type="application/pdf", type_=REPORT, pages=pages)
    return {"name": name, "pages": pages}


def _in_word(
    content: JsonObject, specs: Mapping[str, "Spec"], name: str, logo: bytes | None, ctx: ToolContext
) -> JsonObject:
    """How many pages it has, Word decides where it is opened."""
    from packs.marketing.charts.drawing import png
    from packs.marketing.reporting.word import WORD, written

    drawn = content["charts"]
    charts = {one: png(specs[one], ctx.language) for one in specs if isinstance(drawn, dict) and one in drawn}
    ctx.save(written(content, charts, logo), name=name, media_type=WORD, type_=REPORT)
    return {"name": name}


def _charts(found: Findings, width: int, ctx: ToolContext) -> dict[str, "Spec"]:
    """Section -> specification."""
    # Imported here: a pack that only counts must not pay for the drawing engine.
    from packs.marketing.brands.chart import chart as of_brands
    from packs.marketing.charts.reviews import charts
    from packs.marketing.reporting.tabular import charts as of_table
    from packs.marketing.stock.chart import chart as of_stock

    specs = charts(found.material, ctx, width) if found.material else {}
    if found.competitor is not None:
        specs["competitor"] = of_brands(found.competitor, ctx, width)
    if found.stock is not None:
        specs["inventory"] = of_stock(found.stock.checked, ctx, width)
    return specs | of_table(found.table, width)
