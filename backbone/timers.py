"""Puts due timers into the ledger: deadlines of decisions, retries, reminders.

Every process may run this loop: `fire_due` takes a timer by deleting it under its stream's lock, so two loops that see
the same timer fire it once. No leader is needed, and none can be lost."""

import asyncio
import json
import logging
from collections import Counter
from datetime import UTC, datetime

from pydantic import ValidationError

from backbone.ledger.port import DueTimer, Ledger, LedgerUnavailable
from backbone.service import Service
from backbone.telemetry import metrics
from contracts import registry
from contracts.shape import Event
from contracts.timers import TimerFired

log = logging.getLogger(__name__)

PRODUCER = "timers"
BATCH = 100
POLL = 0.5
LONGEST_PAUSE = 10.0


async def run_timers(service: Service) -> None:
    """The background loop of the service that relays the producer `timers`. Until cancelled."""
    pause = POLL
    while True:
        try:
            full = await fire_once(service.backbone.ledger) == BATCH
            pause = POLL
            if full:
                continue  # more are waiting
        except LedgerUnavailable as error:
            pause = min(pause * 2, LONGEST_PAUSE)
            log.warning("timers wait: %s; again in %.1f s", error, pause)
        except Exception:  # one timer that nobody foresaw must not end the clock for all sessions
            pause = min(pause * 2, LONGEST_PAUSE)
            log.exception("timers failed; again in %.1f s", pause)
        await asyncio.sleep(pause)


async def fire_once(ledger: Ledger) -> int:
    """Fires what is due now, up to a batch; returns how many."""
    now = datetime.now(UTC)
    types: Counter[str] = Counter()

    def build(due: DueTimer) -> Event:
        types[due.type] += 1
        return event_of(due, now)

    fired = await ledger.fire_due(now, BATCH, build)
    for type_, number in types.items():
        metrics.TIMERS_FIRED.labels(type_).inc(number)
    return fired


def event_of(due: DueTimer, now: datetime) -> Event:
    """The contract that the timer was set with. One that nobody can read any more still fires, as a TimerFired that
    says so: it must neither vanish nor stand in the way of those behind it."""
    contract = registry.EVENTS.get(due.type)
    try:
        return registry.parse(due.type, contract.schema_version if contract else 0, due.data)
    except (registry.UnknownEvent, ValidationError) as error:
        log.warning(
            "a timer cannot be read", extra={"timer": str(due.timer_id), "type": due.type, "reason": str(error)}
        )
        return TimerFired(
            timer_id=due.timer_id,
            purpose="unreadable",
            due_at=now,
            data={"type": due.type, "data": json.loads(due.data)},
        )
