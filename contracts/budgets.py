"""What a run or a session may use up: checked before every dispatch, reserved, then counted."""

from pydantic import Field

from contracts.shape import Contract


class Budget(Contract):
    """Limits; none = unlimited. Reaching `soft` of a limit asks the person, reaching the limit parks the run."""

    tokens: int | None = Field(default=None, ge=0)
    money: float | None = Field(default=None, ge=0, description="USD")
    tool_calls: int | None = Field(default=None, ge=0)
    seconds: float | None = Field(default=None, ge=0, description="wall time after the approval, without pauses, s")
    soft: float = Field(default=1.0, gt=0, le=1, description="fraction of a limit at which the person is asked")
