"""What a message wants, one by one: the parts of a sentence, the slots that the packs' readers find in them, and the
slots that are still missing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from contracts.cognitive import Entity, Task
from contracts.context import Requested
from contracts.packs import IntentSpec
from contracts.reading import LACKS, Clause
from contracts.shape import JsonObject, JsonValue
from understanding.grammar import read
from understanding.offline.catalogue import IntentCatalogue
from understanding.offline.details import overlap
from understanding.offline.entities import find_periods
from understanding.offline.readers import load_reader
from understanding.offline.spans import SpanFinder
from understanding.result import Missing

# Beyond this a clause is data, not a request.
READ_PART = 2000
LONGEST_SLOT = 500
QUOTED = 50_000
"""Characters that the tasks of a part quote of it, all together: a thousand quotations of a page fit into no event."""
_NOTHING: Mapping[str, JsonValue] = {}


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the message that is about one intent: `text[start:end]`. `slots` are those of a request that it varies,
    as it leaves them."""

    spec: IntentSpec
    text: str
    start: int = 0
    slots: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Read:
    """The tasks of all parts, in order, with what was found in them."""

    tasks: tuple[Task, ...]
    specs: tuple[IntentSpec, ...]
    entities: tuple[Entity, ...]
    lacks: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """By the place of a task: the slots of which it says only a part."""


def clause_of(
    text: str,
    now: datetime,
    language: str,
    expecting: Sequence[str] = (),
    slots: Mapping[str, JsonValue] = _NOTHING,
    *,
    another_day: bool = False,
) -> Clause:
    """The text as a pack's reader takes it; `now` is in the person's time zone. `another_day`: one was said
    before that is not today."""
    return Clause(
        text=text,
        language=language,
        now=now,
        entities=read(text[:READ_PART], now, another_day=another_day),
        expecting=tuple(expecting),
        slots=slots,
    )


