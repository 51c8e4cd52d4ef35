"""Smooth shapes: drawn four times as large and reduced, because Pillow's own edges are jagged."""

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from packs.marketing.film.palette import rgb

_FINE = 4


def rounded(size: tuple[int, int], radius: int, colour: str, edge: str | None = None) -> Image.Image:
    """A rectangle with round corners on a transparent ground."""
    image = Image.new("RGB", size, rgb(edge or colour))
    image.putalpha(_rounded_mask(size, radius))
    if edge is not None and min(size) > 4:
        inner = (size[0] - 3, size[1] - 3)
        image.paste(Image.new("RGB", inner, rgb(colour)), (1, 1), _rounded_mask(inner, radius - 1))
    return image


def _rounded_mask(size: tuple[int, int], radius: int) -> Image.Image:
    """Only the corners are drawn finely: a card is mostly middle."""
    radius = max(1, min(radius, size[0] // 2, size[1] // 2))
    mask = Image.new("L", size, 255)
    disc = Image.new("L", (2 * radius * _FINE,) * 2, 0)
    ImageDraw.Draw(disc).ellipse((0, 0, disc.width - 1, disc.height - 1), fill=255)
    disc = disc.resize((2 * radius,) * 2, Image.Resampling.LANCZOS)
    right, bottom = size[0] - radius, size[1] - radius
    for x, left in ((0, 0), (right, radius)):
        for y, top in ((0, 0), (bottom, radius)):
            mask.paste(disc.crop((left, top, left + radius, top + radius)), (x, y))
    return mask


def gradient(size: tuple[int, int], first: str, second: str, *, slant: float = 0.5) -> Image.Image:
    """From one colour at the top left to the other; `slant` 0 runs downwards, 1 to the right."""
    across = np.linspace(0, slant, size[0], dtype=np.float32)[None, :, None]
    down = np.linspace(0, 1 - slant, size[1], dtype=np.float32)[:, None, None]
    place = across + down
    start, end = np.array(rgb(first), np.float32), np.array(rgb(second), np.float32)
    # A little noise keeps the eight bits of a channel from showing as bands.
    grain = np.random.default_rng(7).uniform(-0.5, 0.5, (size[1], size[0], 1)).astype(np.float32)
    return Image.fromarray(np.clip(start + (end - start) * place + grain + 0.5, 0, 255).astype(np.uint8))


def glow(ground: Image.Image, centre: tuple[int, int], radius: int, colour: str, strength: float) -> None:
    """Soft light on the ground, brightest in the centre."""
    reach = 2 * radius
    # Computed small and enlarged: light has no detail.
    small = Image.new("L", (64, 64), 0)
    ImageDraw.Draw(small).ellipse((16, 16, 48, 48), fill=round(255 * strength))
    mask = small.filter(ImageFilter.GaussianBlur(9)).resize((2 * reach, 2 * reach), Image.Resampling.BICUBIC)
    ground.paste(Image.new("RGB", mask.size, rgb(colour)), (centre[0] - reach, centre[1] - reach), mask)


def shadowed(card: Image.Image, spread: int = 14) -> Image.Image:
    """The card with a faint shadow; larger than the card by twice the spread on each side."""
    space = 2 * spread
    size = (card.width + 2 * space, card.height + 2 * space)
    mask = Image.new("L", size, 0)
    mask.paste(card.getchannel("A").point(lambda alpha: alpha // 11), (space, space + spread // 2))
    image = Image.new("RGB", size, (16, 36, 61))
    image.putalpha(mask.filter(ImageFilter.GaussianBlur(spread)))
    image.alpha_composite(card, (space, space))
    return image


def ring(size: int, thickness: int, parts: list[tuple[float, str]]) -> Image.Image:
    """A ring whose parts (fractions of the whole, clockwise from the top) have their colours."""
    fine = 2 * size
    image = Image.new("RGBA", (fine, fine), (0, 0, 0, 0))
    pen = ImageDraw.Draw(image)
    start = -90.0
    for fraction, colour in parts:
        if fraction > 0:
            pen.pieslice((2, 2, fine - 3, fine - 3), start, start + 360 * fraction, fill=(*rgb(colour), 255))
        start += 360 * fraction
    hole = 2 * thickness
    pen.ellipse((hole, hole, fine - hole, fine - hole), fill=(0, 0, 0, 0))
    return image.resize((size, size), Image.Resampling.BOX)
