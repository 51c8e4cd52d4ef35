"""Layer 1: what the person means."""

from datetime import date
from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field

from contracts.artifacts import Attachment
from contracts.errors import ErrorInfo
from contracts.shape import ArtifactType, Contract, Event, Fraction, JsonObject, JsonValue, Language

IntentPart = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]


class Route(StrEnum):
    """Where a message goes after it is understood."""

    ANSWER = "answer"
    PLAN = "plan"
    FLOW = "flow"


class OutputFormat(StrEnum):
    """Formats of source design 004 section 2.2."""

    TEXT = "text"
    IMAGE = "image"
    PDF = "pdf"
    VIDEO = "video"
    MIXED = "mixed"


class Intent(Contract):
    """A three-level intent: domain, category, subcategory, with the classifier's confidence."""

    domain: str = Field(pattern=r"^[A-Z][A-Z0-9_]*$")
    category: IntentPart | None = None
    subcategory: IntentPart | None = None
    confidence: Fraction

    @property
    def name(self) -> str:
        """DOMAIN.category, or DOMAIN alone."""
        return f"{self.domain}.{self.category}" if self.category else self.domain


class Entity(Contract):
    """A span of the text that means something: `text[start:end]`, and its normalised `value`."""

    type: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    text: str
    value: JsonValue
    start: int = Field(ge=0, description="first character")
    end: int = Field(ge=0, description="one past the last character")
    confidence: Fraction


class Period(Contract):
    """A range of days, both ends included; an open end is None."""

    start: date | None = None
    end: date | None = None
    grain: str | None = Field(default=None, pattern=r"^(day|week|month|quarter|year)$")


class PackCommand(Contract):
    """A slash command of a pack ("/noop 8"): the sentence said in code, so nothing has to be guessed."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    args: JsonObject = Field(default_factory=dict)


class PlanHint(Contract):
    """What planning should reach: the artifact types asked for, in which form, over which period."""

    goals: tuple[ArtifactType, ...] = ()
    formats: tuple[OutputFormat, ...] = ()
    period: Period | None = None
    filters: JsonObject = Field(default_factory=dict, description="entity type -> value, e.g. product, brand")
    command: PackCommand | None = None


class Turn(Contract):
    """One side of the conversation, verbatim."""

    role: str = Field(pattern=r"^(user|assistant)$")
    text: str


class CognitiveInput(Contract):
    """All that layer 1 may look at."""

    text: str = Field(min_length=1)
    language: Language | None = None
    attachments: tuple[Attachment, ...] = ()
    history: tuple[Turn, ...] = ()
    summary: str = ""
    answers: tuple[str, ...] = Field(default=(), description="answers to this run's clarifying questions, in order")


class CognitiveOutput(Event):
    """The message, understood. `route` says who goes on with it; `answer` is the text when route is `answer`."""

    producers: ClassVar[frozenset[str]] = frozenset({"cognitive"})
    example: ClassVar = {
        "text": "이 리뷰들 감성 분석해 줘",
        "language": "ko",
        "intent": {"domain": "ANALYSIS", "category": "sentiment", "subcategory": None, "confidence": 0.93},
        "entities": [],
        "plan_hint": {"goals": ["insight.sentiment"]},
        "requires_clarification": False,
        "route": "plan",
    }

    text: str
    language: Language
    intent: Intent
    alternatives: tuple[Intent, ...] = ()
    entities: tuple[Entity, ...] = ()
    plan_hint: PlanHint = PlanHint()
    requires_clarification: bool = False
    route: Route
    answer: str | None = None
    attachments: tuple[Attachment, ...] = ()
    auto_approve: bool = Field(default=False, description="the person asked to run the plan without being asked")
    error: ErrorInfo | None = Field(default=None, description="why the message cannot be served, if so")


class FlowStage(StrEnum):
    """Stages of a slot-filling flow (source design 002)."""

    INIT = "INIT"
    FILLING = "FILLING"
    READY = "READY"
    CONFIRMED = "CONFIRMED"
    EXECUTED = "EXECUTED"
    CANCELLED = "CANCELLED"
    UNSUPPORTED = "UNSUPPORTED"


class FlowAdvanced(Event):
    """A slot-filling flow moved: its stage, slots, what is missing, what was refused, and the tasks that wait."""

    producers: ClassVar[frozenset[str]] = frozenset({"cognitive"})
    example: ClassVar = {
        "flow": "transfer",
        "stage": "FILLING",
        "slots": {"target": "엄마"},
        "missing": ["amount"],
        "message": "엄마에게 얼마를 보내드릴까요?",
    }

    flow: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    stage: FlowStage
    slots: JsonObject = Field(default_factory=dict)
    missing: tuple[str, ...] = ()
    slot_errors: dict[str, str] = Field(default_factory=dict)
    queue: tuple[JsonObject, ...] = Field(default=(), description="slots of the tasks that wait, in order")
    task_index: int = Field(default=1, ge=1, description="number of the current task, from 1")
    task_total: int = Field(default=1, ge=1)
    fill_turns: int = Field(default=0, ge=0)
    message: str = ""
    next_action: str | None = None
