"""The state machine of one flow: what a turn of the person, or the end of the work, makes of where it stands.

INIT -> FILLING -> READY -> CONFIRMED -> EXECUTED | CANCELLED | UNSUPPORTED. Every move is the flow's whole state."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from contracts.cognitive import FlowAct, FlowAdvanced, FlowApproval, FlowReading, FlowStage
from contracts.errors import Code, ErrorInfo
from contracts.shape import JsonObject
from services.cognitive.domain.slots import Filled, FlowRules, Grounds, fill
from services.cognitive.domain.wording import CONFIRM, DONE, FILL, again, buttons, present, question, sentence

Moves = tuple[FlowAdvanced, ...]
MOST_WAITING = 20
"""Tasks in the queue of a flow, and sentences beside it. What is said beyond is not taken, and the person is told so:
every move carries them all, and nobody answers for more than a few."""


class Standing(NamedTuple):
    """Where a flow stands when it is its turn. `last` is its last move, if it has ever moved."""

    rules: FlowRules
    last: FlowAdvanced | None
    on: Grounds

    @property
    def turn(self) -> int:
        return self.last.turn if self.last else 0

    def fresh(self, **fields: Any) -> FlowAdvanced:
        """The next move of a new batch."""
        stage = fields.pop("stage", FlowStage.FILLING)
        turn = fields.pop("turn", self.turn + 1)
        return FlowAdvanced(flow=self.rules.spec.flow, turn=turn, stage=stage, language=self.on.language, **fields)

    def onward(self, state: FlowAdvanced, **fields: Any) -> FlowAdvanced:
        """The next move from a state: what it does not say stays, except for what only one turn is about."""
        kept = {"slots", "queue", "task_index", "task_total", "executed", "booked", "fill_turns", "beside"}
        return self.fresh(**(state.model_dump(include=kept) | {"turn": state.turn + 1} | fields))


def read(at: Standing, reading: FlowReading, cause: UUID) -> Moves:
    """What a turn of the person does. An answer to another question than the open one changes nothing."""
    state = at.last
    if state is not None and state.stage is FlowStage.CONFIRMED:
        return (_notice(at, state, "busy"),)
    if state is None or not state.is_open:
        if reading.act is FlowAct.FILL and not reading.turn:
            return (_begin(at, reading.tasks).model_copy(update={"beside": reading.beside[:MOST_WAITING]}),)
        return (_notice(at, state, "nothing"),)
    if reading.act is FlowAct.FILL:
        later = tuple(dict.fromkeys((*state.beside, *reading.beside)))[:MOST_WAITING]
        return (_fill(at, state, reading).model_copy(update={"beside": later}),)
    return _word(at, state, reading, cause)


def _word(at: Standing, state: FlowAdvanced, reading: FlowReading, cause: UUID) -> Moves:
    """One of the words that confirm or cancel, said while a question is open."""
    if reading.turn != state.turn:
        return (_again(at, state),)
    if reading.act is FlowAct.CANCEL:
        return _cancel(at, state)
    if reading.act is FlowAct.CONFIRM and state.stage is FlowStage.READY:
        return (_confirm(at, state, cause),)
    return (_update(at, state, ()),)


def _begin(at: Standing, tasks: Sequence[JsonObject]) -> FlowAdvanced:
    first, *said = tasks or ({},)
    rest = said[:MOST_WAITING]
    base = at.fresh(queue=tuple(rest), task_total=1 + len(rest))
    filled = fill(at.rules, {}, first, at.on)
    begun = settle(at, base, filled, _first(at, base) if rest else _whole(at, filled))
    return _without(at, begun, len(said) - len(rest))


def _without(at: Standing, moved: FlowAdvanced, left_out: int) -> FlowAdvanced:
    """The same move, and before its question that some tasks were not taken."""
    if not left_out:
        return moved
    told = at.rules.phrase(moved.language, "flow.queue_full", most=MOST_WAITING, count=left_out)
    message = at.rules.phrase(moved.language, "flow.told_first", told=told, question=moved.message)
    return moved.model_copy(update={"message": message})


def _whole(at: Standing, filled: Filled) -> str:
    """How a single task is put: what may be added is offered only to who has added nothing."""
    more = any(slot.name in filled.slots for slot in at.rules.spec.slots if not slot.required)
    return "ready_again" if more else "ready"


def _first(at: Standing, base: FlowAdvanced) -> str:
    """How several tasks are announced: by their number when nothing has to be asked about them."""
    return again(base) if any(at.rules.missing(task) for task in base.queue) else "ready_first"


def _fill(at: Standing, state: FlowAdvanced, reading: FlowReading) -> FlowAdvanced:
    if reading.turn == state.turn:
        return _update(at, state, reading.tasks)
    if not reading.turn and reading.tasks and not any(at.rules.missing(task) for task in reading.tasks):
        # said before the person had seen that one was open: whole tasks are not lost, they wait for their turn
        return _update(at, state, ({}, *reading.tasks))
    return _again(at, state)


def _update(at: Standing, state: FlowAdvanced, tasks: Sequence[JsonObject]) -> FlowAdvanced:
    first, *said = tasks or ({},)
    more = said[: max(MOST_WAITING - len(state.queue), 0)]
    filled = fill(at.rules, state.slots, first, at.on)
    progress = filled.slots != state.slots or bool(said)
    if state.stage is FlowStage.READY and not progress and not filled.errors:
        return _again(at, state)
    base = at.onward(state, queue=(*state.queue, *more), task_total=state.task_total + len(more))
    if state.stage is FlowStage.FILLING and (filled.errors or not progress):
        base = base.model_copy(update={"fill_turns": state.fill_turns + 1})
        unfinished = bool(filled.errors or at.rules.missing(filled.slots))
        if unfinished and base.fill_turns > at.rules.spec.max_fill_turns:
            return _end(at, base, FlowStage.UNSUPPORTED, "unsupported")
    moved = settle(at, base, filled, _first(at, base) if more else again(base))
    return _without(at, moved, len(said) - len(more))


def settle(at: Standing, base: FlowAdvanced, filled: Filled, ready: str, before: str = "") -> FlowAdvanced:
    """READY with the text `ready` when nothing is missing or wrong, else FILLING with its question. `before` is what
    the person has to be told first."""
    missing = at.rules.missing(filled.slots)
    state = base.model_copy(update={"slots": filled.slots, "missing": missing, "slot_errors": filled.errors})
    if missing or filled.errors:
        text = question(at.rules, state)
        message = at.rules.phrase(state.language, "flow.told_first", told=before, question=text) if before else text
        return state.model_copy(update={"stage": FlowStage.FILLING, "message": message, "next_action": FILL})
    said = {"message": sentence(at.rules, state, ready, before), "next_action": CONFIRM}
    shown = buttons(at.rules, state.language)
    return state.model_copy(update={"stage": FlowStage.READY, "buttons": shown} | said)


def _again(at: Standing, state: FlowAdvanced) -> FlowAdvanced:
    """The open question, once more: the same turn, since nothing has moved."""
    shown = state.model_copy(update={"language": at.on.language, "last_cancelled": False, "error": None})
    ready = buttons(at.rules, shown.language) if shown.stage is FlowStage.READY else ()
    return shown.model_copy(update={"message": present(at.rules, shown), "buttons": ready})


def _notice(at: Standing, state: FlowAdvanced | None, key: str) -> FlowAdvanced:
    """A word that changes nothing. Without an approval: what was confirmed is another run's."""
    if state is None or state.stage is not FlowStage.CONFIRMED:
        state = at.fresh(stage=FlowStage.INIT, turn=max(at.turn, 1))
    shown = state.model_copy(update={"language": at.on.language, "approval": None})
    return shown.model_copy(update={"message": sentence(at.rules, shown, key)})


