"""The look of the slides, in the master: own colours and fonts, 16:9, a title, a footer and a page number.

Everything that is drawn names a colour of the theme, so that a company can put its own over all slides at once.
"""

import copy
import re
from collections.abc import Sequence
from typing import Any, Final

from pptx import Presentation
from pptx.enum.dml import MSO_THEME_COLOR as THEME
from pptx.enum.text import PP_ALIGN
from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.oxml import parse_xml
from pptx.oxml.ns import nsdecls, qn
from pptx.util import Emu, Pt

from packs.marketing.charts.style import ACCENT, COLOURS, INK
from packs.marketing.letters import plain

WIDTH, HEIGHT, MARGIN = 40 / 3, 7.5, 0.75
TITLE_SIZE, LEAD_SIZE, FOOT_SIZE = 30.0, 17.0, 11.0
NAVY, MIST, GOLD, SKY, SOFT = "#14304f", "#eff4fa", "#d99a2b", "#7fa3c7", "#5b6775"
PAPER, SHADE, DARK, MAIN, GOOD, BAD, CALM, WARM, LIGHT = (
    THEME.BACKGROUND_1,
    THEME.BACKGROUND_2,
    THEME.TEXT_2,
    THEME.ACCENT_1,
    THEME.ACCENT_2,
    THEME.ACCENT_3,
    THEME.ACCENT_4,
    THEME.ACCENT_5,
    THEME.ACCENT_6,
)
MUTED = THEME.FOLLOWED_HYPERLINK
"""The theme has no slot for quiet text; that of visited links is free, because slides hold no links."""
_SCHEME: Final = {
    "dk1": INK, "lt1": "#ffffff", "dk2": NAVY, "lt2": MIST,
    "accent1": ACCENT, "accent2": COLOURS["positive"], "accent3": COLOURS["negative"],
    "accent4": COLOURS["neutral"], "accent5": GOLD, "accent6": SKY, "hlink": ACCENT, "folHlink": SOFT,
}  # fmt: skip
# Where a font is missing, its panose leads PowerPoint to the next of its kind: Malgun Gothic, Yu Gothic.
_FONTS: Final = {
    "ko": 'typeface="Noto Sans KR" panose="020B0503020000020004" pitchFamily="34" charset="-127"',
    "ja": 'typeface="Noto Sans JP" panose="020B0400000000000000" pitchFamily="34" charset="-128"',
}
_SCRIPTS: Final = '<a:font script="Hang" typeface="Malgun Gothic"/><a:font script="Jpan" typeface="Yu Gothic"/>'
LANGUAGES: Final = {"ko": "ko-KR", "en": "en-US", "ja": "ja-JP"}
_COVER, _PAGE = "Title Slide", "Title Only"


def blank(language: str) -> Any:  # python-pptx has no types for what it reads
    """An empty presentation with two layouts: cover and page."""
    made = Presentation()
    made.slide_width, made.slide_height = Emu(12_192_000), Emu(6_858_000)
    for layout in list(made.slide_layouts):
        if layout.name not in (_COVER, _PAGE):
            made.slide_layouts.remove(layout)
    _dress(made, language)
    _arrange(made.slide_master)
    _cover(made.slide_layouts.get_by_name(_COVER))
    _page(made.slide_layouts.get_by_name(_PAGE))
    return made


def add_cover(deck: Any) -> Any:
    return deck.slides.add_slide(deck.slide_layouts.get_by_name(_COVER))


def add_page(deck: Any, footer: str, language: str) -> Any:
    """A slide with the footer and its number, as the real placeholders that PowerPoint's dialogs know."""
    layout = deck.slide_layouts.get_by_name(_PAGE)
    slide = deck.slides.add_slide(layout)
    for holder in layout.placeholders:
        if holder.placeholder_format.idx not in (11, 12):
            continue
        slide.shapes._spTree.append(copy.deepcopy(holder._element))  # noqa: SLF001  # python-pptx leaves footers out
        if holder.placeholder_format.idx == 11:
            paragraph = slide.placeholders[11].text_frame.paragraphs[0]
            run = paragraph.add_run()
            run.text = plain(footer)
            paragraph.alignment = PP_ALIGN.LEFT
            run.font.size, run.font.color.theme_color = Pt(FOOT_SIZE), MUTED
            run._r.get_or_add_rPr().set("lang", LANGUAGES[language])  # noqa: SLF001  # font.language_id knows no ko-KR by name
    return slide


def _dress(deck: Any, language: str) -> None:
    theme = deck.slide_master.part.part_related_by(RELATIONSHIP_TYPE.THEME)
    colours = "".join(f'<a:{name}><a:srgbClr val="{hexed[1:].upper()}"/></a:{name}>' for name, hexed in _SCHEME.items())
    font = _FONTS["ja" if language == "ja" else "ko"]
    fonts = f'<a:latin {font}/><a:ea {font}/><a:cs typeface=""/>{_SCRIPTS}'
    xml = theme.blob.decode("utf-8")
    xml = re.sub(r"(<a:clrScheme name=)\"[^\"]*\">.*?(</a:clrScheme>)", rf'\1"Dream">{colours}\2', xml, flags=re.DOTALL)
    for kind in ("major", "minor"):
        xml = re.sub(rf"(<a:{kind}Font>).*?(</a:{kind}Font>)", rf"\1{fonts}\2", xml, flags=re.DOTALL)
    theme._blob = xml.encode("utf-8")  # noqa: SLF001  # a theme is a plain part to python-pptx, which has no door for it


