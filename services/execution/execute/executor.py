"""Runs dispatched todos: one work handler per executor route, I/O around the decisions of the domain."""

import asyncio
import logging
import time
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

from backbone.runner.handlers import NOTHING, DecisionHandler, Emit, Outcome, Record, Takes, WorkHandler, emit
from contracts.envelope import Message
from contracts.errors import Code, ErrorInfo
from contracts.execution import TodoDispatched, TodoFailed, ToolBusy, ToolReleased
from contracts.shape import Event
from contracts.tools import ConfirmPolicy, Effects, ToolError
from services.execution.agent.loop import AGENT_ENTRY, ApprovalRequired
from services.execution.domain.fold import BY_CONTROL
from services.execution.domain.question import DecisionRequests, deadline
from services.execution.domain.retry import retry
from services.execution.domain.run import Session
from services.execution.execute.attempt import Attempt
from services.execution.execute.cancellations import Cancellations
from services.execution.execute.job import CERTAIN, AttemptOver, JobDependencies, ToolJob
from services.execution.execute.log_stream import LogStream
from services.execution.graph import Asked, Gate, JobGraph
from services.execution.tools.faults import ToolFault, sentence, told
from services.execution.tools.tool_runner import Done

log = logging.getLogger(__name__)

START_GRACE = 0.05
"""Seconds. An attempt that is over sooner is recorded by its result alone: nobody could have seen it start."""


def executor(
    route: str, shared: "ExecutorDependencies", concurrency: int, decided_by: DecisionHandler[Session] | None = None
) -> WorkHandler:
    """The durable consumer of one executor route; `decided_by` is the dispatcher."""
    served = Executor(route, shared)
    return WorkHandler(
        name=served.consumer,
        producer="execution",
        takes=(Takes("execution", "TodoDispatched", route),),
        handle=served.handle,
        give_up=served.give_up,
        concurrency=concurrency,
        alone=served.alone,
        decided_by=decided_by,
    )


@dataclass(frozen=True, slots=True)
class ExecutorDependencies:
    """What the executors of a process share."""

    jobs: JobDependencies
    graph: JobGraph
    cancellations: Cancellations
    patience: timedelta = timedelta(days=1)
    live: LogStream = field(default_factory=LogStream)

    def say(self, language: str, key: str, **values: object) -> str:
        return self.jobs.runner.catalogue.say(language, key, **values)

    def title(self, tool_key: str, language: str) -> str:
        """What a tool is called in the catalogue; its key if its text wants values that it does not get."""
        try:
            return self.jobs.runner.catalogue.title(tool_key, language)
        except (ValueError, LookupError):
            return tool_key


