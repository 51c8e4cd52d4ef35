"""WS /ws/{session_id}?after=VERSION[&log=1][&chunk=1]: the session's events to the client, the client's frames to the
session."""

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import assert_never, get_args
from uuid import UUID

import orjson
from pydantic import TypeAdapter, ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from backbone import crash
from backbone.ledger.port import LedgerUnavailable
from backbone.telemetry import metrics
from contracts.access import Principal
from contracts.errors import Code
from services.gateway.commands.record import Command
from services.gateway.commands.runs import NAME
from services.gateway.composition import Composition
from services.gateway.domain.refusal import Refused, short
from services.gateway.domain.session import Session
from services.gateway.http.authentication import own, principal_of, require_still
from services.gateway.http.problems import BUG, UNAVAILABLE, refusal
from services.gateway.http.requests import is_whole, refuse_nul, uuid_of
from services.gateway.views.feedback import FeedbackFrame
from services.gateway.views.protocol import (
    CLIENT_FRAMES,
    AnswerFrame,
    ClientFrame,
    MessageFrame,
    PingFrame,
    ack,
    error_frame,
    pong,
    session_state,
    session_view,
)
from services.gateway.views.reminders import ReminderSeenFrame
from services.gateway.views.run_control import ControlFrame, EditFrame, Ref
from services.gateway.ws.log_stream import Listener
from services.gateway.ws.restart import RESTART, close_reason
from services.gateway.ws.session_feed import SessionFeed

log = logging.getLogger(__name__)

TRY_LATER, FAILED = 1013, 1011
MALFORMED, UNKNOWN = 4400, 4404
"""Close codes; ours begin with 44 as the statuses of HTTP do with 4."""
LIVE_KINDS = ("log", "chunk")
KNOWN_TYPES = tuple(get_args(frame.model_fields["type"].annotation)[0] for frame in get_args(ClientFrame))
_REF: TypeAdapter[Ref | None] = TypeAdapter(Ref | None)


