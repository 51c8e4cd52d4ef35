"""A run in which a dialogue was asked something, and other work was done beside it: one answer tells both. A cancel
that comes before a plan is approved: nobody is at work on the run who could end it, so response does."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, get_args
from uuid import UUID

from backbone.runner.handlers import Emit, Outcome
from contracts.cognitive import CognitiveOutput, FlowAdvanced, Route
from contracts.envelope import Message
from contracts.execution import ExecutionOutput
from contracts.gateway import MessageReceived, RunControl, RunControlRequested
from contracts.planning import PlanApproved, PlanRejected
from contracts.response import ResponseOutput, RunCancelled, RunCompleted, RunFailed
from contracts.shape import Event
from services.response.domain import flows


class SaidInRun(NamedTuple):
    """`has_both`: a dialogue and a plan were begun. `moved` is what the dialogue says, `work` how the plan has ended,
    where that is known."""

    has_both: bool
    moved: FlowAdvanced | None = None
    work: Message | None = None


def said_in(recorded: Sequence[Message]) -> SaidInRun:
    """What the events of a run say of both, in the order in which they were recorded."""
    understood = [one.event for one in recorded if one.type == "CognitiveOutput"]
    clear = [one for one in understood if isinstance(one, CognitiveOutput) and not one.requires_clarification]
    routes = {one.route for one in clear if one.error is None}
    if not routes >= {Route.FLOW, Route.PLAN}:
        return SaidInRun(has_both=False)
    moved = [one.event for one in recorded if isinstance(one.event, FlowAdvanced) and one.event.message]
    work = [one for one in recorded if isinstance(one.event, ExecutionOutput) or _is_final(one)]
    return SaidInRun(has_both=True, moved=moved[-1] if moved else None, work=work[-1] if work else None)


def _is_final(message: Message) -> bool:
    return isinstance(message.event, PlanRejected) and message.event.final


def together(done: Outcome, moved: FlowAdvanced) -> Outcome:
    """What came of the work, and then what the dialogue asks: the person's next word is about that."""
    if not done.emits:
        return done  # the run has ended meanwhile
    ends = RunCompleted | RunFailed | RunCancelled
    asked = flows.answer(moved)
    emits: list[Emit] = []
    for emitted in done.emits:
        if isinstance(emitted.event, ResponseOutput):
            told = emitted.event
            told = told.model_copy(
                update={"text": f"{told.text}\n{asked.text}".strip(), "ui_hint": asked.ui_hint, "data": asked.data}
            )
            emits.append(emitted._replace(event=told))
        elif not isinstance(emitted.event, ends):
            emits.append(emitted)
    if not any(isinstance(one.event, ResponseOutput) for one in emits):
        emits.append(Emit(asked))
    return Outcome((*emits, Emit(flows.end(moved))), done.timers)


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