def _confirm(at: Standing, state: FlowAdvanced, cause: UUID) -> FlowAdvanced:
    """The person's word. What they have seen is judged once more: a day may have passed since."""
    filled = fill(at.rules, {}, state.slots, at.on)
    if filled.errors or filled.slots != state.slots:
        return settle(at, at.onward(state), filled, again(state))
    digest = at.rules.arguments_hash(filled.slots)
    approval = FlowApproval(tool=at.rules.spec.tool, params=filled.slots, arguments_hash=digest, confirmed_by=cause)
    return at.onward(state, stage=FlowStage.CONFIRMED, approval=approval)


def _cancel(at: Standing, state: FlowAdvanced) -> Moves:
    if not state.queue:
        return (_end(at, state, FlowStage.CANCELLED, "cancelled"),)
    left = at.onward(state, stage=FlowStage.CANCELLED)
    told = at.rules.phrase(at.on.language, "flow.cancelled")
    return left, _load(at, left, "cancelled_next", told, last_cancelled=True)


def _end(at: Standing, state: FlowAdvanced, stage: FlowStage, key: str, **fields: Any) -> FlowAdvanced:
    ended = at.onward(state, stage=stage, queue=(), next_action=DONE, **fields)
    return ended.model_copy(update={"message": sentence(at.rules, ended, key)})


