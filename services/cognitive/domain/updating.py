"""What a sentence does to the tasks of an open flow. A value belongs to the task that it was said for: nothing moves
from one task to another, nothing goes without being named, and a refused value takes its sentence with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from contracts.cognitive import FlowAdvanced, FlowReading, FlowStage
from contracts.shape import JsonObject, JsonValue
from services.cognitive.domain.describing import BETWEEN, described, joined, values
from services.cognitive.domain.slots import Filled, FlowRules, ValidationContext, fill

MOST_WAITING = 20
"""Tasks in the queue of a flow, and sentences beside it. What is said beyond is not taken, and the person is told so:
every move carries them all, and nobody answers for more than a few."""
CURRENT, NEW, NOWHERE = -1, -2, -3
"""Where a task of a sentence belongs, unless it is a place in the queue."""
Slots = Mapping[str, JsonValue]


@dataclass(slots=True)
class Update:
    """The tasks of a flow after a sentence. `slots`, `errors` and the refused `values` are the current one's; `told` is
    what has to be said before its question; `refused`: a value of the sentence cannot be; `left_out` counts tasks that
    found no room."""

    slots: JsonObject
    errors: dict[str, str]
    queue: list[JsonObject]
    values: JsonObject = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    added: list[JsonObject] = field(default_factory=list)
    left_out: int = 0
    changed: bool = False
    refused: bool = False
    answered: bool = False
    """A task of the sentence has said whom or what the current one is for: the next one is another."""


def update(rules: FlowRules, state: FlowAdvanced, reading: FlowReading, on: ValidationContext) -> Update:
    """Puts every task of the sentence where it belongs."""
    sentence = _sentence(rules, state, reading, on)
    if reading.erases:
        sentence.erase(reading.erases)
    for place, task in enumerate(reading.tasks):
        if task and _is_one_more(rules, task, reading.tasks[:place]):
            sentence.add(task)
        elif task:
            sentence.put(task)
    return sentence.made


def _is_one_more(rules: FlowRules, task: Slots, before: Sequence[Slots]) -> bool:
    """Whether a sentence says a whole task beside another one of the same key ("40,000 today and 20,000 tomorrow")."""
    keys = {name: task[name] for name in rules.keys if name in task}
    same = [one for one in before if keys and all(one.get(name) == value for name, value in keys.items())]
    return bool(same) and not rules.missing(task) and not any(one.items() <= task.items() for one in same)


def queued(rules: FlowRules, state: FlowAdvanced, reading: FlowReading, on: ValidationContext) -> Update:
    """Every task waits for its turn: it was said before the person had seen that one was open."""
    sentence = _sentence(rules, state, reading, on)
    for task in reading.tasks:
        sentence.add(task)
    return sentence.made


def places_of(rules: FlowRules, tasks: Sequence[Slots], said: Slots, on: ValidationContext) -> list[int]:
    """Where in `tasks` those are that have these values, as validators keep them."""
    wanted = _judged(rules, said, on)
    return [place for place, task in enumerate(tasks) if _has(_judged(rules, task, on), wanted)]


def _sentence(rules: FlowRules, state: FlowAdvanced, reading: FlowReading, on: ValidationContext) -> "_Sentence":
    return _Sentence(
        rules,
        state,
        reading,
        on,
        Update(dict(state.slots), dict(state.slot_errors), list(state.queue), dict(state.refused)),
    )


def _judged(rules: FlowRules, task: Slots, on: ValidationContext) -> JsonObject:
    """What is kept of the values; as they were said where they are refused."""
    return {**task, **fill(rules, {}, task, on).slots}


def _has(task: Slots, said: Slots) -> bool:
    return all(name in task and task[name] == value for name, value in said.items())


@dataclass(frozen=True, slots=True)
class _Sentence:
    rules: FlowRules
    state: FlowAdvanced
    reading: FlowReading
    on: ValidationContext
    made: Update

    def put(self, task: JsonObject) -> None:
        if self._names_the_open_one(task):
            return  # one of several of a name, who was chosen before
        if self.reading.which == "rest" or self._is_for_all(task):
            for place in self._rest(task) if self.reading.which else (CURRENT, *range(len(self.made.queue))):
                if place == CURRENT:
                    self._into_current(task)
                else:
                    self._into_queue(place, task)
            return
        place = self._counted() if self.reading.which else self._place(task)
        if place == CURRENT:
            self._into_current(task)
        elif place == NEW:
            self.add(task)
        elif place == NOWHERE:
            self._into_nothing(task)
        else:
            self._into_queue(place, task)

    def _rest(self, task: JsonObject) -> list[int]:
        """Those that have nothing yet of what is said; if all have, those behind the one that is shown."""
        open_ = {CURRENT: self.made.slots, **dict(enumerate(self.made.queue))}
        return [place for place, one in open_.items() if task.keys().isdisjoint(one)] or [*open_][1:]

    def _is_for_all(self, task: JsonObject) -> bool:
        """Whether it was said for every open task: a memo for both, and 50,000 each."""
        return self.reading.every and bool(self.made.queue) and task.keys().isdisjoint(self.rules.keys)

    def _names_the_open_one(self, task: JsonObject) -> bool:
        """Whether a task is nothing but a key that means several, and the open task is one of these."""
        shown = values(self.rules, self.made.slots, self.on)
        known = all(
            name in self.rules.keys and str(value).casefold() in shown.get(name, "").casefold().split()
            for name, value in task.items()
        )
        return known and bool(fill(self.rules, {}, task, self.on).errors)

    def erase(self, names: Sequence[str]) -> None:
        """Empties slots of the current task. One that is needed stays, and its value is asked for by another."""
        gone = {
            name: value
            for name, value in self.made.slots.items()
            if name in names and (slot := self.rules.slot(name)) is not None and not slot.required
        }
        if gone:
            named = " ".join(values(self.rules, {name: self.made.slots[name] for name in gone}, self.on).values())
            self.made.slots = {name: value for name, value in self.made.slots.items() if name not in gone}
            self.made.errors = {name: why for name, why in self.made.errors.items() if name not in gone}
            self.made.changed = True
            self._tell("flow.erased", values=named)

    def add(self, task: JsonObject) -> None:
        """Behind the others. A value of it that cannot be is told now, and asked for when its turn comes."""
        self.made.changed = True
        if len(self.made.queue) >= MOST_WAITING:
            self.made.left_out += 1
            return
        filled = fill(self.rules, {}, task, self.on)
        self.made.queue.append({**task, **filled.slots})
        if errors := filled.errors:
            self._tell("flow.queued_unclear", reason=self._reasons(errors), task=described(self.rules, task, self.on))
        else:
            self.made.added.append(task)

    def _place(self, task: JsonObject) -> int:
        known = self.made.slots
        if self.reading.denied:
            return self._instead_of_denied(task)
        if self._adds(task) and any(name in known for name in task if name in self._required):
            return NEW
        said = {name: task[name] for name in self.rules.keys if name in task}
        if not said:
            return NEW if self._is_another_whole(task) else CURRENT
        if not any(name in known for name in said):
            answered, self.made.answered = self.made.answered, True
            return NEW if answered else CURRENT  # the answer to whom or what it is for
        if fill(self.rules, {}, said, self.on).errors:
            return NOWHERE if self._corrects else NEW
        return self._open_with(said, otherwise=CURRENT if self._corrects else NEW)

    def _instead_of_denied(self, task: JsonObject) -> int:
        """What is said instead has to be of the same kind: "not Dad, 50,000" corrects nothing."""
        denied = self.reading.denied
        if denied.keys().isdisjoint(task):
            return NOWHERE
        was_asked_about = denied.items() <= self.made.values.items()
        return CURRENT if was_asked_about else self._open_with(denied, otherwise=NOWHERE)

    def _counted(self) -> int:
        """The task of that number, as they are counted before the person."""
        which, last = self.reading.which, len(self.state.queue)
        place = last if which == "last" else int(which) - self.state.task_index if which.isdigit() else NOWHERE
        if place == 0:
            return CURRENT
        return place - 1 if 0 < place <= len(self.state.queue) else NOWHERE

    @property
    def _required(self) -> tuple[str, ...]:
        return tuple(slot.name for slot in self.rules.spec.slots if slot.required)

    def _adds(self, task: JsonObject) -> bool:
        """Whether it is one more. Who goes on correcting ("and make it 30,000") says no other task without a key."""
        return self.reading.adds and not (self._corrects and not any(name in task for name in self.rules.keys))

    @property
    def _corrects(self) -> bool:
        """Of several tasks in one sentence nobody can say which one is the correction. What follows an objection that
        was not understood ("stop, wrong person") is what should have been."""
        objected = self.state.lost and not self.state.queue
        return (self.reading.corrects or objected) and len(self.reading.tasks) == 1

    def _is_another_whole(self, task: JsonObject) -> bool:
        """In a flow without key slots, who says all that a task needs, and not what is open, says another one."""
        if self.rules.keys or self._corrects or self.rules.missing(task):
            return False
        judged, known = _judged(self.rules, task, self.on), self.made.slots
        return any(name in known and known[name] != judged[name] for name in self._required)

    def _open_with(self, said: JsonObject, otherwise: int) -> int:
        """The one open task that has these values: the current one before those that wait."""
        if places_of(self.rules, [self.made.slots], said, self.on):
            return CURRENT
        waiting = places_of(self.rules, self.made.queue, said, self.on)
        return waiting[0] if len(waiting) == 1 else otherwise

    def _into_current(self, task: JsonObject) -> None:
        task = {**self._admitted_by(task), **task}
        another = self._is_for_another(task)
        anew = (another and not self.rules.missing(task)) or self._is_instead_of_a_refused(task)
        filled = fill(self.rules, {} if anew else self.made.slots, task, self.on)
        if filled.errors and another:
            self._reject(filled)
        elif anew:
            self._replace(task, filled)
            self.made.refused |= bool(filled.errors)  # one that cannot be instead of another that cannot be
        elif filled.errors:
            self._keep(task, filled)
        else:
            self._name_changes(task, filled.slots)
            errors = {name: why for name, why in self.made.errors.items() if name not in task}
            self.made.changed |= filled.slots != self.made.slots or errors != self.made.errors
            self.made.slots, self.made.errors = filled.slots, errors

    def _admitted_by(self, task: JsonObject) -> JsonObject:
        """Refused values that may be kept with what is said now: the amount that was too much for another day."""
        return {
            slot.name: self.made.values[slot.name]
            for slot in self.rules.spec.slots
            if slot.within in task and slot.name in self.made.errors and slot.name in self.made.values
        }

    def _is_for_another(self, task: JsonObject) -> bool:
        """Whether it names somebody else than the open task."""
        said: JsonObject = {name: task[name] for name in self.rules.keys if name in task and name in self.made.slots}
        return bool(said) and not places_of(self.rules, [self.made.slots], said, self.on)

    def _is_instead_of_a_refused(self, task: JsonObject) -> bool:
        """Whether it says a payee together with something else, or one more, where the payee before was refused, with
        all of his."""
        keys = {name for name in self.rules.keys if name in task and name not in self.made.slots}
        # what has all that is open is the same task, with one of several chosen
        same = bool(self.made.slots) and self.made.slots.items() <= task.items()
        others = set(task) > keys or self.reading.adds
        return any(name in self.made.errors for name in keys) and others and not same and not self._is_refused(task)

    def _is_refused(self, task: JsonObject) -> bool:
        """Whether it names whom the open task is for and who was refused, and is refused as before: it says more of
        that one."""
        said: JsonObject = {name: task[name] for name in self.rules.keys if name in task and name in self.made.errors}
        errors = fill(self.rules, {}, said, self.on).errors
        return not self.reading.adds and any(self.made.errors[name] == why for name, why in errors.items())

    def _replace(self, task: JsonObject, filled: Filled) -> None:
        gone = self.made.slots
        if any(name in gone for name in self.rules.keys):
            self._tell("flow.dropped", tasks=described(self.rules, gone, self.on))
        else:  # its payee was refused by name, and by that name it goes
            refused: JsonObject = {name: self.made.values[name] for name in self.rules.keys if name in self.made.values}
            self._tell("flow.dropped", tasks=described(self.rules, refused or gone, self.on))
        self.made.slots, self.made.errors, self.made.changed = filled.slots, filled.errors, True
        self.made.values = dict(filled.refused)

    def _keep(self, task: JsonObject, filled: Filled) -> None:
        """A value is refused: a task that was whole stays as it was, and what a task has is not overwritten. Of one
        that is being filled, the empty slots are, unless it was said for somebody who is refused."""
        whole = self.state.stage is FlowStage.READY or any(name in filled.errors for name in self.rules.keys)
        before = self.made.slots
        taken = {} if whole else {name: value for name, value in filled.slots.items() if name not in before}
        if self._is_refused(task):
            self._name_changes(task, {**before, **filled.slots})
            taken = {name: value for name, value in filled.slots.items() if before.get(name) != value}
        self.made.slots = {**before, **taken}
        self.made.errors = {**self.made.errors, **filled.errors}
        self.made.values = {**self.made.values, **filled.refused}
        self.made.refused = True
        self.made.changed |= bool(taken)
        self._name_lost(
            {
                name: filled.slots[name]
                for name in task
                if name not in filled.errors
                and name in filled.slots
                and self.made.slots.get(name) != filled.slots[name]
            }
        )

    def _into_nothing(self, task: JsonObject) -> None:
        """A correction of something that is not there, or by somebody who cannot be."""
        filled = fill(self.rules, {}, task, self.on)
        if self.reading.denied or self.reading.which or not filled.errors:
            self.made.refused = True
            self._tell("flow.no_such_task")
        else:
            self._reject(filled)

    def _reject(self, filled: Filled) -> None:
        """It was said for somebody else: all of it goes, the open task is not touched."""
        self.made.refused = True
        self.made.told.append(self._reasons(filled.errors))
        before = self.made.slots
        self._name_lost({name: value for name, value in filled.slots.items() if before.get(name) != value})

    def _into_queue(self, place: int, task: JsonObject) -> None:
        before = self.made.queue[place]
        after: JsonObject = {**before, **task}
        filled = fill(self.rules, {}, after, self.on)
        if errors := {name: why for name, why in filled.errors.items() if name in task}:
            self.made.refused = True
            self.made.told.append(self._reasons(errors))
            self._name_lost(
                {name: task[name] for name in task if name not in errors and before.get(name) != task[name]}
            )
        elif _judged(self.rules, before, self.on) != _judged(self.rules, after, self.on):
            self.made.queue[place] = {**after, **filled.slots}
            self.made.changed = True
            was, now = described(self.rules, before, self.on), described(self.rules, after, self.on)
            self._tell("flow.replaced", was=was, now=now)

    def _name_changes(self, task: JsonObject, after: JsonObject) -> None:
        """Another key is named, and so is what was changed by a sentence that does not say that it changes anything."""
        keys = [name for name in self.rules.keys if name in task]
        before = self.made.slots
        other = [name for name in task if name in before and before[name] != after[name]]
        if other and keys and (not self._corrects or any(name in other for name in keys)):
            was, now = (values(self.rules, slots, self.on) for slots in (before, after))
            self._tell(
                "flow.replaced", was=" ".join(was[name] for name in other), now=" ".join(now[name] for name in other)
            )

    def _name_lost(self, lost: JsonObject) -> None:
        if lost:
            named = BETWEEN.join(values(self.rules, lost, self.on).values())
            self._tell("flow.not_taken", values=named)

    def _reasons(self, errors: Mapping[str, str]) -> str:
        return joined(self.rules, self.on.language, dict.fromkeys(errors.values()))

    def _tell(self, key: str, **values: object) -> None:
        self.made.told.append(self.rules.phrase(self.on.language, key, **values))
