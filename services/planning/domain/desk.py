"""The plan desk: what an answer to "may this plan run?" makes happen."""

from dataclasses import dataclass, field
from typing import assert_never, get_args
from uuid import UUID

from contracts.decisions import DecisionAnswered, DecisionExpired, DecisionKind, DecisionRequested
from contracts.planning import Plan, PlanApproved, PlanningOutput, PlanRejected
from contracts.response import RunCancelled, RunCompleted, RunFailed
from contracts.shape import Event, JsonObject

Folded = (
    PlanningOutput
    | DecisionRequested
    | DecisionAnswered
    | DecisionExpired
    | PlanApproved
    | PlanRejected
    | RunCompleted
    | RunFailed
    | RunCancelled
)
FOLDS = frozenset(event.__name__ for event in get_args(Folded))


@dataclass(slots=True)
class OpenPlan:
    """The newest plan of a run, the question about it, and the answer that is still to be acted on."""

    output: PlanningOutput
    decision_id: UUID | None = None
    answer: JsonObject | None = None

    @property
    def plan(self) -> Plan:
        return self.output.plan

    @property
    def language(self) -> str:
        return self.output.language


@dataclass(slots=True)
class Desk:
    """The plans of a session that wait for a person."""

    plans: dict[UUID, OpenPlan] = field(default_factory=dict)


def evolve(desk: Desk, event: Event, run_id: UUID) -> Desk:
    """Folds one event; owns the desk and changes it in place."""
    if not isinstance(event, Folded):
        raise TypeError(f"{type(event).__name__} is not folded here")
    if isinstance(event, PlanningOutput):
        desk.plans[run_id] = OpenPlan(event)
    elif isinstance(event, PlanApproved | RunCompleted | RunFailed | RunCancelled):
        desk.plans.pop(run_id, None)
    elif current := desk.plans.get(run_id):
        _advance(current, event)
    return desk


def _advance(current: OpenPlan, event: DecisionRequested | DecisionAnswered | DecisionExpired | PlanRejected) -> None:
    match event:
        case DecisionRequested():
            if event.kind is DecisionKind.PLAN:
                current.decision_id, current.answer = event.decision_id, None
        case DecisionAnswered():
            if event.decision_id == current.decision_id:
                current.answer = event.answer
        case DecisionExpired():
            if event.decision_id == current.decision_id and current.answer is None:
                current.decision_id, current.answer = None, event.default
        case PlanRejected():
            current.decision_id = current.answer = None
        case _:
            assert_never(event)
