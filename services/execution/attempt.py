"""What is recorded about one attempt of a todo while it runs (docs/adr/0005-started-after-a-grace.md)."""

import asyncio
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime

from backbone.runner.handlers import Record
from backbone.telemetry import metrics
from contracts.errors import ErrorInfo
from contracts.execution import TodoDispatched, TodoFailed, TodoProgressed, TodoStarted, TodoSucceeded
from services.execution.executors import Done

PROGRESS_INTERVAL = 0.5
"""Seconds between two recorded words of progress of one attempt."""


@dataclass(slots=True)
class Attempt:
    """One try. Its clock is the executor's; what it says is recorded and decides nothing but when to retry."""

    dispatched: TodoDispatched
    record: Record
    worker: str
    started_at: float = field(default_factory=time.monotonic)
    began_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    last_progress: float = float("-inf")
    words: int = 0
    _start: "asyncio.Task[None] | None" = None

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
            await self._start

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

    async def succeeded(self, done: Done) -> TodoSucceeded:
        seconds = await self._over("succeeded")
        return TodoSucceeded(
            todo_id=self.dispatched.todo.id,
            attempt=self.dispatched.attempt,
            result=done.result,
            attachments=done.attachments,
            started_at=self.began_at,
            seconds=seconds,
        )

    async def failed(self, error: ErrorInfo, will_retry_at: datetime | None) -> TodoFailed:
        seconds = await self._over("failed")
        return TodoFailed(
            todo_id=self.dispatched.todo.id,
            attempt=self.dispatched.attempt,
            error=error,
            seconds=seconds,
            will_retry_at=will_retry_at,
        )

    async def _over(self, outcome: str) -> float:
        await self._begun()
        seconds = round(time.monotonic() - self.started_at, 6)
        metrics.TODO_SECONDS.labels(self.dispatched.todo.tool, outcome).observe(seconds)
        return seconds
