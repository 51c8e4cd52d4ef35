"""The state machine of one flow: its moves, and what the end of the work makes of where it stands.

INIT -> FILLING -> READY -> CONFIRMED -> EXECUTED | CANCELLED | UNSUPPORTED. Every move is the flow's whole state."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from contracts.cognitive import FlowAdvanced, FlowStage
from contracts.errors import Code, ErrorInfo
from contracts.shape import JsonObject
from services.cognitive.domain.describing import joined, listed
from services.cognitive.domain.slots import Filled, FlowRules, ValidationContext, fill
from services.cognitive.domain.wording import CONFIRM, DONE, FILL, again, buttons, offer, present, question, sentence

Moves = tuple[FlowAdvanced, ...]


class FlowState(NamedTuple):
    """Where a flow stands when it is its turn. `last` is its last move, if it has ever moved."""

    rules: FlowRules
    last: FlowAdvanced | None
    on: ValidationContext

    @property
    def turn(self) -> int:
        return self.last.turn if self.last else 0

    def fresh(self, **fields: Any) -> FlowAdvanced:
        """The next move of a new batch."""
        stage = fields.pop("stage", FlowStage.FILLING)
        turn = fields.pop("turn", self.turn + 1)
        return FlowAdvanced(flow=self.rules.spec.flow, turn=turn, stage=stage, language=self.on.language, **fields)

    def phrase(self, key: str, **values: object) -> str:
        """A text of the platform."""
        return self.rules.phrase(self.on.language, key, **values)

    def onward(self, state: FlowAdvanced, **fields: Any) -> FlowAdvanced:
        """The next move from a state: what it does not say stays, except for what only one turn is about."""
        kept = {"slots", "queue", "task_index", "task_total", "executed", "booked", "fill_turns", "beside"}
        return self.fresh(**(state.model_dump(include=kept) | {"turn": state.turn + 1} | fields))


def told_first(at: FlowState, moved: FlowAdvanced, first: Sequence[str]) -> FlowAdvanced:
    """The same move, and before its sentence what has to be said first."""
    message = joined(at.rules, moved.language, dict.fromkeys((*first, moved.message)))
    return moved.model_copy(update={"message": message})


def settle(at: FlowState, base: FlowAdvanced, filled: Filled, ready: str, before: str = "") -> FlowAdvanced:
    """READY with the text `ready` when nothing is missing or wrong, else FILLING with its question. `before` is what
    the person has to be told first."""
    missing = at.rules.missing(filled.slots)
    refused = {name: value for name, value in filled.refused.items() if name in filled.errors}
    known = {"slots": filled.slots, "missing": missing, "slot_errors": filled.errors, "refused": refused}
    state = base.model_copy(update=known)
    if missing or filled.errors:
        text = question(at.rules, state)
        message = at.rules.phrase(state.language, "flow.told_first", told=before, question=text) if before else text
        return state.model_copy(update={"stage": FlowStage.FILLING, "message": message, "next_action": FILL})
    state = state.model_copy(update={"stage": FlowStage.READY})
    said = {"message": offer(at.rules, state, ready, before), "next_action": CONFIRM}
    shown = buttons(at.rules, state.language)
    return state.model_copy(update={"stage": FlowStage.READY, "buttons": shown} | said)


def asked_again(at: FlowState, state: FlowAdvanced, key: str = "") -> FlowAdvanced:
    """The open question, once more, after the platform's text `key`: the same turn, since nothing has moved."""
    shown = state.model_copy(update={"language": at.on.language, "last_cancelled": False, "error": None})
    ready = buttons(at.rules, shown.language) if shown.stage is FlowStage.READY else ()
    put = shown.model_copy(update={"message": present(at.rules, shown), "buttons": ready})
    return told_first(at, put, (at.phrase(key),)) if key else put


def notice(at: FlowState, state: FlowAdvanced | None, key: str) -> FlowAdvanced:
    """A word that changes nothing. Without an approval: what was confirmed is another run's."""
    if state is None or state.stage is not FlowStage.CONFIRMED:
        state = at.fresh(stage=FlowStage.INIT, turn=max(at.turn, 1))
    shown = state.model_copy(update={"language": at.on.language, "approval": None})
    return shown.model_copy(update={"message": sentence(at.rules, shown, key)})


