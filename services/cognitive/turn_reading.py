"""Has a turn read by the reader of its flow, with all that may help it: where the flow stands, what it has done, and
what the person's values are called."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from backbone.errors import Retryable
from contracts.cognitive import CognitiveOutput, FlowAct, FlowAdvanced, FlowReading, FlowStage
from contracts.errors import Code
from contracts.gateway import MessageReceived
from contracts.packs import FlowSpec
from contracts.reading import Clause
from contracts.shape import JsonObject, JsonValue, Language
from contracts.tables import DatabaseUnavailable, PackDatabase
from services.cognitive import markers
from services.cognitive.domain.slots import ValidationContext, fill
from services.cognitive.domain.updating import places_of
from services.cognitive.flows import Flow
from services.cognitive.hearing import slots_of
from services.cognitive.person import Speaking
from services.cognitive.reads import Reads, TurnRead
from understanding.port import READ, detect_language

SHORT = 3
"""Words: so short an English turn may stand in a conversation of another language."""
SHORTEST = 2
"""Letters of a word of a shown text by which it may be named."""


class Talk(NamedTuple):
    """A flow, where it stands, and the language of the turn."""

    flow: Flow
    state: FlowAdvanced
    language: Language

    def is_no_yes(self, text: str) -> bool:
        """See markers.is_no_yes."""
        return markers.is_no_yes(text, self.language, 1 + len(self.state.queue))


def no_settings(_: str) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True)
class TurnReader:
    """Raises what Reads raises, and Retryable where the names cannot be looked up."""

    reads: Reads
    tables: Callable[[str], PackDatabase]
    settings: Callable[[str], Mapping[str, str]] = no_settings
    """Of a pack: what was set for it."""

    async def word(self, flow: Flow, text: str, *, named: bool = False) -> FlowAct | None:
        # whoever says so much says something else
        return await self.reads.word(flow, text, named=named) if len(text) <= READ else None

    async def facts(self, flow: Flow, about: Sequence[JsonObject], who: Speaking) -> JsonObject:
        """What the flow's resolver finds about tasks."""
        if flow.resolver is None or not about:
            return {}
        tables, config = self.tables(flow.pack), self.settings(flow.pack)
        try:
            return await flow.resolver(about, who.user, tables, today=who.now.date(), config=config)
        except DatabaseUnavailable as error:
            raise Retryable(Code.LEDGER_UNAVAILABLE, str(error)) from error

    async def grounds(self, talk: Talk, about: Sequence[JsonObject], who: Speaking) -> ValidationContext:
        """By what tasks are judged, with what was looked up about these."""
        return ValidationContext(talk.language, await self.facts(talk.flow, about, who), who.now.date())

    async def read(self, text: str, who: Speaking, talk: Talk, done: JsonObject | None = None) -> TurnRead:
        """What the flow's reader finds in the text, as its state is."""
        state, spec = talk.state, talk.flow.spec
        is_open = state.is_open
        asked = Clause(
            text, talk.language, who.now, expecting=expecting(state), slots=state.slots if is_open else {},
            done=last_of(who, spec) if done is None else done, refused=state.refused if is_open else {},
            known=await self.known(talk.flow, who),
        )  # fmt: skip
        return await self.reads.turn(talk.flow, asked)

    async def known(self, flow: Flow, who: Speaking) -> Mapping[str, Sequence[str]]:
        if flow.vocabulary is None:
            return {}
        try:
            return await flow.vocabulary(who.user, self.tables(flow.pack))
        except DatabaseUnavailable as error:
            raise Retryable(Code.LEDGER_UNAVAILABLE, str(error)) from error

    async def placed(self, text: str, who: Speaking, talk: Talk) -> tuple[TurnRead, str]:
        """The turn read, and which task its values are for, where it names one by its place."""
        read = await self.read(text, who, talk)
        number, rest = markers.place(_without_days(read, text), talk.language)
        if not number and (number := _the_only_booked(text, talk)):
            rest = text
        if not number or set(expecting(talk.state)) & set(talk.flow.rules.keys):
            return read, ""  # a place among those that the question is about
        other = await self.read(rest, who, talk)
        found = slots_of(talk.flow.spec, other.tasks)
        if len(found) != 1 or any(name in found[0] for name in talk.flow.rules.keys):
            return read, ""
        return other._replace(clause=read.clause), number


