"""Listing a heap of reminders: what is counted for long does not hold up the others of the same process."""

import threading
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from packs.assistant.reminders import Kept, still_open

NOW = datetime(2026, 11, 22, tzinfo=UTC)


async def test_the_next_times_of_a_heap_of_rules_are_counted_beside_the_event_loop(monkeypatch: pytest.MonkeyPatch):
    threads = set()
    following = Kept.following

    def watched(one: Kept, now: datetime) -> datetime | None:
        threads.add(threading.current_thread())
        return following(one, now)

    monkeypatch.setattr(Kept, "following", watched)
    kept = {"rule": "FREQ=DAILY", "timezone": "Asia/Seoul", "minutes_before": 0, "text": "물"}
    rows = [{**kept, "reminder_id": UUID(int=n), "at": NOW - timedelta(days=30, minutes=n)} for n in range(9)]
    context: Any = SimpleNamespace(user="mina", now=NOW, database=SimpleNamespace(transaction=lambda: _table(rows)))
    found = await still_open(context)
    assert [one.reminder_id.int for _, one in found] == [8, 7, 6, 5, 4, 3, 2, 1, 0]
    assert threading.current_thread() not in threads


@asynccontextmanager
async def _table(rows: list[dict[str, Any]]) -> Any:
    async def fetch(*_: Any) -> list[dict[str, Any]]:
        return rows

    yield SimpleNamespace(fetch=fetch)
