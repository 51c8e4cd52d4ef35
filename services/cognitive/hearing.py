"""What a turn says to an open flow, as far as code knows: a word, tasks taken back, slots. Pure; it decides nothing."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from contracts.cognitive import Entity, FlowAct, FlowAdvanced
from contracts.packs import FlowSpec
from contracts.reading import CORRECTS, DENIED, ERASED, Clause
from contracts.shape import JsonObject, JsonValue
from services.cognitive import dropping, markers
from services.cognitive.domain.describing import values
from services.cognitive.domain.slots import ValidationContext, fill
from services.cognitive.domain.updating import places_of
from services.cognitive.flows import Flow

Known = Mapping[str, Sequence[str]]
_NOBODY: Known = {}
PAIR = 2
LONGEST_SWAP = 60
"""Letters of a turn that wants two sums changed about: whoever says more may mean something else."""


@dataclass(frozen=True, slots=True)
class Heard:
    """The fields of a FlowReading that follow from the words alone."""

    act: FlowAct = FlowAct.FILL
    tasks: tuple[JsonObject, ...] = ()
    denied: JsonObject = field(default_factory=dict)
    which: str = ""
    places: tuple[int, ...] = ()
    only: bool = False
    several: bool = False
    every: bool = False
    erases: tuple[str, ...] = ()
    corrects: bool = False
    mends: bool = False
    lost: bool = False


def dropped(
    flow: Flow, state: FlowAdvanced, text: str, language: str, on: ValidationContext, known: Known = _NOBODY
) -> Heard | None:
    """A turn that takes tasks of the open flow back: by their place, or by what they are called; or all but one. `on`
    has what was looked up about the `known` names in the text."""
    current: JsonObject = {**state.refused, **state.slots}  # one whose payee was refused is called by that name
    tasks = (current, *state.queue)
    names = [[*_names(flow, task, on), *_called(flow, task, text, on, known)] for task in tasks]
    if len(tasks) > 1 and (kept := dropping.kept(text, language, state.task_index, names)):
        return _drop(kept, only=True)
    which = dropping.dropped(text, language, state.task_index, names)
    return _drop(which) if which is not None else None


def takes_the_whole(
    flow: Flow, state: FlowAdvanced, text: str, language: str, on: ValidationContext, known: Known = _NOBODY
) -> bool:
    """Whether a turn that takes something back names the only open task by what it is called, or by a word for such
    tasks ("cancel Dad's booking"), and says nothing of a part of it."""
    current: JsonObject = {**state.refused, **state.slots}
    names = [*_names(flow, current, on), *_called(flow, current, text, on, known)]
    return not state.queue and _says_nothing_else(text, language, names)


def _says_nothing_else(text: str, language: str, names: Iterable[str]) -> bool:
    words, said = markers.markers()[language], markers.plain(text)
    tail = f"(?:'s)?(?:{words.behind_value.pattern})?"
    for name in sorted((markers.plain(one) for one in names if one), key=len, reverse=True):
        said = re.sub(re.escape(name) + tail, " ", said)
    said = re.sub(rf"(?:{words.drops.pattern})[가-힣ぁ-ん]*", " ", said)
    said = re.sub(rf"(?:{words.soft.pattern}){tail}", " ", said)
    return re.search(r"[^\W_]", said) is None


def says_values(heard: Heard, flow: Flow, tasks: Sequence[Mapping[str, JsonValue]], on: ValidationContext) -> bool:
    """Whether a turn has values, other than keys, that no open task has: it does more than to take one back. With only
    one task there is nothing left that what is optional could be for ("drop it, I see her tomorrow"); an optional value
    that cannot be ("I gave it to her yesterday") is for nothing either."""
    needed = {slot.name for slot in flow.spec.slots if slot.required or len(tasks) > 1} - set(flow.rules.keys)
    needed -= {slot.name for slot in flow.spec.slots if not slot.required and _refused(flow, slot.name, heard, on)}
    told = ((name, value) for task in heard.tasks for name, value in task.items() if name in needed)
    return any(all(task.get(name) != value for task in tasks) for name, value in told)


def _refused(flow: Flow, name: str, heard: Heard, on: ValidationContext) -> bool:
    said: list[JsonObject] = [{name: task[name]} for task in heard.tasks if name in task]
    return bool(said) and all(fill(flow.rules, {}, task, on).errors for task in said)


def _drop(which: str, *, only: bool = False) -> Heard:
    places = tuple(int(one) for one in which.split(",")) if "," in which else ()
    return Heard(FlowAct.DROP, which="" if places else which, places=places, only=only)


def slots(flow: Flow, found: Sequence[JsonObject]) -> Heard:
    """The slots that the pack's reader has found, and those that the sentence takes back."""
    denied: JsonObject = {}
    erases: list[str] = []
    for task in found:
        said, gone = task.get(DENIED), task.get(ERASED)
        if isinstance(gone, list):
            erases += [str(name) for name in gone if flow.rules.slot(str(name))]
        if isinstance(said, dict):
            denied |= {name: value for name, value in said.items() if flow.rules.slot(name) and value is not None}
    corrects = any(task.get(CORRECTS) is True for task in found)
    tasks, emptied = tuple(slots_of(flow.spec, found)), tuple(dict.fromkeys(erases))
    return Heard(tasks=tasks, denied=denied, erases=emptied, corrects=corrects)


