"""The fonts of the report. Japanese has its own, because the Korean one lacks characters such as 価 and 読."""

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


def families(language: str) -> tuple[str, ...]:
    """Preferred first."""
    return (JAPANESE, KOREAN) if language == "ja" else (KOREAN, JAPANESE)
