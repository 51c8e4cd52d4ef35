"""What a flow says: every sentence is a text of its pack, filled with the slots as its speaker forms them."""

from collections.abc import Iterable

from contracts.cognitive import FlowAdvanced, FlowStage
from contracts.shape import JsonObject
from services.cognitive.domain.describing import BETWEEN, joined
from services.cognitive.domain.slots import FlowRules

FILL, CONFIRM, DONE = "FILL", "CONFIRM", "DONE"


def sentence(rules: FlowRules, state: FlowAdvanced, key: str, reason: str = "") -> str:
    """A text flow.<name>.<key> about the task as it stands."""
    return rules.say(state.language, f"flow.{state.flow}.{key}", **_values(rules, state), reason=reason)


def question(rules: FlowRules, state: FlowAdvanced) -> str:
    """What is asked while slots are filled: what is wrong with values, all of it, else the first that is missing."""
    if state.slot_errors:
        return numbered(rules, state, joined(rules, state.language, dict.fromkeys(state.slot_errors.values())))
    slot = rules.slot(state.missing[0]) if state.missing else None
    key = (slot and slot.question) or f"flow.{state.flow}.ask_{state.missing[0] if state.missing else ''}"
    return numbered(rules, state, rules.say(state.language, key, **_values(rules, state)))


def numbered(rules: FlowRules, state: FlowAdvanced, text: str) -> str:
    """With "(2/2)" after it, where there are several."""
    if state.task_total == 1:
        return text
    return rules.phrase(state.language, "flow.numbered", text=text, index=state.task_index, total=state.task_total)


def present(rules: FlowRules, state: FlowAdvanced) -> str:
    """The question that is open, as it is put when it is put again."""
    if state.stage is FlowStage.FILLING:
        return question(rules, state)
    return offer(rules, state, again(state))


def offer(rules: FlowRules, state: FlowAdvanced, key: str, reason: str = "") -> str:
    """The question about a complete task, behind which those that wait are named where they are whole: so a person sees
    all that a word of theirs may be for."""
    text, waiting = sentence(rules, state, key, reason), named(rules, state.queue, state.language)
    if not waiting or waiting in text or any(map(rules.missing, state.queue)):
        return text
    return rules.phrase(state.language, "flow.then", text=text, tasks=waiting)


def shows_all(rules: FlowRules, state: FlowAdvanced) -> bool:
    """Whether the last sentence has shown the task that is asked about and every one that waits."""
    return state.stage is FlowStage.READY and named(rules, state.queue, state.language) in state.message


def offers_more(rules: FlowRules, state: FlowAdvanced) -> bool:
    """Whether the question that is open asks for more than a yes to the task: what may be added to it."""
    first = sentence(rules, state, "ready")
    asked = state.stage is FlowStage.READY and state.message.endswith(first)
    return asked and first != sentence(rules, state, "ready_again")


def again(state: FlowAdvanced) -> str:
    """The text of a complete task after a question or a correction."""
    return "ready_batch" if state.task_total > 1 else "ready_again"


def buttons(rules: FlowRules, language: str) -> tuple[str, ...]:
    """What confirms and what cancels, to click on."""
    flow = rules.spec.flow
    return tuple(rules.say(language, f"flow.{flow}.button_{name}") for name in ("confirm", "cancel"))


def _values(rules: FlowRules, state: FlowAdvanced) -> dict[str, object]:
    values: dict[str, object] = {slot.name: "" for slot in rules.spec.slots}
    values |= {name: str(value) for name, value in state.slots.items()}
    if rules.speak is not None:
        values |= rules.speak(state.slots, state.language)
    every = named(rules, (state.slots, *state.queue), state.language)
    counts = {"executed": state.executed, "booked": state.booked, "all": every}
    return values | counts | {"index": state.task_index, "total": state.task_total}


def named(rules: FlowRules, tasks: Iterable[JsonObject], language: str) -> str:
    """Tasks by all that they have."""
    forms: list[str] = []
    for task in tasks:
        said = {name: str(value) for name, value in task.items()}
        if rules.speak is not None:
            said |= {name: form for name, form in rules.speak(task, language).items() if form}
        forms.append(" ".join(said[slot.name] for slot in rules.spec.slots if slot.name in said))
    return BETWEEN.join(forms)