@dataclass(frozen=True, slots=True)
class Executor:
    """Runs the todos of one route."""

    route: str
    shared: ExecutorDependencies

    @property
    def consumer(self) -> str:
        """The name of the route's durable consumer."""
        return f"execution-{self.route}"

    def alone(self, message: Message, event: Event) -> bool:
        """Whether a second call beside this one, or after it, would do something again. Of a tool that is not known yet
        nobody can say; an agent loop may call any."""
        if not isinstance(event, TodoDispatched):
            return False
        spec = self.shared.jobs.runner.catalogue.tools.get(event.todo.tool)
        if spec is None or spec.entry.startswith(AGENT_ENTRY):
            return True
        return spec.effects is Effects.EXTERNAL or spec.confirm_policy is ConfirmPolicy.ALWAYS

    async def handle(self, message: Message, event: Event, record: Record) -> Outcome:
        if not isinstance(event, TodoDispatched) or message.run_id is None:
            raise TypeError(f"{type(event).__name__} is not for an executor")
        attempt = Attempt(message, event, record, self.route, self.shared.live)
        cancellations = self.shared.cancellations
        cancellations.enter(message.run_id, attempt)
        job: ToolJob | None = None
        grace: asyncio.TimerHandle | None = None
        try:
            await self.shared.jobs.expect(event.todo.tool)
            spec = self.shared.jobs.runner.spec(event.todo.tool)
            job = ToolJob(self.shared.jobs, message.run_id, attempt, spec)
            # the start of some says that the call was about to be made: it must not be there before, not even when the
            # tool was long awaited
            if not job.tells_its_start:
                # no task of its own: a todo that needs no waiting is done in this very step of the loop
                grace = asyncio.get_running_loop().call_later(START_GRACE, attempt.begins)
            if spec.effects is Effects.EXTERNAL or cancellations.is_doubtful(message):
                attempt.stopped_by = await cancellations.reason_for(message, event.todo.id)
                if attempt.stopped_by:
                    return await self._stopped(attempt, job, message.run_id)
            asked = await self.shared.graph.run(job)
            return await self._outcome(attempt, job, message.run_id, asked)
        except ApprovalRequired as needed:
            return self._parked(attempt, job, message.run_id, needed)
        except AttemptOver:
            if job is not None:
                await job.let_go()
            return NOTHING
        except ToolError as error:
            return await self.failed(attempt, job, message.run_id, error)
        except asyncio.CancelledError:
            if not attempt.stopped_by or job is None:
                raise
            attempt.take_back_cancel()
            return await self._stopped(attempt, job, message.run_id)
        finally:
            if grace is not None:
                grace.cancel()
            attempt.falls_silent()
            cancellations.leave(message.run_id, attempt)

    async def _outcome(self, attempt: Attempt, job: ToolJob, run_id: UUID, asked: Asked | None) -> Outcome:
        if asked is not None:
            return self._question(job, asked)
        if job.done is None:
            group = ",".join(job.spec.groups)
            return emit(
                ToolBusy(
                    todo_id=attempt.todo_id, tool=job.spec.tool_key, group_key=group, position=max(job.position, 1)
                )
            )
        called = [Emit(job.called)] if job.called else []
        return _with_release([*called, Emit(await attempt.succeeded(job.done))], job, job.done)

    def _question(self, job: ToolJob, asked: Asked) -> Outcome:
        dispatched = job.dispatched
        requests = DecisionRequests(
            job.run_id, dispatched.language, self.shared.say, job.attempt.now() + self.shared.patience
        )
        item, attempt = dispatched.todo, dispatched.attempt
        if asked.gate is Gate.TOOL:
            title = self.shared.title(item.tool, dispatched.language)
            question = requests.about_tool(
                item, attempt, title, job.arguments_hash, asked.interrupt_id, dispatched.round
            )
        else:
            group = self.shared.jobs.runner.catalogue.group
            called = tuple(group(item.tool, one, dispatched.language) for one in job.spec.groups)
            question = requests.about_lock(item, attempt, job.spec.groups, called, asked.interrupt_id)
        return Outcome((Emit(question),), (deadline(job.run_id, question),))

    def _parked(self, attempt: Attempt, job: ToolJob | None, run_id: UUID, needed: ApprovalRequired) -> Outcome:
        """An agent loop asks about a call; the next attempt goes on with the answer."""
        dispatched, call = attempt.dispatched, needed.call
        requests = DecisionRequests(run_id, dispatched.language, self.shared.say, attempt.now() + self.shared.patience)
        title = self.shared.title(call.tool, dispatched.language)
        question = requests.about_call(dispatched.todo, dispatched.attempt, call, title)
        outcome = _with_release([Emit(question)], job)
        return Outcome(outcome.emits, (deadline(run_id, question),), fence=outcome.fence)

    async def failed(self, attempt: Attempt, job: ToolJob | None, run_id: UUID, error: ToolError) -> Outcome:
        event = attempt.dispatched
        info = told(error, event.language, self.shared.say)
        again = None
        if job is None or not job.is_unsure(error):
            again = retry(run_id, event.todo, event.attempt, info, attempt.now(), event.failures)
        failed = await attempt.failed(info, again.due_at if again else None)
        outcome = _with_release([Emit(failed)], job)
        return Outcome(outcome.emits, (again,) if again else (), fence=outcome.fence)

    async def _stopped(self, attempt: Attempt, job: ToolJob, run_id: UUID) -> Outcome:
        """What is recorded of an attempt that somebody stopped. The tool has ended by now."""
        since = time.monotonic()
        await job.let_go()
        stopped = ToolFault(Code.TOOL_CANCELLED, f"stopped by {attempt.stopped_by}")
        stopped.detail = {BY_CONTROL: attempt.stopped_by}
        if attempt.stopped_by == "lease":
            stopped = ToolFault(Code.LEASE_LOST, "the lease was lost while the tool ran", retryable=True)
        try:
            if job.done is None and await job.in_doubt():
                job.done = await self.shared.jobs.runner.reconcile(run_id, job.spec, attempt.dispatched, stopped)
        except ToolError as unknown:
            return await self.failed(attempt, job, run_id, unknown)
        log.info(
            "stopped", extra={"tool": job.spec.tool_key, "by": attempt.stopped_by, "seconds": time.monotonic() - since}
        )
        if job.done is not None:
            return Outcome((Emit(await attempt.succeeded(job.done)),), job.done.timers, job.done.cancel_timers)
        if attempt.stopped_by == "lease":
            stopped.detail = {CERTAIN: True}
            return await self.failed(attempt, job, run_id, stopped)
        return emit(await attempt.failed(told(stopped, attempt.dispatched.language, self.shared.say)))

    def give_up(self, message: Message, event: Event, error: ErrorInfo) -> Outcome:
        """The attempt ends as a failure, so that the run goes on without it."""
        if not isinstance(event, TodoDispatched):
            return NOTHING
        code = error.code if error.code == Code.LEASE_LOST else Code.INTERNAL
        why = sentence(code, event.language, self.shared.say)
        info = ErrorInfo(code=code, message=why, detail={"technical": error.message})
        return emit(TodoFailed(todo_id=event.todo.id, attempt=event.attempt, error=info))


def _with_release(emits: list[Emit], job: ToolJob | None, done: Done | None = None) -> Outcome:
    """Save, then release: the result, its reminders and the end of the lease are one transaction."""
    timers, cancelled = (done.timers, done.cancel_timers) if done else ((), ())
    if job is None or job.lease is None:
        return Outcome(tuple(emits), timers, cancelled)
    lease = job.lease
    released = ToolReleased(
        todo_id=lease.holder.todo_id, lease_id=lease.lease_id, fencing_token=lease.fencing_token, reason="released"
    )
    return Outcome((*emits, Emit(released)), timers, cancelled, job.fence)