def swapped(flow: Flow, state: FlowAdvanced, text: str) -> Heard | None:
    """A turn that wants the sums of two open tasks changed about, and says no sum itself."""
    sums = [slot.name for slot in flow.spec.slots if slot.type == "money"]
    two = [state.slots, *state.queue]
    if len(two) != PAIR or len(sums) != 1 or len(text) > LONGEST_SWAP or not markers.says(text, "swaps"):
        return None
    (name,) = sums
    if any(one.keys() < {name, *flow.rules.keys} for one in two) or any(map(str.isdigit, text)):
        return None
    tasks: list[JsonObject] = [
        {**{key: one[key] for key in flow.rules.keys}, name: other[name]} for one, other in (two, reversed(two))
    ]
    return Heard(tasks=tuple(tasks), corrects=True)


def slots_of(spec: FlowSpec, tasks: Sequence[JsonObject]) -> list[JsonObject]:
    """Only slots of the flow, and only with values. Whatever else a reader claims is not recorded."""
    names = {slot.name for slot in spec.slots}
    told: list[JsonObject] = [
        {name: value for name, value in task.items() if name in names and value is not None} for task in tasks
    ]
    return told if any(told) else []


def is_shown(flow: Flow, task: Mapping[str, JsonValue], said: Mapping[str, JsonValue], on: ValidationContext) -> bool:
    """Whether the task that is shown has all values that were said. A key may be said by a word of how it is shown; of
    a text more may have been read, where it stands in what was said. What has no day is done today."""
    shown = values(flow.rules, task, on)
    part = {
        name
        for name in flow.rules.keys
        if name in said and str(said[name]).casefold() in shown.get(name, "").casefold().split()
    }
    texts = {slot.name for slot in flow.spec.slots if slot.type == "text"} - set(flow.rules.keys)
    part |= {name for name in texts if name in said and name in task and str(task[name]) in str(said[name])}
    days = {slot.name for slot in flow.spec.slots if slot.type == "date"} - set(task)
    part |= {name for name in days if said.get(name) == on.today.isoformat()}
    rest = {name: value for name, value in said.items() if name not in part}
    return bool(places_of(flow.rules, [task], rest, on))


def says_only_what_is_shown(
    flow: Flow, tasks: Sequence[Mapping[str, JsonValue]], clause: Clause, known: Known, on: ValidationContext
) -> bool:
    """Whether every figure and every known name in a turn is one of those of the tasks; `on` has what was looked up
    about the names."""
    own = [values(flow.rules, task, on) for task in tasks]
    kept = [value for task in tasks for value in task.values()]
    if any(one.value not in kept and not _is_told(flow, tasks, one, on) for one in clause.entities):
        return False
    said, shown = clause.text.casefold(), " ".join(value for task in own for value in task.values()).casefold()
    keys = words_in(clause.text, named_in(flow, clause.text, known))
    called = {name for task in tasks for name in _called(flow, task, clause.text, on, known)}
    others = [name for slot, names in known.items() if slot not in flow.rules.keys for name in names]
    strange = [name for name in others if name.casefold() in said and name.casefold() not in shown]
    return not strange and all(str(name) in called for one in keys for name in one.values())


def _is_told(flow: Flow, tasks: Sequence[Mapping[str, JsonValue]], one: Entity, on: ValidationContext) -> bool:
    """Whether a day or a time in a turn can be no value: it has passed, or is today, and no day is shown ("yes, it is
    her birthday today")."""
    days = {slot.name for slot in flow.spec.slots if slot.type == "date"}
    if any(days & set(task) for task in tasks):
        return False
    last = one.value.get("end") if isinstance(one.value, dict) else one.value if one.type == "date" else None
    return isinstance(last, str) and last <= on.today.isoformat()


def named_places(
    flow: Flow, tasks: Sequence[Mapping[str, JsonValue]], text: str, on: ValidationContext, known: Known
) -> frozenset[int]:
    """Places of the tasks that known names in a text mean; none where a name means none of them."""
    called = [set(_called(flow, task, text, on, known)) for task in tasks]
    names = {str(name) for one in words_in(text, named_in(flow, text, known)) for name in one.values()}
    if names - set().union(*called):
        return frozenset()
    return frozenset(place for place, own in enumerate(called) if own & names)