def _arrange(master: Any) -> None:
    """The default master is 4:3; its placeholders are laid out anew."""
    places = {
        0: (MARGIN, 0.42, WIDTH - 2 * MARGIN, 0.72),
        1: (MARGIN, 2.1, WIDTH - 2 * MARGIN, 4.6),
        2: (9.2, 6.98, 2.0, 0.34),
        3: (MARGIN, 6.98, 8.2, 0.34),
        4: (WIDTH - MARGIN - 1.2, 6.98, 1.2, 0.34),
    }
    for number, holder in enumerate(master.placeholders):
        place(holder, places[number])
        for default in holder._element.iter(qn("a:defRPr")):  # noqa: SLF001  # defaults of a placeholder have no API
            default.set("sz", str(int(FOOT_SIZE * 100)))
            _recolour(default, "folHlink")
        if number in (3, 4):
            style = next(iter(holder._element.iter(qn("a:lvl1pPr"))))  # noqa: SLF001  # the same
            style.set("algn", "l" if number == 3 else "r")
    title = next(iter(master._element.iter(qn("p:titleStyle")))).find(qn("a:lvl1pPr"))  # noqa: SLF001  # the same
    title.set("algn", "l")
    title.find(qn("a:defRPr")).set("sz", str(int(TITLE_SIZE * 100)))
    title.find(qn("a:defRPr")).set("b", "1")
    _recolour(title.find(qn("a:defRPr")), "tx2")


def _recolour(default: Any, scheme: str) -> None:
    for fill in default.findall(qn("a:solidFill")):
        default.remove(fill)
    default.insert(0, parse_xml(f'<a:solidFill {nsdecls("a")}><a:schemeClr val="{scheme}"/></a:solidFill>'))


def _cover(layout: Any) -> None:
    _background(layout, "tx2")
    _drop(layout, (10, 11, 12))
    title, subtitle = layout.placeholders[0], layout.placeholders[1]
    place(title, (MARGIN + 0.1, 1.7, 8.3, 2.0))
    place(subtitle, (MARGIN + 0.1, 3.95, 8.3, 1.5))
    for holder, size in ((title, 4000), (subtitle, 2000)):
        holder.text_frame.paragraphs[0].alignment = PP_ALIGN.LEFT
        style = holder._element.txBody.find(qn("a:lstStyle"))  # noqa: SLF001  # defaults of a placeholder have no API
        for old in list(style):
            style.remove(old)
        style.append(
            parse_xml(
                f'<a:lvl1pPr {nsdecls("a")} marL="0" indent="0" algn="l"><a:buNone/><a:defRPr sz="{size}">'
                '<a:solidFill><a:schemeClr val="bg1"/></a:solidFill></a:defRPr></a:lvl1pPr>'
            )
        )
    # Bars that rise to the right: a chart without numbers.
    for number, (tall, scheme) in enumerate(((1.5, "accent6"), (2.6, "accent2"), (3.9, "accent1"), (5.3, "accent5"))):
        _decorate(layout, (9.75 + 0.78 * number, HEIGHT - tall, 0.56, tall), scheme, f"bar {number}")
    _decorate(layout, (MARGIN + 0.2, 1.35, 1.1, 0.07), "accent5", "line")


def _page(layout: Any) -> None:
    _drop(layout, (10,))
    _decorate(layout, (0.0, 0.52, 0.16, 0.56), "accent5", "mark")
    _decorate(layout, (MARGIN, 6.9, WIDTH - 2 * MARGIN, 0.012), "accent4", "foot line")


def _background(layout: Any, scheme: str) -> None:
    slide = layout._element.cSld  # noqa: SLF001  # python-pptx fills backgrounds of slides, not of layouts
    slide.insert(
        0,
        parse_xml(
            f'<p:bg {nsdecls("p", "a")}><p:bgPr><a:solidFill><a:schemeClr val="{scheme}"/></a:solidFill>'
            "<a:effectLst/></p:bgPr></p:bg>"
        ),
    )


def _drop(layout: Any, indexes: Sequence[int]) -> None:
    for holder in list(layout.placeholders):
        if holder.placeholder_format.idx in indexes:
            holder._element.getparent().remove(holder._element)  # noqa: SLF001  # shapes cannot be removed otherwise


def place(shape: Any, box: tuple[float, float, float, float]) -> None:
    """Left, top, width, height in inches."""
    shape.left, shape.top, shape.width, shape.height = (Emu(int(value * 914_400)) for value in box)


def _decorate(layout: Any, box: tuple[float, float, float, float], scheme: str, name: str) -> None:
    """A rectangle in a layout, below everything; marked as decoration, so that a screen reader passes it by."""
    left, top, across, down = (int(value * 914_400) for value in box)
    tree = layout.shapes._spTree  # noqa: SLF001  # python-pptx adds shapes to slides only
    number = max((int(found) for found in tree.xpath("//p:cNvPr/@id")), default=1) + 1
    shape = (
        f'<p:sp {nsdecls("p", "a")}><p:nvSpPr><p:cNvPr id="{number}" name="{name}"><a:extLst>'
        '<a:ext uri="{C183D7F6-B498-43B3-948B-1728B52AA6E4}"><adec:decorative '
        'xmlns:adec="http://schemas.microsoft.com/office/drawing/2017/decorative" val="1"/></a:ext></a:extLst>'
        f'</p:cNvPr><p:cNvSpPr/><p:nvPr userDrawn="1"/></p:nvSpPr><p:spPr><a:xfrm><a:off x="{left}" y="{top}"/>'
        f'<a:ext cx="{across}" cy="{down}"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom><a:solidFill>'
        f'<a:schemeClr val="{scheme}"/></a:solidFill><a:ln><a:noFill/></a:ln></p:spPr></p:sp>'
    )
    tree.insert(2, parse_xml(shape))
