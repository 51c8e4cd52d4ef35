"""The loop that puts due timers into the ledger."""

import asyncio
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast
from uuid import uuid4

import pytest

from backbone import timers
from backbone.ledger.port import Append, DueTimer, Timer
from backbone.service import Service
from contracts.decisions import DecisionExpired, DecisionKind
from contracts.shape import Event
from contracts.timers import ReminderDue, TimerFired
from tests.conformance.facts import timer
from tests.conformance.harness import Rig, running, until
from tests.fakes.ledger import MemoryLedger

on_both = pytest.mark.parametrize("rig", ["memory", "real"], indirect=True)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def service(rig: Rig) -> Service:
    return cast("Service", SimpleNamespace(backbone=SimpleNamespace(ledger=rig.ledger)))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timers, "POLL", 0.05)


@on_both
async def test_each_kind_of_timer_becomes_its_event(rig: Rig) -> None:
    session, due = uuid4(), datetime.now(UTC) + timedelta(seconds=0.1)
    events: list[Event] = [
        DecisionExpired(decision_id=uuid4(), kind=DecisionKind.PLAN, default={"action": "reject"}),
        TimerFired(timer_id=uuid4(), purpose="todo_retry", due_at=due, data={"todo_id": "t1"}),
        ReminderDue(reminder_id=uuid4(), text="치과 예약", due_at=due),
    ]
    set_ = tuple(Timer(uuid4(), None, due, event) for event in events)
    await rig.ledger.append("planning", "gateway", [Append(session, uuid4(), timers=set_)])
    async with running(timers.run_timers(service(rig))):

        async def fired() -> bool:
            return await rig.ledger.head(session) == 3

        await until(fired)
    recorded = await rig.ledger.read(session)
    assert {message.event_id: message.event for message in recorded} == {one.timer_id: one.event for one in set_}
    assert {message.producer for message in recorded} == {"timers"}


@on_both
async def test_several_loops_fire_each_timer_once_and_more_than_a_batch(rig: Rig) -> None:
    session = uuid4()
    many = tuple(timer() for _ in range(timers.BATCH + 30))
    await rig.ledger.append("planning", "gateway", [Append(session, uuid4(), timers=many)])
    async with running(*(timers.run_timers(service(rig)) for _ in range(3))):

        async def fired() -> bool:
            return await rig.ledger.head(session) >= len(many)

        await until(fired)
        await asyncio.sleep(0.1)
    assert await rig.ledger.head(session) == len(many)


async def test_the_loop_goes_on_after_an_outage(rig: Rig) -> None:
    assert isinstance(rig.ledger, MemoryLedger)
    session = uuid4()
    await rig.ledger.append("planning", "gateway", [Append(session, uuid4(), timers=(timer(0.1),))])
    rig.ledger.up = False
    async with running(timers.run_timers(service(rig))):
        await asyncio.sleep(0.2)
        rig.ledger.up = True
        await until(lambda: rig.ledger.head(session))


async def test_an_error_that_nobody_foresaw_does_not_stop_the_clock(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    session, looks = uuid4(), 0
    original = rig.ledger.fire_due

    async def fire_due(*arguments: Any) -> int:
        nonlocal looks
        looks += 1
        if looks == 1:
            raise ZeroDivisionError
        return await original(*arguments)

    monkeypatch.setattr(MemoryLedger, "fire_due", lambda self, *arguments: fire_due(*arguments))
    await rig.ledger.append("planning", "gateway", [Append(session, uuid4(), timers=(timer(),))])
    async with running(timers.run_timers(service(rig))):
        await until(lambda: rig.ledger.head(session))


@pytest.mark.parametrize(("type_", "data"), [("LongGone", '{"a": 1}'), ("ReminderDue", '{"text": "no time"}')])
def test_a_timer_that_nobody_can_read_fires_and_says_so(type_: str, data: str) -> None:
    event = timers.event_of(DueTimer(uuid4(), uuid4(), None, type_, data, None), NOW)
    assert isinstance(event, TimerFired)
    assert (event.purpose, event.due_at, event.data["type"]) == ("unreadable", NOW, type_)
