"""What a server answers, as the result of a tool: its text bounded, its files beside it. All of it is untrusted."""

import base64
import binascii
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from contracts.shape import JsonObject, JsonValue

if TYPE_CHECKING:
    from mcp.types import CallToolResult

TEXT, STRUCTURED, LINES, LINE = 12_000, 24_000, 40, 500
"""Characters of text and of structured content in a result, lines that people are shown, and characters of each."""
FILES, FILE_BYTES = 8, 16 * 1024**2
TYPE = "document.outside"
Save = Callable[[bytes, str, str], object]
"""Content, name and media type of a file."""


def text_of(answer: "CallToolResult") -> str:
    """All text of an answer, joined."""
    return clean("\n".join(filter(None, (_words(block) for block in answer.content))))


def result_of(server: str, heading: str, answer: "CallToolResult", save: Save) -> JsonObject:
    """{server, text, structured, summary}: what the planner's tools and people see of an answer."""
    text = text_of(answer)
    if len(text) > TEXT:
        save(text.encode(), f"{server}.txt", "text/plain")
    _keep(answer, server, save)
    structured = cleaned(answer.structured_content)
    result: JsonObject = {"server": server, "text": text[:TEXT]}
    if isinstance(structured, dict) and structured:
        size = len(json.dumps(structured, ensure_ascii=False))
        if size <= STRUCTURED:
            result["structured"] = structured
        else:
            save(json.dumps(structured, ensure_ascii=False).encode(), f"{server}.json", "application/json")
    lines = [line.strip()[:LINE] for line in text.splitlines() if line.strip()][:LINES]
    result["summary"] = list[JsonValue]([heading, *lines])
    return result


def _words(block: Any) -> str:
    match block.type:
        case "text":
            return str(block.text)
        case "resource":
            return str(getattr(block.resource, "text", "") or "")
        case "resource_link":
            return f"{block.name}: {block.uri}"
        case _:
            return ""


def _keep(answer: "CallToolResult", server: str, save: Save) -> None:
    blobs = [found for block in answer.content if (found := _blob(block)) is not None]
    for number, (data, media_type) in enumerate(blobs[:FILES], 1):
        try:
            content = base64.b64decode(data, validate=True)
        except binascii.Error:
            continue
        ending = "".join(one for one in media_type.partition("/")[2].partition(";")[0] if one.isalnum())[:8] or "bin"
        if len(content) <= FILE_BYTES:
            save(content, f"{server}-{number}.{ending}", media_type)


def _blob(block: Any) -> tuple[str, str] | None:
    """The base64 content of a block and its media type."""
    match block.type:
        case "image" | "audio":
            return block.data, _media(block.mime_type)
        case "resource" if getattr(block.resource, "blob", None):
            return block.resource.blob, _media(block.resource.mime_type)
        case _:
            return None


def _media(said: object) -> str:
    text = str(said or "")
    return (
        text
        if text.isascii() and text.isprintable() and "/" in text and len(text) < 100
        else "application/octet-stream"
    )


def clean(text: str) -> str:
    """Text that the ledger can hold: without NUL characters and lone surrogates."""
    return text.replace("\0", "").encode(errors="replace").decode()


def cleaned(value: Any) -> JsonValue:
    """JSON that the ledger can hold."""
    match value:
        case str():
            return clean(value)
        case dict():
            return {clean(str(key)): cleaned(member) for key, member in value.items()}
        case list():
            return [cleaned(member) for member in value]
        case float() if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124  # NaN is not itself
            return None
        case _:
            plain: JsonValue = value
            return plain
