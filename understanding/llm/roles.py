"""What this room asks of models: intents, slots, and the slots of a dialogue's turn.

A model's word is a suggestion: intents must be in the catalogue, values must stand in the sentence, and where the model
fails the offline reading stands. Each function also gives the records of the calls, which go into the ledger."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from pydantic import Field

from backbone.model.faults import ModelDeclined, ModelUnavailable
from backbone.model.port import NO_CONVERSATION, Conversation, ModelProvider, ModelRequest
from contracts.cognitive import Task
from contracts.model import ModelCalled, ModelRole
from contracts.packs import SlotSpec
from contracts.reading import Clause
from contracts.shape import Contract, JsonObject, JsonValue
from understanding.llm.grounding import grounded
from understanding.result import Wanted

CLASSIFY = "understanding.classify@1"
EXTRACT = "understanding.extract@1"
SLOTS = "understanding.slots@1"


class IntentOption(Contract):
    """An intent of the catalogue as a model sees it; a slot with choices takes one of them."""

    intent: str
    examples: tuple[str, ...] = ()
    slots: dict[str, tuple[str, ...]] = Field(default_factory=dict)


class ClassifierQuestion(Contract):
    """Which of the intents a message is about."""

    text: str
    language: str
    intents: tuple[IntentOption, ...]

    @property
    def menu(self) -> str:
        return "\n".join(f"- {one.intent}: {' / '.join(one.examples)}" for one in self.intents)


class Classified(Contract):
    """What the person wants, in order; none when it is not clear."""

    tasks: tuple[Wanted, ...] = ()


class ExtractorQuestion(Contract):
    """The slots of tasks whose intents are known. `now` is in the person's time zone."""

    text: str
    language: str
    now: datetime
    tasks: tuple[Wanted, ...]
    slots: dict[str, dict[str, tuple[str, ...]]]


class Extracted(Contract):
    """The tasks again, with the slots that the message says."""

    tasks: tuple[Task, ...] = ()


class SlotsQuestion(Contract):
    """A turn of a dialogue that fills slots."""

    text: str
    language: str
    now: datetime
    slots: tuple[SlotSpec, ...]
    known: JsonObject
    expecting: tuple[str, ...] = ()


class SlotsRead(Contract):
    """Slots per task, as the turn says them."""

    tasks: tuple[JsonObject, ...] = ()


async def classify(
    provider: ModelProvider, question: ClassifierQuestion, conversation: Conversation = NO_CONVERSATION
) -> tuple[tuple[Wanted, ...], ModelCalled]:
    """The things that the message wants, of known intents alone; none when the model fails or does not know."""
    known = {one.intent for one in question.intents}

    def problem(read: Classified) -> str | None:
        unknown = sorted({one.intent for one in read.tasks} - known)
        return f"there is no intent {', '.join(unknown)[:200]}: take intents from the list" if unknown else None

    request = ModelRequest(
        ModelRole.CLASSIFIER, CLASSIFY, question, Classified, conversation=conversation, problem=problem
    )
    try:
        answered = await provider.ask(request)
    except (ModelUnavailable, ModelDeclined) as fault:
        return (), fault.called
    return tuple(one for one in answered.answer.tasks if one.intent in known), answered.called


async def extract(
    provider: ModelProvider, question: ExtractorQuestion, clause: Clause, conversation: Conversation = NO_CONVERSATION
) -> tuple[tuple[Task, ...], ModelCalled]:
    """The tasks with the slots that the sentence bears out; `clause` is the sentence as code has read it."""
    request = ModelRequest(ModelRole.EXTRACTOR, EXTRACT, question, Extracted, conversation=conversation)
    plain = tuple(Task(intent=one.intent, text=one.text) for one in question.tasks)
    try:
        answered = await provider.ask(request)
    except (ModelUnavailable, ModelDeclined) as fault:
        return plain, fault.called
    read = answered.answer.tasks
    if [one.intent for one in read] != [one.intent for one in plain]:
        return plain, answered.called
    slots = [grounded(one.slots, clause.text, clause.entities, question.slots.get(one.intent, {})) for one in read]
    tasks = (one.model_copy(update={"slots": found}) for one, found in zip(plain, slots, strict=True))
    return tuple(tasks), answered.called


async def interpret(
    provider: ModelProvider,
    clause: Clause,
    slots: Sequence[SlotSpec],
    conversation: Conversation = NO_CONVERSATION,
) -> tuple[tuple[JsonObject, ...], ModelCalled]:
    """Slots per task that a dialogue's turn says, as far as the turn bears them out; none when the model fails.

    It has no offline role: a pack's reader is that, and what it has read stands."""
    question = SlotsQuestion(
        text=clause.text,
        language=clause.language,
        now=clause.now,
        slots=tuple(slots),
        known=dict(clause.slots),
        expecting=clause.expecting,
    )
    request = ModelRequest(ModelRole.INTERPRETER, SLOTS, question, SlotsRead, conversation=conversation)
    try:
        answered = await provider.ask(request)
    except (ModelUnavailable, ModelDeclined) as fault:
        return (), fault.called
    known: Mapping[str, Sequence[str]] = {slot.name: () for slot in slots}
    read = (grounded(one, clause.text, clause.entities, known) for one in answered.answer.tasks)
    return tuple(one for one in read if one), answered.called


def choices_of(schema: Mapping[str, JsonValue]) -> dict[str, tuple[str, ...]]:
    """The parameters of a schema, each with the values it is limited to, if it is."""
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return {}
    found = {}
    for name, one in properties.items():
        limited = one.get("enum") if isinstance(one, dict) else None
        found[name] = tuple(str(value) for value in limited) if isinstance(limited, list) else ()
    return found
