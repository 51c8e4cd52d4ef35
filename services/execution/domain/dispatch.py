"""The dispatcher as a process manager: fold.py folds what happened, `pending` says what is owed.

A todo is dispatched the moment its last dependency has succeeded; there is no barrier between levels."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeGuard
from uuid import UUID

from backbone.ledger.port import Timer
from backbone.runner.handlers import NOTHING, Emit, Outcome, Recorded
from contracts.decisions import DecisionExpired, DecisionKind, DecisionRequested
from contracts.errors import Code, ErrorInfo
from contracts.execution import (
    ExecutionOutput,
    ExecutionResult,
    ExecutionStarted,
    ExecutionStatus,
    TodoDispatched,
    TodoSkipped,
    TodoStatus,
)
from contracts.gateway import RunControl, RunControlRequested
from contracts.planning import Plan, PlanApproved, TodoItem
from contracts.shape import Event
from services.execution.domain import control
from services.execution.domain.budget import Room, is_limited, room, smallest
from services.execution.domain.fold import Rules, evolve
from services.execution.domain.question import Asker
from services.execution.domain.run import Run, Session, Skip, Stage, Todo
from services.execution.domain.strategy import determine_strategy


@dataclass(frozen=True, slots=True)
class Dispatcher:
    """The decision handler's three functions, under the operator's rules."""

    rules: Rules

    def evolve(self, session: Session, recorded: Recorded) -> Session:
        return evolve(session, recorded, self.rules)

    def decide(self, session: Session, recorded: Recorded) -> Outcome:
        """What is owed now, to the run of the message first: it follows from the state alone, but for timers, which are
        set and cancelled with the message that moves them."""
        run_id = recorded.run_id
        run = session.runs.get(run_id) if run_id else None
        desk = Desk(session, self.rules, recorded.at, self.rules.most_in_flight - session.in_flight)
        owed = pending(run_id, run, desk) if run and run_id else []
        for other_id, other in session.runs.items():
            # a slot that this run has freed may be another one's, whose own next word could be far away
            if other.ready and other is not run:
                owed += [replace(emit, run_id=other_id) for emit in pending(other_id, other, desk)]
        moved = _timers(run_id, run, recorded) if run and run_id else NOTHING
        if not owed and moved is NOTHING:
            return NOTHING
        asked = [(emit.event, emit.run_id or run_id) for emit in owed if _is_question(emit.event)]
        deadlines = [_deadline(question, of_run) for question, of_run in asked if of_run]
        return Outcome(tuple(owed), (*moved.timers, *deadlines), moved.cancel_timers)


@dataclass(slots=True)
class Desk:
    """What a decision is made with: the session, the rules, the time, and how many more todos may be in flight."""

    session: Session
    rules: Rules
    now: datetime
    free: int

    def asker(self, run_id: UUID, run: Run) -> Asker:
        return Asker(run_id, run.language, self.rules.say, self.now + self.rules.patience)


def _timers(run_id: UUID, run: Run, recorded: Recorded) -> Outcome:
    event = recorded.event
    if isinstance(event, RunControlRequested):
        held = control.timers(run_id, run)
        if event.control is RunControl.RESUME:
            return Outcome(timers=held)
        return Outcome(cancel_timers=tuple(timer.timer_id for timer in held))
    if isinstance(event, PlanApproved) and run.clock_due is not None and not run.started and run.paused_at is None:
        return Outcome(timers=(control.wall_time(run_id, run, run.clock_due),))
    return NOTHING


def _is_question(event: Event) -> TypeGuard[DecisionRequested]:
    return isinstance(event, DecisionRequested)


def _deadline(asked: Event, run_id: UUID) -> Timer:
    if not _is_question(asked):
        raise TypeError(f"{type(asked).__name__} is no question")
    expired = DecisionExpired(decision_id=asked.decision_id, kind=asked.kind, default=asked.default)
    return Timer(asked.decision_id, run_id, asked.deadline, expired)


def pending(run_id: UUID, run: Run, desk: Desk) -> list[Emit]:
    """Everything owed to a run. Each of it, once recorded and folded, is owed no more. Nothing here takes longer in a
    longer plan, but for the output at its end."""
    plan = run.plan
    if plan is None:
        return []
    owed = [] if run.started else [Emit(_started(plan))]
    if run.cancelled:
        return [*owed, Emit(_output(run, plan, {}, ExecutionStatus.CANCELLED, None))]
    if run.aborted is not None:
        useful = run.aborted.code == Code.BUDGET_EXHAUSTED and _useful(run)
        status = ExecutionStatus.PARTIAL if useful else ExecutionStatus.FAILED
        return [*owed, Emit(_output(run, plan, {}, status, run.aborted))]
    if run.paused_at is not None:
        return owed
    asker = desk.asker(run_id, run)
    owed += [Emit(_after_error(asker, run.todos[one])) for one in run.to_ask]
    owed += _dispatches(run, plan, desk, asker)
    skips = _skips(run)
    owed += [Emit(TodoSkipped(todo_id=one, reason=why.reason, cause=why.cause)) for one, why in skips.items()]
    if run.open == len(skips):
        owed.append(Emit(_output(run, plan, skips, _status(run, skips), _first_error(run))))
    return owed


def _after_error(asker: Asker, todo: Todo) -> DecisionRequested:
    return asker.after_error(todo.item, todo.attempt, todo.error.message if todo.error else "")


def _started(plan: Plan) -> ExecutionStarted:
    return ExecutionStarted(
        plan_id=plan.plan_id,
        plan_version=plan.version,
        strategy=determine_strategy(plan.todos),
        todo_count=len(plan.todos),
    )


def _dispatches(run: Run, plan: Plan, desk: Desk, asker: Asker) -> list[Emit]:
    """Ready todos in order, as long as there is room: in flight, and in the budgets."""
    owed: list[Emit] = []
    spent, of_session = replace(run.spent), replace(desk.session.spent)
    limits, of_all = desk.rules.of_run(run), desk.rules.of_session(desk.session)
    tightest = Room.FULL if run.time_up and run.ready else Room.FREE
    for todo_id in run.ready:
        if desk.free <= 0 or tightest is Room.FULL:
            break
        item = run.todos[todo_id].item
        space = smallest(room(limits, spent, item), room(of_all, of_session, item))
        tightest = smallest(tightest, space)
        if space is not Room.FULL:
            spent.reserve(item)
            of_session.reserve(item)
            desk.free -= 1
            owed.append(Emit(_dispatch(run, plan, run.todos[todo_id]), item.executor))
    asked = any(question.kind is DecisionKind.BUDGET for question in run.questions.values())
    if not asked and (tightest is Room.FULL or (tightest is Room.SOFT and not run.soft_passed)):
        budget, used = (limits, run.spent) if is_limited(limits) else (of_all, desk.session.spent)
        owed.append(Emit(asker.about_budget(run.raises, budget, used, hard=tightest is Room.FULL)))
    return owed


def _dispatch(run: Run, plan: Plan, todo: Todo) -> TodoDispatched:
    return TodoDispatched(
        plan_id=plan.plan_id,
        todo=todo.item,
        attempt=todo.attempt + 1,
        inputs=run.inputs_of(todo),
        language=run.language,
        requested_at=run.requested_at,
        failures=todo.failures,
        round=todo.round,
        waits_for_tool=todo.waits_for_tool,
    )


def _skips(run: Run) -> dict[str, Skip]:
    """All that can never run -> why, those that only a skipped todo makes impossible included."""
    skips = {one: why for one, why in run.to_skip.items() if run.todos[one].status is None}
    lost: dict[str, int] = {}
    queue = list(skips)
    for todo_id in queue:  # grows while it is read
        for dependant_id in run.todos[todo_id].dependants:
            dependant = run.todos[dependant_id]
            if dependant.merely_wants(todo_id) or dependant.stage is not Stage.BLOCKED:
                continue  # it may go on without; TodoSkipped is a message to this dispatcher, and then we see
            lost[dependant_id] = lost.get(dependant_id, 0) + 1
            if dependant.possible - lost[dependant_id] < dependant.needs and dependant_id not in skips:
                skips[dependant_id] = Skip("dependency_failed", skips[todo_id].cause or todo_id)
                queue.append(dependant_id)
    return skips


def _output(
    run: Run, plan: Plan, skips: Mapping[str, Skip], status: ExecutionStatus, error: ErrorInfo | None
) -> ExecutionOutput:
    return ExecutionOutput(
        plan_id=plan.plan_id,
        plan_version=plan.version,
        status=status,
        results=tuple(_result(run, todo, skips) for todo in run.todos.values()),
        error=error,
    )


def _result(run: Run, todo: Todo, skips: Mapping[str, Skip]) -> ExecutionResult:
    if todo.status is TodoStatus.SUCCEEDED or todo.status is TodoStatus.FAILED:
        return todo.as_result(todo.status, todo.error)
    if todo.status is None and todo.item.id not in skips:
        return todo.as_result(TodoStatus.CANCELLED, todo.error)
    cause = skips[todo.item.id].cause if todo.item.id in skips else todo.skip_cause
    failure = run.because(cause)
    error = failure and ErrorInfo(code=Code.DEPENDENCY_FAILED, message=failure.message, detail={"cause": cause})
    return todo.as_result(TodoStatus.SKIPPED, todo.error or error)


def _first_error(run: Run) -> ErrorInfo | None:
    return next((todo.error for todo in run.todos.values() if todo.status is TodoStatus.FAILED), None)


def _status(run: Run, skips: Mapping[str, Skip]) -> ExecutionStatus:
    if all(_as_wished(todo, skips) for todo in run.todos.values()):
        return ExecutionStatus.SUCCEEDED
    return ExecutionStatus.PARTIAL if _useful(run) else ExecutionStatus.FAILED


def _as_wished(todo: Todo, skips: Mapping[str, Skip]) -> bool:
    """It succeeded, well enough; or another was first and good."""
    if todo.status is TodoStatus.SUCCEEDED:
        return todo.error is None
    why = skips.get(todo.item.id) or Skip(todo.skip_reason, todo.skip_cause)
    return why.reason == "policy" and bool(why.cause)


def _useful(run: Run) -> bool:
    """Something useful is there when a todo that others do not merely build on has succeeded."""
    good = [todo for todo in run.todos.values() if todo.status is TodoStatus.SUCCEEDED]
    return any(not todo.dependants or _is_for_people(todo.item) for todo in good)


def _is_for_people(item: TodoItem) -> bool:
    return any(type_.startswith(("insight.", "document.", "content.", "ops.")) for type_ in item.produces)
