"""Recording events while work goes on."""

import logging
from uuid import UUID, uuid5

from backbone import crash
from backbone.ledger.port import Append, Fact, Ledger, LedgerUnavailable, Timer
from backbone.runner.handlers import WorkHandler, traced
from backbone.runner.intake import ReceivedMessage
from contracts.shape import Event

log = logging.getLogger(__name__)


class Recorder:
    """See backbone.runner.handlers.Record."""

    def __init__(self, ledger: Ledger, handler: WorkHandler, taken: ReceivedMessage) -> None:
        self._ledger = ledger
        self._handler = handler
        self._message = taken.message

    async def __call__(
        self,
        key: str,
        *events: Event,
        sure: bool = False,
        timers: tuple[Timer, ...] = (),
        cancel_timers: tuple[UUID, ...] = (),
    ) -> None:
        cause = uuid5(self._message.event_id, f"{self._handler.name}:{key}")
        facts = tuple(self._fact(event, uuid5(cause, str(i)) if i else cause) for i, event in enumerate(events))
        append = Append(self._message.session_id, cause, facts, traced(timers, self._message), cancel_timers)
        try:
            await self._ledger.append(self._handler.producer, self._handler.name, [append])
        except LedgerUnavailable as error:
            if sure:
                raise
            # progress is for people who watch; the result itself waits for the ledger
            told = ", ".join(type(event).__name__ for event in events)
            log.warning("%s: %s is not recorded: %s", self._handler.name, told, error)
        crash.point(self._handler.producer, crash.RECORDED)

    def _fact(self, event: Event, event_id: UUID) -> Fact:
        message = self._message
        return Fact(event, event_id, message.run_id, message.correlation_id, message.event_id, message.traceparent)
