"""I/O around the decisions: the dispatcher's decision handler, and one work handler per executor route."""

import asyncio
import time
from dataclasses import dataclass, field
from datetime import datetime

from backbone.runner.handlers import DecisionHandler, Outcome, Record, Takes, WorkHandler, emit
from backbone.telemetry import metrics
from contracts.envelope import Message
from contracts.errors import Code, ErrorInfo
from contracts.execution import TodoDispatched, TodoFailed, TodoProgressed, TodoStarted, TodoSucceeded
from contracts.shape import Event
from contracts.tools import ToolError
from services.execution.domain import dispatch
from services.execution.domain.run import Runs
from services.execution.executors import Done, ToolRunner, now, seconds_since

START_GRACE = 0.05
"""Seconds. An attempt that is over sooner is recorded by its result alone: nobody could have seen it start."""
PROGRESS_INTERVAL = 0.5
"""Seconds between two recorded words of progress of one attempt."""

DISPATCHER: DecisionHandler[Runs] = DecisionHandler(
    name="execution-dispatcher",
    producer="execution",
    takes=(
        Takes("planning", "PlanApproved"),
        Takes("execution", "TodoSucceeded"),
        Takes("execution", "TodoFailed"),
        Takes("timers", "TimerFired"),
    ),
    folds=dispatch.FOLDS,
    initial=dispatch.initial,
    evolve=dispatch.evolve,
    decide=dispatch.decide,
)


def executor(route: str, runner: ToolRunner, concurrency: int) -> WorkHandler:
    """The durable consumer of one executor route."""
    return WorkHandler(
        name=f"execution-{route}",
        producer="execution",
        takes=(Takes("execution", "TodoDispatched", route),),
        handle=Executor(route, runner).handle,
        give_up=_give_up,
        concurrency=concurrency,
    )


@dataclass(frozen=True, slots=True)
class Executor:
    """Runs the todos of one route."""

    route: str
    runner: ToolRunner

    async def handle(self, message: Message, event: Event, record: Record) -> Outcome:
        if not isinstance(event, TodoDispatched) or message.run_id is None:
            raise TypeError(f"{type(event).__name__} is not for an executor")
        attempt = _Attempt(event, record, self.route)
        grace = asyncio.get_running_loop().call_later(START_GRACE, attempt.outlives_grace)
        try:
            # no task of its own: a todo that needs no waiting is done in this very step of the loop
            done = await self.runner.run(message.run_id, event, attempt.progress)
        except ToolError as error:
            return await attempt.failed(error)
        finally:
            grace.cancel()
        return await attempt.succeeded(done)


@dataclass(slots=True)
class _Attempt:
    """What is recorded about one attempt while it runs."""

    dispatched: TodoDispatched
    record: Record
    route: str
    started_at: float = field(default_factory=time.monotonic)
    began_at: datetime = field(default_factory=now)
    last_progress: float = 0.0
    words: int = 0
    start: asyncio.Task[None] | None = None

    def outlives_grace(self) -> None:
        self.start = asyncio.get_running_loop().create_task(self._began())

    async def _began(self) -> None:
        todo_id, attempt = self.dispatched.todo.id, self.dispatched.attempt
        await self.record("started", TodoStarted(todo_id=todo_id, attempt=attempt, worker=self.route, started_at=self.began_at))

    async def _begun(self) -> None:
        """The start is recorded before the end."""
        if self.start is not None:
            await self.start

    async def progress(self, fraction: float, message: str) -> None:
        await self._begun()
        if time.monotonic() - self.last_progress < PROGRESS_INTERVAL:
            return
        self.last_progress = time.monotonic()
        self.words += 1
        word = TodoProgressed(
            todo_id=self.dispatched.todo.id, attempt=self.dispatched.attempt, fraction=fraction, message=message
        )
        await self.record(f"progress:{self.words}", word)

    async def succeeded(self, done: Done) -> Outcome:
        await self._begun()
        seconds = seconds_since(self.started_at)
        metrics.TODO_SECONDS.labels(self.dispatched.todo.tool, "succeeded").observe(seconds)
        return emit(
            TodoSucceeded(
                todo_id=self.dispatched.todo.id,
                attempt=self.dispatched.attempt,
                result=done.result,
                attachments=done.attachments,
                started_at=self.began_at,
                seconds=seconds,
            )
        )

    async def failed(self, error: ToolError) -> Outcome:
        await self._begun()
        seconds = seconds_since(self.started_at)
        metrics.TODO_SECONDS.labels(self.dispatched.todo.tool, "failed").observe(seconds)
        info = ErrorInfo(code=error.code, message=error.message, retryable=error.retryable, detail=error.detail)
        return emit(
            TodoFailed(todo_id=self.dispatched.todo.id, attempt=self.dispatched.attempt, error=info, seconds=seconds)
        )


def _give_up(message: Message, event: Event, error: ErrorInfo) -> Outcome:
    if not isinstance(event, TodoDispatched):
        return Outcome()
    info = ErrorInfo(code=Code.INTERNAL, message=error.message)
    return emit(TodoFailed(todo_id=event.todo.id, attempt=event.attempt, error=info))
