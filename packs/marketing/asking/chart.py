"""The picture of an answer: a line over time, bars for counts and sums, dots for means on their whole scale; of two
kinds of groups lines or bars in colours."""

from collections.abc import Sequence

from contracts.tools import ToolContext
from packs.marketing.asking.answering import Figures
from packs.marketing.asking.profile import Profile
from packs.marketing.asking.request import Group, Measure, Request
from packs.marketing.asking.sentences import group_name, measure_name, shown
from packs.marketing.asking.written import figure
from packs.marketing.charts.course import Series, course
from packs.marketing.charts.crossed import crossed
from packs.marketing.charts.drawing import Spec, png, titled
from packs.marketing.charts.rows import Across, bars, dots
from packs.marketing.charts.style import NARROW, distinct

FIRST, LAST = 10, 5
"""Of many groups those that are drawn; all are in the table."""
MOST = 20
Found = tuple[tuple[str, ...], int, float]
"""The names of a group, its rows, and its figure."""


def draw(profile: Profile, request: Request, figures: Figures, ctx: ToolContext) -> bytes | None:
    """PNG; None where there is nothing to draw."""
    spec = specification(profile, request, figures, ctx, NARROW)
    return None if spec is None else png(spec, ctx.language)


def specification(profile: Profile, request: Request, figures: Figures, ctx: ToolContext, width: int) -> Spec | None:
    """None where there are not two groups to look at, or more of two kinds than can be told apart."""
    if not request.groups or len(figures.rows) < 2:
        return None
    measure = next((one for one in request.measures if one.kind != "count"), request.measures[0])
    at, name = request.measures.index(measure), measure_name(measure, ctx)
    found = [(names, rows, known) for names, rows, value in figures.rows if (known := value[at]) is not None]
    if not found:
        return None
    if len(request.groups) == 1:
        chart = _of_one_kind(profile, request.groups[0], measure, found, ctx, width)
    elif (both := _of_two_kinds(request.groups, found, width)) is not None:
        chart = both
    else:
        return None
    scope = " · ".join(shown(one, ctx) for one in request.filters)
    title = f"{name} ({scope})" if scope else name
    by = " · ".join(group_name(one, ctx) for one in request.groups)
    return titled(chart, title, ctx.text("ask.chart.of", by=by, rows=f"{figures.left:,}"))


def _of_two_kinds(groups: Sequence[Group], found: Sequence[Found], width: int) -> Spec | None:
    """Time goes along, or else the kind that has more names."""
    first, second = (len({names[at] for names, _, _ in found}) for at in (0, 1))
    along = next((at for at, group in enumerate(groups) if group.grain), 0 if first >= second else 1)
    cells = [(names[along], names[1 - along], value) for names, _, value in found]
    return crossed(cells, width, over_time=groups[along].grain is not None)


def _of_one_kind(
    profile: Profile, group: Group, measure: Measure, found: Sequence[Found], ctx: ToolContext, width: int
) -> Spec:
    column = profile.column(measure.column) if measure.column else None
    scale = column.scale if column is not None and measure.kind in ("mean", "median") else None
    values = [one[2] for one in found]
    low, high = min(0.0, *values), None
    if scale is not None:  # a mark out of its scale counts as it is written
        low, high = min(float(scale.low), *values), max(float(scale.high), *values)
    name = measure_name(measure, ctx)
    if group.grain and len(found) > 2:
        lines = [Series(name, [value for _, _, value in found], low, high)] if measure.kind != "count" else []
        counted = ctx.text("ask.name.count", column="")
        return course([one for (one,), _, _ in found], [rows for _, rows, _ in found], lines, counted, ctx, width)
    kept = found if len(found) <= MOST else [*found[:FIRST], *found[-LAST:]]
    labels = distinct([one for (one,), _, _ in kept])
    rows = [
        {"name": f"{label} ({number:,})" if measure.kind != "count" else label, "value": value,
         "label": figure(measure, value)}
        for label, (_, number, value) in zip(labels, kept, strict=True)
    ]  # fmt: skip
    longest = max(value for _, _, value in kept)
    # Room on the right for the figure behind the longest bar.
    across = Across(low, high if high is not None else max(longest, 0.0) * 1.2 or 1.0, name, {})
    return dots(rows, across, width) if scale else bars(rows, across, width)


def warm() -> None:
    """Draws what nobody looks at."""
    row = [{"name": "가かa", "value": 1.0, "label": "1"}]
    for language in ("ko", "ja", "en"):
        png(titled(bars(row, Across(0.0, 1.0, "", {}), NARROW), "", ""), language)
