"""What was understood of a message: values that can be recorded, without the machinery that found them."""

from enum import StrEnum

from pydantic import Field

from contracts.cognitive import Entity, Intent, PlanHint, Route, Task
from contracts.model import ModelCalled
from contracts.shape import Contract, Language


class Doubt(StrEnum):
    """Why a message may need a question."""

    UNKNOWN = "unknown"
    """It is like nothing the packs can do."""
    UNSPECIFIED = "unspecified"
    """What kind of work is clear, its subject is not ("분석해줘")."""
    FOREIGN = "foreign"
    """It seems to be in a language that is not served."""


class Choice(Contract):
    """An intent that can be offered. `label` is a text key of the pack `pack`."""

    value: str
    label: str
    pack: str


class Ambiguity(Contract):
    """One doubt. `domain` is what is clear nevertheless; `choices` are the intents meant most likely, best first."""

    doubt: Doubt
    domain: str | None = None
    choices: tuple[Choice, ...] = ()
    shown: tuple[str, ...] = Field(default=(), description="examples of what can be asked for, where nothing is close")


class Missing(Contract):
    """A slot without which a task cannot be done; the texts that ask for it are of the pack `pack`."""

    intent: str
    slot: str
    pack: str


class Wanted(Contract):
    """One thing the person wants: its intent, and the part of the message that says so."""

    intent: str
    text: str = ""


class Understanding(Contract):
    """The message with its answers, read. Spans of entities are spans of `text`.

    `intents` are ranked by category, best first. `tasks` are what is wanted, one by one. `needs` are artifact types
    that only the person can bring, `missing` what they did not say, `apart` intents of which only one can come first.
    `answer` is the text key for route answer, of pack `pack`. No ambiguities: planning can go on.
    """

    text: str
    language: Language
    intents: tuple[Intent, ...] = Field(min_length=1)
    entities: tuple[Entity, ...]
    plan_hint: PlanHint
    route: Route
    pack: str
    tasks: tuple[Task, ...] = ()
    needs: tuple[str, ...] = ()
    missing: tuple[Missing, ...] = ()
    apart: tuple[Choice, ...] = ()
    answer: str | None = None
    ambiguities: tuple[Ambiguity, ...] = ()
    rounds: int = Field(default=0, ge=0, description="clarifying questions answered so far")
    declined: bool = Field(default=False, description="it is what no pack does, and the answer says so")
    unread: int = Field(default=0, ge=0, description="characters of message and answers that were not read")
    called: tuple[ModelCalled, ...] = Field(default=(), description="the models that were asked, in order")

    @property
    def intent(self) -> Intent:
        return self.intents[0]
