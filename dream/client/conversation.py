"""Follows one run to its end: frames in, questions answered on the way."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Any, TypeVar
from uuid import uuid4

from dream.cli.running import Interrupted, Interrupts
from dream.client.gateway_client import Client, Frame, Refused
from dream.client.prompt import DecisionPrompt
from dream.client.question import Question, Reply
from dream.client.run_progress import RunProgress, advance
from dream.client.view import Reminders, View

T = TypeVar("T")

DECISION_CLOSED = 409
STEERING = "steering"
"""What is asked about when no decision is."""


class Conversation:
    """One run of one session. `story` and `events` are there at every moment, also after an interruption."""

    def __init__(  # noqa: PLR0913  # the parts of a conversation
        self,
        client: Client,
        decisions: DecisionPrompt,
        view: View,
        *,
        approve: bool,
        say: Callable[..., None],
        interrupts: Interrupts | None = None,
        told: set[str] | None = None,
    ) -> None:
        """`told`: what need not be said again, because an earlier turn of the same talk has said it."""
        self._client = client
        self._desk = decisions
        self._view = view
        self._approve = approve
        self._say = say
        self._interrupts = interrupts
        self._reminders = Reminders(client, say)
        self._told = set() if told is None else told
        self._called = asyncio.Event()
        self._cancelling = False
        self._settled: set[str] = set()
        self._sending = ""
        """The question that our answer is on its way to: when it is settled now, then by ourselves."""
        self.session = ""
        self.run = ""
        self.story = RunProgress()
        self.events: list[Frame] = []

    async def start(self, body: dict[str, Any]) -> int:
        """Starts the run; returns the version to follow from."""
        started = await self._client.run(body, uuid4().hex)
        self.session, self.run = str(started["session_id"]), str(started["run_id"])
        # one before, so that the run's own first event is among the frames
        return max(0, int(started["version"]) - 1)

    async def remind(self) -> None:
        """Shows the reminders of the session that were due while nobody looked."""
        await self._reminders.waiting(self.session)

    async def follow(self, after: int, *, log_lines: bool = False) -> None:
        """Until the run is over; `log_lines`: with what its tools write. Raises ServerGone, Refused, NobodyThere when a
        question finds nobody, and Interrupted when the person leaves."""
        asking: asyncio.Task[None] | None = None
        about = ""
        async with aclosing(self._client.follow(self.session, after, log_lines=log_lines)) as frames:
            coming, called = _soon(anext(frames)), _soon(self._called.wait())
            self._listen()
            try:
                while not self.story.over:
                    waiting: set[asyncio.Future[Any]] = {coming, called}
                    await asyncio.wait(waiting | ({asking} if asking else set()), return_when=asyncio.FIRST_COMPLETED)
                    if asking and asking.done():
                        asking.result()
                        asking = None
                    if coming.done():
                        self._take(coming.result())
                        await self._remind(coming.result())
                        coming = _soon(anext(frames))
                    if called.done():
                        await _cancelled(asking)
                        self._called.clear()
                        called = _soon(self._called.wait())
                        asking, about = asyncio.create_task(self._steer()), STEERING
                    if asking and about not in (STEERING, self._sending) and about not in self.story.questions:
                        await _cancelled(asking)
                        asking = None
                        self._say("question.settled")
                    if asking is None and (question := self._open_question()):
                        about = question["decision_id"]
                        asking = asyncio.create_task(self._answer(question))
            finally:
                self._listen(over=True)
                self._view.pause()
                for one in (coming, called, asking):
                    await _cancelled(one)

    def _listen(self, *, over: bool = False) -> None:
        """From now on the first Ctrl-C is a question; or not any more."""
        if self._interrupts is not None:
            self._interrupts.ask = None if over else self._called.set

    async def _steer(self) -> None:
        """Somebody pressed Ctrl-C: what is meant? Raises Interrupted when they want to leave."""
        self._view.pause()
        paused = self.story.paused
        while True:
            wanted = await self._desk.steer(paused=paused)
            if wanted == "leave":
                raise Interrupted
            done = wanted == "go_on" or await self._controlled(wanted)
            if done and wanted == "cancel":
                self._cancelling = True
                return  # the next Ctrl-C leaves
            if done and wanted == "pause":
                paused = True
                continue
            self._listen()
            return

    async def _controlled(self, wanted: str) -> bool:
        try:
            await self._client.control(self.session, self.run, wanted)
        except Refused as error:
            self._say("control.refused", why=error.detail)
            return False
        return True

    def _take(self, frame: Frame) -> None:
        if frame.get("run_id") != self.run:
            return
        if "event" in frame:
            self.events.append(frame)
        before, self.story = self.story, advance(self.story, frame)
        self._view.show(before, self.story)
        if frame.get("event") == "ModelCalled" and (error := frame["data"].get("error")):
            self._complain(str(error.get("message")))

    def _complain(self, why: str) -> None:
        """A model that was set and does not answer is told of once: the run goes on without it."""
        if why not in self._told:
            self._told.add(why)
            self._view.pause()
            self._say("model.failed", why=why)

    async def _remind(self, frame: Frame) -> None:
        if frame.get("event") == "ReminderDue":
            self._view.pause()
            await self._reminders.show(self.session, frame["data"])

    def _open_question(self) -> Question | None:
        if self._cancelling:
            return None
        return next((one for key, one in self.story.questions.items() if key not in self._settled), None)

    async def _answer(self, question: Question) -> None:
        decision = str(question["decision_id"])
        while True:
            reply = await self._reply(question)
            self._sending = decision
            try:
                answer = dict(reply.answer)
                if reply.files:
                    answer["attachments"] = [await self._client.upload(file, self.session) for file in reply.files]
                await self._client.answer(self.session, decision, answer)
            except Refused as error:
                if error.status != DECISION_CLOSED:
                    if (self._approve and question["kind"] == "plan") or self._desk.strict:
                        raise  # asking ourselves again would not help
                    self._say("question.refused", why=error.detail)
                    self._sending = ""
                    continue
                self._say("question.settled")
            self._settled.add(decision)
            return

    async def _reply(self, question: Question) -> Reply:
        if question["kind"] == "plan" and self._approve:
            return Reply({"action": "approve"})
        self._view.pause()
        return await self._desk.ask(question, self.story.plan)


def _soon(coming: Awaitable[T]) -> "asyncio.Future[T]":
    return asyncio.ensure_future(coming)


async def _cancelled(task: "asyncio.Future[Any] | None") -> None:
    if task is None:
        return
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError, Exception):
        await task
