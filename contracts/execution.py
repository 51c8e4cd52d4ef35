"""Layer 3: how the approved todos are run, and what came of each."""

from datetime import datetime
from enum import StrEnum
from typing import ClassVar
from uuid import UUID

from pydantic import Field

from contracts.agents import ToolCall
from contracts.artifacts import Attachment
from contracts.errors import ErrorInfo
from contracts.planning import TodoId, TodoItem
from contracts.shape import Contract, Event, Fraction, JsonObject, Language
from contracts.tools import Upstream

_PLAN = "0197a1f0-0000-7000-8000-000000000001"


class ExecutionStrategy(StrEnum):
    """Source design 004 section 2.2."""

    SINGLE = "single"
    SEQUENTIAL = "sequential"
    PARALLEL = "parallel"
    SWARM = "swarm"
    CYCLIC = "cyclic"


class TodoStatus(StrEnum):
    """Where a todo stands when execution ends."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"


class ExecutionStatus(StrEnum):
    """`partial`: something failed or was skipped, and something useful is there."""

    SUCCEEDED = "succeeded"
    PARTIAL = "partial"
    FAILED = "failed"
    CANCELLED = "cancelled"


class ExecutionResult(Contract):
    """What came of one todo. `result` fits the tool's result schema; files are in `attachments`."""

    todo_id: TodoId
    status: TodoStatus
    result: JsonObject = Field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()
    error: ErrorInfo | None = None
    attempts: int = Field(default=1, ge=0)
    from_before: datetime | None = Field(default=None, description="when it was made, if not in this run")


class ExecutionStarted(Event):
    """The dispatcher took the plan over, with the strategy it chose."""

    producers: ClassVar[frozenset[str]] = frozenset({"execution"})
    example: ClassVar = {"plan_id": _PLAN, "plan_version": 1, "strategy": "parallel", "todo_count": 4}

    plan_id: UUID
    plan_version: int = Field(ge=1)
    strategy: ExecutionStrategy
    todo_count: int = Field(ge=1)


class TodoDispatched(Event):
    """A todo was handed to its executor: everything the executor needs, so that it need not ask anyone."""

    producers: ClassVar[frozenset[str]] = frozenset({"execution"})
    example: ClassVar = {
        "plan_id": _PLAN,
        "todo": {"id": "t1", "title": "리뷰 읽기", "tool": "marketing.collector", "executor": "data"},
        "attempt": 1,
        "language": "ko",
        "requested_at": "2026-01-01T00:00:00Z",
    }

    plan_id: UUID
    todo: TodoItem
    attempt: int = Field(ge=1)
    inputs: tuple[Attachment, ...] = ()
    language: Language
    upstream: tuple[Upstream, ...] = Field(
        default=(), description="for a synthesis: what came of the todos it waits for, failures included"
    )
    user: str = Field(default="anonymous", description="whose memory and calendar the tools may touch")
    timezone: str = Field(default="", description="IANA name; empty = that of the settings")
    requested_at: datetime = Field(description="when the person asked; the tools' notion of now")
    failures: int = Field(default=0, ge=0, description="earlier attempts that failed; the rest waited for something")
    round: int = Field(default=1, ge=1, description="round of its cycle")
    waits_for_tool: bool = Field(default=False, description="the person chose to wait in line for a busy tool")


class TodoStarted(Event):
    """An executor began an attempt that is not over at once (see docs/protocol.md)."""

    producers: ClassVar[frozenset[str]] = frozenset({"execution"})
    example: ClassVar = {"todo_id": "t1", "attempt": 1, "worker": "data-1", "started_at": "2026-01-01T00:00:00Z"}

    todo_id: TodoId
    attempt: int = Field(ge=1)
    worker: str
    started_at: datetime


class TodoProgressed(Event):
    """How far an attempt has come."""

    producers: ClassVar[frozenset[str]] = frozenset({"execution"})
    example: ClassVar = {"todo_id": "t1", "attempt": 1, "fraction": 0.5, "message": "1,200 / 2,400"}

    todo_id: TodoId
    attempt: int = Field(ge=1)
    fraction: Fraction
    message: str = ""
    title: str = Field(default="", description="a short name of what is done, for the progress log of an agent loop")


class AgentStepped(Event):
    """The model of an agent loop has spoken: calls to make, or the final answer. Recorded before anything is done."""

    producers: ClassVar[frozenset[str]] = frozenset({"execution"})
    example: ClassVar = {
        "todo_id": "t1",
        "step": 1,
        "calls": [{"call_id": "c1", "tool": "documents.search", "arguments": {"query": "채용"}}],
    }

    todo_id: TodoId
    step: int = Field(ge=1)
    text: str = ""
    calls: tuple[ToolCall, ...] = ()


