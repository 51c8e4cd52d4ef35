"""What is there when a person speaks, as far as it helps to understand what is said."""

from pydantic import Field

from contracts.shape import ArtifactType, Contract, JsonObject


class FileSeen(Contract):
    """A file of the session."""

    name: str
    type: ArtifactType
    now: bool = Field(default=False, description="it came with this message")
    roles: tuple[str, ...] | None = Field(
        default=None, description="of its columns (contracts.profiles), if it is a table that somebody has looked at"
    )


class Requested(Contract):
    """What was asked for and understood: a task by its intent, with the subcategory where that has a tool of its own,
    and its slots."""

    intent: str
    slots: JsonObject = Field(default_factory=dict)


class Context(Contract):
    """All that is there."""

    files: tuple[FileSeen, ...] = Field(default=(), description="the newest last")
    last: Requested | None = Field(default=None, description="the last task of the request before this one, if any")
