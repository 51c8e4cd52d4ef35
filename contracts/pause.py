"""A run that a person holds. Pausing freezes time: on resuming, all that is due moves by as long as the pause has
lasted. Whoever folds a run's deadlines folds its pause by this."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from contracts.gateway import RunControl

PAUSING = frozenset({RunControl.PAUSE, RunControl.INTERRUPT})
"""Controls after which nothing is dispatched until the run is resumed; an interrupt leaves nothing in flight either. A
cancel ends the run, and so the pause."""


@dataclass(slots=True)
class Pause:
    """Since when a run is paused, if it is; true while it is."""

    since: datetime | None = None

    def __bool__(self) -> bool:
        return self.since is not None

    def fold(self, control: RunControl, at: datetime) -> timedelta:
        """Takes a control in; a repeated one changes nothing. Returns how much later everything is due from now on."""
        if control in PAUSING:
            self.since = self.since or at
        elif control is RunControl.RESUME and self.since is not None:
            lasted, self.since = at - self.since, None
            return lasted
        return timedelta()

    def frozen(self, due: datetime, at: datetime) -> datetime:
        """A time that is set at `at`, in the middle of a pause perhaps, as if it had been set at its beginning:
        resuming moves it by the whole of the pause."""
        return due if self.since is None else due - (at - self.since)
