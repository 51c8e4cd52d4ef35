"""The adapter of this room that asks a model: another intent, tasks that were overlooked, slots.

Whatever the model says is read again by code: intents as what is wanted, a slot against the sentence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from backbone.model.port import ModelProvider
from backbone.packs import Catalogue, Pack
from contracts.cognitive import Task
from contracts.model import ModelCalled
from contracts.packs import IntentSpec
from understanding.llm.grounding import is_said, merged
from understanding.llm.roles import (
    ClassifierQuestion,
    ExtractorQuestion,
    IntentOption,
    choices_of,
    classify,
    extract,
)
from understanding.offline.catalogue import makes_something
from understanding.port import ClauseReader, Situation, Understander, UserTurn
from understanding.result import Understanding, Wanted

EXAMPLES = 2
"""Of each language, in the classifier's prompt."""
CERTAIN = 1.0
"""Confidence of what the person chose when they were asked."""
LONGEST = 8_000
"""Characters of a message that a model is shown; beyond them a text is data, not a request."""


@dataclass(frozen=True, slots=True)
class LlmUnderstander:
    """See understanding.port.Understander. The classifier and extractor roles, each where a model plays it."""

    provider: ModelProvider
    offline: Understander
    clauses: ClauseReader
    options: tuple[IntentOption, ...]
    classifies: bool = True
    extracts: bool = True

    async def understand(self, turn: UserTurn, situation: Situation) -> Understanding:
        """Turns of a dialogue that waits are the dialogue's, and what the person chose is not put to a model."""
        read = await self.offline.understand(turn, situation)
        if situation.flow is not None or not read.text.strip():
            return read
        if self.classifies and not turn.wants and read.intent.confidence < CERTAIN:
            read = await self._classified(turn, situation, read)
        return await self._with_slots(read, situation) if self.extracts and read.tasks else read

    async def _classified(self, turn: UserTurn, situation: Situation, read: Understanding) -> Understanding:
        """The offline reading where it sees the same things; else what the model sees, read offline."""
        question = ClassifierQuestion(text=read.text[:LONGEST], language=read.language, intents=self.options)
        wanted, called = await classify(self.provider, question, situation.talk)
        read = _after(read, called)
        if not wanted or not all(is_said(one.text, read.text, ()) for one in wanted):
            return read
        if not read.ambiguities and _kinds(read.tasks) == _kinds(wanted):
            return read
        again = await self.offline.understand(replace(turn, wants=wanted), situation)
        return again.model_copy(update={"called": (*read.called, *again.called)})

    async def _with_slots(self, read: Understanding, situation: Situation) -> Understanding:
        slots = {one.intent: one.slots for one in self.options if one.slots}
        tasks = [Wanted(intent=task.intent, text=task.text) for task in read.tasks]
        if not any(task.intent in slots for task in tasks):
            return read
        text = read.text[:LONGEST]
        question = ExtractorQuestion(
            text=text,
            language=read.language,
            now=situation.now,
            tasks=tuple(tasks),
            slots={one.intent: slots.get(one.intent, {}) for one in tasks},
        )
        clause = await self.clauses.clause(text, situation.now, read.language)
        told, called = await extract(self.provider, question, clause, situation.talk)
        found = merged(read.tasks, told)
        missing = tuple(one for one in read.missing if not _has(found, one.intent, one.slot))
        return _after(read, called).model_copy(update={"tasks": found, "missing": missing})


def _after(read: Understanding, called: ModelCalled) -> Understanding:
    return read.model_copy(update={"called": (*read.called, called)})


def _kinds(tasks: Sequence[Task] | Sequence[Wanted]) -> list[str]:
    """Intents in order; several tasks of one intent in a row are one kind."""
    return [intent for intent, _ in groupby(task.intent for task in tasks)]


def _has(tasks: Sequence[Task], intent: str, slot: str) -> bool:
    same = [task for task in tasks if intent in (task.intent, f"{task.intent}.{task.subcategory}")]
    return bool(same) and all(slot in task.slots for task in same)


def options_of(catalogue: Catalogue) -> tuple[IntentOption, ...]:
    """The intents that lead to work, with a few examples and the names of their slots."""
    found: dict[str, IntentOption] = {}
    for pack in catalogue.packs.values():
        for spec in pack.intents:
            if spec.intent.count(".") <= 1 and makes_something(spec):
                found.setdefault(spec.intent, _option(pack, spec, catalogue))
    return tuple(found.values())


def _option(pack: Pack, spec: IntentSpec, catalogue: Catalogue) -> IntentOption:
    examples = tuple(one for said in spec.examples.values() for one in said[:EXAMPLES])
    return IntentOption(intent=spec.intent, examples=examples, slots=dict(_slots(pack, spec, catalogue)))


def _slots(pack: Pack, spec: IntentSpec, catalogue: Catalogue) -> Mapping[str, tuple[str, ...]]:
    if spec.flow in pack.flows:
        return {slot.name: () for slot in pack.flows[spec.flow].slots}
    tool = catalogue.tools.get(spec.tool) if spec.tool else None
    return choices_of(tool.params_schema) if tool else {}
