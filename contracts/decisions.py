"""Questions put to a person, and how they end: answered once, or expired."""

from datetime import datetime
from enum import StrEnum
from typing import ClassVar
from uuid import UUID

from pydantic import Field

from contracts.shape import Contract, Event, JsonObject, Language

_ID = "0197a1f0-0000-7000-8000-000000000002"


class DecisionKind(StrEnum):
    """Who asks, and about what."""

    CLARIFY = "clarify"
    PLAN = "plan"
    TOOL = "tool"
    ERROR = "error"
    LOCK = "lock"
    BUDGET = "budget"


class DecisionOption(Contract):
    """A choice: `value` goes into the answer, `label` is shown in the user's language."""

    value: str
    label: str


class DecisionRequested(Event):
    """A person is asked. `answer_schema` is a closed JSON Schema that the answer must fit."""

    producers: ClassVar[frozenset[str]] = frozenset({"cognitive", "planning", "execution"})
    example: ClassVar = {
        "decision_id": _ID,
        "kind": "clarify",
        "question": "무엇을 분석할까요?",
        "language": "ko",
        "options": [{"value": "ANALYSIS.sentiment", "label": "감성"}],
        "answer_schema": {"type": "object", "properties": {"text": {"type": "string"}}},
        "deadline": "2026-01-02T00:00:00Z",
    }

    decision_id: UUID
    kind: DecisionKind
    question: str
    language: Language
    options: tuple[DecisionOption, ...] = ()
    answer_schema: JsonObject
    deadline: datetime
    default: JsonObject | None = Field(default=None, description="taken at the deadline; none = the run ends")
    subject: JsonObject = Field(default_factory=dict, description="what it is about: plan, todo, argument hash")


class DecisionAnswered(Event):
    """The person's answer, checked against the schema before it was recorded."""

    producers: ClassVar[frozenset[str]] = frozenset({"gateway"})
    example: ClassVar = {
        "decision_id": _ID,
        "kind": "plan",
        "answer": {"action": "approve"},
        "answered_by": "anonymous",
    }

    decision_id: UUID
    kind: DecisionKind
    answer: JsonObject
    answered_by: str


class DecisionExpired(Event):
    """Nobody answered in time. An expired decision is not a rejected one."""

    producers: ClassVar[frozenset[str]] = frozenset({"timers"})
    example: ClassVar = {"decision_id": _ID, "kind": "plan"}

    decision_id: UUID
    kind: DecisionKind
    default: JsonObject | None = None
