"""What tools may reach beside their parameters: their pack's settings and tables, the person's memory, reminders."""

import os
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from uuid import UUID, uuid5

from backbone.ledger.port import Timer
from backbone.pack_settings import settings_of
from contracts.errors import Code
from contracts.memory import Memories
from contracts.tables import PackDatabase
from contracts.timers import ReminderDue, occurrence
from contracts.tools import Reminder
from services.execution.domain.recurrence import RuleInvalid, next_time
from services.execution.tools.faults import ToolFault


class Owner(NamedTuple):
    """Whose call it is, and which."""

    user: str
    run_id: UUID
    timezone: str
    language: str
    now: datetime
    named: Callable[[], str]
    """Works out the call's idempotency key, which most calls do not ask for."""

    @property
    def key(self) -> str:
        """The call's idempotency key."""
        return self.named()


def _no_tables(pack: str) -> PackDatabase:
    raise ToolFault(Code.TOOL_FAILED, f"the pack {pack!r} has no tables: its manifest does not say database: true")


def _no_memories(owner: Owner) -> Memories:
    raise ToolFault(Code.TOOL_FAILED, "no memories here: only tools on the event loop of an executor have them")


async def _no_meanings(texts: Sequence[str]) -> Sequence[Sequence[float]]:
    return ()


@dataclass(frozen=True, slots=True)
class Resources:
    """What a process has to give to its tools. `timezone` is that of people who have not said theirs."""

    tables: Callable[[str], PackDatabase] = _no_tables
    memories: Callable[[Owner], Memories] = _no_memories
    timezone: str = "UTC"
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    meanings: Callable[[Sequence[str]], Awaitable[Sequence[Sequence[float]]]] = _no_meanings
    packs: Collection[str] = ()
    """All that are loaded: the name of one may begin with that of another."""

    def config(self, pack: str) -> dict[str, str]:
        """DREAM_PACK_<PACK>_<NAME> by <NAME>: a pack sees what was set for it, and nobody else's."""
        return settings_of(pack, self.packs, self.environment)


@dataclass(slots=True)
class Reminders:
    """Reminders that a call sets or takes back; they become real together with its result."""

    owner: Owner
    timers: list[Timer] = field(default_factory=list)
    cancelled: list[UUID] = field(default_factory=list)

    def set(self, reminder: Reminder) -> UUID:
        """Raises ValueError for a time without a zone: nobody knows when that is. Raises ToolFault for a rule whose
        next time cannot be found: it would come once, and nobody would know why."""
        if reminder.at.tzinfo is None:
            raise ValueError(f"{reminder.at.isoformat()} has no time zone")
        if reminder.rule:
            self._check(reminder)
        reminder_id = uuid5(self.owner.run_id, f"reminder:{self.owner.key}:{len(self.timers)}")
        due = ReminderDue(
            reminder_id=reminder_id,
            text=reminder.text,
            due_at=reminder.at,
            rule=reminder.rule,
            timezone=self.owner.timezone,
            first_at=reminder.at if reminder.rule else None,
            language=self.owner.language,
        )
        # no run: the run that asked for it will have ended long before it is due
        self.timers.append(Timer(occurrence(reminder_id, reminder.at), None, reminder.at, due))
        return reminder_id

    def _check(self, reminder: Reminder) -> None:
        try:
            next_time(reminder.rule, reminder.at, self.owner.timezone, reminder.at)
        except (RuleInvalid, LookupError) as error:
            zone = self.owner.timezone
            raise ToolFault(Code.TOOL_ARGUMENTS_INVALID, str(error), rule=reminder.rule[:500], timezone=zone) from error

    def cancel(self, reminder_id: UUID, at: datetime) -> None:
        self.cancelled.append(occurrence(reminder_id, at))
