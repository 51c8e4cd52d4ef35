"""The flows of a session, folded: where each stands, and which runs wait for a word of theirs.

A run gets one answer of its flow: whatever is said again, or comes after the end of its run, changes nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date
from typing import get_args
from uuid import UUID

from backbone.runner.handlers import Recorded
from contracts.cognitive import CognitiveOutput, FlowAdvanced, FlowReading, FlowStage, Route
from contracts.errors import Code, ErrorInfo
from contracts.execution import ExecutionOutput, ExecutionStatus, TodoStatus
from contracts.gateway import MessageReceived
from contracts.response import RunCancelled, RunCompleted, RunFailed
from contracts.shape import JsonObject
from services.cognitive.domain import moves, together, turn
from services.cognitive.domain.moves import FlowState, Moves
from services.cognitive.domain.slots import FlowRules, ValidationContext
from services.cognitive.domain.together import BY_PERSON

Folded = MessageReceived | CognitiveOutput | FlowAdvanced | RunCompleted | RunFailed | RunCancelled
FOLDS = frozenset(event.__name__ for event in get_args(Folded))


@dataclass(slots=True)
class FlowInstance:
    """One flow. `run_id` is the run that carries out what was confirmed; `facts` serve the tasks that wait, too."""

    last: FlowAdvanced
    run_id: UUID | None = None
    facts: JsonObject = field(default_factory=dict)
    today: date = date.min


@dataclass(slots=True)
class FlowSession:
    """`open` are the runs that have neither ended nor been answered by a flow; `readings` what was said in them."""

    flows: dict[str, FlowInstance] = field(default_factory=dict)
    open: set[UUID] = field(default_factory=set)
    readings: dict[UUID, FlowReading] = field(default_factory=dict)


def evolve(session: FlowSession, recorded: Recorded) -> FlowSession:
    """Folds one event; owns the session and changes it in place."""
    event, run_id = recorded.event, recorded.run_id
    if not isinstance(event, Folded):
        raise TypeError(f"{type(event).__name__} is not folded here")
    if run_id is None:
        return session
    if isinstance(event, MessageReceived):
        session.open.add(run_id)
    elif isinstance(event, CognitiveOutput):
        if event.flow is not None and run_id in session.open:
            session.readings[run_id] = event.flow
    else:
        session.open.discard(run_id)
        reading = session.readings.pop(run_id, None)
        if isinstance(event, FlowAdvanced):
            _advance(session, event, run_id, reading)
    return session


def _advance(session: FlowSession, event: FlowAdvanced, run_id: UUID, reading: FlowReading | None) -> None:
    led = session.flows.setdefault(event.flow, FlowInstance(event))
    if reading is not None:
        led.facts = _merged(led.facts, reading.facts)
        led.today = reading.today or led.today
    if event.stage is FlowStage.CONFIRMED and event.approval is None:
        return  # a word to somebody who asks while it is carried out
    led.last = event
    led.run_id = run_id if event.stage is FlowStage.CONFIRMED else None
    if not event.is_open and led.run_id is None and not event.queue:
        led.facts = {}


def _merged(old: JsonObject, new: JsonObject) -> JsonObject:
    """What was looked up for earlier tasks stays, entry by entry: they may wait in the queue."""
    merged = dict(old)
    for key, value in new.items():
        before = merged.get(key)
        merged[key] = before | value if isinstance(before, dict) and isinstance(value, dict) else value
    return merged


def decide(session: FlowSession, recorded: Recorded, flows: Mapping[str, FlowRules]) -> Moves:
    """The moves that a message makes happen, in order. Raises KeyError for a flow that is not loaded."""
    event, run_id = recorded.event, recorded.run_id
    if run_id is None:
        return ()
    if isinstance(event, CognitiveOutput):
        if event.flow is None or event.route is not Route.FLOW or event.error or run_id not in session.open:
            return ()
        return _said(session, recorded, event.flow, event.language, flows[event.flow.flow])
    led = next((one for one in session.flows.values() if one.run_id == run_id), None)
    if led is None or led.last.stage is not FlowStage.CONFIRMED:
        return ()
    grounds = ValidationContext(led.last.language, led.facts, led.today)
    at = FlowState(flows[led.last.flow], led.last, grounds)
    if isinstance(event, ExecutionOutput):
        return _carried_out(at, led.last, event)
    return moves.stopped(at, led.last) if isinstance(event, RunCancelled | RunFailed) else ()


def _said(session: FlowSession, recorded: Recorded, reading: FlowReading, language: str, rules: FlowRules) -> Moves:
    led = session.flows.get(reading.flow)
    facts = _merged(led.facts, reading.facts) if led else reading.facts
    # a reading says what day it is where the person is; without, it is that of the ledger
    today = reading.today or recorded.at.astimezone(UTC).date()
    at = FlowState(rules, led.last if led else None, ValidationContext(language, facts, today))
    return turn.read(at, reading, recorded.event_id)


def _carried_out(at: FlowState, state: FlowAdvanced, output: ExecutionOutput) -> Moves:
    """A call that has happened has happened, even when the person has stopped the run a moment too late."""
    cancelled = output.status is ExecutionStatus.CANCELLED
    if state.also:
        return together.carried_out(at, state, output)
    result = output.results[0] if output.results else None
    if result is not None and result.status is TodoStatus.SUCCEEDED:
        return moves.executed(at, state, result.result, on_with_queue=not cancelled)
    error = (result.error if result else None) or output.error
    if cancelled and (error is None or error.code is not Code.TOOL_OUTCOME_UNKNOWN):
        sentence = at.rules.phrase(state.language, "run.cancelled")
        return moves.stopped(at, state, ErrorInfo(code=Code.TOOL_CANCELLED, message=sentence, detail=BY_PERSON))
    if error is None:
        sentence = at.rules.phrase(state.language, "answer.failed")
        error = ErrorInfo(code=Code.EXECUTION_FAILED, message=sentence)
    return moves.failed(at, state, error)
