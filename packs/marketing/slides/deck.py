"""Draws a story: one slide per page, the same frame on each, every text sized to its box."""

import io
from typing import Any, assert_never

from contracts.tools import ToolContext
from packs.marketing.letters import plain
from packs.marketing.slides.answers import Objection, Step
from packs.marketing.slides.canvas import Canvas, Ink
from packs.marketing.slides.native import Chart, draw
from packs.marketing.slides.pages import Figure, Page, Story, Voice
from packs.marketing.slides.theme import (
    BAD,
    DARK,
    GOOD,
    LEAD_SIZE,
    LIGHT,
    MAIN,
    MARGIN,
    MUTED,
    SHADE,
    TITLE_SIZE,
    WARM,
    WIDTH,
    add_cover,
    add_page,
    blank,
)

_ACROSS = WIDTH - 2 * MARGIN
_TOP, _BOTTOM, _GAP = 2.15, 6.7, 0.28
_TONES = {"main": MAIN, "positive": GOOD, "negative": BAD, "warm": WARM}
_QUOTE = "\u201c"
_BIG = (48, 44, 40, 36, 32, 28)


def render(story: Story, ctx: ToolContext) -> bytes:
    """A PPTX."""
    deck = blank(ctx.language)
    _describe(deck.core_properties, story, ctx)
    cover = Canvas(add_cover(deck), ctx.language)
    cover.title(story.title, 40)
    cover.subtitle("\n".join(story.subtitle))
    _note(cover.slide, (*story.notes, story.source))
    for page in story.pages:
        canvas = Canvas(add_page(deck, story.footer, ctx.language), ctx.language)
        canvas.title(page.title, TITLE_SIZE)
        lead = (MARGIN, 1.2, _ACROSS, 0.78)
        canvas.text(page.lead, lead, Ink((LEAD_SIZE, 15, 13), colour=MUTED))
        _body(canvas, page, ctx)
        _note(canvas.slide, (*page.notes, story.source))
        ctx.progress(0.3 + 0.6 * len(deck.slides) / (len(story.pages) + 1), ctx.text("sales_material.drawing"))
    buffer = io.BytesIO()
    deck.save(buffer)
    return buffer.getvalue()


def _describe(properties: Any, story: Story, ctx: ToolContext) -> None:
    properties.title, properties.author, properties.language = plain(story.title)[:255], "Dream Agent", ctx.language
    properties.created = properties.modified = ctx.now.replace(tzinfo=None)
    properties.last_modified_by = "Dream Agent"


def _note(slide: Any, sentences: tuple[str, ...]) -> None:
    slide.notes_slide.notes_text_frame.text = plain("\n".join(dict.fromkeys(sentences)))


def _body(canvas: Canvas, page: Page, ctx: ToolContext) -> None:
    match page.section:
        case "facts":
            _figures(canvas, page)
        case "likes":
            _likes(canvas, page)
        case "sentiment":
            _chart(canvas, page)
        case "trend":
            _trend(canvas, page)
        case "voices":
            _voices(canvas, [part for part in page.body if isinstance(part, Voice)])
        case "objections":
            _objections(canvas, [part for part in page.body if isinstance(part, Objection)], ctx)
        case "competitor":
            _sentences(canvas, [part for part in page.body if isinstance(part, str)])
        case "next":
            _steps(canvas, [part for part in page.body if isinstance(part, Step)])
        case "title":
            pass  # the cover, which is drawn by itself
        case _:
            assert_never(page.section)


def _columns(number: int) -> list[tuple[float, float]]:
    """Left edge and width of so many columns."""
    wide = (_ACROSS - _GAP * (number - 1)) / number
    return [(MARGIN + place * (wide + _GAP), wide) for place in range(number)]


