"""Beginning a run, and waiting for what becomes of it. Waiting for a run without reading what does not matter."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from uuid import UUID, uuid5

from uuid_utils.compat import uuid7

from backbone import crash
from backbone.ledger.port import Append, Fact, Ledger, NotRecordable
from backbone.telemetry import tracing
from contracts.access import Principal
from contracts.envelope import Message
from contracts.errors import Code
from contracts.gateway import MessageReceived, SessionOpened
from contracts.registry import RUN_ENDS, render
from services.gateway.commands.files import Files
from services.gateway.commands.group_commit import GroupCommitter
from services.gateway.commands.outcome import POLL, Gone, OutcomeWaiter
from services.gateway.commands.session_messages import NAME, Begun, SessionMessages, Start
from services.gateway.commands.sessions import RunRequest
from services.gateway.domain.refusal import Refused
from services.gateway.domain.session import Run, RunStatus, Session
from services.gateway.views.history import History, fold_in
from services.gateway.views.protocol import RunResult, Say, run_result
from services.gateway.ws.fanout import FanOut, LiveMessage

__all__ = ["NAME", "Begun", "Runs", "Start", "start"]


class Runs:
    """The door for messages."""

    def __init__(
        self, ledger: Ledger, files: Files, history: History, fanout: FanOut, committer: GroupCommitter
    ) -> None:
        self._ledger = ledger
        self._files = files
        self._history = history
        self._fanout = fanout
        self._committer = committer
        self._messages = SessionMessages(ledger)

    async def prepare(
        self, who: Principal, say: Say, session_id: UUID | None, key: UUID | None, traceparent: str | None
    ) -> Start:
        """Checks everything that can be checked before recording. Raises Refused."""
        crash.point(NAME, "received")
        if not say.text.strip():
            raise Refused(Code.TEXT_EMPTY, "text holds nothing but spaces: say what you want in a sentence")
        await self._files.check(who, say.attachments)
        if session_id is not None:
            await self._history.require(session_id)
        return replace(start(say, session_id, key, traceparent), by=who.user)

    async def begin(self, start: Start) -> Begun:
        """Records the message; a repetition finds the earlier one. Raises Refused."""
        crash.point(NAME, "decided")
        try:
            if start.new_session:
                appended = await self._committer.append(start.append)
            else:
                noted = await self._messages.say(start)
                if noted.begun is not None:
                    return noted.begun
                appended = noted.appended
        except NotRecordable as error:
            too_large = f"the message cannot be recorded ({error}): send attachments as POST /artifacts returned them"
            raise Refused(Code.INVALID_REQUEST, too_large, status=413) from None
        crash.point(NAME, "appended")
        if appended.fresh and appended.last_version is not None:
            self._history.remember(start.session_id)
            return Begun(start.session_id, start.run_id, appended.last_version, True, start.traceparent)  # noqa: FBT003
        earlier = await self._earlier(start)
        return Begun(start.session_id, start.run_id, earlier.version, fresh=False, traceparent=earlier.traceparent)

    async def run(self, start: Start, patience: float, gone: Callable[[], Awaitable[bool]]) -> tuple[RunResult, Begun]:
        """Records the message and waits. Raises Refused with code 4008 after `patience` seconds; the run goes on."""
        waiter = RunWaiter(start.session_id, start.run_id, self._history)
        # watching before recording: the answer may come before the append has returned
        with self._fanout.watch(start.session_id, waiter):
            begun = await self.begin(start)
            try:
                async with asyncio.timeout(patience):
                    if begun.held:  # whoever holds a run does not wait for its end
                        return RunResult(
                            session_id=begun.session_id,
                            run_id=begun.run_id,
                            status=RunStatus.PAUSED,
                            version=begun.version,
                        ), begun
                    if begun.run_id != start.run_id:
                        return await self._of_another(begun, gone), begun
                    result = await waiter.result(begun.version, fresh=begun.fresh, gone=gone)
                    return result, begun
            except TimeoutError:
                raise Refused(
                    Code.RUN_TIMEOUT,
                    f"the run has not ended after {patience:g} s and goes on: see GET /sessions/{begun.session_id}",
                    session_id=str(begun.session_id),
                    run_id=str(begun.run_id),
                ) from None

    async def _of_another(self, begun: Begun, gone: Callable[[], Awaitable[bool]]) -> RunResult:
        """What becomes of the run whose question the message has answered."""
        waiter = RunWaiter(begun.session_id, begun.run_id, self._history)
        with self._fanout.watch(begun.session_id, waiter):
            return await waiter.result(1, fresh=False, gone=gone)

    async def _earlier(self, start: Start) -> Message:
        async for messages in self._history.pages(start.session_id):
            for message in messages:
                if message.event_id == start.run_id and render(message.event) == render(start.said):
                    return message
        raise Refused(
            Code.IDEMPOTENCY_KEY_REUSED,
            "this Idempotency-Key came with another message before: use a new key for a new message",
        )


def start(say: Say, session_id: UUID | None, key: UUID | None, traceparent: str | None) -> Start:
    """The facts of a message: in a new session it is opened first, in the same append. Without the trace context of a
    caller the run has a trace of its own."""
    run_id = uuid5(key, "run") if key else uuid7()
    traceparent = traceparent or tracing.new_traceparent(run_id)
    cause = key or run_id
    said = MessageReceived.model_validate(say, from_attributes=True)
    received = Fact(said, run_id, run_id, run_id, None, traceparent)
    if session_id is not None:
        return Start(session_id, run_id, said, Append(session_id, cause, (received,)), False, traceparent)  # noqa: FBT003
    session_id, opened_id = (uuid5(key, "session"), uuid5(key, "opened")) if key else (uuid7(), uuid7())
    opening = say.opened() if isinstance(say, RunRequest) else SessionOpened(language=say.language)
    opened = Fact(opening, opened_id, None, run_id, None, traceparent)
    return Start(session_id, run_id, said, Append(session_id, cause, (opened, received)), True, traceparent)  # noqa: FBT003


WANTED = RUN_ENDS | {"DecisionRequested", "ResponseOutput", "RunControlRequested"}


class RunWaiter(OutcomeWaiter[RunResult]):
    """Watches a session for the end of one run, or for its question."""

    def __init__(self, session_id: UUID, run_id: UUID, history: History) -> None:
        super().__init__(session_id, run_id, history)
        self.restarting = f"the gateway restarts and the run goes on: see GET /sessions/{session_id}"
        self._heard = Session(runs={run_id: Run(run_id, "", 0)})
        self._ledger = Session()
        self._last_sign = 0.0

    def wants(self, type_: str) -> bool:
        """Whatever is published is a sign that the run goes on."""
        self._last_sign = asyncio.get_running_loop().time()
        return type_ in WANTED and self._outcome is None

    def offer(self, live: LiveMessage) -> None:
        message = live.message
        # what a rebuilt bus says again is older than what was read
        if message.run_id != self._run_id or message.version <= self._ledger.version:
            return
        self._hear(message)

    def _hear(self, message: Message) -> None:
        fold_in(self._heard, message)
        result = run_result(self._session_id, self._heard, self._run_id)
        if result is None:
            return
        if message.type in RUN_ENDS and result.response is None:
            self._read_needed = True  # its answer may have been lost on the way
        else:
            self._outcome = result
        self._wake.set()

    async def result(self, version: int, *, fresh: bool, gone: Gone) -> RunResult:
        """The result of the run that began at `version`. Raises what `_awaited` raises."""
        self._ledger.version = version - 1
        self._read_needed = self._read_needed or not fresh
        return await self._awaited(gone)

    def _in_doubt(self) -> bool:
        return asyncio.get_running_loop().time() - self._last_sign >= POLL

    async def _read(self) -> None:
        await self._history.fold_on(self._session_id, self._ledger)
        self._outcome = run_result(self._session_id, self._ledger, self._run_id) or self._outcome
