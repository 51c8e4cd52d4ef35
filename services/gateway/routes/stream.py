"""GET /sessions/{id}/stream: the session as server-sent events, in the words of source design 002 section 9."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import orjson
from pydantic import ValidationError
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request
from starlette.responses import Response

from contracts.registry import EVENTS
from services.gateway.domain.agentstream import AgentStream, Say
from services.gateway.feed import Feed
from services.gateway.intake import uuid_of, whole_number
from services.gateway.parts import Parts
from services.gateway.restarting import return_after
from understanding.port import detect_language

log = logging.getLogger(__name__)

WAITING = 64
"""Frames that may wait for a slow client; then the feed waits, and reads the ledger later."""


@dataclass(frozen=True, slots=True)
class StreamRoutes:
    """Every client of the stream has a feed of its own, as a socket has."""

    parts: Parts
    say: Say

    async def stream(self, request: Request) -> Response:
        session_id = uuid_of(request.path_params["session_id"], "session_id")
        head = await self.parts.history.head(session_id)
        # a browser that reconnects says what it had; what the address says was for the first time
        came_back = request.headers.get("last-event-id", "")
        known = came_back.isascii() and came_back.isdigit() and int(came_back) <= head
        after = int(came_back) if known else whole_number(request, "after", 0, head)
        return EventSourceResponse(self._events(session_id, after), ping=15, headers={"Cache-Control": "no-store"})

    async def _events(self, session_id: UUID, after: int) -> AsyncGenerator[ServerSentEvent]:
        frames: asyncio.Queue[str | None] = asyncio.Queue(WAITING)
        # from the beginning: what an event means depends on those before it
        feed = Feed(session_id, 0, self.parts.history, frames.put)
        stream = AgentStream(self.say, lambda text: detect_language(text).language)
        with self.parts.fanout.watch(session_id, feed):
            feeding = asyncio.create_task(_feed(feed, frames))
            try:
                while (text := await frames.get()) is not None:
                    frame: dict[str, Any] = orjson.loads(text)
                    told = _told(stream, frame)
                    if frame["version"] <= after:
                        continue
                    for place, event in enumerate(told, 1):
                        # the id comes with the last of those that an event stands for: half of them are told again
                        id_ = str(frame["version"]) if place == len(told) else None
                        yield ServerSentEvent(orjson.dumps(event.data).decode(), event=event.name, id=id_)
                yield ServerSentEvent(retry=int(return_after(self.parts.fanout.leaving) * 1000))
            finally:
                feeding.cancel()
                await asyncio.gather(feeding, return_exceptions=True)


async def _feed(feed: Feed, frames: asyncio.Queue[str | None]) -> None:
    """Until the gateway stops, which ends the stream."""
    await feed.run()
    await frames.put(None)


def _told(stream: AgentStream, frame: dict[str, Any]) -> Any:
    """An event of a kind that this gateway does not know says nothing here; its sessions go on."""
    contract = EVENTS.get(frame["event"])
    if contract is None:
        return []
    try:
        event = contract.model_validate(frame["data"])
    except ValidationError as error:
        log.warning("left out of a stream: %s version %s: %s", frame["event"], frame["version"], error)
        return []
    return stream.tell(event, UUID(frame["run_id"]) if frame["run_id"] else None)