class AgentToolCalled(Event):
    """A call of an agent loop is about to be made: from here on its effect may have happened."""

    producers: ClassVar[frozenset[str]] = frozenset({"execution"})
    example: ClassVar = {"todo_id": "t1", "step": 1, "call_id": "c1", "tool": "documents.search"}

    todo_id: TodoId
    step: int = Field(ge=1)
    call_id: str
    tool: str


class AgentToolAnswered(Event):
    """What came of a call of an agent loop."""

    producers: ClassVar[frozenset[str]] = frozenset({"execution"})
    example: ClassVar = {"todo_id": "t1", "step": 1, "call_id": "c1", "tool": "documents.search", "result": {}}

    todo_id: TodoId
    step: int = Field(ge=1)
    call_id: str
    tool: str
    result: JsonObject = Field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()
    error: ErrorInfo | None = None


class TodoSucceeded(Event):
    """An attempt returned a valid result."""

    producers: ClassVar[frozenset[str]] = frozenset({"execution"})
    example: ClassVar = {
        "todo_id": "t1",
        "attempt": 1,
        "result": {"rows": 2400},
        "started_at": "2026-01-01T00:00:00Z",
        "seconds": 0.4,
    }

    todo_id: TodoId
    attempt: int = Field(ge=1)
    result: JsonObject = Field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()
    started_at: datetime
    seconds: float = Field(ge=0)
    late: bool = Field(default=False, description="arrived after the run had ended; changes nothing")
    tokens: int = Field(default=0, ge=0, description="used by models on its behalf")
    money: float = Field(default=0.0, ge=0, description="USD")
    from_before: datetime | None = Field(
        default=None, description="nothing was done: the same call had made it then, with the same files"
    )


class TodoFailed(Event):
    """An attempt failed. `will_retry_at` says when the next one starts; none = this was the last."""

    producers: ClassVar[frozenset[str]] = frozenset({"execution"})
    example: ClassVar = {
        "todo_id": "t1",
        "attempt": 1,
        "error": {"code": 6102, "message": "글이 담긴 열을 찾지 못했습니다."},
        "seconds": 0.1,
    }

    todo_id: TodoId
    attempt: int = Field(ge=1)
    error: ErrorInfo
    seconds: float = Field(default=0.0, ge=0)
    will_retry_at: datetime | None = None
    late: bool = False


class TodoSkipped(Event):
    """The todo will not run, because of `cause` (a todo that failed, a person, or a policy)."""

    producers: ClassVar[frozenset[str]] = frozenset({"execution"})
    example: ClassVar = {"todo_id": "t2", "reason": "dependency_failed", "cause": "t1"}

    todo_id: TodoId
    reason: str = Field(pattern=r"^(dependency_failed|policy|person|cancelled)$")
    cause: str = ""


class ToolLeased(Event):
    """The right to use a tool was granted; `fencing_token` grows with every grant in the group."""

    producers: ClassVar[frozenset[str]] = frozenset({"execution"})
    example: ClassVar = {
        "todo_id": "t1",
        "tool": "devices.movie",
        "group_key": "MonitorBox",
        "lease_id": _PLAN,
        "fencing_token": 7,
        "expires_at": "2026-01-01T00:00:30Z",
    }

    todo_id: TodoId
    tool: str
    group_key: str
    lease_id: UUID
    fencing_token: int = Field(ge=0)
    expires_at: datetime


class ToolBusy(Event):
    """The tool's group was full; the todo waits at `position` (from 1) or asks."""

    producers: ClassVar[frozenset[str]] = frozenset({"execution"})
    example: ClassVar = {"todo_id": "t1", "tool": "devices.movie", "group_key": "MonitorBox", "position": 1}

    todo_id: TodoId
    tool: str
    group_key: str
    position: int = Field(ge=1)


class ToolReleased(Event):
    """A lease ended: `released` by its holder, `expired`, or `revoked`."""

    producers: ClassVar[frozenset[str]] = frozenset({"execution"})
    example: ClassVar = {"todo_id": "t1", "lease_id": _PLAN, "fencing_token": 7, "reason": "released"}

    todo_id: TodoId
    lease_id: UUID
    fencing_token: int = Field(ge=0)
    reason: str = Field(pattern=r"^(released|expired|revoked)$")


class ExecutionOutput(Event):
    """Every todo has come to an end. `results` are in plan order."""

    producers: ClassVar[frozenset[str]] = frozenset({"execution"})
    example: ClassVar = {
        "plan_id": _PLAN,
        "plan_version": 1,
        "status": "succeeded",
        "results": [{"todo_id": "t1", "status": "succeeded", "result": {"rows": 2400}}],
    }

    plan_id: UUID
    plan_version: int = Field(ge=1)
    status: ExecutionStatus
    results: tuple[ExecutionResult, ...]
    error: ErrorInfo | None = None
