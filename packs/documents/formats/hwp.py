"""HWP 5, the binary format of Hangul documents."""

import struct
import zlib
from pathlib import Path
from typing import Any

from packs.documents.formats.pages import Page, Unreadable

BETWEEN = " | "


def read(path: Path) -> list[Page]:
    """Raises Unreadable."""
    import syhwp

    try:
        document = syhwp.open(str(path))
        lines = [line for block in document.blocks for line in _lines(block)]
    except syhwp.EncryptedDocumentError as error:
        raise Unreadable("encrypted") from error
    except (syhwp.SyhwpError, OSError, ValueError, KeyError, IndexError, struct.error, zlib.error) as error:
        raise Unreadable("broken") from error
    return [Page(None, "\n".join(lines))]


def _lines(block: Any) -> list[str]:
    """A row of a table is one line; a cell that spans several is told once."""
    grid = getattr(block, "grid", None)
    if grid is None:
        return [block.text]
    return [BETWEEN.join(flat for cell in row if (flat := " ".join(cell.split()))) for row in grid()]
