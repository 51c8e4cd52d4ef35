"""GET /sessions/{id}/stream: the session as server-sent events, in the words of source design 002 section 9."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from typing import Annotated, Any
from uuid import UUID

import orjson
from fastapi import APIRouter, Header
from pydantic import ValidationError
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.responses import Response

from contracts.registry import EVENTS
from services.gateway.composition import Composition
from services.gateway.domain.agentstream import AgentStream, Say
from services.gateway.http.endpoint import Endpoint
from services.gateway.http.parameters import Gateway, Position, Texts
from services.gateway.http.problems import problems
from services.gateway.http.requests import is_whole, whole_number
from services.gateway.ws.restart import return_after
from services.gateway.ws.session_feed import SessionFeed
from understanding.port import detect_language

log = logging.getLogger(__name__)

router = APIRouter(route_class=Endpoint)
EVENT_STREAM = {"text/event-stream": {"schema": {"type": "string"}}}
WAITING = 64
"""Frames that may wait for a slow client; then the feed waits, and reads the ledger later."""


@router.get(
    "/sessions/{session_id}/stream",
    response_class=EventSourceResponse,
    responses=problems(1009, 1011, 2002, 3000, 9006) | {200: {"description": "events", "content": EVENT_STREAM}},
)
async def stream(
    session_id: UUID,
    gateway: Gateway,
    say: Texts,
    after: Position = 0,
    last_event_id: Annotated[str | None, Header(description="the version after which to go on")] = None,
) -> Response:
    """The session as server-sent events: AGENT_START, AGENT_DONE, TASK_PROGRESS, DONE, REMINDER."""
    head = await gateway.history.head(session_id)
    # a browser that reconnects says what it had; what the address says was for the first time
    came_back = last_event_id or ""
    position = int(came_back) if is_whole(came_back, head) else whole_number(str(after), "after", head)
    return EventSourceResponse(
        _events(gateway, say, session_id, position), ping=15, headers={"Cache-Control": "no-store"}
    )


async def _events(gateway: Composition, say: Say, session_id: UUID, after: int) -> AsyncGenerator[ServerSentEvent]:
    """Every client of the stream has a feed of its own, as a socket has."""
    frames: asyncio.Queue[str | None] = asyncio.Queue(WAITING)
    # from the beginning: what an event means depends on those before it
    feed = SessionFeed(session_id, 0, gateway.history, frames.put)
    told_so_far = AgentStream(say, lambda text: detect_language(text).language)
    with gateway.fanout.watch(session_id, feed):
        feeding = asyncio.create_task(_feed(feed, frames))
        try:
            while (text := await frames.get()) is not None:
                frame: dict[str, Any] = orjson.loads(text)
                told = _told(told_so_far, frame)
                if frame["version"] <= after:
                    continue
                for place, event in enumerate(told, 1):
                    # the id comes with the last of those that an event stands for: half of them are told again
                    id_ = str(frame["version"]) if place == len(told) else None
                    yield ServerSentEvent(orjson.dumps(event.data).decode(), event=event.name, id=id_)
            yield ServerSentEvent(retry=int(return_after(gateway.fanout.leaving) * 1000))
        finally:
            feeding.cancel()
            await asyncio.gather(feeding, return_exceptions=True)


async def _feed(feed: SessionFeed, frames: asyncio.Queue[str | None]) -> None:
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
