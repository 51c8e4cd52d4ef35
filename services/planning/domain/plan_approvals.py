"""What an answer to "may this plan run?" makes happen, and what of an approved plan may be edited."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import assert_never, get_args
from uuid import UUID

from contracts.decisions import DecisionAnswered, DecisionExpired, DecisionKind, DecisionRequested
from contracts.errors import Code
from contracts.execution import TodoDispatched, TodoFailed, TodoSkipped, TodoSucceeded
from contracts.gateway import PlanEdited, RunControl, RunControlRequested
from contracts.pause import PAUSING
from contracts.planning import Plan, PlanApproved, PlanningOutput, PlanRejected
from contracts.response import RunCancelled, RunCompleted, RunFailed
from contracts.shape import Event, JsonObject
from services.planning.domain.dependency import PlanInvalid

Worked = TodoDispatched | TodoSucceeded | TodoFailed | TodoSkipped
Folded = (
    PlanningOutput
    | DecisionRequested
    | DecisionAnswered
    | DecisionExpired
    | PlanApproved
    | PlanRejected
    | RunControlRequested
    | TodoDispatched
    | TodoSucceeded
    | TodoFailed
    | TodoSkipped
    | RunCompleted
    | RunFailed
    | RunCancelled
)
FOLDS = frozenset(event.__name__ for event in get_args(Folded))


@dataclass(slots=True)
class OpenPlan:
    """The newest plan of a run, not approved yet: the question about it, and the answer still to be acted on."""

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
class ApprovedPlan:
    """The approved plan of a run that goes on. `attempts` are those in flight; `over` have come to an end."""

    output: PlanningOutput
    attempts: dict[str, int] = field(default_factory=dict)
    over: set[str] = field(default_factory=set)

    @property
    def begun(self) -> Collection[str]:
        """The todos that an edit must leave as they are."""
        return self.over | self.attempts.keys()


@dataclass(slots=True)
class PlanApprovals:
    """The plans of a session that wait for a person, those that were approved, and the runs that are paused."""

    plans: dict[UUID, OpenPlan] = field(default_factory=dict)
    approved: dict[UUID, ApprovedPlan] = field(default_factory=dict)
    paused: set[UUID] = field(default_factory=set)


def evolve(approvals: PlanApprovals, event: Event, run_id: UUID) -> PlanApprovals:
    """Folds one event; owns the approvals and changes them in place."""
    if not isinstance(event, Folded):
        raise TypeError(f"{type(event).__name__} is not folded here")
    if isinstance(event, PlanningOutput):
        approvals.plans[run_id] = OpenPlan(event)
    elif isinstance(event, PlanApproved):
        _approve(approvals, run_id, event)
    elif isinstance(event, RunCompleted | RunFailed | RunCancelled):
        approvals.plans.pop(run_id, None)
        approvals.approved.pop(run_id, None)
        approvals.paused.discard(run_id)
    elif isinstance(event, RunControlRequested):
        (approvals.paused.add if event.control in PAUSING else approvals.paused.discard)(run_id)
    elif isinstance(event, Worked):
        if approved := approvals.approved.get(run_id):
            _work(approved, event)
    elif current := approvals.plans.get(run_id):
        _advance(current, event)
    return approvals


def _approve(approvals: PlanApprovals, run_id: UUID, event: PlanApproved) -> None:
    proposed = approvals.plans.pop(run_id, None)
    if proposed is None or proposed.plan.version != event.plan_version:
        return
    if approved := approvals.approved.get(run_id):
        approved.output = proposed.output  # edited while it ran: what was begun stays begun
    else:
        approvals.approved[run_id] = ApprovedPlan(proposed.output)


def _work(approved: ApprovedPlan, event: Worked) -> None:
    match event:
        case TodoDispatched():
            approved.over.discard(event.todo.id)  # a cycle runs again, or a person wants another attempt
            approved.attempts[event.todo.id] = event.attempt
        case TodoSkipped():
            approved.attempts.pop(event.todo_id, None)
            approved.over.add(event.todo_id)
        case TodoSucceeded() | TodoFailed():
            if approved.attempts.get(event.todo_id) != event.attempt:
                return  # a late word of an earlier attempt
            del approved.attempts[event.todo_id]
            if isinstance(event, TodoSucceeded) or not _comes_again(event):
                approved.over.add(event.todo_id)
        case _:
            assert_never(event)


def _comes_again(event: TodoFailed) -> bool:
    """Whether the failed attempt is repeated by itself: after a delay, or because an interrupt stopped it."""
    return event.will_retry_at is not None or event.error.detail.get("control") == RunControl.INTERRUPT


def editable(approvals: PlanApprovals, run_id: UUID, edited: PlanEdited) -> ApprovedPlan:
    """The plan that the edit may change now. Raises PlanInvalid."""
    approved = approvals.approved.get(run_id)
    if run_id not in approvals.paused:
        raise PlanInvalid(Code.RUN_NOT_PAUSED, "the run is not paused")
    if approved is None:
        raise PlanInvalid(Code.PLAN_EDIT_INVALID, "the plan is not approved yet", why="unapproved")
    current = approved.output.plan.version
    if edited.plan_version != current:
        raise PlanInvalid(
            Code.VERSION_CONFLICT, f"the edit is of version {edited.plan_version}, the plan has version {current}",
            given=str(edited.plan_version), current=str(current),
        )  # fmt: skip
    return approved


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
