"""The state of one run's execution, folded from events. Every step costs the same, however long the plan is."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum, auto
from typing import NamedTuple
from uuid import UUID

from contracts.artifacts import Attachment
from contracts.budgets import Budget
from contracts.errors import ErrorInfo
from contracts.execution import ExecutionResult, TodoStatus
from contracts.planning import JoinKind, Plan, TodoItem, TodoRole
from contracts.shape import JsonObject
from services.execution.domain.budget import Spent
from services.execution.domain.cycle import Cycle, cycles
from services.execution.domain.question import Question


class Stage(Enum):
    """Where a todo stands while its run goes on."""

    BLOCKED = auto()
    READY = auto()
    IN_FLIGHT = auto()
    RETRYING = auto()
    """Its timer will make it ready."""
    ASKING = auto()
    """A person decides."""
    IN_LINE = auto()
    """It waits for its tool."""
    OVER = auto()


class Skip(NamedTuple):
    """Why a todo is left out, in the words of TodoSkipped."""

    reason: str
    cause: str = ""


@dataclass(slots=True)
class Todo:
    """A todo of the approved plan, and how far it is."""

    item: TodoItem
    required: int = 0
    wanted: int = 0
    needs: int = 0
    """How many of its required dependencies have to succeed."""
    possible: int = 0
    """How many of them have succeeded or still can."""
    open_wants: int = 0
    """How many of those it merely wants have not come to an end."""
    good: int = 0
    good_wants: int = 0
    dependants: list[str] = field(default_factory=list)
    stage: Stage = Stage.BLOCKED
    attempt: int = 0
    failures: int = 0
    round: int = 1
    retry_at: datetime | None = None
    waits_for_tool: bool = False
    status: TodoStatus | None = None
    result: JsonObject = field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()
    error: ErrorInfo | None = None
    skip_reason: str = ""
    skip_cause: str = ""

    def merely_wants(self, dependency: str) -> bool:
        """A synthesis merely wants all that it waits for: it goes on with what there is."""
        return self.item.role is TodoRole.SYNTHESIS or dependency in self.item.wants

    def as_result(self, status: TodoStatus, error: ErrorInfo | None) -> ExecutionResult:
        return ExecutionResult(
            todo_id=self.item.id,
            status=status,
            result=self.result,
            attachments=self.attachments,
            error=error,
            attempts=self.attempt,
        )


@dataclass(slots=True)
class Run:
    """A run between its message and its ExecutionOutput."""

    requested_at: datetime
    budget: Budget | None = None
    language: str = "en"
    proposed: Plan | None = None
    plan: Plan | None = None
    """The approved one; none = nothing may run yet."""
    inputs: tuple[Attachment, ...] = ()
    started: bool = False
    clock_due: datetime | None = None
    """When the wall time of the budget is up."""
    paused_at: datetime | None = None
    interrupted: bool = False
    cancelled: bool = False
    aborted: ErrorInfo | None = None
    """The run ends with this error as soon as possible; what is in flight is stopped."""
    questions: dict[UUID, Question] = field(default_factory=dict)
    spent: Spent = field(default_factory=Spent)
    raises: int = 0
    """How often the budget was raised."""
    soft_passed: bool = False
    """The person has let the run go on beyond the soft limit of the present budget."""
    time_up: bool = False
    todos: dict[str, Todo] = field(default_factory=dict)
    ready: dict[str, None] = field(default_factory=dict)
    """Todos that may be dispatched now, the first time or again: an ordered set that events add to and take from."""
    to_skip: dict[str, Skip] = field(default_factory=dict)
    """Todos that will not run, or whose result nobody waits for any more."""
    to_ask: dict[str, None] = field(default_factory=dict)
    """Todos whose failure a person decides about, and who has not been asked yet."""
    cycles: dict[str, Cycle] = field(default_factory=dict)
    """Todo -> the cycle it is in."""
    in_flight: int = 0
    open: int = 0

    @property
    def approved(self) -> bool:
        return self.plan is not None

    def approve(self, plan: Plan) -> None:
        """Counts what each todo waits for. A new version keeps what has been begun or is over as it is."""
        before, self.plan = self.todos, plan
        self.todos = {item.id: _carried(before.get(item.id), item) for item in plan.todos}
        self.cycles = cycles(plan.todos, self.cycles)
        self.open = sum(todo.status is None for todo in self.todos.values())
        self.ready, self.to_skip = {}, {}
        for todo in self.todos.values():
            for dependency in dict.fromkeys(todo.item.depends_on):
                self.todos[dependency].dependants.append(todo.item.id)
        for todo in self.todos.values():
            self._recount(todo)

    def make_ready(self, todo: Todo) -> None:
        todo.stage = Stage.READY
        self.ready[todo.item.id] = None

    def take_off(self, todo: Todo, stage: Stage) -> None:
        """It is not in flight any more, and nothing else waits with it."""
        if todo.stage is Stage.IN_FLIGHT:
            self.in_flight -= 1
        self.ready.pop(todo.item.id, None)
        self.to_ask.pop(todo.item.id, None)
        todo.stage, todo.retry_at = stage, None

    def end(self, todo: Todo, status: TodoStatus) -> None:
        """A todo has come to an end; its dependants may be ready now, or never."""
        self.take_off(todo, Stage.OVER)
        todo.status = status
        self.open -= 1
        self._tell(todo)

    def begin_round(self, cycle: Cycle) -> None:
        """Everything in the cycle runs again; what waits for it outside has not been told of this round."""
        cycle.round += 1
        again = [self.todos[one] for one in cycle.members if one in self.todos]
        for todo in again:
            self.open += todo.status is not None
            todo.status, todo.stage, todo.round, todo.failures = None, Stage.BLOCKED, cycle.round, 0
        for todo in again:
            self._recount(todo)

    def _tell(self, todo: Todo) -> None:
        """Those that wait for it hear of its end; outside a cycle not before the cycle is closed."""
        cycle = self.cycles.get(todo.item.id)
        if cycle is not None and (cycle.closes(todo.item.id) or todo.status is not TodoStatus.SUCCEEDED):
            self._close(cycle)
        for dependant_id in todo.dependants:
            dependant = self.todos[dependant_id]
            if self._may_hear(dependant, todo):
                self._hear(dependant, todo)

    def _close(self, cycle: Cycle) -> None:
        if cycle.closed:
            return
        cycle.closed = True
        outside = {one for member in cycle.members for one in self.todos[member].dependants} - set(cycle.members)
        for dependant_id in sorted(outside):
            self._recount(self.todos[dependant_id])

    def _may_hear(self, dependant: Todo, todo: Todo) -> bool:
        cycle = self.cycles.get(todo.item.id)
        return cycle is None or cycle.closed or self.cycles.get(dependant.item.id) is cycle

    def _recount(self, todo: Todo) -> None:
        """What it waits for, from the present state of everything it depends on."""
        todo.possible, todo.open_wants = todo.required, todo.wanted
        todo.good = todo.good_wants = 0
        if todo.stage is Stage.READY or (todo.stage is Stage.BLOCKED and not todo.item.depends_on):
            self.make_ready(todo)
        for dependency in dict.fromkeys(todo.item.depends_on):
            other = self.todos[dependency]
            if other.status is not None and self._may_hear(todo, other):
                self._hear(todo, other)

    def _hear(self, dependant: Todo, todo: Todo) -> None:
        """One of the dependencies of a todo has come to an end."""
        if dependant.status is not None:
            return
        good = todo.status is TodoStatus.SUCCEEDED
        if dependant.merely_wants(todo.item.id):
            dependant.open_wants -= 1
            dependant.good_wants += good
        elif good:
            dependant.good += 1
        else:
            dependant.possible -= 1
        # who only wants, and got nothing of it, has nothing to work on
        in_vain = not dependant.possible and not dependant.open_wants and not dependant.good_wants
        if dependant.stage is not Stage.BLOCKED:
            return
        if dependant.possible < dependant.needs or in_vain:
            self.to_skip.setdefault(dependant.item.id, Skip("dependency_failed", todo.skip_cause or todo.item.id))
        elif dependant.good >= dependant.needs and not dependant.open_wants:
            self.make_ready(dependant)
            if dependant.item.join is JoinKind.FIRST_GOOD:
                self._stop_others(dependant, todo.item.id)

    def _stop_others(self, dependant: Todo, winner: str) -> None:
        """The first good result is there: what only this todo was waiting for is not needed any more."""
        for other_id in dict.fromkeys(dependant.item.depends_on):
            other = self.todos[other_id]
            if other.status is None and other.dependants == [dependant.item.id]:
                self.to_skip.setdefault(other_id, Skip("policy", winner))

    def inputs_of(self, todo: Todo) -> tuple[Attachment, ...]:
        """Artifacts of the types a todo consumes: the person's files, then what its dependencies made."""
        wanted = set(todo.item.consumes)
        if not wanted:
            return ()
        made = (a for dependency in dict.fromkeys(todo.item.depends_on) for a in self.todos[dependency].attachments)
        return tuple(a for a in (*self.inputs, *made) if a.type in wanted)

    def because(self, cause: str) -> ErrorInfo | None:
        """Why a todo is skipped, in the words of the failure that caused it."""
        failed = self.todos.get(cause)
        return failed.error if failed else None


def _carried(before: Todo | None, item: TodoItem) -> Todo:
    """The todo of a new version, as far as it was in the last one."""
    todo = before or Todo(item)
    todo.item, todo.dependants = item, []
    waits_for = set(item.depends_on)
    todo.wanted = sum(todo.merely_wants(one) for one in waits_for)
    todo.required = len(waits_for) - todo.wanted
    todo.needs = _needs(item, todo.required)
    if todo.stage is Stage.READY and todo.attempt == 0:
        todo.stage = Stage.BLOCKED  # it may wait for something else now
    return todo


def _needs(item: TodoItem, known: int) -> int:
    match item.join:
        case JoinKind.ALL:
            return known
        case JoinKind.ANY | JoinKind.FIRST_GOOD:
            return min(1, known)
        case JoinKind.K_OF_N:
            return min(item.join_count or known, known)


@dataclass(slots=True)
class Session:
    """The open runs of a session, and what all of its runs have used up."""

    runs: dict[UUID, Run] = field(default_factory=dict)
    spent: Spent = field(default_factory=Spent)
    budget: Budget | None = None
    """What the person has raised the session's limits to."""

    @property
    def in_flight(self) -> int:
        return sum(run.in_flight for run in self.runs.values())
