"""Reminders that were seen: I/O around the pure decision in domain/reminders.py."""

from dataclasses import dataclass
from uuid import UUID

from backbone.ledger.port import Fact, Ledger
from services.gateway.commands.record import REMINDERS, Command, record_command
from services.gateway.domain.refusal import Repeated
from services.gateway.domain.session import Session
from services.gateway.views.reminders import SeenRequest


@dataclass(frozen=True, slots=True)
class ReminderCommands:
    """Records that reminders were seen."""

    ledger: Ledger

    async def seen(self, session_id: UUID, reminder_id: UUID, request: SeenRequest, key: UUID | None) -> int:
        """The version at which it is recorded, now or before. Raises Refused."""
        command = Command.of(session_id, "seen", key)

        def judge(session: Session, handled: bool) -> Fact | Repeated:  # noqa: FBT001  # as record_command calls it
            seen = session.reminders.judge(reminder_id, request.due_at, handled=handled)
            return seen if isinstance(seen, Repeated) else Fact(seen, command.event_id, None, command.event_id, None)

        return await record_command(self.ledger, command, REMINDERS, judge)
