"""ToolContext of an I/O tool: it runs on the event loop of its executor."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from uuid import UUID

from backbone.scratch import Scratch
from contracts.memory import Memories
from contracts.tables import PackDatabase
from contracts.tools import LINE_LIMIT, Reminder, ToolInput, Upstream
from services.execution.tools.outputs import FilesAndTexts, Outputs, bounded, plain
from services.execution.tools.resources import Owner, Reminders, Resources
from services.execution.tools.toolpool import Listener

log = logging.getLogger(__name__)


@dataclass(slots=True)
class InlineContext(FilesAndTexts):
    """See contracts.tools.ToolContext."""

    owner: Owner
    pack: str
    resources: Resources
    texts: Mapping[str, str]
    files: Sequence[ToolInput]
    listener: Listener
    upstream: Sequence[Upstream] = ()
    reminders: Reminders = field(init=False)
    outputs: Outputs = field(default_factory=Outputs)
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    _folder: Scratch | None = None
    _word: "asyncio.Future[None] | None" = None
    _wrote: bool = False

    def __post_init__(self) -> None:
        self.reminders = Reminders(self.owner)

    @property
    def language(self) -> str:
        return self.owner.language

    @property
    def now(self) -> datetime:
        return self.owner.now

    @property
    def idempotency_key(self) -> str:
        return self.owner.key

    @property
    def user(self) -> str:
        return self.owner.user

    @property
    def timezone(self) -> str:
        return self.owner.timezone

    @property
    def config(self) -> Mapping[str, str]:
        return self.resources.config(self.pack)

    @property
    def database(self) -> PackDatabase:
        return self.resources.tables(self.pack)

    @property
    def memories(self) -> Memories:
        return self.resources.memories(self.owner)

    def meanings(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        raise RuntimeError("a tool on the event loop has no vectors: its specification must say isolated: true")

    def remind(self, reminder: Reminder) -> UUID:
        return self.reminders.set(reminder)

    def cancel_reminder(self, reminder_id: UUID, at: datetime) -> None:
        self.reminders.cancel(reminder_id, at)

    @property
    def workdir(self) -> Path:  # type: ignore[override]  # it is there when it is asked for, and nobody sets it
        if self._folder is None:
            self._folder = Scratch.made()
        return self._folder.path

    def progress(self, fraction: float, message: str = "") -> None:
        done = bounded(fraction)
        if self._word is None or self._word.done():  # one at a time: a tool may speak after every row
            self._word = asyncio.ensure_future(self.listener.progress(done, plain(message)))

    def log(self, line: str) -> None:
        self._wrote = True
        # a tool may write from a thread of its own
        self._loop.call_soon_threadsafe(self.listener.log, plain(line, LINE_LIMIT))

    async def close(self) -> None:
        """Waits for the last word of progress, so that nothing is recorded after the result, and for the last line."""
        try:
            if self._wrote:
                await asyncio.sleep(0)  # lines are handed on in this turn of the loop
            if self._word is not None:
                await asyncio.wait([self._word])
                if not self._word.cancelled() and (error := self._word.exception()):
                    log.warning("progress is not recorded: %r", error)
        finally:  # also when the call is stopped while it waits: a folder is held until it is removed
            if self._folder is not None:
                await asyncio.to_thread(self._folder.remove)
