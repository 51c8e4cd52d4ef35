"""What is there when a person speaks, as far as it helps to understand what is said."""

from pydantic import Field

from contracts.shape import ArtifactType, Contract, JsonObject


class FileSeen(Contract):
    """A file of the session."""

    name: str
    type: ArtifactType
    now: bool = Field(default=False, description="it came with this message")


class Request(Contract):
    """What the person has asked for before, as it was understood."""

    intent: str = Field(pattern=r"^[A-Z][A-Z0-9_]*(\.[a-z][a-z0-9_]*){0,2}$")
    slots: JsonObject = Field(default_factory=dict)


class Context(Contract):
    """All that is there."""

    files: tuple[FileSeen, ...] = Field(default=(), description="the newest last")
    last: Request | None = Field(default=None, description="the request before this one, if it led to work")
