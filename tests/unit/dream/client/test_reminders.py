"""Reminders are shown on the clock of the person who asked for them, wherever the terminal stands."""

from typing import Any, cast

import pytest

from dream.client.gateway_client import Client
from dream.client.view import Reminders

DUE = {"reminder_id": "r", "text": "water", "due_at": "2026-11-22T12:35:00Z"}


class Seen:
    """Of a client only what reminders need."""

    async def seen(self, *_: Any) -> None:
        """Nothing is kept."""


async def shown(monkeypatch: pytest.MonkeyPatch, **more: str) -> str:
    import time

    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    told: list[str] = []
    try:
        reminders = Reminders(cast("Client", Seen()), lambda key, **values: told.append(values["at"]))
        await reminders.show("s", {**DUE, **more})
    finally:
        monkeypatch.undo()
        time.tzset()
    (at,) = told
    return at


@pytest.mark.parametrize(
    ("more", "at"),
    [
        ({"timezone": "Asia/Seoul"}, "2026-11-22 21:35"),
        ({"timezone": ""}, "2026-11-22 07:35"),
        ({"timezone": "Mars/Olympus"}, "2026-11-22 07:35"),
        ({}, "2026-11-22 07:35"),
    ],
)
async def test_it_is_told_in_the_zone_it_was_meant_in_and_else_in_that_of_the_machine(monkeypatch, more, at):
    assert await shown(monkeypatch, **more) == at
