"""May a run be controlled, or its plan edited, now? Decided over the folded runs, under the stream's lock."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from contracts.envelope import Message
from contracts.errors import Code
from contracts.gateway import PlanEdited, RunControl, RunControlRequested
from contracts.pause import PAUSING
from contracts.planning import PlanningOutput
from contracts.registry import RUN_ENDS
from contracts.shape import JsonObject
from services.gateway.domain.refusal import Refused, Repeated

FOLDS = RUN_ENDS | {"MessageReceived", "RunControlRequested", "PlanEdited", "PlanningOutput"}
"""Enough to know how each run is controlled."""


_ENOUGH: Mapping[RunControl, frozenset[RunControl]] = {
    # an interrupted run is a paused one, with nothing left in flight
    RunControl.PAUSE: PAUSING,
    RunControl.INTERRUPT: frozenset({RunControl.INTERRUPT}),
    RunControl.RESUME: frozenset(),
    RunControl.CANCEL: frozenset({RunControl.CANCEL}),
}
"""Control -> those that have its effect already while they hold the run."""


@dataclass(slots=True)
class Steered:
    """A run. `held` is the control that holds it now, recorded at `version`; none = it goes on."""

    cause: UUID
    traceparent: str | None
    ended: bool = False
    held: RunControl | None = None
    version: int = 0
    plan_id: UUID | None = None


@dataclass(slots=True)
class Steering:
    """The runs of a session; `taken` are the controls and edits that were recorded, by their event ids."""

    runs: dict[UUID, Steered] = field(default_factory=dict)
    taken: dict[UUID, tuple[int, RunControlRequested | PlanEdited]] = field(default_factory=dict)


def evolve(steering: Steering, message: Message) -> Steering:
    """Takes the next event of FOLDS in, in place."""
    run_id = message.run_id or message.event_id
    if message.type == "MessageReceived":
        steering.runs.setdefault(run_id, Steered(message.event_id, message.traceparent))
        return steering
    run = steering.runs.get(run_id)
    if run is None:
        return steering
    if message.type in RUN_ENDS:
        run.ended = True
        return steering
    event = message.event
    match event:
        case RunControlRequested():
            run.held = None if event.control is RunControl.RESUME else event.control
            run.version = message.version
            steering.taken[message.event_id] = message.version, event
        case PlanEdited():
            steering.taken[message.event_id] = message.version, event
        case PlanningOutput():
            run.plan_id = event.plan.plan_id
    return steering


def judge_control(
    steering: Steering, run_id: UUID, wanted: RunControlRequested, control_id: UUID, *, handled: bool
) -> Steered | Repeated:
    """The run that the control is to be recorded for, or what has its effect already. Raises Refused.

    `handled`: its Idempotency-Key was taken before, perhaps when there was nothing to record."""
    run = _run(steering, run_id)
    if earlier := _taken(steering, control_id, wanted):
        return earlier
    if handled:
        return Repeated(run.version)
    if run.ended:
        raise _ended(run_id)
    if run.held in _ENOUGH[wanted.control]:
        return Repeated(run.version)
    if run.held is RunControl.CANCEL:
        raise _ended(run_id, "is being cancelled")
    if wanted.control is RunControl.RESUME and run.held is None:
        raise _not_paused(run_id, "there is nothing to resume")
    return run


def judge_edit(
    steering: Steering, run_id: UUID, plan_version: int, patch: Sequence[JsonObject], edit_id: UUID
) -> tuple[Steered, PlanEdited] | Repeated:
    """The edit that is to be recorded; whether it is possible, planning knows. Raises Refused."""
    run = _run(steering, run_id)
    if run.plan_id is None:
        raise Refused(Code.PLAN_EDIT_INVALID, f"run {run_id} has no plan yet: there is nothing to edit", status=409)
    edited = PlanEdited(plan_id=run.plan_id, plan_version=plan_version, patch=tuple(patch))
    if earlier := _taken(steering, edit_id, edited):
        return earlier
    if run.ended:
        raise _ended(run_id)
    if run.held not in PAUSING:
        raise _not_paused(run_id, "pause it first, its plan can be edited then")
    return run, edited


def _run(steering: Steering, run_id: UUID) -> Steered:
    if run := steering.runs.get(run_id):
        return run
    raise Refused(
        Code.RUN_UNKNOWN, f"run {run_id} is not one of this session: GET /sessions/{{session_id}} lists its runs"
    )


def _taken(steering: Steering, event_id: UUID, wanted: RunControlRequested | PlanEdited) -> Repeated | None:
    version, earlier = steering.taken.get(event_id, (0, None))
    if earlier is not None and earlier != wanted:
        raise Refused(
            Code.IDEMPOTENCY_KEY_REUSED, "this Idempotency-Key came with another body to this address: use a new key"
        )
    return Repeated(version) if earlier else None


def _ended(run_id: UUID, how: str = "has ended") -> Refused:
    return Refused(Code.RUN_ALREADY_ENDED, f"run {run_id} {how}: nothing was changed, send a new message instead")


def _not_paused(run_id: UUID, why: str) -> Refused:
    return Refused(Code.RUN_NOT_PAUSED, f"run {run_id} is not paused: {why}")
