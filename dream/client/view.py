"""Shows a run while it goes on: live on a terminal, plain lines elsewhere, nothing for --json in a pipe. Reminders in a
running conversation: shown once, and then seen."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from rich.console import Console
from rich.live import Live

from dream.client.gateway_client import Client, Frame, Refused, ServerGone
from dream.client.run_progress import RunProgress
from dream.client.tables import changes, plan_table, progress, written
from dream.texts import Texts


class View(Protocol):
    """Told of every step. `pause` before a question is put on the same screen, `show` after it."""

    def show(self, before: RunProgress, after: RunProgress) -> None: ...

    def pause(self) -> None: ...


class Quiet:
    """Shows nothing."""

    def show(self, before: RunProgress, after: RunProgress) -> None:
        """Nothing."""

    def pause(self) -> None:
        """Nothing."""


class Brief:
    """Another view, from the plan on: what is answered at once needs no progress, and only a question about the plan
    needs its table."""

    def __init__(self, view: View) -> None:
        self._view = view

    def show(self, before: RunProgress, after: RunProgress) -> None:
        if after.plan:
            asked = after.questions.keys() - before.questions.keys()
            about_plan = any(after.questions[one]["kind"] == "plan" for one in asked)
            self._view.show(replace(before, plan=None if about_plan else after.plan), after)

    def pause(self) -> None:
        self._view.pause()


class Lines:
    """One line per change."""

    def __init__(self, console: Console, texts: Texts) -> None:
        self._console = console
        self._texts = texts

    def show(self, before: RunProgress, after: RunProgress) -> None:
        if after.plan and after.plan is not before.plan:
            _print_plan(self._console, after, self._texts)
        for line in changes(before, after, self._texts):
            self._console.print(line, markup=False, highlight=False)
        for line in written(before, after, self._texts):
            self._console.print(line, style="dim", markup=False, highlight=False, soft_wrap=True)

    def pause(self) -> None:
        """Lines are out already."""


class LiveView:
    """The layers and todos, redrawn in place."""

    def __init__(self, console: Console, texts: Texts) -> None:
        self._console = console
        self._texts = texts
        self._live: Live | None = None

    def show(self, before: RunProgress, after: RunProgress) -> None:
        if after.plan and after.plan is not before.plan:
            self.pause()
            _print_plan(self._console, after, self._texts)
        if self._live is None:
            # transient: what is paused vanishes, and is drawn again below what was printed meanwhile
            self._live = Live(console=self._console, auto_refresh=False, transient=True)
            self._live.start()
        self._live.update(progress(after, self._texts, self._console.height), refresh=True)
        if after.over:
            self.pause()
            self._console.print(progress(after, self._texts, self._console.height))

    def pause(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None


def _print_plan(console: Console, story: RunProgress, texts: Texts) -> None:
    if story.plan:
        console.print(plan_table(story.plan, texts))
    for line in story.cannot:
        console.print(line, style="yellow", markup=False, highlight=False)


def view_for(console: Console, texts: Texts, *, quiet: bool) -> View:
    """The view that fits where standard error goes. `quiet` (--json) wants none unless somebody looks."""
    if console.is_terminal:
        return LiveView(console, texts)
    return Quiet() if quiet else Lines(console, texts)


class Reminders:
    """Those of one session. Only what was shown is recorded as seen."""

    def __init__(self, client: Client, say: Callable[..., None]) -> None:
        self._client = client
        self._say = say
        self._shown: set[tuple[str, datetime]] = set()

    async def waiting(self, session: str) -> None:
        """Shows what was due while nobody looked."""
        for reminder in (await self._client.session(session)).get("reminders", ()):
            await self.show(session, reminder)

    async def show(self, session: str, reminder: Frame) -> None:
        """A ReminderDue, or a reminder of the session's state."""
        reminder_id, at = str(reminder["reminder_id"]), _local(reminder)
        if (reminder_id, at) in self._shown:
            return
        self._shown.add((reminder_id, at))
        self._say("reminder.due", at=f"{at:%Y-%m-%d %H:%M}", text=reminder["text"])
        try:
            await self._client.seen(session, reminder_id, str(reminder["due_at"]))
        except (Refused, ServerGone) as error:
            self._say("reminder.refused", why=error.detail if isinstance(error, Refused) else error)


def _local(reminder: Frame) -> datetime:
    """When it is due, on the clock of the person who asked for it; on this machine's where that is not known."""
    at = datetime.fromisoformat(str(reminder["due_at"]))
    try:
        return at.astimezone(ZoneInfo(str(reminder["timezone"])))
    except (KeyError, ValueError, ZoneInfoNotFoundError):
        return at.astimezone()
