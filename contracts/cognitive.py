"""Layer 1: what the person means."""

from collections.abc import Collection, Iterable
from datetime import date
from enum import StrEnum
from typing import Annotated, ClassVar
from uuid import UUID

from pydantic import Field

from contracts.artifacts import Attachment
from contracts.context import Context
from contracts.errors import ErrorInfo
from contracts.shape import (
    ArtifactType,
    Contract,
    Digest,
    Event,
    Fraction,
    JsonObject,
    JsonValue,
    Language,
    Timezone,
    ToolKey,
)

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


class Profile(Contract):
    """What is known of the person: how to address them, and where their days begin."""

    name: str = Field(default="", max_length=100)
    timezone: Timezone = Field(default="", description="empty = that of the settings")
    language: Language | None = None


class Task(Contract):
    """One thing the person wants, of possibly several in a sentence: its intent and its slots, as they were read.

    What was not said is not in `slots`; dates are ISO 8601 (`date` YYYY-MM-DD, `time` HH:MM), money is whole units of
    its currency."""

    intent: str = Field(pattern=r"^[A-Z][A-Z0-9_]*(\.[a-z][a-z0-9_]*)?$")
    subcategory: str | None = Field(default=None, description="where it has a tool of its own beside its category's")
    slots: JsonObject = Field(default_factory=dict)
    text: str = Field(default="", description="the part of the sentence it was read from")


def beside(tasks: Iterable[Task], led: Collection[str]) -> tuple[str, ...]:
    """What waits until a run is over, as sentences: one for each dialogue (`led`: their intents), one for all else."""
    said: dict[str, dict[str, None]] = {}
    for task in tasks:
        if text := task.text.strip():
            said.setdefault(task.intent if task.intent in led else "", {})[text] = None
    return tuple(" ".join(texts) for texts in said.values())


class FlowAct(StrEnum):
    """What a turn does to a flow. Only words that code knows confirm or cancel; a model never does."""

    FILL = "fill"
    CONFIRM = "confirm"
    CANCEL = "cancel"
    """The task that was shown last."""
    DROP = "drop"
    """Takes tasks back that it names: by their place (`which`) or by their values (`tasks`)."""
    LATER = "later"
    """The task that was shown last goes behind the others."""
    RECALL = "recall"
    """Asks about what the flow has done before ("how much did I send?")."""


class FlowReading(Contract):
    """What a turn says to a flow: facts, recorded before the flow decides about them.

    `turn` is that of the FlowAdvanced the person had seen when they spoke (0 = none): an answer to another question
    than the open one changes nothing."""

    flow: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    act: FlowAct = FlowAct.FILL
    turn: int = Field(default=0, ge=0)
    tasks: tuple[JsonObject, ...] = Field(default=(), description="slots per task, as they were said; {} = nothing")
    facts: JsonObject = Field(default_factory=dict, description="what the pack looked up: people by name, say")
    today: date | None = Field(default=None, description="in the person's time zone")
    beside: tuple[str, ...] = Field(default=(), description="parts of the sentence that are for after the flow")
    adds: bool = Field(default=False, description="the sentence says that it comes on top: too, also, another")
    corrects: bool = Field(default=False, description="the sentence says that it changes what is open: instead")
    denied: JsonObject = Field(default_factory=dict, description="slots that it takes back: not Mom, not 50,000")
    which: str = Field(default="", pattern=r"^(|all|rest|last|[1-9]\d{0,2})$", description="tasks by place, from 1")
    places: tuple[int, ...] = Field(default=(), description="of DROP: several tasks by place, instead of `which`")
    only: bool = Field(default=False, description="of DROP: all but those")
    every: bool = Field(default=False, description="of CONFIRM and FILL: it is said of all that is open")
    several: bool = Field(default=False, description="of DROP: it also says other things, which one turn cannot do")
    erases: tuple[str, ...] = Field(default=(), description="slots that it empties: without the memo")
    lost: bool = Field(default=False, description="it seems to change what is open, and nothing of it was understood")


