"""The scenes with a chart: shares, products, terms, the course of time. The same figures as the report's charts,
drawn large enough for a telephone and in parts that can move."""

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw

from contracts.tools import ToolContext
from packs.marketing.film.cards import paper
from packs.marketing.film.lettering import Style, block, label, width
from packs.marketing.film.palette import ACCENT, CARD, EDGE, GRID, INK, SOFT, TONES, WHITE
from packs.marketing.film.shapes import ring, rounded, shadowed
from packs.marketing.film.stage import Format, Layer, Scene
from packs.marketing.reporting.figures import count
from packs.marketing.shapes import Keyword, NamedTally, Tally
from packs.marketing.shapes_competitor import Brand

SPREAD = 14
_INSET = 36


@dataclass(frozen=True, slots=True)
class Area:
    """A free rectangle of the picture."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Row:
    """A bar: its name, a remark beside it, and its parts as (fraction of the longest bar, tone, words inside)."""

    name: str
    remark: str
    parts: Sequence[tuple[float, str, str]]


def frame(heading: str, caption: str, size: Format, language: str) -> tuple[list[Layer], Area]:
    """Heading and caption above, a white card below; and the room on the card."""
    head = label(heading, Style(size.letters(38), ACCENT, bold=True, language=language), size.inner)
    room = 232 if size.tall else 104 if size.wide else 120
    words = block(
        caption, Style(size.letters(32), INK, leading=1.44, language=language), (size.inner, room), smallest=22
    )
    y = size.top + head.height + 4
    top = y + words.height + 20
    card = shadowed(rounded((size.inner, size.bottom - top), 18, CARD, EDGE), SPREAD)
    layers = [
        Layer(head, (size.margin, size.top)),
        Layer(card, (size.margin - 2 * SPREAD, top - 2 * SPREAD)),
        Layer(words, (size.margin, y), "fade", 0.25, 0.6),
    ]
    inset = _INSET if size.wide else 28
    area = Area(size.margin + inset, top + inset, size.inner - 2 * inset, size.bottom - top - 2 * inset)
    return layers, area


def sentiment_scene(overall: Tally, caption: str, size: Format, ctx: ToolContext) -> Scene:
    """A ring that closes around the share of positive reviews."""
    layers, area = frame(ctx.text("report.heading.sentiment"), caption, size, ctx.language)
    tallied = [(name, getattr(overall, name)) for name in TONES]
    whole = max(1, overall.reviews)
    parts = [(number / whole, TONES[name]) for name, number in tallied]
    upright = size.tall
    across = min(
        area.height - (250 if upright else 0),
        area.width if upright else round(area.width * (0.46 if size.wide else 0.42)),
        430,
    )
    thickness = round(across * 0.17)

    def turning(moment: float) -> Image.Image:
        image = ring(across, thickness, [(share * moment, colour) for share, colour in parts])
        return _with_centre(image, f"{100 * overall.positive / whole * moment:.1f}%", ctx)

    place = (
        (area.x + (area.width - across) // 2, area.y + (area.height - 250 - across) // 2)
        if upright
        else (area.x + round(area.width * 0.03), area.y + (area.height - across) // 2)
    )
    layers.append(Layer(turning(1.0), place, "fade", 0.4, 1.4, draw=turning))
    left = area.x if upright else place[0] + across + round(area.width * 0.07)
    right = area.x + area.width
    step = 74 if upright else min(96, area.height // 3)
    top = area.y + area.height - 3 * step - 6 if upright else area.y + (area.height - 3 * step) // 2
    for number, (name, value) in enumerate(tallied):
        row = _legend_row(name, value, whole, (right - left, step), 30 if size.wide or size.tall else 25, ctx)
        layers.append(Layer(row, (left, top + number * step), "rise", 0.7 + 0.2 * number, 0.6))
    return Scene("sentiment", paper(size), layers, caption)


def _with_centre(image: Image.Image, figure: str, ctx: ToolContext) -> Image.Image:
    size = image.width
    words = block(figure, Style(size // 6, INK, bold=True, leading=1.15, align="centre"), (size, size // 4))
    name = label(ctx.text("report.polarity.positive"), Style(max(18, size // 15), SOFT, language=ctx.language))
    top = (size - words.height - name.height) // 2
    image.alpha_composite(words, (0, top))
    image.alpha_composite(name, ((size - name.width) // 2, top + words.height - 2))
    return image


def _legend_row(
    name: str, value: int, whole: int, size: tuple[int, int], letters: int, ctx: ToolContext
) -> Image.Image:
    row = Image.new("RGBA", size, (0, 0, 0, 0))
    middle = size[1] // 2
    row.alpha_composite(rounded((22, 22), 6, TONES[name]), (0, middle - 11))
    words = label(ctx.text(f"report.polarity.{name}"), Style(letters, INK, language=ctx.language), size[0] // 2)
    row.alpha_composite(words, (40, middle - words.height // 2))
    number = label(f"{100 * value / whole:.1f}%", Style(letters + 3, INK, bold=True))
    reviews = label(ctx.text("video.reviews", reviews=count(value)), Style(22, SOFT, language=ctx.language))
    row.alpha_composite(number, (max(0, size[0] - number.width), middle - number.height // 2))
    between = size[0] - 150 - reviews.width
    if between > 50 + words.width:
        row.alpha_composite(reviews, (between, middle - reviews.height // 2 + 3))
    ImageDraw.Draw(row).line((0, size[1] - 1, size[0], size[1] - 1), fill=GRID)
    return row


def products_scene(products: Sequence[NamedTally], caption: str, size: Format, ctx: ToolContext) -> Scene:
    tallies = [(product.name, product) for product in products]
    return _bars("products", ctx.text("report.chart.sentiment"), _shares(tallies, size, ctx), caption, size, ctx)


def brands_scene(brands: Sequence[Brand], caption: str, size: Format, ctx: ToolContext) -> Scene:
    tallies = [(brand.name, brand.tally) for brand in brands if brand.tally.reviews]
    return _bars("competitor", ctx.text("competitor.chart.shares"), _shares(tallies, size, ctx), caption, size, ctx)


def _shares(tallies: Sequence[tuple[str, Tally]], size: Format, ctx: ToolContext) -> list[Row]:
    """A full bar each, split by polarity, with the percentages inside."""
    rows = []
    for name, tally in tallies[: 5 if size.wide else 7 if size.tall else 4]:
        shares = [(tone, getattr(tally, tone) / tally.reviews) for tone in TONES]
        parts = [(part, tone, f"{100 * part:.0f}%") for tone, part in shares]
        rows.append(Row(name, ctx.text("video.reviews", reviews=count(tally.reviews)), parts))
    return rows


def keywords_scene(keywords: Sequence[Keyword], caption: str, size: Format, ctx: ToolContext) -> Scene:
    shown = keywords[: 7 if size.wide else 5 if size.width == size.height else 9]
    longest = max(keyword.documents for keyword in shown)
    rows = []
    for keyword in shown:
        tally = keyword.tally
        named = [(name, getattr(tally, name)) for name in TONES] if tally else [("", keyword.documents)]
        parts = [(value / longest, name, "") for name, value in named]
        rows.append(Row(keyword.term, ctx.text("video.reviews", reviews=count(keyword.documents)), parts))
    return _bars("keywords", ctx.text("report.chart.keywords"), rows, caption, size, ctx)


def _bars(name: str, heading: str, rows: Sequence[Row], caption: str, size: Format, ctx: ToolContext) -> Scene:
    """Names left of the bars, or above them where the picture is narrow; the remark at the bar's end or beside it."""
    layers, area = frame(heading, caption, size, ctx.language)
    if rows and rows[0].parts[0][1]:
        legend = _legend(size.letters(22), ctx)
        layers.append(Layer(legend, (area.x, area.y - 6), "fade", 0.3, 0.5))
        area = Area(area.x, area.y + 44, area.width, area.height - 44)
    above = not size.wide and name != "keywords"
    step = area.height / len(rows)
    small = Style(size.letters(22), SOFT, language=ctx.language)
    words = Style(size.letters(27), INK, language=ctx.language)
    remark_width = round(max(width(row.remark, small) for row in rows)) + 14
    column = 0 if above else min(round(area.width * 0.34), round(max(width(row.name, words) for row in rows)) + 30)
    room = area.width - column - (0 if above else remark_width + 14)
    thick = round(min(40, step * (0.36 if above else 0.56)))
    for number, row in enumerate(rows):
        top = area.y + round(number * step)
        start = 0.5 + 0.12 * number
        room_for_name = area.width - remark_width - 20 if above else column - 20
        title = block(row.name, words, (room_for_name, round(words.size * words.leading) + 1), smallest=17)
        remark = label(row.remark, small)
        bar = _bar(row, room, thick)
        if above:
            bar_top = top + round((step + title.height - thick) / 2)
            title_top = bar_top - title.height - 4
            remark_at = (area.x + area.width - remark.width, title_top + title.height - remark.height - 3)
        else:
            bar_top = top + round((step - thick) / 2)
            title_top = top + round((step - title.height) / 2)
            remark_at = (area.x + column + bar.width + 14, top + round((step - remark.height) / 2))
        layers.append(Layer(title, (area.x, title_top)))
        layers.append(Layer(bar, (area.x + column, bar_top), "rightwards", start, 1.0))
        layers.append(Layer(remark, remark_at, "fade", start + 0.6, 0.5))
    return Scene(name, paper(size), layers, caption)


