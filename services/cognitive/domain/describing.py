"""Tasks and values in a sentence's words: what is named when it is queued, changed, dropped or not taken."""

from collections.abc import Iterable, Mapping

from contracts.shape import JsonObject, JsonValue
from services.cognitive.domain.slots import FlowRules, ValidationContext, fill

SHORTENED = 80
"""Characters of a value that no validator has taken."""
BETWEEN = ", "


def values(rules: FlowRules, task: Mapping[str, JsonValue], on: ValidationContext) -> dict[str, str]:
    """The task's slots as its speaker says them; as they were said where validators refuse them."""
    taken = fill(rules, {}, task, on).slots
    names = [slot.name for slot in rules.spec.slots]
    forms = {name: str(taken.get(name, task[name]))[:SHORTENED] for name in names if task.get(name) is not None}
    if rules.speak is None:
        return forms
    spoken = rules.speak(taken, on.language)
    return forms | {name: spoken[name] for name in taken if spoken.get(name)}


def described(rules: FlowRules, task: Mapping[str, JsonValue], on: ValidationContext) -> str:
    """One task, in a few words."""
    return " ".join(values(rules, task, on).values())


def listed(rules: FlowRules, tasks: Iterable[JsonObject], on: ValidationContext) -> str:
    """Several tasks."""
    return BETWEEN.join(described(rules, task, on) for task in tasks)


def joined(rules: FlowRules, language: str, sentences: Iterable[str]) -> str:
    """Sentences one after the other, as the language puts them."""
    text = ""
    for sentence in sentences:
        text = rules.phrase(language, "flow.told_first", told=text, question=sentence) if text else sentence
    return text