class TaskReader:
    """The readers of all packs' intents, imported at the start, so that one that is missing is reported then."""

    def __init__(self, catalogue: IntentCatalogue, spans: SpanFinder | None = None) -> None:
        self._catalogue = catalogue
        self._spans = spans
        self._readers = {spec.intent: load_reader(spec) for spec in catalogue.specs}

    def read(self, parts: Sequence[Part], now: datetime, language: str, last: Requested | None = None) -> Read:
        """Every part's tasks; a part that says no slots is one task all the same. `last` is what was asked for before:
        a part of the same pack may go on about it."""
        tasks: list[Task] = []
        specs: list[IntentSpec] = []
        entities: list[Entity] = []
        lacks: dict[int, tuple[str, ...]] = {}
        for part in parts:
            clause = clause_of(part.text, now, language, another_day=_is_of_another_day(entities, now))
            clause = clause._replace(before=_before(tasks, entities), spans=self._names(part.text, part.spec))
            if last is not None and not tasks and self._catalogue.is_of(part.spec, last.intent):
                clause = clause._replace(last=last.slots)
            if part.spec.needs:
                clause = clause._replace(periods=find_periods(part.text[:READ_PART], now.date()))
            found = (part.slots,) if part.slots else self._readers[part.spec.intent](clause) or ({},)
            said = part.text.strip()[: QUOTED // len(found)]
            for slots in found:
                if names := slots.get(LACKS):
                    lacks[len(tasks)] = tuple(map(str, names)) if isinstance(names, list) else ()
                tasks.append(_task(part.spec, _without_marks(slots), said))
                specs.append(part.spec)
            entities += [_moved(one, part.start) for one in clause.entities]
        return Read(tuple(tasks), tuple(specs), tuple(entities), lacks)

    def are_whole(self, parts: Sequence[Part], now: datetime, language: str) -> bool:
        """Whether each of the parts says by itself all that its intent requires; or says something, and another thing
        is to be done with it ("cancel the dinner and put the gym there")."""
        alone = [self.read((one,), now, language) for one in parts]
        tasks = [task for read in alone for task in read.tasks]
        if not all(one.spec.requires for one in parts) or not all(task.slots.keys() - {"action"} for task in tasks):
            return False
        return len({task.slots.get("action") for task in tasks}) > 1 or not any(map(self.missing, alone))

    def filled(self, read: Read, answers: Sequence[str], now: datetime, language: str) -> Read:
        """The tasks with the person's answers to the questions for what was missing, in the order of the questions."""
        for answer in answers:
            gap = next(iter(self._gaps(read)), None)
            if gap is None:
                break
            at, slot = gap
            task = read.tasks[at]
            clause = clause_of(answer, now, language, (slot,), task.slots)
            clause = clause._replace(spans=self._names(answer, read.specs[at]))
            said: JsonObject = dict(next(iter(self._readers[read.specs[at].intent](clause)), {}))
            if slot not in said and not _is_figure(slot, read.specs[at]) and (words := answer.strip()[:LONGEST_SLOT]):
                said[slot] = words
            words = f"{task.text} \u2014 {answer.strip()}"[:QUOTED]
            known = task.model_copy(update={"slots": {**task.slots, **_without_marks(said)}, "text": words})
            lacks = {place: names for place, names in read.lacks.items() if place != at}
            read = replace(read, tasks=(*read.tasks[:at], known, *read.tasks[at + 1 :]), lacks=lacks)
        return read

    def varying(
        self, spec: IntentSpec, text: str, slots: Mapping[str, JsonValue], now: datetime, language: str
    ) -> JsonObject:
        """What a sentence says for a request that has slots already; nothing if it says several things."""
        clause = clause_of(text, now, language, slots=slots)._replace(spans=self._names(text, spec))
        found = self._readers[spec.intent](clause)
        return _without_marks(found[0]) if len(found) == 1 else {}

    def has_form(self, gap: Missing) -> bool:
        """Whether what is missing is told by its form, a time or a name that is learned; and not any words."""
        spec = self._catalogue.named(gap.intent)
        figure = spec is not None and _is_figure(gap.slot, spec)
        return figure or bool(self._spans and gap.slot in self._spans.slots_of(gap.intent))

    def _names(self, text: str, spec: IntentSpec) -> Mapping[str, str]:
        return {one.slot: one.text for one in self._spans.find(text, spec.intent)} if self._spans else {}

    def missing(self, read: Read) -> tuple[Missing, ...]:
        """What has to be asked for. A flow asks for its slots itself."""
        return tuple(
            Missing(intent=read.specs[at].intent, slot=slot, pack=self._catalogue.pack(read.specs[at]))
            for at, slot in self._gaps(read)
        )

    def says(self, read: Read, gap: Missing) -> bool:
        """Whether a task of the intent has what was missing."""
        pairs = zip(read.tasks, read.specs, strict=True)
        return any(spec.intent == gap.intent and task.slots.get(gap.slot) is not None for task, spec in pairs)

    def _gaps(self, read: Read) -> list[tuple[int, str]]:
        return [
            (at, slot)
            for at, (task, spec) in enumerate(zip(read.tasks, read.specs, strict=True))
            if spec.flow is None and _is_to_be_whole(spec, task)
            for slot in spec.requires
            if task.slots.get(slot) is None or slot in read.lacks.get(at, ())
        ]


_MOMENTS = frozenset({"date", "time"})


def _is_figure(slot: str, spec: IntentSpec) -> bool:
    """Whether the slot is never the words of an answer as they stand."""
    return slot in _MOMENTS or slot in spec.figures


def _without_marks(slots: JsonObject) -> JsonObject:
    return {name: value for name, value in slots.items() if name != LACKS}


def _is_to_be_whole(spec: IntentSpec, task: Task) -> bool:
    action = task.slots.get("action")
    return action is None or not spec.requires_for or action in spec.requires_for


def category_of(spec: IntentSpec) -> str:
    """DOMAIN.category, or the domain alone."""
    return ".".join(spec.intent.split(".")[:2])


def subcategory_of(spec: IntentSpec) -> str | None:
    """What comes behind the category in its name."""
    return spec.intent.removeprefix(category_of(spec)).lstrip(".") or None


def _task(spec: IntentSpec, slots: JsonObject, said: str) -> Task:
    return Task(
        intent=category_of(spec), subcategory=subcategory_of(spec) if spec.tool else None, slots=slots, text=said
    )


def _is_of_another_day(said: Sequence[Entity], now: datetime) -> bool:
    """Whether the last day that was said is not today: what comes after it without a day is on it."""
    days = [one.value for one in said if one.type == "date"]
    return bool(days) and days[-1] != now.date().isoformat()


def _before(tasks: Sequence[Task], said: Sequence[Entity]) -> Mapping[str, JsonValue]:
    """What a later part may lean on ("30 minutes before"): the last task with a date or time, else the last one; and as
    `day` the last date that was said ("that day"), in whatever."""
    dated = [task for task in tasks if {"date", "time"} & task.slots.keys()]
    last = next(reversed(dated or tasks), None)
    days = [one.value for one in said if one.type == "date"]
    return {**(last.slots if last else _NOTHING), **({"day": days[-1]} if days else {})}


def _moved(entity: Entity, by: int) -> Entity:
    return entity.model_copy(update={"start": entity.start + by, "end": entity.end + by})


def with_quantities(text: str, found: Sequence[Entity], read: Read) -> tuple[Entity, ...]:
    """What was read for a tool takes the place of the dates of data. Spans are those of the text, so what was read in
    another wording (an answer put before the sentence) is left out."""
    quantities = [one for one in read.entities if text[one.start : one.end] == one.text]
    others = [
        one
        for one in found
        if one.type not in ("date_range", "grain") and not any(overlap(one, other) for other in quantities)
    ]
    return tuple(sorted([*others, *quantities], key=lambda one: (one.start, one.end, one.type)))
