"""Pages that typst sets from a template and the content beside it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from contracts.tools import ToolContext
from packs.marketing.reporting import fonts


def typeset(
    template: Path, name: str, content: Mapping[str, object], logo: bytes | None, ctx: ToolContext, **options: Any
) -> bytes:
    """The template reads `content` as JSON from the file `name`, and logo.png; both are put into ctx.workdir, where its
    pictures lie already. `options` are typst's own."""
    import typst

    source = ctx.workdir / template.name
    source.write_bytes(template.read_bytes())
    (ctx.workdir / "logo.png").write_bytes(logo or b"")
    (ctx.workdir / name).write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    made: bytes = typst.compile(
        str(source),
        root=str(ctx.workdir),
        font_paths=[str(folder) for folder in fonts.folders()],
        # The same on every machine, whatever fonts it has.
        ignore_system_fonts=True,
        **options,
    )
    return made
