"""When a stuck run is helped, and when that is given up. Pure: the watch in services/response carries it out."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto

from backbone.liveness.turns import Turn

WAITS = (30.0, 120.0, 600.0)
"""Seconds after each time that the message was sent again; after the last one the run is parked."""


class Step(Enum):
    """What is to be done about a stuck run."""

    WAIT = auto()
    RESEND = auto()
    PARK = auto()


@dataclass(frozen=True, slots=True)
class Tried:
    """What has been done for one turn: how often its message was sent again, and when last."""

    turn: Turn
    times: int
    at: datetime


def step(turn: Turn, tried: Tried | None, now: datetime, waits: Sequence[float] = WAITS) -> Step:
    """What is due for a turn that is overdue."""
    if tried is None or not _same(tried.turn, turn):
        return Step.RESEND
    if (now - tried.at).total_seconds() < waits[min(tried.times, len(waits)) - 1]:
        return Step.WAIT
    return Step.PARK if tried.times >= len(waits) else Step.RESEND


def again(turn: Turn, tried: Tried | None, now: datetime, waits: Sequence[float] = WAITS) -> Tried:
    """The message was sent again. What an earlier process has tried is told by the time since the deadline: a run that
    is long overdue gets one more chance from a process that has just started, not all of them."""
    times = tried.times if tried is not None and _same(tried.turn, turn) else _earlier(turn, now, waits)
    return Tried(turn, times + 1, now)


def _earlier(turn: Turn, now: datetime, waits: Sequence[float]) -> int:
    overdue = (now - turn.overdue_after).total_seconds() if turn.overdue_after else 0.0
    due = [sum(waits[: number + 1]) for number in range(len(waits) - 1)]
    return sum(overdue >= after for after in due)


def _same(one: Turn, other: Turn) -> bool:
    return (one.actor, one.what, one.since) == (other.actor, other.what, other.since)
