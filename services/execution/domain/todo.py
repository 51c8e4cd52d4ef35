"""A todo of the approved plan, and how far it is."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum, auto
from typing import NamedTuple

from contracts.artifacts import Attachment
from contracts.errors import Code, ErrorInfo
from contracts.execution import ExecutionResult, TodoStatus
from contracts.planning import JoinKind, TodoItem, TodoRole
from contracts.shape import JsonObject


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
    """Its item, the counts of what it waits for, its stage, its attempts, and what came of them."""

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
    place: int = 0
    """When it became ready, among all todos of the run; it keeps its place when it has to be done again."""
    attempt: int = 0
    failures: int = 0
    round: int = 1
    retry_at: datetime | None = None
    waits_for_tool: bool = False
    tool_granted: bool = False
    """The tool was granted while its attempt was in flight: if that says the tool is busy, it is not any more."""
    status: TodoStatus | None = None
    result: JsonObject = field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()
    from_before: datetime | None = None
    error: ErrorInfo | None = None
    skip_reason: str = ""
    skip_cause: str = ""

    @classmethod
    def carried(cls, before: "Todo | None", item: TodoItem) -> "Todo":
        """The todo of a new version of the plan, as far as it was in the last one."""
        todo = before or cls(item)
        waits_for, anew = set(item.depends_on), todo.item.depends_on != item.depends_on
        todo.item, todo.dependants = item, []
        todo.wanted = sum(todo.merely_wants(one) for one in waits_for)
        todo.required = len(waits_for) - todo.wanted
        todo.needs = _needs(item, todo.required)
        # it may wait for something else now
        if (todo.stage is Stage.READY and not todo.attempt) or (todo.stage in (Stage.READY, Stage.RETRYING) and anew):
            todo.stage, todo.place, todo.retry_at = Stage.BLOCKED, 0, None
        return todo

    def merely_wants(self, dependency: str) -> bool:
        """A synthesis merely wants all that it waits for: it goes on with what there is."""
        return self.item.role is TodoRole.SYNTHESIS or dependency in self.item.wants

    @property
    def stands(self) -> bool:
        """Done, or decided by a person, or of an outcome that nobody knows: not to be done again by itself."""
        unknown = self.error is not None and self.error.code == Code.TOOL_OUTCOME_UNKNOWN
        return self.status is TodoStatus.SUCCEEDED or self.skip_reason in {"person", "policy"} or unknown

    def forget(self) -> None:
        """It is to run again from the beginning, in another round of its cycle. Attempts are counted on."""
        self.status, self.stage, self.place, self.failures = None, Stage.BLOCKED, 0, 0
        self.result, self.attachments, self.from_before, self.error = {}, (), None, None
        self.skip_reason = self.skip_cause = ""

    def as_result(self, status: TodoStatus, error: ErrorInfo | None) -> ExecutionResult:
        return ExecutionResult(
            todo_id=self.item.id,
            status=status,
            result=self.result,
            attachments=self.attachments,
            error=error,
            attempts=self.attempt,
            from_before=self.from_before,
        )


def _needs(item: TodoItem, known: int) -> int:
    match item.join:
        case JoinKind.ALL:
            return known
        case JoinKind.ANY | JoinKind.FIRST_GOOD:
            return min(1, known)
        case JoinKind.K_OF_N:
            return min(item.join_count or known, known)
