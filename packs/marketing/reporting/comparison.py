"""The report's section about brands side by side: what is said of them, and one row for each."""

from pydantic import JsonValue

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.marketing.brands.sentences import details
from packs.marketing.evidence import say
from packs.marketing.reporting.figures import count, percent, rating, share, table
from packs.marketing.shapes_competitor import Brand, Competitor

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
