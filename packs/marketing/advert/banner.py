"""An ad as a picture, set by typst from banner.typ: a ground with shapes, headline, body and the button."""

from pathlib import Path

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.marketing.advert.copywriting import Variant
from packs.marketing.advert.phrasebook import Tone
from packs.marketing.reporting.fonts import drawable
from packs.marketing.reporting.typesetting import families, pages, words
from understanding.kit.data import read_data

SIZES = {"1200x628": (1200, 628), "1080x1080": (1080, 1080), "1080x1920": (1080, 1920)}
_FOLDER = Path(__file__).parent
_MEASURED = 100
"""Pixels of what is given as much room as the template finds for it."""


def draw(
    variant: Variant, tone: Tone, size: tuple[int, int], product: str | None, basis: str | None, ctx: ToolContext
) -> bytes:
    """A PNG. Text left (below on a square), shapes right (above); everything inside an even margin."""
    looks: list[JsonObject] = read_data(_FOLDER / "palettes.yaml")[tone]
    look = looks[(variant.number - 1) % len(looks)]
    ink, soft, wide = str(look["ink"]), str(look["soft"]), size[0] > size[1]
    name = drawable(product or "")
    content = {
        "language": variant.language,
        "fonts": families(variant.language),
        "size": size,
        "tone": tone,
        "number": variant.number,
        "look": look,
        "name": words(name, 25, ink, bold=True) if name else None,
        "headline": words(
            variant.headline, 76 if wide else 88, ink, bold=True, serif="serif" in look, leading=1.24, room=_MEASURED,
            smallest=30,
        ),
        "body": words(variant.body, 30 if wide else 34, soft, leading=1.5, room=_MEASURED, smallest=20),
        "button": words(variant.call_to_action, 30, str(look["on_button"]), bold=True),
        "foot": words(basis, 19, soft) if basis else None,
    }  # fmt: skip
    return pages(_FOLDER / "banner.typ", "ad.json", content, ctx, format="png", ppi=72.0)[0]
