"""A typed sentence and the runs that are at work: whether it controls one of them, and which."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

from contracts.cognitive import FlowAdvanced, FlowStage
from contracts.envelope import Message
from contracts.gateway import RunControl, RunControlRequested
from services.gateway.domain import steering
from services.gateway.domain.refusal import Refused, Repeated
from services.gateway.domain.steering import Steered, Steering, judge_control
from services.gateway.domain.typed import Turn, is_made_of

FOLDS = steering.FOLDS | {"PlanApproved", "FlowAdvanced"}
"""Enough to know which runs are at work, and whether a dialogue is open."""
_OF_DIALOGUES = frozenset({RunControl.CANCEL, RunControl.INTERRUPT, RunControl.RESUME})
"""Controls whose words say yes or no to a dialogue that is open: it keeps them."""


class ControlWords(NamedTuple):
    """Words of each control, and those that change nothing `beside` them. All as `turn` leaves them."""

    of: Mapping[RunControl, frozenset[str]]
    beside: frozenset[str]


@dataclass(slots=True)
class AtWork:
    """The runs of a session; `approved` are those whose plan may run, `leading` the flows that are open or at work, and
    `by` the runs of controls, by their event ids."""

    steering: Steering = field(default_factory=Steering)
    approved: set[UUID] = field(default_factory=set)
    leading: set[str] = field(default_factory=set)
    by: dict[UUID, UUID] = field(default_factory=dict)


class Controlling(NamedTuple):
    """The run that a sentence controls: what is to be recorded of it, or what has that effect already."""

    run_id: UUID
    control: RunControl
    run: Steered | Repeated
    traceparent: str | None


def evolve(at_work: AtWork, message: Message) -> AtWork:
    """Takes the next event of FOLDS in, in place."""
    if message.type in steering.FOLDS:
        steering.evolve(at_work.steering, message)
    if message.type == "PlanApproved" and message.run_id is not None:
        at_work.approved.add(message.run_id)
    elif message.type == "RunControlRequested" and message.run_id is not None:
        at_work.by[message.event_id] = message.run_id
    elif message.type == "FlowAdvanced":
        event = message.event
        assert isinstance(event, FlowAdvanced)
        led = event.is_open or event.stage is FlowStage.CONFIRMED
        (at_work.leading.add if led else at_work.leading.discard)(event.flow)
    return at_work


def control_in(said: Turn, words: ControlWords) -> RunControl | None:
    """The control that a sentence as a whole is made of; none where it is of two, or says anything else."""
    found = [one for one, known in words.of.items() if is_made_of(said, known, words.beside)]
    return found[0] if len(found) == 1 else None


def controlling(at_work: AtWork, control: RunControl, control_id: UUID) -> Controlling | None:
    """What the control is for: the only run at work, if it takes it now. An open dialogue keeps its own words."""
    if at_work.leading and control in _OF_DIALOGUES:
        return None
    runs = at_work.steering.runs
    busy = [one for one in at_work.approved if one in runs and _may_be_controlled(runs[one])]
    if len(busy) != 1:
        return None
    (run_id,) = busy
    try:
        judged = judge_control(
            at_work.steering, run_id, RunControlRequested(control=control), control_id, handled=False
        )
    except Refused:
        return None
    return Controlling(run_id, control, judged, runs[run_id].traceparent)


def controlled(at_work: AtWork, control_id: UUID) -> Controlling | None:
    """The control that was recorded with this id."""
    run_id = at_work.by.get(control_id)
    if run_id is None:
        return None
    version, event = at_work.steering.taken[control_id]
    assert isinstance(event, RunControlRequested)
    return Controlling(run_id, event.control, Repeated(version), at_work.steering.runs[run_id].traceparent)


def _may_be_controlled(run: Steered) -> bool:
    return not run.ended and run.held is not RunControl.CANCEL
