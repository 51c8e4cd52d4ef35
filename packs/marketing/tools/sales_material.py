"""marketing.sales_material: slides that one can show and change, of what customers say or what a table holds."""

import json
from contextlib import suppress

from pydantic import JsonValue, ValidationError

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.marketing.artifacts import COMPETITOR, KEYWORDS, SENTIMENT, TREND, read_json
from packs.marketing.brands.sentences import told
from packs.marketing.evidence import summed_up
from packs.marketing.letters import names_given, words_given
from packs.marketing.overview.shape import TABLE_INSIGHT, Overview
from packs.marketing.reporting.material import gather
from packs.marketing.shapes_competitor import Competitor
from packs.marketing.slides.focus import narrow
from packs.marketing.slides.of_table import tell_table
from packs.marketing.slides.pages import Story, Wish
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
    wish = Wish(
        title=words_given(params, "title"), product=", ".join(asked) or None, audience=words_given(params, "audience")
    )
    rivals = _rivals(ctx) if products is None else ()
    story = tell(material, wish, rivals, listen(ctx, products), ctx)
    return _drawn(story, "sales_material", material.about.reviews, ctx)


def _alone(ctx: ToolContext) -> Overview | None:
    """What a table of figures tells, where there are no reviews."""
    reviewed = any(ctx.inputs(one) for one in (SENTIMENT, KEYWORDS, TREND))
    return None if reviewed else read_json(ctx, TABLE_INSIGHT, Overview)


def _of_table(table: Overview, params: JsonObject, ctx: ToolContext) -> JsonObject:
    wish = Wish(title=words_given(params, "title"), audience=words_given(params, "audience"))
    return _drawn(tell_table(table, wish, ctx), "table_slides", 0, ctx)


def _drawn(story: Story, stem: str, reviews: int, ctx: ToolContext) -> JsonObject:
    # Imported here: a pack that only counts must not pay for python-pptx.
    from packs.marketing.slides.deck import render

    ctx.progress(0.3, ctx.text("sales_material.drawing"))
    name = f"{stem}_{ctx.now:%Y-%m-%d}.pptx"
    slides = len(story.pages) + 1
    ctx.save(render(story, ctx), name=name, media_type=_PPTX, type_=SLIDES, slides=slides)
    sections: list[JsonValue] = ["title", *(page.section for page in story.pages)]
    summary = summed_up([ctx.text("sales_material.made", slides=slides), *story.summary], story)
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
