"""marketing.sales_material: slides that one can show and change, of what customers say or what a table holds. The deck
of a table of figures: its totals, how they go over time, and by each of its groups."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePath

from pydantic import JsonValue, ValidationError

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.marketing.artifacts import COMPETITOR, KEYWORDS, SENTIMENT, TREND, read_json
from packs.marketing.brands.sentences import told
from packs.marketing.charts.style import short
from packs.marketing.evidence import summed_up
from packs.marketing.letters import names_given, words_given
from packs.marketing.overview.shape import TABLE_INSIGHT, Overview, Part, said
from packs.marketing.reporting.material import gather
from packs.marketing.shapes_competitor import Competitor
from packs.marketing.slides.charted import told_of
from packs.marketing.slides.focus import narrow
from packs.marketing.slides.native import Chart, ChartKind, SlideSeries
from packs.marketing.slides.pages import Figure, Page, Story, Wish, shortened
from packs.marketing.slides.story import tell
from packs.marketing.slides.voices import listen

SLIDES = "document.slides"
_PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
_RIVAL_SENTENCES = 5
_LONGEST = 300


def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Needs at least one insight. Raises NOTHING_TO_REPORT; for a product without reviews TOOL_ARGUMENTS_INVALID."""
    if (table := _alone(ctx)) is not None:
        return _of_table(table, params, ctx)
    material = gather(ctx)
    asked, products = names_given(params, "product"), None
    ctx.progress(0.1, ctx.text("sales_material.gathering"))
    if asked:
        material, products = narrow(material, asked, ctx)
        asked = list(products) if len(products) == 1 else asked
    wish = replace(_wish(params), product=", ".join(asked) or None)
    rivals = _rivals(ctx) if products is None else ()
    story = tell(material, wish, rivals, listen(ctx, products), ctx)
    return _drawn(story, wish, "sales_material", material.about.reviews, ctx)


def _alone(ctx: ToolContext) -> Overview | None:
    """What a table of figures tells, where there are no reviews."""
    reviewed = any(ctx.inputs(one) for one in (SENTIMENT, KEYWORDS, TREND))
    return None if reviewed else read_json(ctx, TABLE_INSIGHT, Overview)


def _of_table(table: Overview, params: JsonObject, ctx: ToolContext) -> JsonObject:
    wish = _wish(params)
    return _drawn(tell_table(table, wish, ctx), wish, "table_slides", 0, ctx)


def _wish(params: JsonObject) -> Wish:
    number = params.get("slides")
    return Wish(
        title=words_given(params, "title"),
        audience=words_given(params, "audience"),
        slides=number if isinstance(number, int) else None,
    )


def _drawn(story: Story, wish: Wish, stem: str, reviews: int, ctx: ToolContext) -> JsonObject:
    # Imported here: a pack that only counts must not pay for python-pptx.
    from packs.marketing.slides.deck import render

    ctx.progress(0.3, ctx.text("sales_material.drawing"))
    story = shortened(story, wish.slides)
    name = f"{stem}_{ctx.now:%Y-%m-%d}.pptx"
    slides = len(story.pages) + 1
    ctx.save(render(story, ctx), name=name, media_type=_PPTX, type_=SLIDES, slides=slides)
    sections: list[JsonValue] = ["title", *(page.section for page in story.pages)]
    made = [ctx.text("sales_material.made", slides=slides)]
    if wish.slides is not None and wish.slides != slides:
        key = "sales_material.no_more" if wish.slides > slides else "sales_material.no_fewer"
        made.append(ctx.text(key, asked=wish.slides, slides=slides))
    summary = summed_up([*made, *story.summary], story)
    return {"name": name, "slides": slides, "reviews": reviews, "sections": sections, **summary}


def _rivals(ctx: ToolContext) -> tuple[str, ...]:
    """The sentences of a comparison with competitors: our own tool's, or those of any JSON that has a `summary`."""
    for found in reversed(ctx.inputs(COMPETITOR)):
        data = found.path.read_bytes()
        with suppress(ValidationError):
            return tuple(told(ctx, Competitor.model_validate_json(data)))[:_RIVAL_SENTENCES]
        try:
            content = json.loads(data)
        except ValueError:
            continue
        said = content.get("summary") if isinstance(content, dict) else None
        sentences = [said] if isinstance(said, str) else said if isinstance(said, list) else []
        return tuple(one[:_LONGEST] for one in sentences if isinstance(one, str) and one.strip())[:_RIVAL_SENTENCES]
    return ()


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
    about = [said(one) for one in table.about]
    pages = [_figures(table, told, ctx), *(_compared(part, _news(part, table)) for part in table.parts)]
    return Story(
        title=wish.title or PurePath(table.file).stem.replace("_", " "),
        subtitle=(*about, *audience, *dated, made),
        footer=" · ".join((table.file, *about[:1])),
        source=" · ".join((table.file, *about, made)),
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
