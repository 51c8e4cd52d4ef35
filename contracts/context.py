"""What is there when a person speaks, as far as it helps to understand what is said."""

from pydantic import Field

from contracts.shape import ArtifactType, Contract, JsonObject


class FileSeen(Contract):
    """A file of the session."""

    name: str
    type: ArtifactType
    now: bool = Field(default=False, description="it came with this message")


class Asked(Contract):
    """What was asked for before, as it was read: the intent and the slots of a task."""

    intent: str
    slots: JsonObject = Field(default_factory=dict)


class Context(Contract):
    """All that is there."""

    files: tuple[FileSeen, ...] = Field(default=(), description="the newest last")
    asked: tuple[Asked, ...] = Field(default=(), description="of the session's last runs, the newest last")