def _cards(canvas: Canvas, page: Page, top: float) -> float:
    """The figures side by side; returns where they end."""
    figures = [part for part in page.body if isinstance(part, Figure)]
    down = 2.75
    columns = _columns(max(2, len(figures)))[: len(figures)]
    inner = [(left + 0.28, wide - 0.4) for left, wide in columns]
    for (left, wide), figure in zip(columns, figures, strict=True):
        canvas.card((left, top, wide, down), SHADE, edge=_TONES[figure.tone])
    size = min(canvas.size(one.value, (room, 1.05), _BIG) for one, (_, room) in zip(figures, inner, strict=True))
    for figure, (left, room) in zip(figures, inner, strict=True):
        canvas.text(figure.value, (left, top + 0.7, room, 1.05), Ink((size,), _TONES[figure.tone], bold=True))
    labels = [(one.label, (left, top + 0.22, room, 0.42)) for one, (left, room) in zip(figures, inner, strict=True)]
    canvas.row(labels, Ink((16, 14, 12), MUTED))
    notes = [(one.note, (left, top + 1.9, room, 0.72)) for one, (left, room) in zip(figures, inner, strict=True)]
    canvas.row(notes, Ink((14, 13, 12), MUTED))
    return top + down


def _figures(canvas: Canvas, page: Page) -> None:
    end = _cards(canvas, page, _TOP)
    lines = [end + 0.3 + 0.74 * number for number in range(len(page.aside))]
    for line in lines:
        canvas.bullet("", (MARGIN + 0.08, line + 0.26, 0.13, 0.13), WARM)
    said = [(one, (MARGIN + 0.42, line, _ACROSS - 0.42, 0.66)) for one, line in zip(page.aside, lines, strict=True)]
    canvas.row(said, Ink((18, 16, 14, 13, 12), middle=True))


def _charts(page: Page) -> list[Chart]:
    return [part for part in page.body if isinstance(part, Chart)]


def _likes(canvas: Canvas, page: Page) -> None:
    wide = 7.3 if page.voices else _ACROSS
    canvas.text(page.aside[0], (MARGIN, _TOP, wide, 0.36), Ink((13, 12), MUTED, bold=True))
    draw(canvas.slide, _charts(page)[0], (MARGIN, _TOP + 0.34, wide, _BOTTOM - _TOP - 0.34), size=14)
    left, top = MARGIN + wide + _GAP, _TOP + 0.34
    down = min(2.4, (_BOTTOM - top - _GAP) / max(1, len(page.voices)))
    for number, voice in enumerate(page.voices):
        box = (left, top + number * (down + _GAP), WIDTH - MARGIN - left, down)
        _quote(canvas, voice, box, (20, 18, 16, 15, 14, 13, 12))


def _chart(canvas: Canvas, page: Page) -> None:
    chart = _charts(page)[0]
    if any(isinstance(part, Figure) for part in page.body):
        top = _cards(canvas, page, _TOP) + _GAP
        draw(canvas.slide, chart, (MARGIN, top, _ACROSS, _BOTTOM - top), size=14)
        return
    # A few bars as high as the slide would shout.
    down = min(_BOTTOM - _TOP, 1.1 + 0.95 * len(chart.categories))
    draw(canvas.slide, chart, (MARGIN, _TOP, _ACROSS, down), size=14)


def _trend(canvas: Canvas, page: Page) -> None:
    charts = _charts(page)
    wide = 8.6 if page.aside else _ACROSS
    heights = (2.85, 1.7) if len(charts) > 1 else (_BOTTOM - _TOP,)
    top = _TOP
    for chart, down in zip(charts, heights, strict=False):
        canvas.text(chart.rows[0].name, (MARGIN, top, wide, 0.34), Ink((13, 12), colour=MUTED, bold=True))
        draw(canvas.slide, chart, (MARGIN, top + 0.3, wide, down - 0.3), size=12)
        top += down
    if page.aside:
        left = MARGIN + wide + _GAP
        area = (left, _TOP + 0.3, WIDTH - MARGIN - left, _BOTTOM - _TOP - 0.3)
        canvas.card(area, SHADE, edge=WARM)
        down = min((area[3] - 0.2) / len(page.aside), 2.1)
        said = [
            (sentence, (left + 0.25, area[1] + 0.1 + down * number, area[2] - 0.4, down - 0.1))
            for number, sentence in enumerate(page.aside)
        ]
        canvas.row(said, Ink((16, 14, 13, 12), middle=True))


