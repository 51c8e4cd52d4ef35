"""What comes in from people: sessions, messages, files, controls, edits and feedback. What a run or a session may use
up: checked before every dispatch, reserved, then counted."""

from datetime import datetime
from enum import StrEnum
from typing import ClassVar
from uuid import UUID

from pydantic import Field

from contracts.artifacts import Attachment
from contracts.cognitive import Profile
from contracts.shape import Contract, Event, JsonObject, Language


class Budget(Contract):
    """Limits; none = unlimited. Reaching `soft` of a limit asks the person, reaching the limit parks the run."""

    tokens: int | None = Field(default=None, ge=0)
    money: float | None = Field(default=None, ge=0, description="USD")
    tool_calls: int | None = Field(default=None, ge=0)
    seconds: float | None = Field(default=None, ge=0, description="wall time after the approval, without pauses, s")
    soft: float = Field(default=1.0, gt=0, le=1, description="fraction of a limit at which the person is asked")


_PLAN = "0197a1f0-0000-7000-8000-000000000001"
TEXT_LIMIT = 16_384  # characters of one message; a document belongs into a file


class SessionOpened(Event):
    """A conversation began. Always the first event of its stream."""

    producers: ClassVar[frozenset[str]] = frozenset({"gateway"})
    example: ClassVar = {"user": "anonymous", "language": "ko"}

    user: str = Field(default="anonymous", min_length=1, max_length=200)
    profile: Profile = Profile()
    language: Language | None = Field(default=None, description="none = detect it per message")


class MessageReceived(Event):
    """A person said something; a run begins. `auto_approve` approves its plan without asking."""

    producers: ClassVar[frozenset[str]] = frozenset({"gateway"})
    example: ClassVar = {"text": "지난 분기 리뷰 감성 분석해서 리포트 만들어줘"}

    text: str = Field(min_length=1, max_length=TEXT_LIMIT)
    language: Language | None = None
    attachments: tuple[Attachment, ...] = ()
    auto_approve: bool = False
    budget: Budget | None = Field(default=None, description="limits of this run; none = those of the settings")


class ArtifactUploaded(Event):
    """A person put a file into the session; it is there for all its later runs."""

    producers: ClassVar[frozenset[str]] = frozenset({"gateway"})
    example: ClassVar = {
        "attachment": {
            "artifact_id": "0" * 64,
            "name": "reviews.csv",
            "media_type": "text/csv",
            "size": 1024,
            "type": "file.table",
        }
    }

    attachment: Attachment


class RunControl(StrEnum):
    """Pause stops dispatching, interrupt cancels what is in flight, cancel ends the run."""

    PAUSE = "pause"
    RESUME = "resume"
    INTERRUPT = "interrupt"
    CANCEL = "cancel"


class RunControlRequested(Event):
    """A person wants to pause, resume, interrupt or cancel a run."""

    producers: ClassVar[frozenset[str]] = frozenset({"gateway"})
    example: ClassVar = {"control": "pause"}

    control: RunControl
    reason: str = ""


class PlanEdited(Event):
    """A person changed the todos of a paused run: JSON Patch (RFC 6902) over the list of todos."""

    producers: ClassVar[frozenset[str]] = frozenset({"gateway"})
    example: ClassVar = {"plan_id": _PLAN, "plan_version": 1, "patch": [{"op": "remove", "path": "/2"}]}

    plan_id: UUID
    plan_version: int = Field(ge=1, description="the version that was edited")
    patch: tuple[JsonObject, ...]


class FeedbackGiven(Event):
    """A person rated an answer, or corrected an intent, a slot or a plan."""

    producers: ClassVar[frozenset[str]] = frozenset({"gateway"})
    example: ClassVar = {"about": "answer", "rating": 5, "comment": "", "correction": {}}

    about: str = Field(pattern=r"^(answer|intent|slot|plan)$")
    rating: int | None = Field(default=None, ge=1, le=5)
    comment: str = ""
    correction: JsonObject = Field(default_factory=dict)


class ReminderSeen(Event):
    """The person has seen a reminder that was due; it is not shown any more."""

    producers: ClassVar[frozenset[str]] = frozenset({"gateway"})
    example: ClassVar = {"reminder_id": _PLAN, "due_at": "2026-01-01T06:00:00Z"}

    reminder_id: UUID
    due_at: datetime