def _load(at: Standing, left: FlowAdvanced, ready: str, told: str = "", **fields: Any) -> FlowAdvanced:
    """The next task of the queue, judged as if it were said now."""
    first, *rest = left.queue
    number = {"queue": tuple(rest), "task_index": left.task_index + 1, "fill_turns": 0, "slots": {}}
    return settle(at, at.onward(left, **number, **fields), fill(at.rules, {}, first, at.on), ready, told)


def executed(at: Standing, state: FlowAdvanced, result: JsonObject, *, on_with_queue: bool = True) -> Moves:
    """The task is carried out, or booked for a later day if its tool says so; the next one is loaded."""
    later = result.get("booked") is True
    counts = {"executed": state.executed + 1, "booked": state.booked + later}
    if not state.queue or not on_with_queue:
        return (_last_executed(at, state, result, counts, later=later),)
    done = at.onward(state, stage=FlowStage.EXECUTED, result=result, **counts)
    if not later:
        return done, _load(at, done, "ready_next")
    told = sentence(at.rules, done, "booked")
    return done, _before_ready(at, _load(at, done, "ready_batch", told), told)


def _last_executed(
    at: Standing, state: FlowAdvanced, result: JsonObject, counts: Mapping[str, int], *, later: bool
) -> FlowAdvanced:
    """The end of the batch. What is only booked is not called complete."""
    if state.task_total == 1:
        return _end(at, state, FlowStage.EXECUTED, "booked" if later else "executed", result=result, **counts)
    whole = "executed_all" if counts["executed"] == state.task_total else "executed_some"
    key = "executed_booked" if counts["booked"] else whole
    ended = _end(at, state, FlowStage.EXECUTED, key, result=result, **counts)
    if not later:
        return ended
    told = sentence(at.rules, ended, "booked")
    message = at.rules.phrase(ended.language, "flow.told_first", told=told, question=ended.message)
    return ended.model_copy(update={"message": message})


def failed(at: Standing, state: FlowAdvanced, error: ErrorInfo) -> Moves:
    """The task could not be carried out. A tool that names the slot gets another value for it; of a call of unknown
    outcome it is said that nobody knows, and nothing is repeated."""
    unknown = error.code is Code.TOOL_OUTCOME_UNKNOWN
    slot = error.detail.get("slot")
    if isinstance(slot, str) and slot in state.slots and at.rules.slot(slot) and not unknown:
        others = {name: value for name, value in state.slots.items() if name != slot}
        base = at.onward(state, error=error)
        return (settle(at, base, Filled(others, {slot: error.message}), ""),)
    left = at.onward(state, stage=FlowStage.CANCELLED, error=error)
    reason = sentence(at.rules, left, "failed_unknown") if unknown else error.message
    if state.queue:
        return left, _after_failure(at, left, reason, unknown=unknown)
    message = reason if unknown else sentence(at.rules, left, "failed", reason)
    return (left.model_copy(update={"message": message, "next_action": DONE}),)


def _after_failure(at: Standing, left: FlowAdvanced, reason: str, *, unknown: bool) -> FlowAdvanced:
    loaded = _load(at, left, "failed_next", reason)
    return _before_ready(at, loaded, reason) if unknown else loaded  # `failed_next` would say that it was not done


def _before_ready(at: Standing, loaded: FlowAdvanced, told: str) -> FlowAdvanced:
    """The question about a complete task, after what the person has to be told first."""
    if loaded.stage is not FlowStage.READY:
        return loaded
    text = sentence(at.rules, loaded, again(loaded))
    message = at.rules.phrase(loaded.language, "flow.told_first", told=told, question=text)
    return loaded.model_copy(update={"message": message})


def stopped(at: Standing, state: FlowAdvanced, error: ErrorInfo | None = None) -> Moves:
    """The run in which the task was carried out has ended without it, by a person or for a fault: all of it is over.
    With an `error` the run has not ended yet, and is told."""
    if error is not None:
        return (_end(at, state, FlowStage.CANCELLED, "cancelled", error=error),)
    return (at.onward(state, stage=FlowStage.CANCELLED, queue=()),)
