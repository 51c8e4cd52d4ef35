"""Pages that typst sets from a template and the content beside it."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.marketing.reporting import fonts
from packs.marketing.reporting.breaking import atoms

LETTERING = Path(__file__).parents[1] / "lettering.typ"
"""What templates share."""


def typeset(
    template: Path, name: str, content: Mapping[str, object], logo: bytes | None, ctx: ToolContext, **options: Any
) -> bytes:
    """A document, or the first page as a picture. See `pages`."""
    return pages(template, name, content, ctx, logo=logo, **options)[0]


def pages(
    template: Path,
    name: str,
    content: Mapping[str, object],
    ctx: ToolContext,
    logo: bytes | None = None,
    **options: Any,
) -> list[bytes]:
    """The template reads `content` as JSON from the file `name`, and logo.png; both are put into ctx.workdir, where its
    pictures lie already. `options` are typst's own. A PDF is one; as PNG each page is."""
    import typst

    source = ctx.workdir / template.name
    source.write_bytes(template.read_bytes())
    (ctx.workdir / LETTERING.name).write_bytes(LETTERING.read_bytes())
    (ctx.workdir / "logo.png").write_bytes(logo or b"")
    (ctx.workdir / name).write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    made: bytes | list[bytes] = typst.compile(
        str(source),
        root=str(ctx.workdir),
        font_paths=_fonts(),
        **options,
    )
    return [made] if isinstance(made, bytes) else made


@cache
def _fonts() -> Any:
    """The same on every machine, whatever fonts it has; read once."""
    import typst

    return typst.Fonts(include_system_fonts=False, font_paths=[str(folder) for folder in fonts.folders()])


def families(language: str) -> JsonObject:
    """Fonts by their kind, as lettering.typ wants them."""
    return {"sans": [*fonts.families(language)], "serif": [*fonts.families(language, serif=True)]}


def words(  # noqa: PLR0913  # how they look
    text: str,
    size: int,
    colour: str = "#ffffff",
    *,
    bold: bool = False,
    serif: bool = False,
    leading: float = 1.42,
    room: int | None = None,
    smallest: int = 24,
) -> JsonObject:
    """As large as fits into so many pixels of height; without them one line of this size."""
    return {
        "words": [[atom, spaced] for atom, spaced in atoms(fonts.drawable(text))],
        "size": size,
        "smallest": size if room is None else smallest,
        "room": size * leading if room is None else room,
        "colour": colour,
        "bold": bold,
        "serif": serif,
        "leading": leading,
    }
