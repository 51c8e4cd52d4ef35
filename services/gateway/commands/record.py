"""Recording what a person wants of a session that is there: an answer, a control, an edit, a rating. What the stream
says is folded and judged under its lock, so that of many at once one is recorded, and a repeated one once."""

import math
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Generic, NamedTuple, Self, TypeVar
from uuid import UUID, uuid5

from pydantic import JsonValue
from uuid_utils.compat import uuid7

from backbone import crash
from backbone.ledger.port import Append, Fact, Ledger, NotRecordable, Tail
from contracts.envelope import Message
from contracts.errors import Code
from services.gateway.commands.session_messages import NAME
from services.gateway.domain import reminders
from services.gateway.domain.refusal import Refused, Repeated
from services.gateway.domain.session import ASKING, Session
from services.gateway.views.history import fold_in, told

S = TypeVar("S")


class Command(NamedTuple):
    """A command to one session, and the id of the event that it becomes. With an Idempotency-Key (`key`) the id follows
    from it, so that a repetition is the same command."""

    session_id: UUID
    event_id: UUID
    key: UUID | None = None

    @classmethod
    def of(cls, session_id: UUID, what: str, key: UUID | None) -> Self:
        """`what` tells the commands apart that come with one key."""
        return cls(session_id, uuid5(key, what) if key else uuid7(), key)


@dataclass(frozen=True, slots=True)
class Fold(Generic[S]):
    """What is looked at before a command is recorded: events of these types, taken into a new state in order."""

    types: frozenset[str]
    begin: Callable[[], S]
    take_in: Callable[[S, Message], object]


DECISIONS = Fold(ASKING, Session, fold_in)
"""Enough of a session to know its open decisions."""
REMINDERS = Fold(reminders.FOLDS, Session, fold_in)


def send_less(error: NotRecordable) -> Refused:
    """A command that is too large for the ledger."""
    return Refused(Code.INVALID_REQUEST, f"this cannot be recorded ({error}): send less", status=413)


async def record_command(
    ledger: Ledger,
    command: Command,
    fold: Fold[S],
    judge: Callable[[S, bool], Fact | Repeated],
    *,
    cancel_timers: tuple[UUID, ...] = (),
    unrecordable: Callable[[NotRecordable], Refused] = send_less,
) -> int:
    """The version at which the command is recorded, now or before.

    `judge` gets the folded state, and whether the command's key was taken before; it may be called again, and must not
    wait. Raises Refused (what `judge` raises; 3000 without such a session) and LedgerUnavailable; may be repeated."""
    crash.point(NAME, "received")
    session_id, cause = command.session_id, command.key or command.event_id
    earlier = 0

    def decision(tails: Mapping[UUID, Tail], handled: AbstractSet[UUID]) -> Sequence[Append]:
        nonlocal earlier
        judged = judge(told(tails, session_id, fold.begin(), fold.take_in), cause in handled)
        if isinstance(judged, Repeated):
            earlier = judged.version
            # the key is taken all the same: repeated later, it must not do then what it did not do now
            return (Append(session_id, cause),) if command.key and cause not in handled else ()
        crash.point(NAME, "decided")
        return (Append(session_id, cause, (judged,), cancel_timers=cancel_timers),)

    try:
        appended = await ledger.decide(NAME, NAME, {session_id: 0}, fold.types, [cause], decision)
    except NotRecordable as error:
        raise unrecordable(error) from None
    crash.point(NAME, "appended")
    return (appended[0].last_version if appended else None) or earlier


def refuse_infinite(value: JsonValue, what: str, code: Code = Code.INVALID_REQUEST) -> None:
    """JSON has no infinite numbers; Python's reader of it has. Raises Refused."""
    if not finite(value):
        raise Refused(code, f"{what} holds a number that is infinite or none: send finite numbers")


def finite(value: JsonValue) -> bool:
    """Whether every number in it is one that JSON has."""
    if isinstance(value, dict):
        return all(finite(member) for member in value.values())
    if isinstance(value, list):
        return all(finite(member) for member in value)
    return not isinstance(value, float) or math.isfinite(value)
