"""The rules of a flow, and its slots: which values may be kept. A refused value leaves its slot as it was."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, time
from math import isfinite
from typing import NamedTuple, Protocol

from contracts.packs import FlowSpec, SlotSpec
from contracts.reading import Checking, NothingToDo, SlotRefused, Speaker, Validator
from contracts.shape import Digest, JsonObject, JsonValue

LONGEST_TEXT = 2000
LARGEST = 2**63 - 1
_DAY, _TIME = re.compile(r"\d{4}-\d{2}-\d{2}"), re.compile(r"\d{2}:\d{2}")
INVALID = "flow.value_invalid"


class Say(Protocol):
    """A text in a language, filled."""

    def __call__(self, language: str, key: str, **values: object) -> str: ...


@dataclass(frozen=True, slots=True)
class FlowRules:
    """A flow with the code of its pack: pure functions. `say` has the pack's texts, `phrase` the platform's."""

    spec: FlowSpec
    say: Say
    phrase: Say
    arguments_hash: Callable[[JsonObject], Digest]
    validators: Mapping[str, Validator] = field(default_factory=dict)
    speak: Speaker | None = None

    def missing(self, slots: Mapping[str, JsonValue]) -> tuple[str, ...]:
        """Required slots without a value, in the order in which they are asked for."""
        return tuple(slot.name for slot in self.spec.slots if slot.required and slot.name not in slots)

    @property
    def keys(self) -> tuple[str, ...]:
        """Slots by which tasks are told apart."""
        return tuple(slot.name for slot in self.spec.slots if slot.key)

    def slot(self, name: str) -> SlotSpec | None:
        return next((slot for slot in self.spec.slots if slot.name == name), None)


class ValidationContext(NamedTuple):
    """What values are judged by: the language of refusals, what was looked up, the person's day, and what was carried
    out since it was looked up."""

    language: str
    facts: JsonObject
    today: date
    done: tuple[JsonObject, ...] = ()


class Filled(NamedTuple):
    """The slots after a turn, why values of it were refused, and which."""

    slots: JsonObject
    errors: dict[str, str]
    refused: Mapping[str, JsonValue] = {}


def fill(
    rules: FlowRules, known: Mapping[str, JsonValue], given: Mapping[str, JsonValue], on: ValidationContext
) -> Filled:
    """Takes over what was said, slot by slot. Whatever is no slot of the flow is no word of the person's."""
    slots: JsonObject = dict(known)
    errors: dict[str, str] = {}
    for slot in rules.spec.slots:
        value = given.get(slot.name)
        if value is None:
            continue
        try:
            slots[slot.name] = _kept(rules, slot, value, Checking(slots, on.facts, on.today, on.done, given))
        except SlotRefused as refused:
            say = rules.phrase if refused.key == INVALID else rules.say
            errors[slot.name] = say(on.language, refused.key, **refused.values)
    return Filled(slots, errors, {name: given[name] for name in errors})


def nothing_to_do(rules: FlowRules, tasks: Sequence[Mapping[str, JsonValue]], on: ValidationContext) -> str:
    """Why the flow has nothing to do, whatever else is said; empty where it has."""
    for task in tasks:
        for slot in rules.spec.slots:
            if slot.name not in task:
                continue
            try:
                _kept(rules, slot, task[slot.name], Checking({}, on.facts, on.today, on.done, task))
            except NothingToDo as nothing:
                return rules.say(on.language, nothing.key, **nothing.values)
            except SlotRefused:
                continue
    return ""


def _kept(rules: FlowRules, slot: SlotSpec, value: JsonValue, checking: Checking) -> JsonValue:
    if not _fits(slot, value):
        raise SlotRefused(slot.unfit or INVALID, value=str(value)[:80])
    validator = rules.validators.get(slot.name)
    return validator(value, checking) if validator else value


def _fits(slot: SlotSpec, value: JsonValue) -> bool:
    """Whether the value is of the slot's type: validators are spared what no reader should say."""
    match slot.type:
        case "money":
            return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST
        case "number":
            number = isinstance(value, int | float) and not isinstance(value, bool)
            return number and isfinite(value) and abs(value) <= LARGEST  # type: ignore[arg-type]  # a number by then
        case "date":
            return isinstance(value, str) and bool(_DAY.fullmatch(value)) and _exists(date.fromisoformat, value)
        case "time":
            return isinstance(value, str) and bool(_TIME.fullmatch(value)) and _exists(time.fromisoformat, value)
        case "text":
            return isinstance(value, str) and 0 < len(value.strip()) <= LONGEST_TEXT


def _exists(parse: Callable[[str], object], value: str) -> bool:
    try:
        parse(value)
    except ValueError:
        return False
    return True
