"""What goes through the pipes between the service and its reading process: a length of four bytes, then JSON."""

import struct
from datetime import datetime
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from pydantic import AwareDatetime, Field, TypeAdapter

from contracts.cognitive import Entity
from contracts.context import Context
from contracts.reading import Clause
from contracts.shape import Contract, JsonObject, Language
from understanding.port import Situation, UserTurn, Wanted

LENGTH = struct.Struct(">I")


class Moment(Contract):
    """A time in the person's time zone: the zone goes along, since its days need not have 24 hours."""

    at: AwareDatetime
    zone: str | None = None

    @classmethod
    def of(cls, now: datetime) -> "Moment":
        return cls(at=now, zone=now.tzinfo.key if isinstance(now.tzinfo, ZoneInfo) else None)

    @property
    def now(self) -> datetime:
        return self.at.astimezone(ZoneInfo(self.zone)) if self.zone else self.at


class Understand(Contract):
    do: Literal["understand"] = "understand"
    text: str
    language: Language | None = None
    answers: tuple[str, ...] = ()
    wants: tuple[Wanted, ...] = ()
    there: Context = Context()
    flow: str | None = None
    moment: Moment

    @classmethod
    def of(cls, turn: UserTurn, situation: Situation) -> "Understand":
        """Without what was said before: that is for models."""
        return cls(
            text=turn.text, language=turn.language, answers=turn.answers, wants=turn.wants, there=situation.there,
            flow=situation.flow, moment=Moment.of(situation.now),
        )  # fmt: skip

    @property
    def turn(self) -> UserTurn:
        return UserTurn(self.text, self.language, self.answers, self.wants)

    @property
    def situation(self) -> Situation:
        return Situation(self.moment.now, self.there, flow=self.flow)


class ReadClause(Contract):
    do: Literal["clause"] = "clause"
    text: str
    moment: Moment
    language: str


class ReadValues(Contract):
    """A word of a flow."""

    do: Literal["word"] = "word"
    named: bool = False
    flow: str
    text: str


class ReadTurn(Contract):
    do: Literal["turn"] = "turn"
    flow: str
    text: str
    moment: Moment
    language: str
    expecting: tuple[str, ...] = ()
    slots: JsonObject = Field(default_factory=dict)
    done: JsonObject = Field(default_factory=dict)
    refused: JsonObject = Field(default_factory=dict)
    known: dict[str, tuple[str, ...]] = Field(default_factory=dict)

    @property
    def clause(self) -> Clause:
        return Clause(
            self.text, self.language, self.moment.now, expecting=self.expecting, slots=self.slots, done=self.done,
            refused=self.refused, known=self.known,
        )  # fmt: skip


class Recall(Contract):
    do: Literal["recall"] = "recall"
    flow: str
    text: str
    executed: tuple[JsonObject, ...] = ()
    language: str


class Encode(Contract):
    do: Literal["encode"] = "encode"
    texts: tuple[str, ...]


Request = Annotated[Understand | ReadClause | ReadValues | ReadTurn | Recall | Encode, Field(discriminator="do")]
REQUEST: TypeAdapter[Request] = TypeAdapter(Request)


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

    def of(self, asked: Clause) -> Clause:
        return asked._replace(text=self.text, entities=self.entities)


def framed(answer: bytes) -> bytes:
    """With its length before it."""
    return LENGTH.pack(len(answer)) + answer
