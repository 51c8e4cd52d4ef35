"""A session of many runs is shown by its newest, as they would stand had all of it been folded."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from contracts.cognitive import OutputFormat
from contracts.decisions import DecisionRequested
from contracts.gateway import MessageReceived, ReminderSeen
from contracts.response import ResponseOutput, RunCompleted
from contracts.shape import Event
from contracts.timers import ReminderDue
from services.gateway.domain.session import Session
from services.gateway.views import history
from services.gateway.views.history import History
from services.gateway.views.protocol import session_view
from tests.conformance.facts import append, fact
from tests.fakes.ledger import MemoryLedger

DUE = datetime(2026, 12, 1, 9, tzinfo=UTC)


async def said(ledger: MemoryLedger, session: UUID, run: UUID | None, *events: Event) -> None:
    await ledger.append("test", "test", [append(session, *(fact(event, run_id=run) for event in events))])


async def a_long_one(ledger: MemoryLedger, session: UUID, open_run: int | None) -> None:
    """Thirty runs, of which one may be open; a reminder that was seen, and one that was not, before all of them."""
    asked = DecisionRequested.model_validate(DecisionRequested.example)
    seen, waits = uuid4(), uuid4()
    for reminder in (seen, waits):
        await said(ledger, session, None, ReminderDue(reminder_id=reminder, text="water the plants", due_at=DUE))
    await said(ledger, session, None, ReminderSeen(reminder_id=seen, due_at=DUE + timedelta(hours=1)))
    for number in range(30):
        run = uuid4()
        await said(ledger, session, run, MessageReceived(text=f"question {number}"))
        if number == open_run:
            await said(ledger, session, run, asked.model_copy(update={"decision_id": uuid4()}))
            continue
        await said(ledger, session, run, _answer(number), RunCompleted())


def _answer(number: int) -> ResponseOutput:
    return ResponseOutput(format=OutputFormat.TEXT, language="en", text=f"answer {number}")


async def test_no_more_runs_are_shown_than_began_in_the_newest_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "LONG", 50)
    ledger, session = MemoryLedger(), uuid4()
    await a_long_one(ledger, session, None)
    whole = session_view(session, await History(ledger).fold_on(session, Session()))
    begun = [one.version for one in await ledger.latest(session, frozenset({"MessageReceived"}), 4)]
    for events, runs in ((whole.version - begun[3] + 1, 4), (whole.version - begun[2] + 1, 3), (1, 1)):
        monkeypatch.setattr(history, "SHOWN", events)
        assert session_view(session, await History(ledger).fold(session)).runs == whole.runs[-runs:]


@pytest.mark.parametrize("open_run", [None, 3, 28])
async def test_the_newest_runs_and_all_that_is_open_are_shown(
    open_run: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "LONG", 50)
    monkeypatch.setattr(history, "RECENT", 7)
    ledger, session = MemoryLedger(), uuid4()
    await a_long_one(ledger, session, open_run)
    whole = session_view(session, await History(ledger).fold_on(session, Session()))
    shown = session_view(session, await History(ledger).fold(session))
    assert len(shown.runs) == (27 if open_run == 3 else 7)
    assert shown.runs == whole.runs[-len(shown.runs) :]
    assert (shown.version, shown.open_decisions) == (whole.version, whole.open_decisions)
    assert len(whole.open_decisions) == (0 if open_run is None else 1)
    assert shown.reminders == whole.reminders
    assert len(shown.reminders) == 1
