"""The state of one run's execution, folded from events. Every step costs the same, however long the plan is."""

from bisect import bisect_left, insort
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from contracts.artifacts import Attachment
from contracts.errors import ErrorInfo
from contracts.execution import TodoStatus
from contracts.gateway import Budget
from contracts.pause import Pause
from contracts.planning import JoinKind, Plan, TodoRole
from contracts.tools import Upstream
from services.execution.domain.budget import Spent
from services.execution.domain.cycle import Cycle, cycles
from services.execution.domain.question import Question
from services.execution.domain.todo import Skip, Stage, Todo


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
    pause: Pause = field(default_factory=Pause)
    cancelled: bool = False
    aborted: ErrorInfo | None = None
    """The run ends with this error as soon as possible; what is in flight is stopped."""
    questions: dict[UUID, Question] = field(default_factory=dict)
    spent: Spent = field(default_factory=Spent)
    raises: int = 0
    """How often the budget was raised."""
    by_person: bool = False
    """A person has approved the plan, and may be there to say how an error is mended."""
    budget_questions: int = 0
    """How often a person was asked about the budget."""
    soft_passed: bool = False
    """The person has let the run go on beyond the soft limit of the present budget."""
    time_up: bool = False
    todos: dict[str, Todo] = field(default_factory=dict)
    ready: list[tuple[int, str]] = field(default_factory=list)
    """Todos that may be dispatched now, the first time or again, by their place: always in order."""
    places: int = 0
    to_skip: dict[str, Skip] = field(default_factory=dict)
    """Todos that will not run, or whose result nobody waits for any more."""
    to_ask: dict[str, None] = field(default_factory=dict)
    """Todos whose failure a person decides about, and who has not been asked yet."""
    cycles: dict[str, Cycle] = field(default_factory=dict)
    """Todo -> the cycle it is in."""
    retries: dict[tuple[str, int], None] = field(default_factory=dict)
    """Todo and attempt of each retry timer that was set and has not fired; some are of todos that wait no more."""
    in_flight: int = 0
    open: int = 0

    @property
    def is_ending(self) -> bool:
        """Nothing is waited for any more."""
        return self.plan is not None and (self.cancelled or self.aborted is not None)

    @property
    def next_todo(self) -> Todo | None:
        return self.todos[self.ready[0][1]] if self.ready else None

    def approve(self, plan: Plan) -> None:
        """Counts what each todo waits for. A new version keeps what has been begun or is over as it is."""
        before, self.plan = self.todos, plan
        self.todos = {item.id: Todo.carried(before.get(item.id), item) for item in plan.todos}
        self.cycles = cycles(plan.todos, self.cycles)
        self._count_again()
        for todo in self.todos.values():
            for dependency in dict.fromkeys(todo.item.depends_on):
                self.todos[dependency].dependants.append(todo.item.id)
        for todo in self.todos.values():
            self._recount(todo)
        for todo in self.todos.values():
            if todo.item.join is JoinKind.FIRST_GOOD and todo.stage is not Stage.BLOCKED:
                self._stop_others(todo)

    def _count_again(self) -> None:
        """What the todos of a new version make of the run, before they hear of each other."""
        self.open = sum(todo.status is None for todo in self.todos.values())
        self.in_flight = sum(todo.stage is Stage.IN_FLIGHT for todo in self.todos.values())
        self.ready = []
        # what a person has decided, or nobody in time, stands; what follows from other todos may follow no more
        self.to_skip = {one: why for one, why in self.to_skip.items() if one in self.todos and not why.cause}
        self.to_ask = {one: None for one in self.to_ask if one in self.todos}
        self.questions = {
            one: question for one, question in self.questions.items() if question.todo_id in {"", *self.todos}
        }
        for one, cycle in self.cycles.items():
            self.todos[one].round = cycle.round_of(one)

    def make_ready(self, todo: Todo) -> None:
        """It may be dispatched, unless it is left out."""
        self.take_off(todo, Stage.BLOCKED)
        if todo.item.id in self.to_skip:
            return
        todo.stage = Stage.READY
        if not todo.place:
            self.places += 1
            todo.place = self.places
        insort(self.ready, (todo.place, todo.item.id))

    def take_off(self, todo: Todo, stage: Stage) -> None:
        """It is not in flight any more, and nothing else waits with it."""
        if todo.stage is Stage.IN_FLIGHT:
            self.in_flight -= 1
        entry = (todo.place, todo.item.id)
        at = bisect_left(self.ready, entry)
        if self.ready[at : at + 1] == [entry]:
            del self.ready[at]
        self.to_ask.pop(todo.item.id, None)
        todo.stage, todo.retry_at = stage, None

    def leave_out(self, todo: Todo, why: Skip) -> None:
        """It will be skipped, and is not dispatched until that is recorded."""
        if todo.stage is Stage.READY:
            self.take_off(todo, Stage.BLOCKED)
        self.to_skip.setdefault(todo.item.id, why)

    def end(self, todo: Todo, status: TodoStatus) -> None:
        """A todo has come to an end; its dependants may be ready now, or never."""
        self.take_off(todo, Stage.OVER)
        self.to_skip.pop(todo.item.id, None)
        todo.status = status
        self.open -= 1
        self._tell(todo)

    def begin_round(self, cycle: Cycle) -> None:
        """Everything that is over in the cycle runs again; what has not come to its end counts for the new round. Who
        waits outside has not been told of the last one."""
        cycle.round += 1
        members = [self.todos[one] for one in cycle.members]
        if cycle.keeps_done:
            members = [todo for todo in members if not todo.stands]
        for todo in members:
            if todo.status is not None or cycle.closes(todo.item.id):
                self.open += todo.status is not None
                self.take_off(todo, Stage.BLOCKED)
                todo.forget()
            todo.round = cycle.round_of(todo.item.id)
        for todo in members:
            self._recount(todo)

    def _tell(self, todo: Todo) -> None:
        """Those that wait for it hear of its end; outside a cycle not before the cycle is closed."""
        cycle = self.cycles.get(todo.item.id)
        if cycle is not None and cycle.closes(todo.item.id):
            outside = dict.fromkeys(one for member in cycle.members for one in self.todos[member].dependants)
            for dependant_id in outside:
                if dependant_id not in cycle.members:
                    self._recount(self.todos[dependant_id])
            return
        for dependant_id in todo.dependants:
            dependant = self.todos[dependant_id]
            if self._may_hear(dependant, todo):
                self._hear(dependant, todo)

    def _may_hear(self, dependant: Todo, todo: Todo) -> bool:
        cycle = self.cycles.get(todo.item.id)
        if cycle is None or self.cycles.get(dependant.item.id) is cycle:
            return True
        return self.todos[cycle.closing.id].status is not None

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
        good = todo.status is TodoStatus.SUCCEEDED
        if dependant.merely_wants(todo.item.id):
            dependant.open_wants -= 1
            dependant.good_wants += good
        elif good:
            dependant.good += 1
        else:
            dependant.possible -= 1
        if dependant.stage is not Stage.BLOCKED:
            return
        # who only wants, and got nothing of it, has nothing to work on
        in_vain = not dependant.possible and not dependant.open_wants and not dependant.good_wants
        if dependant.possible < dependant.needs or in_vain:
            self.leave_out(dependant, Skip("dependency_failed", todo.skip_cause or todo.item.id))
        elif dependant.good >= dependant.needs and not dependant.open_wants:
            self.make_ready(dependant)
            if dependant.item.join is JoinKind.FIRST_GOOD:
                self._stop_others(dependant)

    def _stop_others(self, dependant: Todo) -> None:
        """The first good result is there: what only this todo was waiting for is not needed any more."""
        others = [self.todos[one] for one in dict.fromkeys(dependant.item.depends_on)]
        winner = next((one.item.id for one in others if one.status is TodoStatus.SUCCEEDED), "")
        for other in others:
            if winner and other.status is None and other.dependants == [dependant.item.id]:
                self.leave_out(other, Skip("policy", winner))

    def inputs_of(self, todo: Todo) -> tuple[Attachment, ...]:
        """Artifacts of the types a todo consumes: the person's files, then what its dependencies made."""
        wanted = set(todo.item.consumes)
        if not wanted:
            return ()
        made = (a for dependency in dict.fromkeys(todo.item.depends_on) for a in self.todos[dependency].attachments)
        return tuple(a for a in (*self.inputs, *made) if a.type in wanted)

    def upstream_of(self, todo: Todo) -> tuple[Upstream, ...]:
        """What came of the todos that a synthesis waits for."""
        if todo.item.role is not TodoRole.SYNTHESIS:
            return ()
        waited = (self.todos[one] for one in dict.fromkeys(todo.item.depends_on))
        return tuple(
            Upstream(
                title=one.item.title,
                tool=one.item.tool,
                succeeded=one.status is TodoStatus.SUCCEEDED,
                result=one.result,
                error=one.error.message if one.error else "",
            )
            for one in waited
        )

    def because(self, cause: str) -> ErrorInfo | None:
        """Why a todo is skipped, in the words of the failure that caused it."""
        failed = self.todos.get(cause)
        return failed.error if failed else None


@dataclass(slots=True)
class Session:
    """The open runs of a session, whose it is, and what all of its runs have used up."""

    user: str = "anonymous"
    timezone: str = ""

    runs: dict[UUID, Run] = field(default_factory=dict)
    spent: Spent = field(default_factory=Spent)
    budget: Budget | None = None
    """What the person has raised the session's limits to."""
    is_quick: bool = False
    """Its last todo was over at once."""

    @property
    def in_flight(self) -> int:
        """What a run that ends has in flight is being stopped: its slots are free."""
        return sum(run.in_flight for run in self.runs.values() if not run.is_ending)
