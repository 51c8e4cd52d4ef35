"""The picture of an answer: a line over time, bars for counts and sums, dots for means on their whole scale."""

from contracts.tools import ToolContext
from packs.marketing.asking.answering import Figures
from packs.marketing.asking.profile import Profile
from packs.marketing.asking.request import Request
from packs.marketing.asking.sentences import figure, group_name, measure_name, shown
from packs.marketing.charts.course import Series, course
from packs.marketing.charts.drawing import Spec, png, titled
from packs.marketing.charts.rows import Across, bars, dots
from packs.marketing.charts.style import NARROW, distinct

FIRST, LAST = 10, 5
"""Of many groups those that are drawn; all are in the table."""
MOST = 20


def draw(profile: Profile, request: Request, figures: Figures, ctx: ToolContext) -> bytes | None:
    """PNG; None where there is nothing to draw."""
    spec = specification(profile, request, figures, ctx, NARROW)
    return None if spec is None else png(spec, ctx.language)


def specification(profile: Profile, request: Request, figures: Figures, ctx: ToolContext, width: int) -> Spec | None:
    """None where there are not two groups to look at, or two kinds of them."""
    if len(request.groups) != 1 or len(figures.rows) < 2:
        return None
    measure = next((one for one in request.measures if one.kind != "count"), request.measures[0])
    at, group, name = request.measures.index(measure), request.groups[0], measure_name(measure, ctx)
    found = [(names[0], rows, known) for names, rows, value in figures.rows if (known := value[at]) is not None]
    if not found:
        return None
    column = profile.column(measure.column) if measure.column else None
    scale = column.scale if column is not None and measure.kind in ("mean", "median") else None
    low, high = (float(scale.low), float(scale.high)) if scale else (min(0.0, *(one[2] for one in found)), None)
    if group.grain and len(found) > 2:
        lines = [Series(name, [value for _, _, value in found], low, high)] if measure.kind != "count" else []
        counted = ctx.text("ask.name.count", column="")
        chart = course([one for one, _, _ in found], [rows for _, rows, _ in found], lines, counted, ctx, width)
    else:
        kept = found if len(found) <= MOST else [*found[:FIRST], *found[-LAST:]]
        labels = distinct([one for one, _, _ in kept])
        rows = [
            {"name": f"{label} ({number:,})" if measure.kind != "count" else label, "value": value,
             "label": figure(measure, value)}
            for label, (_, number, value) in zip(labels, kept, strict=True)
        ]  # fmt: skip
        longest = max(value for _, _, value in kept)
        # Room on the right for the figure behind the longest bar.
        across = Across(low, high if high is not None else max(longest, 0.0) * 1.2 or 1.0, name, {})
        chart = dots(rows, across, width) if scale else bars(rows, across, width)
    scope = " · ".join(shown(one, ctx) for one in request.filters)
    title = f"{name} ({scope})" if scope else name
    of = ctx.text("ask.chart.of", by=group_name(group, ctx), rows=f"{figures.left:,}")
    return titled(chart, title, of)


def warm() -> None:
    """Draws what nobody looks at."""
    row = [{"name": "가かa", "value": 1.0, "label": "1"}]
    for language in ("ko", "ja", "en"):
        png(titled(bars(row, Across(0.0, 1.0, "", {}), NARROW), "", ""), language)
