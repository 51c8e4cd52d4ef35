"""Layer 4: what the person gets, and how the run ended."""

from typing import ClassVar

from pydantic import Field

from contracts.artifacts import Attachment
from contracts.cognitive import CognitiveOutput, OutputFormat
from contracts.errors import ErrorInfo
from contracts.execution import ExecutionOutput
from contracts.planning import Plan
from contracts.shape import Contract, Event, JsonObject, Language


class NextAction(Contract):
    """Something the person may want to do next: a short label and the sentence it stands for."""

    label: str
    text: str


class UiHint(Contract):
    """How a client may show the answer; never needed to understand it."""

    buttons: tuple[str, ...] = ()
    next_action: str | None = Field(default=None, pattern=r"^(FILL|CONFIRM|DONE)$", description="of a flow")
    primary_artifact: str | None = None


class ResponseInput(Contract):
    """All that layer 4 may look at."""

    cognitive: CognitiveOutput
    plan: Plan | None = None
    execution: ExecutionOutput | None = None


class ResponseOutput(Event):
    """The answer. Partial failure is named in the text, never hidden."""

    producers: ClassVar[frozenset[str]] = frozenset({"response"})
    example: ClassVar = {"format": "text", "text": "2,400건 가운데 긍정이 61 %입니다.", "language": "ko"}

    format: OutputFormat
    text: str
    language: Language
    attachments: tuple[Attachment, ...] = ()
    next_actions: tuple[NextAction, ...] = ()
    ui_hint: UiHint = UiHint()
    data: JsonObject = Field(default_factory=dict, description="figures behind the text, for programs")


class RunCompleted(Event):
    """The run ended with an answer. `partial` when something failed on the way."""

    producers: ClassVar[frozenset[str]] = frozenset({"response"})
    example: ClassVar = {"partial": False}

    partial: bool = False


class RunFailed(Event):
    """The run ended without the answer that was asked for."""

    producers: ClassVar[frozenset[str]] = frozenset({"response"})
    example: ClassVar = {"error": {"code": 6102, "message": "글이 담긴 열을 찾지 못했습니다."}}

    error: ErrorInfo


class RunCancelled(Event):
    """The run was ended by a person or by a deadline: `rejected`, `expired` or `requested`."""

    producers: ClassVar[frozenset[str]] = frozenset({"response"})
    example: ClassVar = {"reason": "rejected"}

    reason: str = Field(pattern=r"^(rejected|expired|requested)$")
    message: str = ""
