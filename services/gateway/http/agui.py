"""POST /agui: the AG-UI protocol, for front ends that speak it (docs/agui.md). Each request is one stream: what becomes
of the message or the answers that came with it, until the run ends or a person must speak."""

import asyncio
import base64
import binascii
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Annotated, Any
from urllib.parse import quote
from uuid import UUID

import orjson
from ag_ui.core import (
    BaseEvent,
    CustomEvent,
    RunErrorEvent,
    RunFinishedEvent,
    RunFinishedInterruptOutcome,
    RunFinishedSuccessOutcome,
    RunStartedEvent,
)
from fastapi import APIRouter, Body
from pydantic import ValidationError
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request
from starlette.responses import Response

from backbone.ledger.port import LedgerUnavailable
from contracts.access import Principal
from contracts.artifacts import Attachment
from contracts.errors import Code
from contracts.file_names import safe_name
from contracts.registry import EVENTS
from services.gateway.commands.agui import Following
from services.gateway.composition import Composition
from services.gateway.domain.agui import AguiStream
from services.gateway.domain.agui_conversation import Link, interrupts, messages, missing, reminder
from services.gateway.domain.refusal import Refused, short
from services.gateway.domain.session import Session
from services.gateway.http.artifacts import keep_file
from services.gateway.http.endpoint import Endpoint, TooLarge
from services.gateway.http.event_stream import EVENT_STREAM, WAITING
from services.gateway.http.parameters import Gateway, Trace, Who
from services.gateway.http.problems import UNAVAILABLE, problems, refusal
from services.gateway.http.requests import too_large, traceparent_of
from services.gateway.http.responses import http_url
from services.gateway.views.agui import GivenMessage, Part, RunAgentInput, Wishes
from services.gateway.views.protocol import Say
from services.gateway.ws.session_feed import SessionFeed

log = logging.getLogger(__name__)

router = APIRouter(route_class=Endpoint)
PROTOCOL = "1.0"
LIMIT = 8 * 1024 * 1024
"""Bytes of a body: clients send the whole conversation with each request."""
MOST_PARTS = 200
QUIET = 0.1
"""Seconds in which nothing more comes, after the last thing that was waited for: questions are put together."""
LARGE = TooLarge(
    lambda: too_large(limit=LIMIT, instead=": put files into POST /artifacts, or begin a new thread"), LIMIT
)


@router.post(
    "/agui",
    response_class=EventSourceResponse,
    responses=problems(1000, (1000, 413)) | {200: {"description": "events of AG-UI", "content": EVENT_STREAM}},
)
async def agui(
    body: Annotated[RunAgentInput, Body(), LARGE],
    request: Request,
    gateway: Gateway,
    who: Who,
    traceparent: Trace = None,
) -> Response:
    """RunAgentInput of AG-UI in, its events out. What is refused of a message or an answer is a RUN_ERROR."""
    told = _Conversation(gateway, who, body, http_url(request, gateway.backbone.settings.public_url))
    # clients of AG-UI end an event at LF LF, and know no other ends of lines
    return EventSourceResponse(
        told.events(traceparent_of(traceparent)), ping=15, sep="\n", headers={"Cache-Control": "no-store"}
    )


