"""What services ask of the store of kept results. It may forget anything at any time."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from pydantic import Field

from contracts.artifacts import Attachment
from contracts.errors import ErrorInfo
from contracts.shape import Contract, JsonObject

MOST_ROWS = 2_000
MOST_BYTES = 512 * 1024**2
"""Of one owner, results and the files that they name together; what was used longest ago goes first."""


class Made(Contract):
    """What a call has made. `error`: why it could not, of what is made of a file when it arrives."""

    result: JsonObject = Field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()
    error: ErrorInfo | None = None


class Kept(Contract):
    """A result with what it was made of."""

    key: str
    owner: str = ""
    tool: str
    files: tuple[str, ...] = ()
    made: Made
    made_at: datetime | None = None


def size_of(one: Kept) -> int:
    """Bytes of a result and of the files that it names."""
    return len(one.made.model_dump_json(exclude_defaults=True)) + sum(each.size for each in one.made.attachments)


class KeptResults(Protocol):
    """No method raises for a store that is away: then nothing is found, and nothing kept."""

    async def find(self, keys: Sequence[str], *, used: bool = True) -> dict[str, Kept]:
        """Those that are there, by key. `used` ones live longer."""

    async def of_file(self, file: str) -> list[Kept]:
        """What belongs to the file itself, by tool."""

    async def keep(self, one: Kept) -> None:
        """From here on it is found. What is beyond the owner's bounds goes."""

    async def forget(self, key: str) -> None:
        """It cannot be used: a file that it names is gone."""
