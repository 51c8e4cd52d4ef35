"""The words of liveness: a turn is somebody's who has to do the next thing, until a deadline."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

PERSON, TIMERS, TOOLBOX = "person", "timers", "toolbox"
EXECUTOR = "executor:"
"""Before the name of an executor's route."""
PAUSED = "paused"


@dataclass(frozen=True, slots=True)
class Margins:
    """Seconds that an actor may take beyond what it is due; `line`: a place in the line for a busy tool is looked at
    again after so long."""

    service: float = 30.0
    executor: float = 30.0
    timer: float = 30.0
    line: float = 3600.0


@dataclass(frozen=True, slots=True)
class Turn:
    """Who does the next thing (`cognitive`, `executor:data`, `timers`, `person` …), what it is, since when and until
    when. Beyond `overdue_after` something is wrong. None: it may take for ever.

    `version` is that of the event which the actor has to handle, in its session's stream; 0 = there is none."""

    actor: str
    what: str
    since: datetime
    deadline: datetime | None
    overdue_after: datetime | None
    version: int = 0

    def moved(self, by: timedelta) -> "Turn":
        """The same with a later deadline: the run was paused for so long."""
        return replace(
            self,
            deadline=self.deadline + by if self.deadline else None,
            overdue_after=self.overdue_after + by if self.overdue_after else None,
        )

    def is_overdue(self, now: datetime) -> bool:
        return self.overdue_after is not None and now > self.overdue_after


def within(actor: str, what: str, since: datetime, seconds: float, version: int = 0) -> Turn:
    """A turn that is overdue at its deadline: its margin is in the seconds."""
    deadline = since + timedelta(seconds=seconds)
    return Turn(actor, what, since, deadline, deadline, version)


def until(actor: str, what: str, since: datetime, deadline: datetime, margin: float) -> Turn:
    """A turn with a deadline of its own, and a margin after it for whoever acts then."""
    return Turn(actor, what, since, deadline, deadline + timedelta(seconds=margin))
