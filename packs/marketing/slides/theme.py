"""The look of the slides is in two templates, which PowerPoint opens: own colours and fonts, 16:9, a title, a footer
and a page number in the master; on the cover bars that rise to the right. They differ in their font: where it is
missing, its panose leads PowerPoint to the next of its kind, Malgun Gothic or Yu Gothic.

Everything that is drawn names a colour of the theme, so that a company can put its own over all slides at once.
"""

import copy
from pathlib import Path
from typing import Any, Final

from pptx import Presentation
from pptx.enum.dml import MSO_THEME_COLOR as THEME
from pptx.enum.text import PP_ALIGN
from pptx.util import Pt

from packs.marketing.letters import plain

WIDTH, MARGIN = 40 / 3, 0.75
TITLE_SIZE, LEAD_SIZE, FOOT_SIZE = 30.0, 17.0, 11.0
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
LANGUAGES: Final = {"ko": "ko-KR", "en": "en-US", "ja": "ja-JP"}
_FOLDER = Path(__file__).parent
_COVER, _PAGE = "Title Slide", "Title Only"


def blank(language: str) -> Any:  # python-pptx has no types for what it reads
    """An empty presentation with two layouts: cover and page."""
    return Presentation(str(_FOLDER / f"template_{'ja' if language == 'ja' else 'ko'}.pptx"))


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
