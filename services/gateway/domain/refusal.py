"""A refusal of something a client sent: a code, one sentence with the value and what to do, and the places at fault.
The judgement that a command has had its effect already."""

from collections.abc import Sequence
from dataclasses import dataclass

from backbone.errors import Rejected
from contracts.errors import Code
from contracts.shape import JsonObject

SHOWN = 80


class Refused(Rejected):
    """`status` overrides the usual HTTP status of the code; `extra` are further members of the problem document."""

    def __init__(
        self, code: Code, message: str, *, errors: Sequence[JsonObject] = (), status: int | None = None, **extra: str
    ) -> None:
        super().__init__(code, message)
        self.errors = tuple(errors)
        self.status = status
        self.extra = extra


def short(value: object) -> str:
    """A value as it may stand in a sentence: quoted, on one line, cut."""
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text):,} characters)"


@dataclass(frozen=True, slots=True)
class Repeated:
    """Nothing is to be recorded: what has this effect is in the ledger already, at `version` of the session."""

    version: int
