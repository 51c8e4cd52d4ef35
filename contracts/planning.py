"""Layer 2: what will be done, as an immutable plan of todos that a person approves."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar
from uuid import UUID

from pydantic import Field

from contracts.artifacts import Attachment
from contracts.cognitive import CognitiveOutput, OutputFormat
from contracts.errors import ErrorInfo
from contracts.shape import ArtifactType, Contract, Event, JsonObject, Language, ToolKey
from contracts.tools import ErrorPolicy, ExecutorRoute, ToolSpec

TAKES_WORDS = "takes_words"
"""In the subject of a question about a plan: whether it can be changed by saying what is to be otherwise."""
TodoId = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,47}$")]


class JoinKind(StrEnum):
    """How many dependencies a todo waits for."""

    ALL = "all"
    ANY = "any"
    K_OF_N = "k_of_n"
    FIRST_GOOD = "first_good"


class TodoRole(StrEnum):
    """`synthesis` brings together what workers of several domains found, whatever failed on the way (SWARM)."""

    STEP = "step"
    SYNTHESIS = "synthesis"


class TodoItem(Contract):
    """One step of a plan. Frozen: a change makes `version` + 1."""

    id: TodoId
    version: int = Field(default=1, ge=1)
    title: str = Field(min_length=1, description="in the user's language")
    tool: ToolKey
    executor: ExecutorRoute
    params: JsonObject = Field(default_factory=dict)
    depends_on: tuple[TodoId, ...] = ()
    wants: tuple[TodoId, ...] = Field(
        default=(), description="those of depends_on that are waited for, but whose failure does not stop this todo"
    )
    consumes: tuple[ArtifactType, ...] = ()
    produces: tuple[ArtifactType, ...] = ()
    join: JoinKind = JoinKind.ALL
    join_count: int | None = Field(default=None, ge=1, description="k, for k_of_n")
    on_error: ErrorPolicy = ErrorPolicy.FAIL
    retries: int = Field(default=2, ge=0, le=10)
    timeout_seconds: float = Field(default=300.0, gt=0)
    estimate_seconds: float = Field(default=0.0, ge=0)
    tokens: int = Field(default=0, ge=0, description="forecast of one attempt; reserved before it is dispatched")
    money: float = Field(default=0.0, ge=0, description="forecast of one attempt, USD")
    role: TodoRole = TodoRole.STEP
    until: JsonObject | None = Field(
        default=None, description="JSON Schema of a result that is good enough; else the cycle runs again (CYCLIC)"
    )
    repeat_from: TodoId | None = Field(default=None, description="first todo of the cycle; none = this todo alone")
    rounds: int = Field(default=3, ge=1, le=10, description="loop breaker: rounds of the cycle at most")


class Estimate(Contract):
    """What the plan is expected to cost. `critical_path_seconds` is the wall time with enough workers."""

    total_seconds: float = Field(ge=0, description="sum over todos, s")
    critical_path_seconds: float = Field(ge=0, description="longest chain of dependencies, s")
    money: float = Field(default=0.0, ge=0, description="USD")
    tokens: int = Field(default=0, ge=0)


class Plan(Contract):
    """A version of a plan. Todos are in a topological order; `graph` maps a todo to those it waits for."""

    plan_id: UUID
    version: int = Field(default=1, ge=1)
    goals: tuple[ArtifactType, ...] = ()
    formats: tuple[OutputFormat, ...] = ()
    todos: tuple[TodoItem, ...] = Field(min_length=1)
    estimate: Estimate
    mermaid: str = ""

    @property
    def graph(self) -> dict[str, tuple[str, ...]]:
        return {todo.id: todo.depends_on for todo in self.todos}


class PlanningInput(Contract):
    """All that layer 2 may look at."""

    cognitive: CognitiveOutput
    attachments: tuple[Attachment, ...] = ()
    catalogue: tuple[ToolSpec, ...] = ()
    now: datetime
    previous: Plan | None = Field(default=None, description="the plan being revised")
    feedback: str = Field(default="", description="why the previous plan was rejected")


class PlanningOutput(Event):
    """A plan was proposed, or a new version of it."""

    producers: ClassVar[frozenset[str]] = frozenset({"planning"})
    example: ClassVar = {
        "plan": {
            "plan_id": "0197a1f0-0000-7000-8000-000000000001",
            "todos": [{"id": "t1", "title": "리뷰 읽기", "tool": "marketing.collector", "executor": "data"}],
            "estimate": {"total_seconds": 1.0, "critical_path_seconds": 1.0},
        },
        "language": "ko",
        "requires_approval": True,
    }

    plan: Plan
    language: Language
    requires_approval: bool = True
    attachments: tuple[Attachment, ...] = Field(default=(), description="inputs the plan starts from")
    understood: tuple[str, ...] = Field(
        default=(), description="what of the files it works on, a few words each, in the person's language"
    )
    cannot: tuple[str, ...] = Field(default=(), description="sentences about what was said and cannot be done")
    from_before: tuple[TodoId, ...] = Field(
        default=(), description="steps that an earlier run has done already, as far as is known now"
    )


class PlanApproved(Event):
    """The plan may run, exactly as this version says. `approved_by` is `person` or `policy`."""

    producers: ClassVar[frozenset[str]] = frozenset({"planning"})
    example: ClassVar = {
        "plan_id": "0197a1f0-0000-7000-8000-000000000001",
        "plan_version": 1,
        "plan_hash": "0" * 64,
        "approved_by": "person",
    }

    plan_id: UUID
    plan_version: int = Field(ge=1)
    plan_hash: str = Field(pattern=r"^[0-9a-f]{64}$", description="SHA-256 of the plan's canonical JSON")
    approved_by: str = Field(pattern=r"^(person|policy)$")
    decision_id: UUID | None = None


class PlanEditRefused(Event):
    """An edit of a running plan was not possible, and why; the plan is as it was."""

    producers: ClassVar[frozenset[str]] = frozenset({"planning"})
    example: ClassVar = {
        "plan_id": "0197a1f0-0000-7000-8000-000000000001",
        "plan_version": 1,
        "error": {"code": 4012, "message": "끝난 단계는 바꿀 수 없습니다."},
    }

    plan_id: UUID
    plan_version: int = Field(ge=1, description="the version that was to be edited")
    error: ErrorInfo


class PlanRejected(Event):
    """The plan will not run. With a person's reason a revised plan follows; `final` ends the run. `error` says that
    there could be no plan at all, and why."""

    producers: ClassVar[frozenset[str]] = frozenset({"planning"})
    example: ClassVar = {
        "plan_id": "0197a1f0-0000-7000-8000-000000000001",
        "plan_version": 1,
        "reason": "",
        "final": True,
    }

    plan_id: UUID
    plan_version: int = Field(ge=1)
    reason: str = ""
    final: bool
    decision_id: UUID | None = None
    error: ErrorInfo | None = None
