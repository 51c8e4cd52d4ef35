"""The plan desk: what an answer to "may this plan run?" makes happen."""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from contracts.decisions import DecisionAnswered, DecisionExpired, DecisionKind, DecisionRequested
from contracts.planning import Plan, PlanApproved, PlanningOutput, PlanRejected
from contracts.response import RunCancelled, RunCompleted, RunFailed
from contracts.shape import Event, JsonObject

FOLDS = frozenset(
    {
        "PlanningOutput", "DecisionRequested", "DecisionAnswered", "DecisionExpired", "PlanApproved", "PlanRejected",
        "RunCompleted", "RunFailed", "RunCancelled",
    }
)  # fmt: skip


@dataclass(slots=True)
class OpenPlan:
    """The newest plan of a run, the question about it, and the answer that is still to be acted on."""

    plan: Plan
    language: str
    output: PlanningOutput
    decision_id: UUID | None = None
    answer: JsonObject | None = None
    answered_at: datetime | None = None


@dataclass(slots=True)
class Desk:
    """The plans of a session that wait for a person."""

    plans: dict[UUID, OpenPlan] = field(default_factory=dict)


def evolve(desk: Desk, event: Event, run_id: UUID, at: datetime) -> Desk:
    """Folds one event; owns the desk and changes it in place."""
    if isinstance(event, PlanningOutput):
        desk.plans[run_id] = OpenPlan(event.plan, event.language, event)
        return desk
    current = desk.plans.get(run_id)
    if current is None:
        return desk
    match event:
        case DecisionRequested(kind=DecisionKind.PLAN):
            current.decision_id, current.answer = event.decision_id, None
        case DecisionAnswered():
            if event.decision_id == current.decision_id:
                current.answer, current.answered_at = event.answer, at
        case DecisionExpired():
            if event.decision_id == current.decision_id:
                current.decision_id = None
                if event.default is not None:
                    current.answer = event.default
        case PlanApproved() | RunCompleted() | RunFailed() | RunCancelled():
            del desk.plans[run_id]
        case PlanRejected():
            current.decision_id = current.answer = None
        case _:
            pass  # a question of another kind
    return desk
