"""What is there when a person speaks, as far as it helps to understand what is said."""

from pydantic import Field

from contracts.shape import ArtifactType, Contract


class FileSeen(Contract):
    """A file of the session."""

    name: str
    type: ArtifactType
    now: bool = Field(default=False, description="it came with this message")


class Context(Contract):
    """All that is there."""

    files: tuple[FileSeen, ...] = Field(default=(), description="the newest last")
