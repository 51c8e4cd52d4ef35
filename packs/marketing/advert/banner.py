"""An ad as a picture: a ground with shapes, headline, body and the button."""

from dataclasses import dataclass

from PIL import Image

from packs.marketing.advert.copywriting import Variant
from packs.marketing.advert.phrasebook import Tone
from packs.marketing.film.lettering import Style, block, drawable, fit, label, picture
from packs.marketing.film.palette import between
from packs.marketing.film.shapes import glow, gradient, ring, rounded, shadowed

SIZES = {"1200x628": (1200, 628), "1080x1080": (1080, 1080), "1080x1920": (1080, 1920)}
_SPREAD = 10


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of a banner: the ground from first to second, shapes, letters, button."""

    first: str
    second: str
    light: str
    shape: str
    ink: str
    soft: str
    button: str
    on_button: str
    serif: bool = False


# Three grounds per tone: the variants of one campaign are sisters, not twins.
_PALETTES: dict[Tone, tuple[Palette, ...]] = {
    "friendly": (
        Palette("#fdf3e7", "#f8dcc4", "#ffffff", "#f2a65a", "#3a2a1e", "#7a6250", "#d9622b", "#ffffff"),
        Palette("#e8f6f1", "#c4e7da", "#ffffff", "#3fae8f", "#12382e", "#4a6f64", "#1b7f6b", "#ffffff"),
        Palette("#e9f1fb", "#c8dcf3", "#ffffff", "#6fa3dc", "#14304f", "#4f6b8a", "#27548a", "#ffffff"),
    ),
    "premium": (
        Palette("#12161d", "#272d38", "#4a5160", "#c9a96a", "#f6f1e7", "#b9b3a6", "#c9a96a", "#17120a", serif=True),
        Palette("#0f2430", "#1d4352", "#3a6b7a", "#d8c08a", "#f4f1e8", "#a9bcc0", "#d8c08a", "#16201f", serif=True),
        Palette("#241a2b", "#43304d", "#6d5578", "#dbb9a2", "#f8f0ec", "#c2b2bf", "#dbb9a2", "#2a1c1a", serif=True),
    ),
    "playful": (
        Palette("#ff7a59", "#ff4f81", "#ffd166", "#ffe3a3", "#ffffff", "#fff0ea", "#2b1a4d", "#ffffff"),
        Palette("#6a4cf0", "#b14cf0", "#ff8fd6", "#ffd166", "#ffffff", "#efe6ff", "#ffd166", "#2b1a4d"),
        Palette("#00a6a6", "#0072ce", "#7cf5d0", "#ffe066", "#ffffff", "#e2f7ff", "#ffe066", "#0b2a4a"),
    ),
}


def draw(variant: Variant, tone: Tone, size: tuple[int, int], product: str | None, basis: str | None) -> Image.Image:
    """Text left (below on a square), shapes right (above); everything inside an even margin."""
    palette = _PALETTES[tone][(variant.number - 1) % len(_PALETTES[tone])]
    image = _ground(palette, tone, size, variant.number).convert("RGBA")
    wide = size[0] > size[1]
    margin = 76 if wide else 88
    room = round(size[0] * 0.56) if wide else size[0] - 2 * margin
    language = variant.language
    name = _name(product, palette, room, language)
    button = _button(variant.call_to_action, palette, language)
    foot = label(basis, Style(19, palette.soft, language=language), size[0] - 2 * margin) if basis else None
    bottom = size[1] - margin + 16 - (foot.height + 26 if foot else 0) - button.height
    top = margin - 12 if wide else round(size[1] * 0.4)
    free = bottom - top - (name.height + 22 if name else 0) - 34
    style = Style(76 if wide else 88, palette.ink, bold=True, serif=palette.serif, leading=1.24, language=language)
    lines, sized = fit(drawable(variant.headline), style, (room, round(free * 0.6)), smallest=30)
    headline = picture(lines, sized, room)
    words = Style(30 if wide else 34, palette.soft, leading=1.5, language=language)
    body = block(variant.body, words, (room, max(60, free - headline.height - 18)), smallest=20)
    # On a square the text sits on the button, below the shapes; beside them it stands in the middle.
    spare = max(0, free - headline.height - 18 - body.height)
    y = top + (spare // 2 if wide else spare)
    if name:
        image.alpha_composite(name, (margin, y))
        y += name.height + 22
    image.alpha_composite(headline, (margin - 2, y))
    image.alpha_composite(body, (margin, y + headline.height + 18))
    image.alpha_composite(button, (margin - 2 * _SPREAD, bottom - 2 * _SPREAD))
    if foot:
        image.alpha_composite(foot, (margin, size[1] - margin + 16 - foot.height))
    return image.convert("RGB")


def _name(product: str | None, palette: Palette, room: int, language: str) -> Image.Image | None:
    shown = drawable(product or "")
    if not shown:
        return None
    words = label(shown, Style(25, palette.ink, bold=True, language=language), room - 50)
    tint = between(palette.first, palette.light, 0.55)
    image = rounded((words.width + 44, words.height + 16), 40, tint)
    image.alpha_composite(words, (25, 8))
    return image


def _button(call: str, palette: Palette, language: str) -> Image.Image:
    words = label(call, Style(30, palette.on_button, bold=True, language=language), 520)
    image = rounded((words.width + 76, words.height + 34), 60, palette.button)
    image.alpha_composite(words, (42, 17))
    return shadowed(image, _SPREAD)


def _ground(palette: Palette, tone: Tone, size: tuple[int, int], number: int) -> Image.Image:
    """Gradient, light, and the shapes that belong to the tone."""
    image = gradient(size, palette.first, palette.second, slant=0.62)
    wide = size[0] > size[1]
    centre = (round(size[0] * 0.85), round(size[1] * 0.44)) if wide else (round(size[0] * 0.73), round(size[1] * 0.19))
    unit = round(size[1] * 0.36) if wide else round(size[0] * 0.185)
    glow(image, centre, round(unit * 1.7), palette.light, 0.5)
    match tone:
        case "friendly":
            _bubbles(image, centre, unit, palette, number)
        case "premium":
            _rings(image, centre, unit, palette, number)
        case "playful":
            _confetti(image, centre, unit, palette, number)
    return image


def _disc(image: Image.Image, centre: tuple[int, int], radius: int, colour: str, opacity: float = 1.0) -> None:
    disc = rounded((2 * radius, 2 * radius), radius, colour)
    mask = disc.getchannel("A").point([round(alpha * opacity) for alpha in range(256)])
    image.paste(disc.convert("RGB"), (centre[0] - radius, centre[1] - radius), mask)


def _bubbles(image: Image.Image, centre: tuple[int, int], unit: int, palette: Palette, number: int) -> None:
    """A speech bubble with three lines of talk between soft discs: people speak here."""
    x, y = centre
    turn = (0.0, 0.2, -0.3)[(number - 1) % 3]
    _disc(image, (x + round(unit * 0.35), y + round(unit * (0.35 + turn))), round(unit * 0.9), palette.shape, 0.28)
    _disc(image, (x - round(unit * 0.75), y - round(unit * (0.62 + turn / 2))), round(unit * 0.26), palette.shape, 0.55)
    _disc(image, (x - round(unit * 0.42), y + round(unit * 1.02)), round(unit * 0.13), palette.button, 0.8)
    across, down = round(unit * 1.24), round(unit * 0.92)
    card = shadowed(rounded((across, down), round(unit * 0.18), palette.light), 16)
    image.paste(card, (x - card.width // 2, y - card.height // 2), card)
    left, top = x - across // 2 + round(unit * 0.16), y - down // 2 + round(unit * 0.2)
    thick = round(unit * 0.1)
    for row, part in enumerate((0.92, 0.7, 0.46)):
        colour = palette.shape if row == 0 else between(palette.shape, palette.light, 0.55)
        line = rounded((round(unit * part), thick), thick, colour)
        image.paste(line, (left, top + round(row * unit * 0.21)), line)


def _rings(image: Image.Image, centre: tuple[int, int], unit: int, palette: Palette, number: int) -> None:
    """Fine rings around a quiet disc."""
    x, y = centre
    for step, (reach, opacity) in enumerate(((1.28, 0.35), (1.0, 0.6), (0.72, 0.95))):
        size = round(2 * unit * reach)
        drawn = ring(size, 2 if step < 2 else 3, [(1.0, palette.shape)])
        mask = drawn.getchannel("A").point([round(alpha * opacity) for alpha in range(256)])
        image.paste(drawn.convert("RGB"), (x - size // 2, y - size // 2), mask)
    _disc(image, centre, round(unit * 0.5), palette.shape, 0.16)
    dots = ((1.0, 0.0), (-0.5, 0.866), (-0.5, -0.866))
    dx, dy = dots[(number - 1) % 3]
    _disc(image, (x + round(unit * dx), y + round(unit * dy)), round(unit * 0.07), palette.shape)


def _confetti(image: Image.Image, centre: tuple[int, int], unit: int, palette: Palette, number: int) -> None:
    """A big disc, a thick ring, and dots flung around them."""
    x, y = centre
    _disc(image, (x, y), round(unit * 0.78), palette.light, 0.9)
    drawn = ring(round(unit * 1.1), round(unit * 0.16), [(1.0, palette.shape)])
    image.paste(drawn.convert("RGB"), (x - round(unit * 1.15), y + round(unit * 0.1)), drawn.getchannel("A"))
    flung = ((0.95, -0.7), (-0.75, -0.72), (0.62, 0.98), (1.1, 0.35), (-0.2, -1.05), (0.1, 1.15))
    for step, (dx, dy) in enumerate(flung):
        radius = round(unit * (0.06 + 0.035 * ((step + number) % 3)))
        colour = (palette.shape, palette.ink, palette.light)[(step + number) % 3]
        _disc(image, (x + round(unit * dx), y + round(unit * dy)), radius, colour, 0.95)
    _disc(image, (x + round(unit * 0.12), y - round(unit * 0.1)), round(unit * 0.34), palette.second, 0.9)
