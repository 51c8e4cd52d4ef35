"""A cancel that comes before a plan is approved: nobody is at work on the run who could end it, so response does."""

from dataclasses import dataclass, field
from typing import get_args
from uuid import UUID

from contracts.cognitive import CognitiveOutput
from contracts.gateway import MessageReceived, RunControl, RunControlRequested
from contracts.planning import PlanApproved
from contracts.response import RunCancelled, RunCompleted, RunFailed
from contracts.shape import Event

Folded = MessageReceived | CognitiveOutput | PlanApproved | RunCompleted | RunFailed | RunCancelled
FOLDS = frozenset(event.__name__ for event in get_args(Folded))


@dataclass(slots=True)
class Early:
    """A run whose plan is not approved yet. `language` is None until somebody has said it."""

    text: str
    language: str | None


@dataclass(slots=True)
class EarlyRuns:
    """The runs of a session that execution knows nothing of."""

    runs: dict[UUID, Early] = field(default_factory=dict)


def evolve(early: EarlyRuns, event: Event, run_id: UUID) -> EarlyRuns:
    """Folds one event; owns the state and changes it in place."""
    if not isinstance(event, Folded):
        raise TypeError(f"{type(event).__name__} is not folded here")
    if isinstance(event, MessageReceived):
        early.runs[run_id] = Early(event.text, event.language)
    elif isinstance(event, CognitiveOutput):
        # given up: its language is a guess
        if event.error is None and (run := early.runs.get(run_id)):
            run.language = event.language
    else:
        early.runs.pop(run_id, None)
    return early


def to_cancel(early: EarlyRuns, event: Event, run_id: UUID) -> Early | None:
    """The run that is to end now; None when it has ended, or when the dispatcher ends it."""
    if isinstance(event, RunControlRequested) and event.control is RunControl.CANCEL:
        return early.runs.get(run_id)
    return None
