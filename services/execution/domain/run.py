"""The state of one run's execution, folded from events. Every step costs the same, however long the plan is."""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from contracts.artifacts import Attachment
from contracts.errors import ErrorInfo
from contracts.execution import ExecutionResult, TodoStatus
from contracts.planning import JoinKind, Plan, TodoItem
from contracts.shape import JsonObject


@dataclass(slots=True)
class Todo:
    """A todo of the approved plan, and how far it is."""

    item: TodoItem
    needs: int
    """How many of its dependencies have to succeed."""
    possible: int
    """How many of them have succeeded or still can."""
    open_wants: int = 0
    """How many of those it merely wants have not come to an end."""
    good: int = 0
    good_wants: int = 0
    dependants: list[str] = field(default_factory=list)
    attempt: int = 0
    failing: int = 0
    """The attempt that failed and will be repeated when its timer fires."""
    status: TodoStatus | None = None
    result: JsonObject = field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()
    error: ErrorInfo | None = None
    skip_cause: str = ""

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
    language: str = "en"
    plan: Plan | None = None
    inputs: tuple[Attachment, ...] = ()
    approved: bool = False
    started: bool = False
    todos: dict[str, Todo] = field(default_factory=dict)
    ready: dict[str, None] = field(default_factory=dict)
    """Todos that may be dispatched now, the first time or again: an ordered set that events add to and take from."""
    to_skip: dict[str, str] = field(default_factory=dict)
    """Todos that can never run -> the todo whose failure is the cause."""
    open: int = 0

    def approve(self, plan: Plan) -> None:
        """Counts what each todo waits for; those that wait for nothing are ready."""
        self.approved = True
        self.todos = {item.id: _todo(item) for item in plan.todos}
        self.open = len(self.todos)
        for todo in self.todos.values():
            for dependency in dict.fromkeys(todo.item.depends_on):
                self.todos[dependency].dependants.append(todo.item.id)
            if not todo.item.depends_on:
                self.ready[todo.item.id] = None

    def end(self, todo: Todo, status: TodoStatus) -> None:
        """A todo has come to an end; its dependants may be ready now, or never."""
        todo.status = status
        self.open -= 1
        for dependant_id in todo.dependants:
            dependant = self.todos[dependant_id]
            if dependant.status is None:
                self._hear(dependant, todo, good=status is TodoStatus.SUCCEEDED)

    def _hear(self, dependant: Todo, todo: Todo, *, good: bool) -> None:
        """One of the dependencies of a todo has come to an end."""
        had_enough = dependant.good >= dependant.needs and not dependant.open_wants
        if todo.item.id in dependant.item.wants:
            dependant.open_wants -= 1
            dependant.good_wants += good
        elif good:
            dependant.good += 1
        else:
            dependant.possible -= 1
        # who only wants, and got nothing of it, has nothing to work on
        in_vain = not dependant.possible and not dependant.open_wants and not dependant.good_wants
        if dependant.possible < dependant.needs or in_vain:
            self.to_skip.setdefault(dependant.item.id, todo.skip_cause or todo.item.id)
        elif not had_enough and dependant.good >= dependant.needs and not dependant.open_wants:
            self.ready[dependant.item.id] = None

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


def _todo(item: TodoItem) -> Todo:
    waits_for = set(item.depends_on)
    wanted = len(waits_for & set(item.wants))
    required = len(waits_for) - wanted
    return Todo(item, _needs(item, required), required, open_wants=wanted)


def _needs(item: TodoItem, known: int) -> int:
    match item.join:
        case JoinKind.ALL:
            return known
        case JoinKind.ANY | JoinKind.FIRST_GOOD:
            return min(1, known)
        case JoinKind.K_OF_N:
            return min(item.join_count or known, known)


Runs = dict[UUID, Run]
"""The open runs of a session."""
