"""Follows one run to its end: frames in, questions answered on the way."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Any
from uuid import uuid4

from dream.client import Client, Frame, Refused
from dream.prompt import Desk
from dream.question import Question, Reply
from dream.story import Story, advance
from dream.view import View

DECISION_CLOSED = 409


class Conversation:
    """One run of one session. `story` and `events` are there at every moment, also after an interruption."""

    def __init__(self, client: Client, desk: Desk, view: View, *, approve: bool, say: Callable[..., None]) -> None:
        self._client = client
        self._desk = desk
        self._view = view
        self._approve = approve
        self._say = say
        self._settled: set[str] = set()
        self.session = ""
        self.run = ""
        self.story = Story()
        self.events: list[Frame] = []

    async def start(self, body: dict[str, Any]) -> int:
        """Starts the run; returns the version to follow from."""
        started = await self._client.run(body, uuid4().hex)
        self.session, self.run = str(started["session_id"]), str(started["run_id"])
        # one before, so that the run's own first event is among the frames
        return max(0, int(started["version"]) - 1)

    async def follow(self, after: int) -> None:
        """Until the run is over. Raises ServerGone, Refused, and NobodyThere when a question finds nobody."""
        asking: asyncio.Task[None] | None = None
        about = ""
        async with aclosing(self._client.follow(self.session, after)) as frames:
            coming = _soon(anext(frames))
            try:
                while not self.story.over:
                    await asyncio.wait({coming} | ({asking} if asking else set()), return_when=asyncio.FIRST_COMPLETED)
                    if asking and asking.done():
                        asking.result()
                        asking = None
                    if coming.done():
                        self._take(coming.result())
                        coming = _soon(anext(frames))
                    if asking and about not in self.story.questions:
                        await _cancelled(asking)
                        asking = None
                        self._say("question.settled")
                    if asking is None and (question := self._open_question()):
                        about = question["decision_id"]
                        asking = asyncio.create_task(self._answer(question))
            finally:
                self._view.pause()
                await _cancelled(coming)
                if asking:
                    await _cancelled(asking)

    def _take(self, frame: Frame) -> None:
        if frame.get("run_id") != self.run:
            return
        self.events.append(frame)
        before, self.story = self.story, advance(self.story, frame)
        self._view.show(before, self.story)

    def _open_question(self) -> Question | None:
        return next((one for key, one in self.story.questions.items() if key not in self._settled), None)

    async def _answer(self, question: Question) -> None:
        decision = str(question["decision_id"])
        while True:
            reply = await self._reply(question)
            try:
                answer = dict(reply.answer)
                if reply.files:
                    answer["attachments"] = [await self._client.upload(file, self.session) for file in reply.files]
                await self._client.answer(self.session, decision, answer)
            except Refused as error:
                if error.status != DECISION_CLOSED:
                    if self._approve and question["kind"] == "plan":
                        raise  # asking ourselves again would not help
                    self._say("question.refused", why=error.detail)
                    continue
                self._say("question.settled")
            self._settled.add(decision)
            return

    async def _reply(self, question: Question) -> Reply:
        if question["kind"] == "plan" and self._approve:
            return Reply({"action": "approve"})
        self._view.pause()
        return await self._desk.ask(question, self.story.plan)


def _soon(frame: Awaitable[Frame]) -> "asyncio.Future[Frame]":
    return asyncio.ensure_future(frame)


async def _cancelled(task: "asyncio.Future[Any]") -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError, Exception):
        await task
