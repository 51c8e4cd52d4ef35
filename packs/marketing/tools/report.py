"""marketing.report: what is known about the reviews, as a PDF that can be handed on."""

from pydantic import JsonValue

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.marketing.artifacts import CHART, REPORT
from packs.marketing.reporting.document import compose, page_count, sections, typeset
from packs.marketing.reporting.material import gather


def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Needs at least one insight; says what it had. Raises NOTHING_TO_REPORT."""
    # Imported here: a pack that only counts must not pay for altair and its drawing engine.
    from packs.marketing.reporting.charts import draw

    material = gather(ctx)
    given = params.get("title")
    title = given if isinstance(given, str) else ctx.text("report.title")
    ctx.progress(0.1, ctx.text("report.drawing"))
    names: dict[str, str] = {}
    for section, png in draw(material, ctx).items():
        names[section] = f"chart_{section}.png"
        (ctx.workdir / names[section]).write_bytes(png)
        ctx.save(png, name=names[section], media_type="image/png", type_=CHART, section=section)
    ctx.progress(0.6, ctx.text("report.typesetting"))
    content = compose(material, title, names, ctx)
    pdf = typeset(content, ctx)
    pages = page_count(pdf)
    name = f"review_report_{ctx.now:%Y-%m-%d}.pdf"
    ctx.save(pdf, name=name, media_type="application/pdf", type_=REPORT, pages=pages)
    charts: list[JsonValue] = list(names.values())
    return {
        "name": name,
        "pages": pages,
        "reviews": material.about.reviews,
        "sections": list[JsonValue](sections(content)),
        "charts": charts,
        "summary": content["summary"],
    }
