"""What goes through the pipes between the service and its reading process: a length of four bytes, then a request as
the service has pickled it, or an answer as JSON. The service unpickles nothing: strangers' code ran there."""

import struct
from typing import Any, Literal, NamedTuple

from contracts.cognitive import Entity
from contracts.reading import Clause
from contracts.shape import Contract, JsonObject

Method = Literal["understand", "clause", "word", "turn", "recall", "encode"]
LENGTH = struct.Struct(">I")


class Request(NamedTuple):
    """A method of the host (reading_host.py), and what it is called with."""

    do: Method
    given: tuple[Any, ...]


class WireAnswer(Contract):
    """One of them: what was asked for, as JSON; why it failed; the signal that ended it."""

    done: str | None = None
    failed: str | None = None
    ended: int | None = None


class Quantities(Contract):
    """What was found in what is read of a text."""

    text: str
    entities: tuple[Entity, ...]
    tasks: tuple[JsonObject, ...] = ()
    unread: int = 0
    agrees: bool = False
    gives_up: bool = False
    changes: bool = False
    mends: bool = False
    beside: bool = False
    leaves: bool = False

    def of(self, asked: Clause) -> Clause:
        return asked._replace(text=self.text, entities=self.entities)


def framed(data: bytes) -> bytes:
    """With its length before it."""
    return LENGTH.pack(len(data)) + data
