"""What a model read of a sentence, held against the sentence: text must stand in it, values must have been found in it.

Money, dates and the like are never taken on a model's word (invariant I5)."""

import re
from collections.abc import Iterable, Mapping, Sequence

from contracts.cognitive import Entity, Task
from contracts.shape import JsonObject, JsonValue

_FOUND_BY_CODE = re.compile(r"^[\d\s:.,/+-]+$|^FREQ=")
"""Values that code reads itself: dates, times, numbers in letters, recurrences."""
_SPACE = re.compile(r"\s+")


def grounded(
    slots: Mapping[str, JsonValue],
    text: str,
    entities: Sequence[Entity],
    known: Mapping[str, Sequence[str]],
) -> JsonObject:
    """The slots that may be believed. `known` has the slots there are, each with its choices, if it has any."""
    values = [entity.value for entity in entities]
    return {
        name: value
        for name, value in slots.items()
        if name in known and (value in known[name] if known[name] else is_said(value, text, values))
    }


def is_said(value: JsonValue, text: str, values: Sequence[JsonValue]) -> bool:
    """Whether the sentence says the value: as it is written, or as code has read it."""
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, int | float):
        return any(not isinstance(one, bool) and one == value for one in values)
    if isinstance(value, str):
        said = _letters(value)
        if _FOUND_BY_CODE.match(value.strip()):
            return value in values
        return bool(said) and said in _letters(text)
    return False


def _letters(text: str) -> str:
    return _SPACE.sub("", text).casefold()


def filled(read: Mapping[str, JsonValue], told: Mapping[str, JsonValue]) -> JsonObject:
    """What code has read, with what a model adds. Code's word stands."""
    return {**told, **read}


def merged(read: Sequence[Task], told: Sequence[Task]) -> tuple[Task, ...]:
    """Code's tasks with the slots that a model adds, where both see the same intents in the same order. Else the
    model's tasks, each with what code has read for that intent."""
    if [one.intent for one in read] == [one.intent for one in told]:
        return tuple(
            one.model_copy(update={"slots": filled(one.slots, other.slots)})
            for one, other in zip(read, told, strict=True)
        )
    return tuple(_with_slots_of(one, read) for one in told)


def _with_slots_of(task: Task, read: Iterable[Task]) -> Task:
    same = [one for one in read if one.intent == task.intent]
    if len(same) != 1:
        return task
    return task.model_copy(update={"slots": filled(same[0].slots, task.slots)})
