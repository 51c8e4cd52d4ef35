"""What is recorded about one attempt of a todo while it runs (docs/adr/0005-started-after-a-grace.md)."""

import asyncio
import logging
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache

from prometheus_client import Histogram

from backbone.model.port import OnChunk
from backbone.runner.handlers import Record
from backbone.telemetry import metrics, tracing
from contracts.envelope import Message
from contracts.errors import ErrorInfo
from contracts.execution import TodoDispatched, TodoFailed, TodoProgressed, TodoStarted, TodoSucceeded
from contracts.model import ModelRole
from services.execution.execute.log_stream import AttemptLog, LogStream
from services.execution.tools.tool_runner import Done

log = logging.getLogger(__name__)

PROGRESS_INTERVAL = 0.5
"""Seconds between two recorded words of progress of one attempt."""


@dataclass(eq=False, slots=True)
class Attempt:
    """One try. Its clock is the executor's; what it says is recorded and decides nothing but when to retry."""

    message: Message
    dispatched: TodoDispatched
    record: Record
    worker: str
    live: LogStream = field(default_factory=LogStream)
    started_at: float = field(default_factory=time.monotonic)
    began_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    last_progress: float = float("-inf")
    words: int = 0
    stopped_by: str = ""
    """Why somebody stopped it: cancel, interrupt, skip or lease."""
    _task: "asyncio.Task[object] | None" = field(default_factory=asyncio.current_task)
    _start: "asyncio.Task[None] | None" = None
    _log: AttemptLog | None = None

    @property
    def todo_id(self) -> str:
        return self.dispatched.todo.id

    def stop(self, reason: str) -> None:
        """Cancels what it is doing; its handler makes an answer of that."""
        if not self.stopped_by and self._task is not None:
            self.stopped_by = reason
            self._task.cancel()

    def take_back_cancel(self) -> None:
        """The cancellation was ours, and has done what it was for."""
        if self._task is not None:
            self._task.uncancel()

    def now(self) -> datetime:
        return datetime.now(UTC)

    def begins(self) -> None:
        """It has outlived the grace, or its tool has spoken: people may see it."""
        if self._start is None:
            self._start = asyncio.get_running_loop().create_task(self._began())

    async def _began(self) -> None:
        todo_id, attempt = self.dispatched.todo.id, self.dispatched.attempt
        started = TodoStarted(todo_id=todo_id, attempt=attempt, worker=self.worker, started_at=self.began_at)
        await self.record("started", started)

    async def _begun(self) -> None:
        """The start is recorded before everything else."""
        if self._start is not None:
            await asyncio.shield(self._start)  # stopping the attempt must not lose the word of its start

    async def begin(self) -> None:
        """Records the start and waits for it: from here on a crash leaves a trace."""
        self.begins()
        await self._begun()

    async def progress(self, fraction: float, message: str) -> None:
        if time.monotonic() - self.last_progress < PROGRESS_INTERVAL:
            return
        self.last_progress = time.monotonic()
        self.begins()
        await self._begun()
        self.words += 1
        word = TodoProgressed(
            todo_id=self.dispatched.todo.id, attempt=self.dispatched.attempt, fraction=fraction, message=message
        )
        await self.record(f"progress:{self.words}", word)

    def log(self, line: str) -> None:
        """Shows a line to whoever watches just now."""
        log.debug("tool log", extra={"tool": self.dispatched.todo.tool, "line": line})
        if self._log is None:
            self._log = self.live.of_attempt(self.message, self.dispatched)
        self._log.say(line)

    def listener(self, role: ModelRole) -> OnChunk | None:
        """Hears what a model writes for this attempt, and shows it to whoever watches just now."""
        run_id, session_id = self.message.run_id, self.message.session_id
        if run_id is None:
            return None
        return self.live.listener(session_id, run_id, role, self.todo_id)

    def falls_silent(self) -> None:
        """It is over: no more lines."""
        if self._log is not None:
            self._log.end()

    async def succeeded(self, done: Done) -> TodoSucceeded:
        seconds = await self._over("succeeded")
        return TodoSucceeded(
            todo_id=self.todo_id,
            attempt=self.dispatched.attempt,
            result=done.result,
            attachments=done.attachments,
            started_at=self.began_at,
            seconds=seconds,
            late=self._is_late,
            tokens=done.tokens,
            money=done.money,
            from_before=done.from_before,
        )

    async def failed(self, error: ErrorInfo, will_retry_at: datetime | None = None) -> TodoFailed:
        seconds = await self._over("failed")
        return TodoFailed(
            todo_id=self.todo_id,
            attempt=self.dispatched.attempt,
            error=error,
            seconds=seconds,
            will_retry_at=will_retry_at,
            late=self._is_late,
        )

    @property
    def _is_late(self) -> bool:
        return self.stopped_by in ("cancel", "skip")

    async def _over(self, outcome: str) -> float:
        await self._begun()
        seconds = round(time.monotonic() - self.started_at, 6)
        _seconds(self.dispatched.todo.tool, outcome).observe(seconds, tracing.exemplar())
        return seconds


@lru_cache(maxsize=1024)
def _seconds(tool: str, outcome: str) -> Histogram:
    return metrics.TODO_SECONDS.labels(tool, outcome)
