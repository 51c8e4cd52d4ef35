"""The desk where people say that they have seen a reminder: I/O around the pure decision in domain/reminders.py."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from uuid import UUID, uuid5

from uuid_utils.compat import uuid7

from backbone import crash
from backbone.ledger.port import Append, Fact, Ledger, Tail
from services.gateway.domain.reminders import FOLDS, Repeated
from services.gateway.domain.session import Session
from services.gateway.history import fold_in, told
from services.gateway.reminders import SeenRequest
from services.gateway.runs import NAME


class ReminderDesk:
    """Records that reminders were seen."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def seen(self, session_id: UUID, reminder_id: UUID, request: SeenRequest, key: UUID | None) -> int:
        """The version at which it is recorded, now or before. Raises Refused."""
        crash.point(NAME, "received")
        event_id = uuid5(key, "seen") if key else uuid7()
        cause = key or event_id
        earlier = 0

        def decision(tails: Mapping[UUID, Tail], handled: AbstractSet[UUID]) -> Sequence[Append]:
            nonlocal earlier
            session = told(tails, session_id, Session(), fold_in)
            judged = session.reminders.judge(reminder_id, request.due_at, handled=cause in handled)
            if isinstance(judged, Repeated):
                earlier = judged.version
                return ()
            crash.point(NAME, "decided")
            return (Append(session_id, cause, (Fact(judged, event_id, None, event_id, None),)),)

        appended = await self._ledger.decide(NAME, NAME, {session_id: 0}, FOLDS, [cause], decision)
        crash.point(NAME, "appended")
        return (appended[0].last_version if appended else None) or earlier