class CognitiveInput(Contract):
    """All that layer 1 may look at."""

    text: str = Field(min_length=1)
    language: Language | None = None
    attachments: tuple[Attachment, ...] = ()
    history: tuple[Turn, ...] = ()
    summary: str = ""
    answers: tuple[str, ...] = Field(default=(), description="answers to this run's clarifying questions, in order")
    profile: Profile = Profile()
    flow: str | None = Field(default=None, description="the flow that waits for the person's next turn, if one does")
    expecting: tuple[str, ...] = Field(default=(), description="slots that the flow has asked for")
    context: Context = Context()


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
    tasks: tuple[Task, ...] = Field(default=(), description="what is wanted, one by one; for packs that use slots")
    flow: FlowReading | None = Field(default=None, description="with route flow: what this turn says to it")
    profile: Profile = Profile()
    auto_approve: bool = Field(default=False, description="the person asked to run the plan without being asked")
    unread: int = Field(default=0, ge=0, description="characters in the middle of a long message that were not read")
    error: ErrorInfo | None = Field(default=None, description="why the message cannot be served, if so")
    still_asked: str = Field(default="", description="what an open flow waits for, put again behind another answer")
    left_plan: str = Field(default="", description="what became of the plan that waited for a yes when this was said")


class FlowStage(StrEnum):
    """Stages of a slot-filling flow (source design 002)."""

    INIT = "INIT"
    FILLING = "FILLING"
    READY = "READY"
    CONFIRMED = "CONFIRMED"
    EXECUTED = "EXECUTED"
    CANCELLED = "CANCELLED"
    UNSUPPORTED = "UNSUPPORTED"


class FlowApproval(Contract):
    """The person's word that exactly this call may be made: `arguments_hash` is over `params`, `confirmed_by` the event
    in which they said so."""

    tool: ToolKey
    params: JsonObject
    arguments_hash: Digest
    confirmed_by: UUID


class FlowAdvanced(Event):
    """A slot-filling flow moved: its stage, slots, what is missing, what was refused, and the tasks that wait.

    The last one of a flow is its whole state. One with a `message` is the answer of its run; one without is followed
    by the work that it asks for (`approval`), or by another in the same transaction."""

    producers: ClassVar[frozenset[str]] = frozenset({"cognitive"})
    example: ClassVar = {
        "flow": "transfer",
        "stage": "FILLING",
        "slots": {"target": "엄마"},
        "missing": ["amount"],
        "message": "엄마에게 얼마를 보내드릴까요?",
        "language": "ko",
    }

    flow: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    turn: int = Field(default=1, ge=1, description="counts the flow's moves in its session")
    stage: FlowStage
    language: Language = "ko"
    slots: JsonObject = Field(default_factory=dict)
    missing: tuple[str, ...] = ()
    slot_errors: dict[str, str] = Field(default_factory=dict, description="slot -> why, in the person's language")
    refused: JsonObject = Field(
        default_factory=dict, description="the values that slot_errors are about, as they were said"
    )
    queue: tuple[JsonObject, ...] = Field(default=(), description="slots of the tasks that wait, in order")
    task_index: int = Field(default=1, ge=1, description="number of the current task, from 1")
    task_total: int = Field(default=1, ge=1)
    executed: int = Field(default=0, ge=0, description="tasks of this batch that were carried out")
    booked: int = Field(default=0, ge=0, description="those of them that take effect on a later day")
    fill_turns: int = Field(default=0, ge=0)
    unclear: int = Field(default=0, ge=0, description="turns in a row that were not understood")
    lost: bool = Field(default=False, description="a change was not understood: the next yes is asked for once more")
    beside: tuple[str, ...] = Field(default=(), description="what was said beside its tasks, for after the flow")
    untold: tuple[JsonObject, ...] = Field(default=(), description="tasks that ended unnamed: told next")
    last_cancelled: bool = False
    approval: FlowApproval | None = Field(default=None, description="at stage CONFIRMED: what may be done")
    also: tuple[FlowApproval, ...] = Field(
        default=(),
        description="at stage CONFIRMED: what may be done with it: the tasks in the queue, all shown",
    )
    result: JsonObject = Field(default_factory=dict, description="at stage EXECUTED: what the tool answered")
    error: ErrorInfo | None = Field(default=None, description="why the task could not be carried out")
    message: str = ""
    next_action: str | None = Field(default=None, pattern=r"^(FILL|CONFIRM|DONE)$")
    buttons: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether the next turn of the person may be meant for it."""
        return self.stage in (FlowStage.FILLING, FlowStage.READY)


class SessionSummarized(Event):
    """The turns of a session up to a version, in a few sentences: what later prompts know of them."""

    producers: ClassVar[frozenset[str]] = frozenset({"cognitive"})
    example: ClassVar = {"summary": "엄마에게 10,000원을 이체했다.", "up_to": 42, "turns": 5, "language": "ko"}

    summary: str
    up_to: int = Field(ge=1, description="version of the last event it covers")
    turns: int = Field(ge=1, description="turns that it covers, from the first")
    language: Language
