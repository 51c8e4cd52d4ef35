"""The font of the page, with no more letters than the page has: a machine without a Korean font shows boxes."""

import io
from base64 import b64encode
from pathlib import Path

from packs.marketing.reporting import fonts

_FILES = {"ja": "NotoSansJP-Regular.otf"}
_USUAL = "NotoSansKR-Regular.otf"
NAME = "Dream Sans"


def font_face(page: str, language: str) -> str:
    """A rule with the letters inside; none where the font is not installed."""
    path = _path(_FILES.get(language, _USUAL)) or _path(_USUAL)
    if path is None:
        return ""
    data = b64encode(_subset(path, page)).decode()
    return f'@font-face {{ font-family: "{NAME}"; src: url(data:font/woff;base64,{data}) format("woff"); }}'


def _path(name: str) -> Path | None:
    return next((folder / name for folder in fonts.folders() if (folder / name).exists()), None)


def _subset(path: Path, text: str) -> bytes:
    # Imported here: it takes longer than all the rest of the page.
    from fontTools import subset

    options = subset.Options(flavor="woff", layout_features=["kern", "palt"], hinting=False, notdef_outline=True)
    cutter, kept = subset.Subsetter(options), io.BytesIO()
    # what the script counts needs all figures
    cutter.populate(text=text + "0123456789.,%/–")
    with subset.load_font(str(path), options) as font:
        cutter.subset(font)
        subset.save_font(font, kept, options)
    return kept.getvalue()
