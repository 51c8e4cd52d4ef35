"""The fonts of all that is set. Japanese has its own, because the Korean one lacks characters such as 価 and 読."""

import unicodedata
from functools import cache
from importlib import import_module
from pathlib import Path

KOREAN = "Noto Sans KR"
JAPANESE = "Noto Sans JP"


@cache
def folders() -> tuple[Path, ...]:
    """Folders of the font packages that are installed; without the Japanese one the Korean font stands in."""
    found = []
    for package in ("pylopdf_fonts_ko", "pylopdf_fonts_jp"):
        try:
            found.append(Path(str(import_module(package).__file__)).parent)
        except ImportError:
            continue
    return tuple(found)


def families(language: str, *, serif: bool = False) -> tuple[str, ...]:
    """Preferred first."""
    found = (JAPANESE, KOREAN) if language == "ja" else (KOREAN, JAPANESE)
    return tuple(name.replace("Sans", "Serif") for name in found) if serif else found


@cache
def _characters() -> frozenset[int]:
    """What one of the fonts has."""
    # Imported here: only pictures have to know.
    from fontTools.ttLib import TTFont

    found: set[int] = set()
    for path in (path for folder in folders() for path in folder.glob("NotoSans*.otf")):
        with TTFont(path, lazy=True) as font:
            found |= font.getBestCmap().keys()
    return frozenset(found)


def drawable(text: str) -> str:
    """The text without what no packaged font can draw: emoji, scripts from right to left, control characters."""
    kept = (
        " " if character.isspace() else character
        for character in unicodedata.normalize("NFC", text)
        if character.isspace() or (unicodedata.category(character)[0] != "C" and ord(character) in _characters())
    )
    return " ".join("".join(kept).split())