def words_in(text: str, names: Sequence[JsonObject]) -> list[JsonObject]:
    """Of the names that stand in a text those that are words of it, as far as its script divides words."""

    def is_word(name: str) -> bool:
        edge = r"[a-z]" if name.isascii() else r"(?!)" if len(name) > 1 else r"[^\W\d_]"
        return re.search(rf"(?<!{edge}){re.escape(name)}(?!{edge})", text.casefold()) is not None

    return [one for one in names if all(is_word(str(value).casefold()) for value in one.values())]


def meant_by_all(flow: Flow, names: Sequence[JsonObject], on: ValidationContext) -> JsonObject:
    """What all the names mean, if it is one; else nothing."""
    meant = {tuple(sorted(values(flow.rules, one, on).items())): one for one in names}
    return next(iter(meant.values())) if len(meant) == 1 else {}


def named_in(flow: Flow, text: str, known: Known) -> list[JsonObject]:
    """The known names of key slots that stand in the text, each as a task that says no more."""
    said = text.casefold()
    return [{key: name} for key in flow.rules.keys for name in known.get(key, ()) if name.casefold() in said]


def with_their_names(
    flow: Flow, tasks: Sequence[Mapping[str, JsonValue]], text: str, on: ValidationContext, known: Known
) -> str:
    """The text with what tasks are kept by in the place of other names for it ("how much did Mum get?")."""
    for task in tasks:
        kept = [str(task[key]) for key in flow.rules.keys if key in task]
        if len(kept) == 1 and kept[0].casefold() not in text.casefold():
            for name in sorted(_called(flow, task, text, on, known), key=len, reverse=True)[:1]:
                text = re.sub(re.escape(name), kept[0].replace("\\", r"\\"), text, flags=re.IGNORECASE)
    return text


def _called(flow: Flow, task: Mapping[str, JsonValue], text: str, on: ValidationContext, known: Known) -> list[str]:
    """The known names in the text that mean the task: they stand for its value, or are part of how it is shown."""
    shown = values(flow.rules, task, on)
    found: list[str] = []
    for one in named_in(flow, text, known):
        ((key, name),) = one.items()
        meant = values(flow.rules, one, on).get(key, "")
        if key in shown and (meant == shown[key] or str(name).casefold() in shown[key].casefold().split()):
            found.append(str(name))
    return found


def _names(flow: Flow, task: Mapping[str, JsonValue], on: ValidationContext) -> list[str]:
    """What a task is called: by its key slots, as they were said and as they are shown; else by its texts."""
    keys = flow.rules.keys or tuple(slot.name for slot in flow.spec.slots if slot.required and slot.type == "text")
    shown = values(flow.rules, task, on)
    return [one for name in keys if name in task for one in (str(task[name]), shown.get(name, ""))]


def says_all(text: str, tasks: Sequence[JsonObject], state: FlowAdvanced | None) -> bool:
    """Whether what is said is said of all that is open, and not within a value ("memo: thanks to all"); or of each,
    where none of them has it yet ("50,000 each", asked how much)."""
    if state is None or not state.is_open or not state.queue or len(tasks) != 1:
        return False
    for value in tasks[0].values():
        text = text.replace(str(value), " ")
    lack = all(tasks[0].keys().isdisjoint(one) for one in (state.slots, *state.queue))
    return markers.says_all(text, 1 + len(state.queue)) or (lack and markers.says(text, "each"))


def in_parts(text: str, tasks: Sequence[JsonObject], flow: Flow, state: FlowAdvanced | None) -> tuple[JsonObject, ...]:
    """What each open task gets of an amount that is said to be that of all of them together ("50,000 in total"); none
    where it does not divide."""
    if state is None or not (state.is_open and state.queue) or len(tasks) != 1 or state.task_index > 1:
        return ()
    ((name, value),) = tasks[0].items() if len(tasks[0]) == 1 else (("", None),)
    slot, count = flow.rules.slot(name), 1 + len(state.queue)
    if slot is None or slot.type != "money" or not isinstance(value, int) or value % count:
        return ()
    if not markers.says(text, "together"):
        return ()
    return ({name: value // count},)


def says_the_rest(text: str, tasks: Sequence[JsonObject], flow: Flow, state: FlowAdvanced | None) -> bool:
    """Whether what is said is said of what waits behind the task that is shown ("20,000 each for the others")."""
    if state is None or not (state.is_open and state.queue) or len(tasks) != 1:
        return False
    for value in tasks[0].values():
        text = text.replace(str(value), " ")
    return tasks[0].keys().isdisjoint(flow.rules.keys) and markers.says(text, "rest")
