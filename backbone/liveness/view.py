"""An open run as it stands at a moment: who is next, until when, and whether anything is wrong."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from uuid import UUID

from backbone.ledger.port import RunPlace
from backbone.liveness.fold import RunState
from backbone.liveness.turns import PAUSED, PERSON, TIMERS, Turn

_NEVER = datetime.max.replace(tzinfo=UTC)


class State(StrEnum):
    """Moving: a service, an executor or a timer is next. Stuck: nobody is, or whoever is has not come in time."""

    MOVING = "moving"
    WAITING = "waiting"
    PAUSED = "paused"
    STUCK = "stuck"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Liveness:
    """A run, and everybody whose turn it is, the most urgent first."""

    run_id: UUID
    session_id: UUID
    text: str
    language: str
    began: datetime
    state: State
    last: str
    """Type of the event after which it stands like this; of an ended run, the one that ended it."""
    turns: tuple[Turn, ...]
    traceparent: str | None = None

    @property
    def next(self) -> Turn | None:
        return self.turns[0] if self.turns else None


def liveness(place: RunPlace, run: RunState, now: datetime) -> Liveness:
    """The run at `now`."""
    turns = () if run.ended else tuple(sorted(_at(run.turns(), now), key=_urgency))
    return Liveness(
        run_id=place.run_id,
        session_id=place.session_id,
        text=run.text,
        language=run.language,
        began=place.since,
        state=_state(run, turns, now),
        last=run.ended or run.last,
        turns=turns,
        traceparent=run.traceparent,
    )


def _urgency(turn: Turn) -> tuple[bool, datetime]:
    """Whoever has paused the run comes before all deadlines."""
    return turn.what != PAUSED, turn.overdue_after or _NEVER


def _at(turns: Iterable[Turn], now: datetime) -> list[Turn]:
    """A person whose time is over is not waited for any more: it is the timers' turn to say so."""
    return [replace(turn, actor=TIMERS) if turn.actor == PERSON and turn.is_overdue(now) else turn for turn in turns]


def _state(run: RunState, turns: Sequence[Turn], now: datetime) -> State:
    if run.ended:
        return State.ENDED
    if run.pause:
        return State.PAUSED
    if any(turn.actor == PERSON and turn.what != PAUSED for turn in turns):
        return State.WAITING
    if not turns or any(turn.is_overdue(now) for turn in turns):
        return State.STUCK
    return State.MOVING
