"""documents.read_document: the text of one document, piece by piece with page numbers."""

from typing import NamedTuple

from contracts.errors import Code
from contracts.shape import JsonObject, JsonValue
from contracts.tools import ToolContext, ToolError
from packs.documents.formats.opening import read
from packs.documents.formats.pages import Page, Unreadable
from packs.documents.shelf import named

LIMIT, MOST = 8_000, 12_000
"""Characters of one answer: Korean takes three bytes for each."""
CODES = {"empty": Code.FILE_EMPTY, "too_large": Code.FILE_TOO_LARGE}


class _Placed(NamedTuple):
    page: Page
    start: int


def run(params: JsonObject, context: ToolContext) -> JsonObject:
    """Raises DOCUMENT_UNKNOWN, DOCUMENT_UNREADABLE, FILE_EMPTY, FILE_TOO_LARGE, TOOL_ARGUMENTS_INVALID."""
    chosen = named(context, str(params.get("document", "")).strip())
    name = chosen.attachment.name
    try:
        kind, pages = read(chosen.path, name)
    except Unreadable as error:
        raise unreadable(error, name, context) from error
    placed = _placed(pages)
    length = placed[-1].start + len(placed[-1].page.text)
    start = _start(params, placed, length, context, name)
    end = min(start + int(str(params.get("limit", LIMIT))), length)
    pieces = [piece for one in placed if (piece := _piece(one, start, end))]
    shown: list[JsonValue] = [{"page": page, "text": text} for page, text in pieces]
    numbers = [page for page, _ in pieces if page is not None]
    return {
        "document": name,
        "format": kind,
        "pages": len(pages) if pages[0].number is not None else None,
        "length": length,
        "offset": start,
        "next_offset": end if end < length else None,
        "pieces": shown,
        "sources": [{"document": name, **({"pages": [min(numbers), max(numbers)]} if numbers else {})}],
    }


def unreadable(error: Unreadable, name: str, context: ToolContext) -> ToolError:
    """Why a document gives no text, in the person's words."""
    why = context.text(f"unreadable.{error.reason}", **error.values)
    code = CODES.get(error.reason, Code.DOCUMENT_UNREADABLE)
    said = context.text("read.unreadable", name=name, reason=why)
    return ToolError(code, said, document=name, reason=error.reason)


def _placed(pages: list[Page]) -> list[_Placed]:
    start, found = 0, []
    for page in pages:
        found.append(_Placed(page, start))
        start += len(page.text)
    return found


def _start(params: JsonObject, placed: list[_Placed], length: int, context: ToolContext, name: str) -> int:
    page = params.get("page")
    if page is not None:
        start = next((one.start for one in placed if one.page.number == page), None)
        if start is None:
            said = context.text("read.no_page", name=name, page=page, pages=len(placed))
            raise ToolError(Code.TOOL_ARGUMENTS_INVALID, said, page=page, pages=len(placed))
        return start
    offset = int(str(params.get("offset", 0)))
    if offset >= length:
        said = context.text("read.no_offset", name=name, offset=f"{offset:,}", length=f"{length:,}")
        raise ToolError(Code.TOOL_ARGUMENTS_INVALID, said, offset=offset, length=length)
    return offset


def _piece(one: _Placed, start: int, end: int) -> tuple[int | None, str] | None:
    text = one.page.text[max(start - one.start, 0) : max(end - one.start, 0)]
    return (one.page.number, text.replace("\0", "")) if text.strip() else None
