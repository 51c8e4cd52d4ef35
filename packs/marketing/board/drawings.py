"""The charts of the dashboard as SVG, each in two widths: a chart made for a desk has tiny letters on a telephone."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from contracts.tools import ToolContext
from packs.marketing.charts.drawing import svg
from packs.marketing.charts.reviews import charts
from packs.marketing.charts.style import NARROW, WIDE
from packs.marketing.reporting.material import Material

# Addresses in an SVG are names of its vocabulary; a browser does not need them inside HTML, and a page without a single
# address is easier to trust.
_ADDRESSES = re.compile(r'(?<!\s)\s+xmlns(?::\w+)?="[^"]*"')
# Vega calls what it refers to clip0, gradient_0 and so on, in every drawing anew.
_IDS = re.compile(r'( id="|="url\(#)(?=(?:clip|gradient)_?\d)')


@dataclass(frozen=True, slots=True)
class Drawing:
    """`wide` and `narrow` are SVG elements for HTML, `file` is a whole SVG file of the wide one."""

    wide: str
    narrow: str
    file: str


def draw(material: Material, ctx: ToolContext) -> dict[str, Drawing]:
    """By section: trend, sentiment, keywords; those that have something to show."""
    narrow = charts(material, ctx, NARROW, lines=1)
    return {
        name: drawing(name, spec, narrow[name], ctx.language)
        for name, spec in charts(material, ctx, WIDE, lines=1).items()
    }


def drawing(name: str, wide: Mapping[str, object], narrow: Mapping[str, object], language: str) -> Drawing:
    """Of the two specifications of a chart."""
    drawn = svg(wide, language)
    return Drawing(_inline(drawn, f"{name}-wide"), _inline(svg(narrow, language), f"{name}-narrow"), drawn)


def _inline(drawn: str, name: str) -> str:
    """For a page that holds several: without addresses, and with ids of its own."""
    root, end, rest = drawn.partition(">")
    rest = _IDS.sub(rf"\g<1>{name}-", rest)
    return _ADDRESSES.sub("", root) + end + rest
