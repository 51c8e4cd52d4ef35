"""The public protocol of controlling a run from outside: what clients send, and what they are answered."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from contracts.gateway import RunControl
from contracts.planning import Plan
from contracts.shape import Contract, JsonObject

Ref = Annotated[str, Field(max_length=200)] | Annotated[int, Field(strict=True, ge=-(2**63), lt=2**63)]
"""Comes back as it is, as JSON: no number that our clients could not read again."""


class ControlRequest(Contract):
    """Body of POST /sessions/{session_id}/runs/{run_id}/control."""

    control: RunControl
    reason: str = Field(default="", max_length=2000)


class EditRequest(Contract):
    """Body of PATCH /sessions/{session_id}/runs/{run_id}/plan: JSON Patch (RFC 6902) over the list of todos."""

    plan_version: int = Field(ge=1, description="the version that the patch was made for")
    patch: tuple[JsonObject, ...] = Field(min_length=1, max_length=1000)


class ControlFrame(ControlRequest):
    """Pauses, resumes, interrupts or cancels a run of the socket's session."""

    type: Literal["run_control"]
    run_id: UUID
    ref: Ref | None = None


class EditFrame(EditRequest):
    """Edits the plan of a paused run of the socket's session; the outcome comes as an event."""

    type: Literal["plan_edit"]
    run_id: UUID
    ref: Ref | None = None


class Controlled(Contract):
    """The control is recorded, at `version` of the session; or one before it had the same effect."""

    run_id: UUID
    control: RunControl
    version: int


class PlanRevised(Contract):
    """The plan as the edit made it, recorded at `version` of the session."""

    run_id: UUID
    version: int
    plan: Plan