def end(at: FlowState, state: FlowAdvanced, stage: FlowStage, key: str, **fields: Any) -> FlowAdvanced:
    """The end of all of it: what has waited is named."""
    ended = at.onward(state, stage=stage, queue=(), next_action=DONE, **fields)
    lost = (at.phrase("flow.dropped", tasks=listed(at.rules, state.queue, at.on)),) if state.queue else ()
    return ended.model_copy(
        update={"message": joined(at.rules, ended.language, (sentence(at.rules, ended, key), *lost))}
    )


def load(at: FlowState, left: FlowAdvanced, ready: str, told: str = "", **fields: Any) -> FlowAdvanced:
    """The next task of the queue, judged as if it were said now."""
    first, *rest = left.queue
    number = {"queue": tuple(rest), "task_index": left.task_index + 1, "fill_turns": 0, "slots": {}}
    return settle(at, at.onward(left, **number, **fields), fill(at.rules, {}, first, at.on), ready, told)


def executed(at: FlowState, state: FlowAdvanced, result: JsonObject, *, on_with_queue: bool = True) -> Moves:
    """The task is carried out, or booked for a later day if its tool says so; the next one is loaded."""
    later = result.get("booked") is True
    at = at._replace(on=at.on._replace(done=(*at.on.done, state.slots)))
    counts = {"executed": state.executed + 1, "booked": state.booked + later}
    if not state.queue or not on_with_queue:
        return (_last_executed(at, state, result, counts, later=later),)
    done = at.onward(state, stage=FlowStage.EXECUTED, result=result, **counts)
    if not later:
        return done, load(at, done, "ready_next", sentence(at.rules, done, "executed"))
    told = sentence(at.rules, done, "booked")
    return done, _before_ready(at, load(at, done, "ready_batch", told), told)


def _last_executed(
    at: FlowState, state: FlowAdvanced, result: JsonObject, counts: Mapping[str, int], *, later: bool
) -> FlowAdvanced:
    """The end of the batch. What is only booked is not called complete."""
    if state.task_total == 1:
        return end(at, state, FlowStage.EXECUTED, "booked" if later else "executed", result=result, **counts)
    whole = "executed_all" if counts["executed"] == state.task_total else "executed_some"
    key = "executed_booked" if counts["booked"] else whole
    ended = end(at, state, FlowStage.EXECUTED, key, result=result, **counts)
    if not later:
        return ended
    told = sentence(at.rules, ended, "booked")
    message = at.rules.phrase(ended.language, "flow.told_first", told=told, question=ended.message)
    return ended.model_copy(update={"message": message})


def failed(at: FlowState, state: FlowAdvanced, error: ErrorInfo) -> Moves:
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


def _after_failure(at: FlowState, left: FlowAdvanced, reason: str, *, unknown: bool) -> FlowAdvanced:
    loaded = load(at, left, "failed_next", reason)
    return _before_ready(at, loaded, reason) if unknown else loaded  # `failed_next` would say that it was not done


def _before_ready(at: FlowState, loaded: FlowAdvanced, told: str) -> FlowAdvanced:
    """The question about a complete task, after what the person has to be told first."""
    if loaded.stage is not FlowStage.READY:
        return loaded
    text = offer(at.rules, loaded, again(loaded))
    message = at.rules.phrase(loaded.language, "flow.told_first", told=told, question=text)
    return loaded.model_copy(update={"message": message})


def stopped(at: FlowState, state: FlowAdvanced, error: ErrorInfo | None = None) -> Moves:
    """The run in which the task was carried out has ended without it, by a person or for a fault: all of it is over.
    With an `error` the run has not ended yet, and is told; without, what has waited is named in the next turn."""
    if error is not None:
        return (end(at, state, FlowStage.CANCELLED, "cancelled", error=error),)
    # of tasks that were confirmed together nobody can say here which are done: their run has said how it ended
    untold = () if state.also else state.queue
    return (at.onward(state, stage=FlowStage.CANCELLED, queue=(), untold=untold),)
