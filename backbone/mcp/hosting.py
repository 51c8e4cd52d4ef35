"""The executor's side: sessions with servers, their tools pinned as they were listed first, and their calls. What a
server answers, as the result of a tool: its text bounded, its files beside it. All of it is untrusted."""

import asyncio
import base64
import binascii
import json
import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any

from backbone.bus.port import Bus
from backbone.mcp.catalogue import GrowingCatalogue, wait_for
from backbone.mcp.offers import AWAY, OUTSIDE_ENTRY, digest, offer_of, one_line, server_of
from backbone.mcp.session import Refused, Session, Unreachable
from backbone.packs import Catalogue
from contracts import subjects
from contracts.asking import OfferedTool
from contracts.errors import Code
from contracts.shape import JsonObject, JsonValue
from contracts.tools import ToolContext, ToolError

if TYPE_CHECKING:
    from mcp.types import CallToolResult


log = logging.getLogger(__name__)

RETRY_SECONDS = (1.0, 2.0, 5.0, 10.0, 30.0)
"""Between tries to reach a server that is away; the last for ever."""
WORDS = 400
"""Characters of a server's own words in an error."""
Call = Callable[[JsonObject, ToolContext], Awaitable[JsonObject]]


class Host:
    """The sessions of one process: those of the servers whose executor route it serves."""

    def __init__(self, catalogue: GrowingCatalogue, routes: Iterable[str]) -> None:
        served = set(routes)
        self._catalogue = catalogue
        self._sessions = {
            name: Session(name, config) for name, config in catalogue.servers.items() if config.executor in served
        }

        self._away: set[str] = set()
        """Those whose last try was in vain."""

    async def run(self, bus: Bus) -> None:
        """Until cancelled: joins servers to the catalogue, each as soon as it is there, and tells others of them."""
        for server in self._sessions:
            await bus.on_ask(subjects.offer(server), self._teller(server))
        try:
            async with asyncio.TaskGroup() as group:
                for session in self._sessions.values():
                    group.create_task(self._join(session))
            await asyncio.Event().wait()
        finally:
            await asyncio.gather(*(session.close() for session in self._sessions.values()))

    def _teller(self, server: str) -> Callable[[bytes], Awaitable[bytes]]:
        async def tell(_: bytes) -> bytes:
            offer = self._catalogue.offer(server)
            if offer is None and server in self._away:
                return AWAY
            return offer.model_dump_json().encode() if offer else b""

        return tell

    async def _join(self, session: Session) -> None:
        tried = 0
        while True:
            try:
                listed = await session.tools()
            except (Unreachable, Refused) as error:
                # once as a warning; a server that is away for a day needs no thousand lines
                level = logging.DEBUG if tried else logging.WARNING
                log.log(
                    level, "server left out until it answers", extra={"server": session.server, "reason": str(error)}
                )
                self._away.add(session.server)
                self._catalogue.say_away(session.server)
                await wait_for(self._catalogue.nudged, RETRY_SECONDS[min(tried, len(RETRY_SECONDS) - 1)])
                tried += 1
                continue
            offer = offer_of(session.server, self._catalogue.servers[session.server], listed)
            self._catalogue.join(offer)
            log.info("server joined", extra={"server": session.server, "tools": len(offer.tools)})
            return

    def tool(self, entry: str) -> Call:
        """The callable that an entry mcp:<tool key> stands for."""
        key = entry.removeprefix(OUTSIDE_ENTRY)
        server = server_of(key, self._sessions)
        offer = self._catalogue.offer(server) if server else None
        found = next((tool for tool in offer.tools if tool.spec.tool_key == key), None) if offer else None
        if server is None or found is None:
            raise LookupError(f"no server here has {key!r}")
        pinned, session = found, self._sessions[server]

        async def call(params: JsonObject, context: ToolContext) -> JsonObject:
            return await _call(session, pinned, params, context)

        return call


async def _call(session: Session, tool: OfferedTool, params: JsonObject, context: ToolContext) -> JsonObject:
    """Raises ToolError where the server has certainly not done it, and session.Lost where nobody knows."""

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        if total and total > 0:
            context.progress(progress / total, one_line(message or "", 200))

    server = session.server
    try:
        await _check(session, tool, context)
        answer = await session.call(tool.name, params, tool.spec.timeout_seconds, heard)
    except Unreachable as error:
        away = context.text("mcp.away", server=server)
        raise ToolError(Code.EXTERNAL_UNAVAILABLE, away, retryable=True, technical=str(error)) from error
    except Refused as error:
        raise _in_its_words(server, str(error), context) from error
    if answer.is_error:
        raise _in_its_words(server, text_of(answer), context)
    return _kept(server, tool, answer, context)


def _kept(server: str, tool: OfferedTool, answer: "CallToolResult", context: ToolContext) -> JsonObject:
    heading = context.text("mcp.answer", server=server, tool=tool.title)

    def save(content: bytes, name: str, media_type: str) -> None:
        context.save(content, name=name, media_type=media_type, type_=TYPE)

    return result_of(server, heading, answer, save)


async def _check(session: Session, tool: OfferedTool, context: ToolContext) -> None:
    """The tool is still what it was when people were told of it; else it is not called."""
    try:
        listed = await session.tools()
    except Refused as error:
        raise _in_its_words(session.server, str(error), context) from error
    now = next((digest(raw) for raw in listed if raw["name"] == tool.name), None)
    if now != tool.digest:
        log.warning("a tool has changed since it was listed", extra={"tool": tool.spec.tool_key})
        sentence = context.text("mcp.changed", server=session.server, tool=tool.title)
        raise ToolError(Code.TOOL_UNKNOWN, sentence, pinned=tool.digest, listed=now)


def _in_its_words(server: str, words: str, context: ToolContext) -> ToolError:
    said = one_line(words, WORDS)
    return ToolError(Code.TOOL_FAILED, context.text("mcp.said", server=server, words=said), server=server)


def host_of(catalogue: Catalogue, routes: Iterable[str]) -> Host:
    """Of no servers where none are configured."""
    growing = catalogue if isinstance(catalogue, GrowingCatalogue) else None
    return Host(growing or GrowingCatalogue(dict(catalogue.packs), servers={}), routes)


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
