"""`dream chat`: one sentence after the other in one session, and the reminders that come in between."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from dream.cli.running import Interrupts
from dream.client import target
from dream.client.ask import Request, Talking, blamed, converse
from dream.client.gateway_client import Client, Refused, ServerGone
from dream.client.outcome import Outcome, offers, show
from dream.client.person import NobodyThere, Person, Terminal
from dream.client.question import attached, missing_files
from dream.client.target import Target
from dream.client.view import Reminders
from dream.failures import Exit
from dream.texts import Texts


async def chat(request: Request, texts: Texts, interrupts: Interrupts, person: Person | None = None) -> int:
    """Until the person leaves; returns the exit code. `request` says how, its text is not used."""
    return await interrupts.guard(_chat(request, texts, interrupts, person or Terminal()))


async def _chat(request: Request, texts: Texts, interrupts: Interrupts, person: Person) -> int:
    async with (
        target.server(request.url, request.data_dir, texts, interrupts) as server,
        Client(server.url) as client,
    ):
        talk = ChatSession(request, server, client, texts, interrupts, person)
        try:
            await talk.go_on()
        finally:
            talk.leave()
    return Exit.DONE


class ChatSession:
    """A session with a person. What it knows of it: its id, and how far it was read."""

    def __init__(
        self, request: Request, server: Target, client: Client, texts: Texts, interrupts: Interrupts, person: Person
    ) -> None:
        self._request = request
        self._server = server
        self._client = client
        self._texts = texts
        self._interrupts = interrupts
        self._person = person
        self._console = Console(stderr=True)
        self._reminders = Reminders(client, self._say)
        self._offered: dict[str, str] = {}
        self._talking = Talking()
        self._after = 0

    async def go_on(self) -> None:
        """Sentence after sentence. Raises Refused when the session is not there."""
        if session := self._request.session:
            self._after = int((await self._client.session(session))["version"])
            await self._reminders.waiting(session)
        self._say("chat.ready")
        files: tuple[Path, ...] = ()
        with contextlib.suppress(NobodyThere):
            while not self._texts.meant(line := await self._line(), {"leave": "chat.words.leave"}):
                if missing := missing_files(line):
                    self._say("chat.no_such_file", files=", ".join(missing))
                    continue
                text, more = attached(line)
                files += more
                if text:
                    await self._turn(self._offered.get(text, text), files)
                    files = ()
                elif more:
                    self._say("chat.attached", files=", ".join(file.name for file in files))

    def leave(self) -> None:
        """Says how to come back."""
        if session := self._request.session:
            self._console.print()  # the prompt has no end of line yet
            self._say("chat.left", session=session)

    async def _line(self) -> str:
        prompt = self._texts("chat.prompt") + " "
        async with self._listening(prompt):
            line = (await self._person.line(prompt)).strip()
        if line or not self._talking.kept:
            self._talking.kept.clear()  # something else is said instead
            return line
        return self._talking.kept.pop(0)

    async def _turn(self, text: str, files: tuple[Path, ...]) -> None:
        outcome = Outcome()
        request = replace(self._request, text=text, files=files)
        try:
            await converse(
                request,
                self._server,
                self._texts,
                self._person,
                self._console,
                outcome,
                self._interrupts,
                talking=self._talking,
            )
        except (Refused, ServerGone, OSError) as error:
            if not blamed(error, outcome, self._texts):
                raise
        if outcome.session_id:
            # whose session it is was said when it was opened
            self._request = replace(self._request, session=outcome.session_id, user=None, timezone=None)
            self._after = max([self._after, *(int(frame["version"]) for frame in outcome.events)])
        numbered = not outcome.in_dialogue  # there a number is an answer
        self._offered = dict(offers(outcome))
        if numbered:
            self._offered |= {str(number): text for number, (_, text) in enumerate(offers(outcome), 1)}
        show(replace(outcome, session_id=None), Console(), self._console, self._texts, numbered=numbered)
        if self._talking.kept:
            self._say("chat.again", text=self._talking.kept[0])

    @asynccontextmanager
    async def _listening(self, prompt: str) -> AsyncIterator[None]:
        """Meanwhile reminders are shown as they come, and the prompt again below them."""
        session = self._request.session
        ringing = asyncio.create_task(self._ring(session, prompt)) if session and self._person.at_terminal else None
        try:
            yield
        finally:
            if ringing:
                ringing.cancel()
                # a server that has gone is told of by the next turn
                with contextlib.suppress(asyncio.CancelledError, Refused, ServerGone):
                    await ringing

    async def _ring(self, session: str, prompt: str) -> None:
        async with aclosing(self._client.follow(session, self._after)) as frames:
            async for frame in frames:
                self._after = int(frame["version"])
                if frame["event"] == "ReminderDue":
                    self._console.print()
                    await self._reminders.show(session, frame["data"])
                    self._console.print(prompt, end="", markup=False, highlight=False)

    def _say(self, key: str, **values: object) -> None:
        self._console.print(self._texts(key, **values), markup=False, highlight=False, soft_wrap=True)
