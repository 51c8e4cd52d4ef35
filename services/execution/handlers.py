"""I/O around the decisions: the dispatcher's decision handler, and one work handler per executor route."""

import asyncio
from dataclasses import dataclass

from backbone.runner.handlers import NOTHING, DecisionHandler, Emit, Outcome, Record, Takes, WorkHandler, emit
from contracts.envelope import Message
from contracts.errors import Code, ErrorInfo
from contracts.execution import TodoDispatched, TodoFailed
from contracts.shape import Event
from contracts.tools import ToolError
from services.execution.attempt import Attempt
from services.execution.domain import dispatch
from services.execution.domain.retry import retry
from services.execution.domain.run import Runs
from services.execution.executors import ToolRunner
from services.execution.faults import ToolFault

START_GRACE = 0.05
"""Seconds. An attempt that is over sooner is recorded by its result alone: nobody could have seen it start."""

DISPATCHER: DecisionHandler[Runs] = DecisionHandler(
    name="execution-dispatcher",
    producer="execution",
    takes=(
        Takes("planning", "PlanApproved"),
        Takes("execution", "TodoSucceeded"),
        Takes("execution", "TodoFailed"),
        Takes("execution", "TodoSkipped"),
        Takes("timers", "TimerFired"),
    ),
    folds=dispatch.FOLDS,
    initial=dispatch.initial,
    evolve=dispatch.evolve,
    decide=dispatch.decide,
)


def executor(route: str, runner: ToolRunner, concurrency: int) -> WorkHandler:
    """The durable consumer of one executor route."""
    served = Executor(route, runner)
    return WorkHandler(
        name=f"execution-{route}",
        producer="execution",
        takes=(Takes("execution", "TodoDispatched", route),),
        handle=served.handle,
        give_up=served.give_up,
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
        attempt = Attempt(event, record, self.route)
        grace = asyncio.get_running_loop().call_later(START_GRACE, attempt.begins)
        try:
            # no task of its own: a todo that needs no waiting is done in this very step of the loop
            done = await self.runner.run(message.run_id, event, attempt.progress)
        except ToolError as error:
            grace.cancel()
            info = self._told(error, event.language)
            again = retry(message.run_id, event.todo, event.attempt, info, attempt.now())
            failed = await attempt.failed(info, again.due_at if again else None)
            return Outcome((Emit(failed),), (again,) if again else ())
        finally:
            grace.cancel()
        return emit(await attempt.succeeded(done))

    def _told(self, error: ToolError, language: str) -> ErrorInfo:
        """What a tool says stands; what we found is said by its code, in the person's language."""
        if error.message.strip() and not isinstance(error, ToolFault):
            return ErrorInfo(code=error.code, message=error.message, retryable=error.retryable, detail=error.detail)
        detail = {**error.detail, "technical": error.message}
        return ErrorInfo(
            code=error.code, message=self._sentence(error.code, language), retryable=error.retryable, detail=detail
        )

    def _sentence(self, code: Code, language: str) -> str:
        catalogue = self.runner.catalogue
        try:
            return catalogue.say(language, f"error.{int(code)}")
        except KeyError:
            return catalogue.say(language, f"error.{int(Code.TOOL_FAILED)}")

    def give_up(self, message: Message, event: Event, error: ErrorInfo) -> Outcome:
        """The attempt ends as a failure, so that the run goes on without it."""
        if not isinstance(event, TodoDispatched):
            return NOTHING
        sentence = self._sentence(Code.INTERNAL, event.language)
        info = ErrorInfo(code=Code.INTERNAL, message=sentence, detail={"technical": error.message})
        return emit(TodoFailed(todo_id=event.todo.id, attempt=event.attempt, error=info))
