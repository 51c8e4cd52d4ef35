"""The deck of a table of figures: its totals, how they go over time, and by each of its groups."""

from collections.abc import Sequence
from pathlib import PurePath

from contracts.tools import ToolContext
from packs.marketing.charts.style import short
from packs.marketing.overview.shape import Overview, Part, said
from packs.marketing.slides.charted import told_of
from packs.marketing.slides.native import Chart, ChartKind, SlideSeries
from packs.marketing.slides.pages import Figure, Page, Story, Wish

_BESIDE = 2
"""Sentences beside a chart, and below the figures."""
_COLUMNS, _PERIODS = 13, 24
"""Times that are drawn as columns, each with its number, and at most."""
_NOTHING = "–"


def tell_table(table: Overview, wish: Wish, ctx: ToolContext) -> Story:
    """A page of figures, then one for each part that has something to compare."""
    told = [said(one) for one in table.summary]
    made = ctx.text("report.made", date=ctx.now.date().isoformat())
    dated = [f"{table.date_from} – {table.date_to}"] if table.date_from and table.date_to else []
    audience = [ctx.text("sales_material.audience", audience=wish.audience)] if wish.audience else []
    pages = [_figures(table, told, ctx), *(_compared(part, _news(part, table)) for part in table.parts)]
    return Story(
        title=wish.title or PurePath(table.file).stem.replace("_", " "),
        subtitle=(*audience, *dated, made),
        footer=table.file,
        source=f"{table.file} · {made}",
        pages=tuple(page for page in pages if page is not None),
        summary=tuple(told),
        notes=tuple(told[:_BESIDE]),
    )


def _figures(table: Overview, told: Sequence[str], ctx: ToolContext) -> Page:
    figures = tuple(Figure(value, name, "", "main") for name, value in table.facts)
    first, *others = told
    news = [one for one in others if not any(value in one for _, value in table.facts)]  # those stand in the cards
    heading = ctx.text("sales_material.heading.figures")
    return Page("facts", heading, first, figures, aside=tuple(news[:_BESIDE]), notes=tuple(told))


def _news(part: Part, table: Overview) -> str | None:
    """What the summary tells of a part: which group has the most, or how the last of two times differs."""
    for one in table.summary:
        evidence = one.evidence or {}
        of = evidence.get("of")
        changed = part.over_time and str(evidence.get("says")).startswith("ask.change")
        if changed or (isinstance(of, dict) and part.heading in of):
            return said(one)
    return None


def _compared(part: Part, news: str | None) -> Page | None:
    """The first figure of each group, as a chart whose numbers can be opened; None where nothing is compared."""
    if part.chart is None or not part.lines:
        return None
    rows = [(name, _number(cells[0])) for name, *cells in part.rows][-_PERIODS:]
    kind: ChartKind = "counts" if not part.over_time else "columns" if len(rows) <= _COLUMNS else "line"
    name = part.head[1]
    values = tuple(value for _, value in rows)
    labels = tuple(short(one) for one, _ in rows)
    told = told_of(name, ((one, cells[0]) for one, *cells in part.rows[-_PERIODS:]))
    chart = Chart(kind, labels, (SlideSeries(name, "main", values),), told)
    what, *others = (said(one) for one in part.lines)
    notes = tuple(one for one in (news, what, *others) if one)
    return Page("trend", part.heading, news or what, (chart,), aside=tuple(others[:_BESIDE]), notes=notes)


def _number(cell: str) -> float | None:
    """As it stands in the table of a report: "1,234.50", "27.4 %"."""
    said_ = cell.replace(",", "").removesuffix("%").strip()
    return None if said_ == _NOTHING else float(said_)
