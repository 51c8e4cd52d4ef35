"""What a model makes of a message, laid over the offline reading: another intent, tasks that were overlooked, slots.

Whatever the model says is read again by code: an intent as if the person had chosen it, a slot against the sentence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from backbone.model.port import Conversation, ModelProvider
from backbone.packs import Catalogue, Pack
from contracts.cognitive import CognitiveInput, Task
from contracts.model import ModelCalled
from contracts.packs import IntentSpec
from services.cognitive.domain.grounding import is_said, merged
from services.cognitive.reads import Reads
from services.cognitive.roles import (
    ClassifierQuestion,
    ExtractorQuestion,
    IntentOption,
    Wanted,
    choices_of,
    classify,
    extract,
)
from understanding.offline.catalogue import makes_something
from understanding.offline.understanding import Understanding

EXAMPLES = 2
"""Of each language, in the classifier's prompt."""
CERTAIN = 1.0
"""Confidence of what the person chose when they were asked."""
LONGEST = 8_000
"""Characters of a message that a model is shown; beyond them a text is data, not a request."""

Calls = tuple[ModelCalled, ...]


@dataclass(frozen=True, slots=True)
class Rereader:
    """The classifier and extractor roles, each where a model plays it."""

    provider: ModelProvider
    reads: Reads
    options: tuple[IntentOption, ...]
    classifies: bool = True
    extracts: bool = True

    async def reread(
        self, given: CognitiveInput, now: datetime, understanding: Understanding
    ) -> tuple[Understanding, Calls]:
        """The understanding with what models add to it; as it was where they fail. Turns of a flow are the flow's."""
        if given.flow is not None or not understanding.text.strip():
            return understanding, ()
        talk = Conversation(summary=given.summary, history=given.history)
        calls: list[ModelCalled] = []
        if self.classifies and understanding.intent.confidence < CERTAIN:
            question = ClassifierQuestion(
                text=understanding.text[:LONGEST], language=understanding.language, intents=self.options
            )
            wanted, called = await classify(self.provider, question, talk)
            calls.append(called)
            if wanted and all(is_said(one.text, understanding.text, ()) for one in wanted):
                understanding = await self._agreed(given, now, understanding, wanted)
        if self.extracts and understanding.tasks:
            understanding, more = await self._with_slots(understanding, now, talk)
            calls += more
        return understanding, tuple(calls)

    async def _agreed(
        self, given: CognitiveInput, now: datetime, read: Understanding, wanted: Sequence[Wanted]
    ) -> Understanding:
        """The offline reading where it sees the same things; else it is made again, as if the person had said which."""
        if not read.ambiguities and _kinds(read.tasks) == _kinds(wanted):
            return read
        again = await self._chosen(given, now, wanted[0].intent)
        spans = tuple(one for one in again.entities if one.end <= len(read.text))
        again = again.model_copy(update={"text": read.text, "rounds": read.rounds, "entities": spans})
        if len(wanted) == 1:
            return again
        parts = (given.model_copy(update={"text": one.text, "answers": (), "attachments": ()}) for one in wanted)
        read_again = [await self._chosen(part, now, one.intent) for part, one in zip(parts, wanted, strict=True)]
        tasks = [task for one in read_again for task in one.tasks]
        return again.model_copy(update={"tasks": tuple(tasks)})

    async def _chosen(self, given: CognitiveInput, now: datetime, intent: str) -> Understanding:
        return await self.reads.understand(given.model_copy(update={"answers": (*given.answers, intent)}), now)

    async def _with_slots(
        self, read: Understanding, now: datetime, talk: Conversation
    ) -> tuple[Understanding, list[ModelCalled]]:
        slots = {one.intent: one.slots for one in self.options if one.slots}
        tasks = [Wanted(intent=task.intent, text=task.text) for task in read.tasks]
        if not any(task.intent in slots for task in tasks):
            return read, []
        text = read.text[:LONGEST]
        question = ExtractorQuestion(
            text=text,
            language=read.language,
            now=now,
            tasks=tuple(tasks),
            slots={one.intent: slots.get(one.intent, {}) for one in tasks},
        )
        clause = await self.reads.clause(text, now, read.language)
        told, called = await extract(self.provider, question, clause, talk)
        found = merged(read.tasks, told)
        missing = tuple(one for one in read.missing if not _has(found, one.intent, one.slot))
        return read.model_copy(update={"tasks": found, "missing": missing}), [called]


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