def _quote(canvas: Canvas, voice: Voice, box: tuple[float, float, float, float], sizes: tuple[float, ...]) -> None:
    left, top, wide, down = box
    tone = GOOD if voice.positive else BAD
    canvas.card(box, SHADE, edge=tone)
    canvas.text(_QUOTE, (left + 0.18, top + 0.06, 0.7, 0.86), Ink((40,), tone, bold=True))
    words = (left + 0.3, top + 0.62, wide - 0.5, down - 1.12)
    canvas.text(voice.text, words, Ink(sizes, middle=True))
    canvas.text(voice.source, (left + 0.3, top + down - 0.46, wide - 0.5, 0.34), Ink((12, 11), colour=MUTED))


def _voices(canvas: Canvas, voices: list[Voice]) -> None:
    rows = 1 if len(voices) <= 2 else 2
    down = (_BOTTOM - _TOP - _GAP * (rows - 1)) / rows
    down = min(down, 3.2)
    for number, voice in enumerate(voices):
        left, wide = _columns(2 if len(voices) > 1 else 1)[number % 2]
        top = _TOP + (number // 2) * (down + _GAP)
        _quote(canvas, voice, (left, top, wide, down), (17, 16, 15, 14, 13, 12))


def _objections(canvas: Canvas, found: list[Objection], ctx: ToolContext) -> None:
    columns = _columns(max(2, len(found)))[: len(found)]
    inner = [(left + 0.28, wide - 0.46) for left, wide in columns]
    answer = _TOP + 2.85
    for (left, wide), (start, room), one in zip(columns, inner, found, strict=True):
        canvas.card((left, _TOP, wide, _BOTTOM - _TOP), SHADE, edge=BAD)
        canvas.card((start, answer, room, 0.012), LIGHT)
        if one.heard:
            label = (start, _TOP + 1.25, room, 0.32)
            canvas.text(ctx.text("sales_material.heard"), label, Ink((13, 12), MUTED, bold=True))
        label = (start, answer + 0.1, room, 0.34)
        canvas.text(ctx.text("sales_material.answer"), label, Ink((13, 12), GOOD, bold=True))
    every = list(zip(found, inner, strict=True))
    headings = [(one.heading, (left, _TOP + 0.15, room, 0.55)) for one, (left, room) in every]
    canvas.row(headings, Ink((22, 20, 18, 16, 14), bold=True))
    evidence = [(one.evidence, (left, _TOP + 0.7, room, 0.5)) for one, (left, room) in every]
    canvas.row(evidence, Ink((14, 13, 12, 11), BAD))
    heard = [(f"\u201c{one.heard}\u201d", (left, _TOP + 1.58, room, 1.22)) for one, (left, room) in every if one.heard]
    canvas.row(heard, Ink((17, 16, 15, 14, 13, 12)))
    answers = [(one.answer, (left, answer + 0.42, room, 1.22)) for one, (left, room) in every]
    canvas.row(answers, Ink((15, 14, 13, 12)))


def _sentences(canvas: Canvas, sentences: list[str]) -> None:
    down = min(1.1, (_BOTTOM - _TOP) / len(sentences))
    tops = [_TOP + number * down for number in range(len(sentences))]
    for top in tops:
        canvas.card((MARGIN, top, _ACROSS, down - 0.14), SHADE, edge=MAIN)
    boxes = [(MARGIN + 0.3, top + 0.03, _ACROSS - 0.5, down - 0.2) for top in tops]
    canvas.row(list(zip(sentences, boxes, strict=True)), Ink((18, 17, 16, 15, 14, 13, 12), middle=True))


def _steps(canvas: Canvas, steps: list[Step]) -> None:
    top, down = 2.5, 3.6
    columns = _columns(max(2, len(steps)))[: len(steps)]
    for number, (left, wide) in enumerate(columns, 1):
        canvas.card((left, top, wide, down), SHADE)
        canvas.bullet(str(number), (left + 0.28, top + 0.3, 0.62, 0.62), MAIN)
    inner = [(left + 0.26, wide - 0.5) for left, wide in columns]
    headings = [(step.heading, (left, top + 1.1, room, 0.62)) for step, (left, room) in zip(steps, inner, strict=True)]
    canvas.row(headings, Ink((20, 18, 16, 14), DARK, bold=True))
    texts = [(step.text, (left, top + 1.75, room, 1.7)) for step, (left, room) in zip(steps, inner, strict=True)]
    canvas.row(texts, Ink((16, 15, 14, 13, 12)))
