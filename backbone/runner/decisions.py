"""Runs pure decisions: the consume loop of a DecisionHandler."""

import logging
import time
from collections.abc import Sequence
from typing import Any

from backbone import crash
from backbone.bus.port import Delivery, Subscribes, Subscription
from backbone.errors import Poison, Rejected, Retryable
from backbone.ledger.port import Append, Ledger, LedgerUnavailable
from backbone.runner import intake
from backbone.runner.deciding import Decider
from backbone.runner.handlers import DecisionHandler, always, consumer_spec
from backbone.runner.intake import MAX_DELIVERIES, DeadLetterWriter, Intake, ReceivedMessage
from backbone.telemetry import metrics, tracing
from backbone.witness import Witness
from contracts.errors import Code

log = logging.getLogger(__name__)

BATCH = 256


class DecisionRunner:
    """The consume loop of one DecisionHandler."""

    def __init__(
        self,
        handler: DecisionHandler[Any],
        ledger: Ledger,
        bus: Subscribes,
        ack_wait: float,
        witness: Witness | None = None,
        decider: Decider | None = None,
    ) -> None:
        self._handler = handler
        self._bus = bus
        self._ack_wait = ack_wait
        self._dead_letters = DeadLetterWriter(ledger, handler.name)
        filters = consumer_spec(handler, ack_wait).subjects
        self._intake = Intake(self._dead_letters, witness or Witness(ledger), filters, asks_late=always)
        self._decider = decider or Decider(handler, ledger)
        self.subscription: Subscription | None = None

    async def run(self) -> None:
        """Until cancelled; then everything that is not settled is given back."""
        self.subscription = await self._bus.subscribe(consumer_spec(self._handler, self._ack_wait), 2 * BATCH)
        try:
            while True:
                deliveries = await self.subscription.drain(BATCH)
                crash.point(self._handler.producer, "received")
                await self._settle(deliveries)
        finally:
            await self.subscription.close()

    async def _settle(self, deliveries: list[Delivery]) -> None:
        since = time.monotonic()

        async def attempt() -> None:
            await self._handle(await self._intake.take(deliveries), since)

        await intake.hold(deliveries, self._ack_wait, attempt)

    async def _handle(self, taken: list[ReceivedMessage], since: float) -> None:
        if not taken:
            return
        try:
            taken = await self._known(taken, await self._decider.decide(taken))
        except LedgerUnavailable:
            raise
        except Exception as error:  # noqa: BLE001  # the one place where a failed decision becomes a settlement
            if len(taken) > 1:
                for one in taken:
                    await self._handle([one], since)
            else:
                await self._failed(taken[0], error)
            return
        crash.point(self._handler.producer, "appended")
        if not taken:
            return
        for one in taken:
            await one.delivery.ack()
        metrics.HANDLED.labels(self._handler.name, "done").inc(len(taken))
        metrics.BATCH_SIZE.labels(self._handler.name).observe(len(taken))
        lasted = time.monotonic() - since
        metrics.HANDLE_SECONDS.labels(self._handler.name).observe(lasted, tracing.exemplar(taken[0].message))
        if tracing.outbox():
            self._tell(taken, lasted)
        crash.point(self._handler.producer, "settled")
        await self._decider.keep({one.message.session_id for one in taken})

    async def _known(self, taken: list[ReceivedMessage], recorded: Sequence[Append]) -> list[ReceivedMessage]:
        """Those that the ledger has. About the causes of what was recorded it has been asked already."""
        proven = {(append.cause, append.evidence) for append in recorded}
        silent = [one for one in taken if one.evidence and (one.message.event_id, one.evidence) not in proven]
        if not silent:
            return taken
        known = {one.message for one in await self._intake.known(silent)}
        strangers = {one.message for one in silent} - known
        for message in strangers:
            # a version that it made up may have decided where the folding began
            self._decider.forget(message.session_id)
        return [one for one in taken if one.message not in strangers]

    def _tell(self, taken: list[ReceivedMessage], lasted: float) -> None:
        until = time.time_ns()
        since, of = until - int(lasted * 1e9), (self._handler.name, self._handler.producer)
        tracing.handled(
            (one.message, tracing.Handled(*of, since, until, one.delivery.attempt, len(taken))) for one in taken
        )

    async def _failed(self, taken: ReceivedMessage, error: Exception) -> None:
        if taken.evidence and not await self._intake.known([taken]):
            return
        attempt = taken.delivery.attempt
        if isinstance(error, Poison):
            await self._dead_letters.dead_letter(taken.delivery, error.code, error.message)
        elif isinstance(error, Rejected):
            metrics.HANDLED.labels(self._handler.name, "rejected").inc()
            await taken.delivery.ack()
        elif attempt < MAX_DELIVERIES:
            if not isinstance(error, Retryable):
                log.error("%s failed on %s", self._handler.name, taken.message.type, exc_info=error)
            metrics.HANDLED.labels(self._handler.name, "retried").inc()
            await taken.delivery.retry(error.delay if isinstance(error, Retryable) else intake.retry_delay(attempt))
        else:
            await self._dead_letters.dead_letter(
                taken.delivery, Code.DELIVERIES_EXHAUSTED, f"after {attempt} deliveries: {error!r}"
            )