def _the_only_booked(text: str, talk: Talk) -> str:
    """The number of the task that a turn calls a booking, where of several that wait one alone has a day, and it is not
    the one that is asked about; empty for any other."""
    state = talk.state
    if not state.queue or not markers.says(text, "books"):
        return ""
    days = {slot.name for slot in talk.flow.spec.slots if slot.type == "date"}
    booked = [at for at, task in enumerate((state.slots, *state.queue)) if any(task.get(name) for name in days)]
    return str(state.task_index + booked[0]) if len(booked) == 1 and booked[0] else ""


def _without_days(read: TurnRead, text: str) -> str:
    """The turn with days blanked: "the 4th" is none of the tasks."""
    if read.clause.text != text:
        return text
    for one in read.clause.entities:
        if one.type == "date":
            text = text[: one.start] + " " * (one.end - one.start) + text[one.end :]
    return text


def spoken_in(received: MessageReceived, state: FlowAdvanced) -> Language:
    """The language of a turn in a flow: a bare "ok" or "KB" does not change it."""
    detected = detect_language(received.text, state.language).language
    few = detected == "en" and len(received.text.split()) < SHORT
    return received.language or (state.language if few else detected)


def without_values(
    read: TurnRead, known: Mapping[str, Sequence[str]], language: Language, shown: Iterable[JsonValue] = ()
) -> str:
    """The turn without the values in it, each with the particle that ties it; what else is said stays. Of texts that
    are `shown` every word is a value, too."""
    text, tied = read.clause.text, markers.markers()[language]
    spots = [(one.start, one.end) for one in read.clause.entities if one.type in {"money", "date", "number", "time"}]
    for name in sorted((name for names in known.values() for name in names), key=len, reverse=True):
        named = (found.span() for found in re.finditer(re.escape(name), text, re.IGNORECASE))
        spots += [one for one in named if not any(s < one[1] and one[0] < e for s, e in spots)]
    texts = [one for one in shown if isinstance(one, str)]
    words = {word for one in texts for word in (one, *one.split()) if len(word) >= SHORTEST}
    for word in sorted(words, key=len, reverse=True):
        found_ = re.finditer(rf"(?<![a-z]){re.escape(word)}(?![a-z])", text, re.IGNORECASE)
        spots += [one.span() for one in found_ if not any(s < one.end() and one.start() < e for s, e in spots)]
    for start, end in sorted(spots, reverse=True):
        behind, before = tied.behind_value.match(text, end), tied.before_value.search(text[:start])
        text = text[: before.start() if before else start] + " " + text[behind.end() if behind else end :]
    return re.sub(r" +(?=[.,!、。])", "", " ".join(text.split())).strip(" ,、")


def expecting(state: FlowAdvanced) -> tuple[str, ...]:
    """The slots that the open question is about, the first one first."""
    return tuple(dict.fromkeys((*state.slot_errors, *state.missing))) if state.stage is FlowStage.FILLING else ()


def is_strange(talk: Talk, reading: FlowReading, who: Speaking) -> bool:
    """Whether the turn says nothing but one key that the flow does not know: a name that is nobody's."""
    keys, (task, *more) = set(talk.flow.rules.keys), reading.tasks or ({},)
    if more or not task or not set(task) <= keys or reading.denied or reading.erases:
        return False
    filled = fill(talk.flow.rules, {}, task, ValidationContext(talk.language, reading.facts, who.now.date()))
    return bool(filled.errors)


def says_only_what_may_be_left_out(talk: Talk, read: TurnRead, tasks: Sequence[JsonObject]) -> bool:
    """Whether a turn answers no question that is open, and of all values has those that nobody has to say: a day and a
    note may be those of another request. A day and no word more is no request."""
    slots = talk.flow.spec.slots
    needed = {slot.name for slot in slots if slot.required}
    needed |= {slot.within for slot in slots if slot.within and slot.name in talk.state.slot_errors}
    if talk.state.stage is not FlowStage.FILLING or not any(tasks) or any(needed & set(task) for task in tasks):
        return False
    return any(letter.isalnum() for letter in without_values(read, {}, talk.language))


