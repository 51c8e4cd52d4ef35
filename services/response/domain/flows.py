"""What a flow says is the answer of the run; with it goes what a client may show of its state."""

from collections.abc import Collection, Sequence

from contracts.cognitive import CognitiveOutput, FlowAdvanced, FlowStage, OutputFormat, Route, beside
from contracts.errors import Code
from contracts.response import NextAction, ResponseOutput, RunCancelled, RunCompleted, RunFailed, UiHint
from contracts.shape import JsonObject, JsonValue

LONGEST_LABEL = 200
"""Characters of a sentence that can be a button."""
_OVER = (FlowStage.CANCELLED, FlowStage.UNSUPPORTED)


def answer(moved: FlowAdvanced) -> ResponseOutput:
    """The sentence, the buttons, and the state snapshot of source design 002 section 9."""
    meta: JsonObject = {
        "batch_total": moved.task_total,
        "batch_progress": moved.task_index - 1,
        "batch_executed": moved.executed,
        "slot_errors": dict(moved.slot_errors),
        "last_cancelled": moved.last_cancelled,
        "fill_turns": moved.fill_turns,
    }
    missing: list[JsonValue] = list(moved.missing)
    return ResponseOutput(
        format=OutputFormat.TEXT,
        text=moved.message,
        language=moved.language,
        ui_hint=UiHint(buttons=moved.buttons, next_action=moved.next_action),
        data={"stage": moved.stage.value, "slots": moved.slots, "missing_required": missing, "meta": meta},
    )


def left_out(understood: CognitiveOutput, led: Collection[str]) -> tuple[str, ...]:
    """Parts of the sentence that this run does nothing about: a flow leads one kind of task at a time, and a plan none
    of those that a flow leads (`led`)."""
    if understood.route is Route.FLOW:
        return understood.flow.beside if understood.flow else ()
    return beside((one for one in understood.tasks if one.intent in led), led)


def offered(answer: ResponseOutput, left: Sequence[str]) -> ResponseOutput:
    """The answer with what is still to be done, to be said with one click: the label is the sentence, or its beginning;
    a button says its label, so there is none for a beginning."""
    short = [said for said in left if len(said) <= LONGEST_LABEL]
    actions = tuple(NextAction(label=_label(said), text=said) for said in left)
    hint = answer.ui_hint.model_copy(update={"buttons": (*short, *answer.ui_hint.buttons)})
    return answer.model_copy(update={"next_actions": (*actions, *answer.next_actions), "ui_hint": hint})


def _label(said: str) -> str:
    return said if len(said) <= LONGEST_LABEL else f"{said[: LONGEST_LABEL - 1]}…"


def is_over(moved: FlowAdvanced) -> bool:
    """Whether nothing of the flow is open or being done."""
    return moved.stage in (*_OVER, FlowStage.EXECUTED)


def end(moved: FlowAdvanced) -> RunCompleted | RunFailed | RunCancelled:
    """A question of the flow ends its run well, too: the person's next turn is a run of its own."""
    error = moved.error
    if error is None or moved.stage not in _OVER:
        return RunCompleted(partial=error is not None)
    if error.code is Code.TOOL_CANCELLED and error.detail.get("control"):
        return RunCancelled(reason="requested", message=moved.message)
    return RunFailed(error=error)