class _Conversation:
    """One request, and the stream that answers it."""

    def __init__(self, gateway: Composition, who: Principal, given: RunAgentInput, base: str) -> None:
        self._gateway = gateway
        self._who = who
        self._given = given
        at = base if given.wishes.files_at is None else given.wishes.files_at.rstrip("/")
        self._link: Link = lambda file: f"{at}/artifacts/{file.artifact_id}?name={quote(file.name, safe='')}"
        self._expiring = given.protocol_version is not None

    async def events(self, traceparent: str | None) -> AsyncGenerator[ServerSentEvent]:
        """Ends in RUN_FINISHED or RUN_ERROR, unless the client leaves."""
        given = self._given
        version = PROTOCOL if given.protocol_version else None  # older ones know no such member
        yield sent(RunStartedEvent(thread_id=given.thread_id, run_id=given.run_id, protocol_version=version))
        try:
            following = await self._gateway.agui.receive(self._who, given, self._read, traceparent)
            async for event in self._followed(following):
                yield sent(event)
        except Refused as refused:
            yield sent(RunErrorEvent(message=refused.message, code=str(int(refused.code))))
        except LedgerUnavailable:
            yield sent(RunErrorEvent(message=UNAVAILABLE, code=str(int(Code.LEDGER_UNAVAILABLE))))

    async def _followed(self, following: Following) -> AsyncIterator[BaseEvent]:
        # the client's state is its own: what it may want to know of us has a name of its own
        yield CustomEvent(name="dream.session", value={"session_id": str(following.session_id)})
        known = self._given.known
        stream = AguiStream(following.runs, self._link, known)
        if following.loads:
            session = await self._gateway.agui.stands(following)
            await self._gateway.files.show(self._who, [run.response for run in session.runs.values()])
            for event in missing(session, self._link, known) if known else [messages(session, self._link)]:
                yield event
            for waiting in session.reminders.waiting.values():
                yield reminder(waiting.due)
        if following.runs:
            async for event in self._until_it_stands(following, stream):
                yield event
        session = await self._gateway.agui.stands(following)
        for event in (*(stream.plans() if following.loads else ()), *stream.close()):
            yield event
        yield self._finished(following, session)

    async def _until_it_stands(self, following: Following, stream: AguiStream) -> AsyncIterator[BaseEvent]:
        """What becomes of the runs. Raises Refused when the gateway stops."""
        frames: asyncio.Queue[str | None] = asyncio.Queue(WAITING)
        showing = self._gateway.files.showing(self._who, frames.put)
        feed = SessionFeed(following.session_id, following.since, self._gateway.history, showing)
        with self._gateway.fanout.watch(following.session_id, feed):
            feeding = asyncio.create_task(_feed(feed, frames))
            version = following.since
            try:
                while True:
                    over = stream.stands and version >= following.reach
                    try:
                        async with asyncio.timeout(QUIET if over else None):
                            text = await frames.get()
                    except TimeoutError:
                        return
                    if text is None:
                        why = "the gateway restarts, and the run goes on: send the same request again in a moment"
                        raise Refused(Code.STOPPING, why)
                    frame: dict[str, Any] = orjson.loads(text)
                    version = frame["version"]
                    for event in told(stream, frame, shown=version > following.after):
                        yield event
            finally:
                feeding.cancel()
                await asyncio.gather(feeding, return_exceptions=True)

    def _finished(self, following: Following, session: Session) -> RunFinishedEvent:
        runs = [run for run_id in following.runs if (run := session.runs.get(run_id))]
        result: dict[str, Any] = {"session_id": str(following.session_id)}
        result["runs"] = [
            {
                "run_id": str(run.run_id),
                "status": run.status.value,
                "error": run.error.model_dump(mode="json") if run.error else None,
            }
            for run in runs
        ]
        if following.late:
            result["late"] = [str(one) for one in following.late]
        asked = interrupts(session, expiring=self._expiring)
        outcome = RunFinishedInterruptOutcome(interrupts=asked) if asked else RunFinishedSuccessOutcome()
        return RunFinishedEvent(
            thread_id=self._given.thread_id, run_id=self._given.run_id, result=result, outcome=outcome
        )

    async def _read(self, said: GivenMessage, wishes: Wishes) -> Say:
        """Raises Refused."""
        texts: list[str] = [said.content] if isinstance(said.content, str) else []
        files: list[Attachment] = list(wishes.attachments)
        for part in parts_of(said.content):
            if part.type == "text":
                texts.append(part.text)
            else:
                files.append(await self._keep(part))
        text = "\n".join(texts) or " ".join(file.name for file in files)
        try:
            return Say.model_validate(
                {
                    "text": text, "language": wishes.language, "attachments": tuple(files),
                    "auto_approve": wishes.auto_approve, "budget": wishes.budget,
                }
            )  # fmt: skip
        except ValidationError as error:
            raise refusal(error, Code.INVALID_REQUEST) from None

    async def _keep(self, part: Part) -> Attachment:
        """A file whose bytes came with the message is stored as an upload is."""
        value = part.bytes_in_base64
        if value is None:
            why = (
                "send its bytes (source.type data), or POST /artifacts and name it in forwardedProps.dream.attachments"
            )
            raise Refused(Code.INVALID_REQUEST, f"a part of type {short(part.type)} is from elsewhere: {why}")
        if not part.filename:
            raise Refused(Code.INVALID_REQUEST, "a file has no name: say it in the part's metadata, as filename")
        try:
            content = base64.b64decode(value, validate=True)
        except binascii.Error as error:
            raise Refused(Code.INVALID_REQUEST, f"{short(part.filename)} is no base64: {error}") from None
        file = await keep_file(self._gateway, self._who, safe_name(part.filename), _one(content))
        self._gateway.arrivals.tell(file)
        return file


def parts_of(content: object) -> list[Part]:
    """The parts of a message. Raises Refused."""
    if not isinstance(content, list):
        return []
    if len(content) > MOST_PARTS:
        raise Refused(Code.INVALID_REQUEST, f"the message has {len(content):,} parts, at most {MOST_PARTS} are read")
    try:
        return [Part.model_validate(part) for part in content]
    except ValidationError as error:
        raise refusal(error, Code.INVALID_REQUEST) from None


def told(stream: AguiStream, frame: dict[str, Any], *, shown: bool) -> list[BaseEvent]:
    """An event of a kind that this gateway does not know says nothing here; its sessions go on."""
    contract = EVENTS.get(frame["event"])
    if contract is None:
        return []
    try:
        event = contract.model_validate(frame["data"])
    except ValidationError as error:
        log.warning("left out of a stream: %s version %s: %s", frame["event"], frame["version"], error)
        return []
    return stream.tell(event, UUID(frame["run_id"]) if frame["run_id"] else None, shown=shown)


def sent(event: BaseEvent) -> ServerSentEvent:
    """As clients of AG-UI read it: members that have no value are left out."""
    return ServerSentEvent(event.model_dump_json(by_alias=True), sep="\n")


async def _feed(feed: SessionFeed, frames: asyncio.Queue[str | None]) -> None:
    await feed.run()
    await frames.put(None)


async def _one(content: bytes) -> AsyncIterator[bytes]:
    yield content