async def with_the_sum_told(
    reads: Reads, flow: Flow, output: CognitiveOutput, tasks: Sequence[JsonObject], told: str, now: datetime
) -> tuple[JsonObject, ...]:
    """One task without its sum, in a sentence that points at one ("send him that amount"), with the only sum of the
    answer before it. It is shown before anything is done."""
    sums = {slot.name for slot in flow.spec.slots if slot.type == "money"}
    if len(tasks) != 1 or len(sums) != 1 or sums & set(tasks[0]) or not markers.says(output.text, "sum"):
        return tuple(tasks)
    read = await reads.clause(told, now, detect_language(told, output.language).language)
    found = {one.value for one in read.entities if one.type == "money"}
    return ({**tasks[0], sums.pop(): found.pop()},) if len(found) == 1 else tuple(tasks)


def says_more(
    flow: Flow, known: Mapping[str, Sequence[str]], again: Sequence[JsonObject], tasks: Sequence[JsonObject]
) -> bool:
    """Whether the names that are known have made more of a sentence: more keys, more of them known, or more values, and
    of none less; or keys that differ where they were alike."""
    keys = flow.rules.keys
    names = {name: {one.casefold() for one in known.get(name, ())} for name in keys}
    others = {one.casefold() for name, some in known.items() if name not in keys for one in some}

    def told(said: Sequence[JsonObject]) -> tuple[int, int, int, int]:
        named = [(name, str(task[name]).casefold()) for task in said for name in keys if name in task]
        meant = [(name, value) for name, value in named if _is_known(value, names[name], others)]
        return len(named), len(meant), sum(name not in keys for task in said for name in task), len(set(meant))

    before, after = told(tasks), told(again)
    # of several tasks, one that says nothing but a key may have been taken back in the same sentence
    bare = sum(len(task) > 0 and task.keys() <= set(keys) for task in tasks)
    gone = bare if bare < len(tasks) and after[0] else 0
    less = after[0] < before[0] - gone or after[1] < before[1] - gone or after[2] < before[2]
    return after != before and not less and (after[0] >= before[0] or after[1] > before[1] or gone > 0)


def _is_known(value: str, names: Collection[str], others: Collection[str]) -> bool:
    """Whether it is one of the names, or one with another known word before it that tells it apart ("Hanbit Minsu")."""
    ends = (f" {name}" for name in names)
    return value in names or any(value.endswith(end) and value.removesuffix(end) in others for end in ends)


def says_the_same(flow: Flow, task: JsonObject, again: JsonObject) -> bool:
    """Whether another reading has all of a task, perhaps with more to its keys."""
    keys = flow.rules.keys
    return all(
        name in again and (again[name] == value or (name in keys and str(value) in str(again[name])))
        for name, value in task.items()
    )


def names_open(flow: Flow, state: FlowAdvanced, tasks: Sequence[JsonObject], on: ValidationContext) -> bool:
    """Whether what a turn says is for one of the open tasks, by its key."""
    said: list[JsonObject] = [{name: task[name] for name in flow.rules.keys if name in task} for task in tasks]
    open_ = (state.slots, *state.queue)
    return len(said) == 1 and bool(said[0]) and bool(places_of(flow.rules, open_, said[0], on))


def some_are_gone(who: Speaking, state: FlowAdvanced) -> bool:
    """Whether tasks that were said together with the open ones are done or taken back: then these are the rest."""
    if state.task_index > 1:
        return True
    for _, move in reversed(who.moves):
        if move.flow == state.flow and not (move.is_open or move.queue):
            break
        if move.flow == state.flow and move.task_total > state.task_total:
            return True
    return False


def last_of(who: Speaking, spec: FlowSpec) -> JsonObject:
    done = who.executed(spec.flow)
    return done[-1] if done else {}
