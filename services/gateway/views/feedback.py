"""The public protocol of feedback: what clients send of a run's answer, and what they are answered."""

from typing import Literal
from uuid import UUID

from pydantic import Field, model_validator

from contracts.gateway import FeedbackGiven
from contracts.shape import Contract, JsonObject, ToolKey
from services.gateway.views.run_control import Ref


class Correction(Contract):
    """What would have been right."""

    intent: str | None = Field(default=None, max_length=200, description="the intent that was meant")
    slots: JsonObject | None = Field(default=None, description="slots and the values they should have had")
    plan: tuple[ToolKey, ...] | None = Field(
        default=None, max_length=100, description="tools of a better plan, in order"
    )
    answer: str | None = Field(default=None, max_length=4000, description="what should have been answered")


class FeedbackRequest(Contract):
    """Body of POST /sessions/{session_id}/feedback: a rating, a correction, or both."""

    run_id: UUID
    rating: int | None = Field(default=None, ge=1, le=5, description="of the answer: 1 bad, 5 good")
    comment: str = Field(default="", max_length=4000)
    correction: Correction = Correction()

    @model_validator(mode="after")
    def _says_something(self) -> "FeedbackRequest":
        if self.rating is None and not self.correction.model_dump(exclude_none=True):
            raise ValueError("neither rating nor correction: one of them is needed")
        return self

    @property
    def event(self) -> FeedbackGiven:
        """As it is recorded."""
        correction = self.correction.model_dump(mode="json", exclude_none=True)
        abouts = {"intent": "intent", "slots": "slot", "plan": "plan"}
        about = next((about for name, about in abouts.items() if name in correction), "answer")
        return FeedbackGiven(about=about, rating=self.rating, comment=self.comment, correction=correction)


class FeedbackFrame(FeedbackRequest):
    """Feedback on a run of the socket's session."""

    type: Literal["feedback"]
    ref: Ref | None = None


class FeedbackRecorded(Contract):
    """The feedback is recorded, at `version` of the session."""

    run_id: UUID
    version: int