@dataclass(frozen=True, slots=True)
class WebSocketEndpoint:
    """The endpoint of every socket."""

    gateway: Composition

    async def serve(self, websocket: WebSocket) -> None:
        """One socket, from its first frame to its last."""
        await websocket.accept()
        metrics.SOCKETS.inc()
        try:
            await self._welcome(websocket)
        except WebSocketDisconnect:
            return
        finally:
            metrics.SOCKETS.dec()

    async def _welcome(self, websocket: WebSocket) -> None:
        try:
            session_id = uuid_of(websocket.path_params["session_id"], "session_id")
            session = await self.gateway.history.fold(session_id)
        except Refused as refused:
            await _say(websocket, error_frame(refused.code, refused.message))
            await websocket.close(UNKNOWN if refused.code is Code.SESSION_UNKNOWN else MALFORMED)
            return
        except LedgerUnavailable:
            await _say(websocket, error_frame(Code.LEDGER_UNAVAILABLE, UNAVAILABLE))
            await websocket.close(TRY_LATER)
            return
        who, view = principal_of(websocket.scope), session_view(session_id, session)
        await self.gateway.files.show(who, view)
        await _say(websocket, session_state(view))
        after = await _position(websocket, session)
        del session, view  # all its texts, for as long as the socket is open
        shown = self.gateway.files.showing(who, websocket.send_text)
        feed = SessionFeed(session_id, after, self.gateway.history, shown)
        halves = [feed.run()]
        with ExitStack() as watching:
            watching.enter_context(self.gateway.fanout.watch(session_id, feed))
            kinds = frozenset(kind for kind in LIVE_KINDS if websocket.query_params.get(kind) == "1")
            if kinds:
                listener = Listener(websocket.send_text, kinds)
                watching.enter_context(self.gateway.log_stream.listen(session_id, listener))
                halves.append(listener.run())
            await self._converse(websocket, session_id, halves)

    async def _converse(
        self, websocket: WebSocket, session_id: UUID, halves: Sequence[Coroutine[None, None, None]]
    ) -> None:
        """Those that talk, and one that listens; the end of one is the end of all."""
        talking = [asyncio.create_task(half) for half in halves]
        listening = asyncio.create_task(self._listen(websocket, session_id))
        everything = {*talking, listening}
        try:
            done, _ = await asyncio.wait(everything, return_when=asyncio.FIRST_COMPLETED)
            failure = next((error for task in done if (error := task.exception())), None)
            if isinstance(failure, WebSocketDisconnect) or (listening in done and failure is None):
                return
            if websocket.application_state is WebSocketState.CONNECTED:
                leaves = (FAILED, None) if failure else (RESTART, close_reason(self.gateway.fanout.leaving))
                await websocket.close(*leaves)
            if failure:
                raise failure
        finally:
            for task in everything:
                task.cancel()
            await asyncio.gather(*everything, return_exceptions=True)

    async def _listen(self, websocket: WebSocket, session_id: UUID) -> None:
        while True:
            received = await websocket.receive()
            if received["type"] == "websocket.disconnect":
                return
            await _say(websocket, await self._answer(websocket, session_id, received.get("text")))
            crash.point(NAME, "settled")

    async def _answer(self, websocket: WebSocket, session_id: UUID, text: str | None) -> bytes:
        """What a client frame is answered by. A bad frame never closes the socket."""
        try:
            frame = parse_frame(text)
        except Refused as refused:
            of, ref = _named(text)
            return error_frame(refused.code, refused.message, of=of, ref=ref)
        if isinstance(frame, PingFrame):
            return pong(frame.ref)
        try:
            await require_still(websocket.scope)
            version, run_id = await self._record(principal_of(websocket.scope), session_id, frame)
        except Refused as refused:
            return error_frame(refused.code, refused.message, of=frame.type, ref=frame.ref)
        except LedgerUnavailable:
            return error_frame(Code.LEDGER_UNAVAILABLE, UNAVAILABLE, of=frame.type, ref=frame.ref)
        except Exception:  # as over HTTP: one frame that we fail on is not the end of the socket
            log.exception("failed on a frame of type %s", frame.type)
            return error_frame(Code.INTERNAL, BUG, of=frame.type, ref=frame.ref)
        return ack(frame.type, version, frame.ref, run_id)

    async def _record(
        self,
        who: Principal,
        session_id: UUID,
        frame: MessageFrame | AnswerFrame | ControlFrame | EditFrame | ReminderSeenFrame | FeedbackFrame,
    ) -> tuple[int, UUID | None]:
        """The version at which the frame is recorded, and the run it is about. Raises Refused."""
        if not isinstance(frame, ControlFrame):
            await own(self.gateway.history, who, session_id)
        match frame:
            case MessageFrame():
                begun = await self.gateway.runs.begin(
                    await self.gateway.runs.prepare(who, frame, session_id, None, None)
                )
                return begun.version, begun.run_id
            case AnswerFrame():
                answered = self.gateway.decisions.answer(session_id, frame.decision_id, frame.answer, None, who=who)
                return await answered, None
            case ControlFrame():
                controlled = await self.gateway.run_control.control(session_id, frame.run_id, frame, None)
                return controlled.version, frame.run_id
            case EditFrame():
                version = await self.gateway.run_control.edit(Command.of(session_id, "edit", None), frame.run_id, frame)
                return version, frame.run_id
            case ReminderSeenFrame():
                return await self.gateway.reminders.seen(session_id, frame.reminder_id, frame, None), None
            case FeedbackFrame():
                return await self.gateway.feedback.give(session_id, frame, None), frame.run_id
            case _:
                assert_never(frame)


def parse_frame(text: str | None) -> ClientFrame:
    """A client frame, or Refused."""
    if text is None:
        raise Refused(Code.FRAME_MALFORMED, "the frame is binary: send text frames with JSON")
    try:
        frame = CLIENT_FRAMES.validate_json(text)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        if fault["type"] in ("union_tag_invalid", "union_tag_not_found"):
            is_ = f"is {short(fault['ctx']['tag'])}" if "tag" in fault.get("ctx", {}) else "is missing"
            raise Refused(
                Code.FRAME_TYPE_UNKNOWN, f"the frame's type {is_}: it must be one of {', '.join(KNOWN_TYPES)}"
            ) from None
        raise refusal(error, Code.FRAME_MALFORMED) from None
    refuse_nul(text, Code.FRAME_MALFORMED)
    return frame


def _named(text: str | None) -> tuple[str | None, Ref | None]:
    """Type and ref of a frame that was refused, as far as they can be read."""
    try:
        members = orjson.loads(text or "null")
        if not isinstance(members, dict):
            return None, None
    except orjson.JSONDecodeError:
        return None, None
    of = members.get("type")
    try:
        ref = _REF.validate_python(members.get("ref"), strict=True)
    except ValidationError:
        ref = None
    return (of if of in KNOWN_TYPES else None), ref


async def _position(websocket: WebSocket, session: Session) -> int:
    """The version to go on after. A position that cannot be is an error frame, and the socket goes on at the head."""
    text = websocket.query_params.get("after", "0")
    if is_whole(text, session.version):
        return int(text)
    message = f"after is {short(text)}: it must be a whole number from 0 to {session.version}; going on from there"
    await _say(websocket, error_frame(Code.POSITION_INVALID, message))
    return session.version


async def _say(websocket: WebSocket, text: bytes) -> None:
    await websocket.send_text(text.decode())