def _bar(row: Row, room: int, thick: int) -> Image.Image:
    """The parts side by side, round at both ends, words inside where they fit."""
    across = max(thick, round(room * sum(part for part, _, _ in row.parts)))
    inside = Image.new("RGB", (across, thick), ACCENT)
    pen = ImageDraw.Draw(inside)
    edge = 0.0
    words: list[tuple[Image.Image, int]] = []
    for fraction, tone, text in row.parts:
        pen.rectangle((round(edge), 0, round(edge + room * fraction), thick), fill=TONES.get(tone, ACCENT))
        written = label(text, Style(20, INK if tone == "neutral" else WHITE, bold=True)) if text else None
        if written is not None and written.width + 12 < room * fraction and written.height <= thick + 4:
            words.append((written, round(edge + (room * fraction - written.width) / 2)))
        edge += room * fraction
    for written, x in words:
        inside.paste(written, (x + 2, (thick - written.height) // 2), written)
    bar = rounded((across, thick), 9, ACCENT)
    inside.putalpha(bar.getchannel("A"))
    return inside


def _legend(letters: int, ctx: ToolContext) -> Image.Image:
    names = [(colour, label(ctx.text(f"report.polarity.{name}"), Style(letters, SOFT, language=ctx.language)))
             for name, colour in TONES.items()]  # fmt: skip
    image = Image.new("RGBA", (sum(words.width + 56 for _, words in names), 34), (0, 0, 0, 0))
    x = 0
    for colour, words in names:
        image.alpha_composite(rounded((18, 18), 5, colour), (x, 8))
        image.alpha_composite(words, (x + 28, 17 - words.height // 2))
        x += words.width + 56
    return image
