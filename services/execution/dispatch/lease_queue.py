"""The toolbox's line: who got a tool is told, what ran out is reclaimed, who is stopped leaves."""

import asyncio
import logging
from uuid import uuid5

from backbone.ledger.port import Append, Fact, Ledger, LedgerUnavailable
from backbone.runner.handlers import NOTHING, Outcome, Record, Takes, WorkHandler
from backbone.service import Service
from backbone.toolbox.port import Lease, Toolbox
from contracts.envelope import Message
from contracts.errors import ErrorInfo
from contracts.execution import TodoSkipped, ToolLeased, ToolReleased
from contracts.shape import Event

log = logging.getLogger(__name__)

NAME = "execution-toolbox"
POLL = 0.1
RECLAIM = 1.0
"""Seconds between two looks for leases that have run out."""


def expire_waiters(toolbox: Toolbox) -> WorkHandler:
    """Whoever is not wanted any more leaves the line."""

    async def handle(message: Message, event: Event, record: Record) -> Outcome:
        if message.run_id is not None:
            await toolbox.leave(message.run_id, event.todo_id if isinstance(event, TodoSkipped) else None)
        return NOTHING

    def give_up(message: Message, event: Event, error: ErrorInfo) -> Outcome:
        return NOTHING  # what it holds runs out by itself

    return WorkHandler(
        name=NAME,
        producer="execution",
        takes=(Takes("execution", "TodoSkipped"), Takes("execution", "ExecutionOutput")),
        handle=handle,
        give_up=give_up,
    )


async def grant_leases(service: Service) -> None:
    """The background loop of an execution service whose catalogue has leased tools. Every process may run it: telling
    twice records once. Until cancelled."""
    toolbox, pause, reclaim_at = service.backbone.toolbox, POLL, 0.0
    while True:
        try:
            now = asyncio.get_running_loop().time()
            if now >= reclaim_at:
                reclaim_at = now + RECLAIM
                await _record(service, await toolbox.reclaim(), granted=False)
            granted = await toolbox.granted()
            await _record(service, granted, granted=True)
            if granted:
                await toolbox.told([lease.lease_id for lease in granted])
            pause = POLL
        except LedgerUnavailable as error:
            pause = min(pause * 2, 5.0)
            log.warning("the toolbox waits: %s", error)
        except Exception:  # one lease that cannot be told must not keep the others waiting for ever
            pause = min(pause * 2, 5.0)
            log.exception("the toolbox failed; again in %.1f s", pause)
        await asyncio.sleep(pause)


async def _record(service: Service, leases: list[Lease], *, granted: bool) -> None:
    ledger = service.backbone.ledger
    appends = [_append(lease, await _trace(ledger, lease), granted=granted) for lease in leases]
    if appends:
        await ledger.append("execution", NAME, appends)


async def _trace(ledger: Ledger, lease: Lease) -> str | None:
    """The trace that goes on with whoever waited: a lease knows nothing of it."""
    said = await ledger.find(lease.holder.session_id, frozenset({"MessageReceived"}), lease.holder.run_id)
    return said[0].traceparent if said else None


def leased(lease: Lease) -> ToolLeased:
    """The tool is held, and whoever waited for it may begin."""
    return ToolLeased(
        todo_id=lease.holder.todo_id,
        tool=lease.tool,
        group_key=",".join(lease.groups),
        lease_id=lease.lease_id,
        fencing_token=lease.fencing_token,
        expires_at=lease.expires_at,
    )


def _append(lease: Lease, traceparent: str | None, *, granted: bool) -> Append:
    holder = lease.holder
    event: Event = (
        leased(lease)
        if granted
        else ToolReleased(
            todo_id=holder.todo_id,
            lease_id=lease.lease_id,
            fencing_token=lease.fencing_token,
            reason="expired",
        )
    )
    cause = uuid5(lease.lease_id, "granted" if granted else "expired")
    fact = Fact(event, uuid5(cause, "event"), holder.run_id, holder.run_id, None, traceparent)
    return Append(holder.session_id, cause, (fact,))
