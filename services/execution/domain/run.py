"""The state of one run's execution, folded from events. Every step costs the same, however long the plan is."""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from contracts.artifacts import Attachment
from contracts.errors import ErrorInfo
from contracts.execution import ExecutionResult, TodoStatus
from contracts.planning import Plan, TodoItem
from contracts.shape import JsonObject


@dataclass(slots=True)
class Todo:
    """A todo of the approved plan, and how far it is."""

    item: TodoItem
    waits_for: int
    dependants: list[str] = field(default_factory=list)
    attempt: int = 0
    status: TodoStatus | None = None
    result: JsonObject = field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()
    error: ErrorInfo | None = None
    skip_cause: str = ""

    def as_result(self) -> ExecutionResult:
        return ExecutionResult(
            todo_id=self.item.id,
            status=self.status or TodoStatus.CANCELLED,
            result=self.result,
            attachments=self.attachments,
            error=self.error,
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
    """Todos that may run now; like the next three, an ordered set that events take from and add to."""
    to_retry: dict[str, None] = field(default_factory=dict)
    to_schedule: dict[str, None] = field(default_factory=dict)
    to_skip: dict[str, str] = field(default_factory=dict)
    open: int = 0

    def approve(self) -> None:
        """Counts what each todo waits for; those that wait for nothing are ready."""
        if self.plan is None:
            return
        self.approved = True
        self.todos = {item.id: Todo(item, len(item.depends_on)) for item in self.plan.todos}
        self.open = len(self.todos)
        for todo in self.todos.values():
            for dependency in todo.item.depends_on:
                self.todos[dependency].dependants.append(todo.item.id)
            if not todo.item.depends_on:
                self.ready[todo.item.id] = None

    def end(self, todo: Todo, status: TodoStatus) -> None:
        """A todo has come to an end; its dependants are ready, or will be skipped."""
        todo.status = status
        self.open -= 1
        for dependant_id in todo.dependants:
            dependant = self.todos[dependant_id]
            if status is TodoStatus.SUCCEEDED:
                dependant.waits_for -= 1
                if dependant.waits_for == 0 and dependant.status is None:
                    self.ready[dependant_id] = None
            elif dependant.status is None and not dependant.skip_cause:
                dependant.skip_cause = todo.item.id
                self.to_skip[dependant_id] = todo.item.id

    def inputs_of(self, todo: Todo) -> tuple[Attachment, ...]:
        """Artifacts of the types a todo consumes: the person's files, then what its dependencies made."""
        wanted = set(todo.item.consumes)
        if not wanted:
            return ()
        made = (a for dependency in todo.item.depends_on for a in self.todos[dependency].attachments)
        return tuple(a for a in (*self.inputs, *made) if a.type in wanted)


Runs = dict[UUID, Run]
"""The open runs of a session."""
