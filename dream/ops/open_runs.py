"""`dream runs`: the open runs, whose turn it is in each of them, and until when."""

import json
from datetime import UTC, datetime
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from dream.client.gateway_client import Client, Frame
from dream.ids import beginnings
from dream.texts import Texts

LONGEST = 40
READABLE = 18
"""Columns of what was said at least, however narrow the screen: Korean has two for a letter."""
STYLES = {"moving": "green", "waiting": "cyan", "paused": "yellow", "stuck": "bold red"}


async def runs(url: str, *, only_stuck: bool, as_json: bool, texts: Texts) -> None:
    """Prints them all, the newest first."""
    async with Client(url) as client:
        found: list[Frame] = []
        before: str | None = None
        while True:
            page = await client.open_runs(only_stuck=only_stuck, before=before)
            found += page["runs"]
            before = page["next"]
            if before is None:
                break
    if as_json:
        for run in found:
            print(json.dumps(run, ensure_ascii=False))
    elif found:
        Console().print(table(found, datetime.now(UTC), texts))
    else:
        print(texts("runs.none_stuck" if only_stuck else "runs.none"))


def table(found: list[Frame], now: datetime, texts: Texts) -> Table:
    """One run a row: the beginning of its id, what was said, state, next actor and its task, time left, since when."""
    shown = Table()
    for title in ("runs.run", "runs.text", "runs.state", "runs.actor", "runs.what"):
        shown.add_column(texts(title), overflow="fold", min_width=READABLE if title == "runs.text" else None)
    for title in ("runs.deadline", "runs.since"):
        shown.add_column(texts(title), justify="right", overflow="fold")
    ids = beginnings([run["run_id"] for run in found])
    for run in found:
        shown.add_row(
            ids[run["run_id"]],
            Text(cut(run["text"])),
            Text(run["state"], STYLES.get(run["state"], "")),
            run["actor"] or "–",
            run["what"] or "–",
            span(run["deadline"], now, texts),
            span(run["since"], now, texts).removeprefix("-"),
        )
    return shown


def cut(text: str) -> str:
    """The beginning, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def span(moment: Any, now: datetime, texts: Texts) -> str:
    """How far away a moment is: `2 min 5 s` ahead, `-3 s` when it is over; a dash without one."""
    if moment is None:
        return "–"
    seconds = round((datetime.fromisoformat(moment) - now).total_seconds())
    sign, seconds = ("-" if seconds < 0 else ""), abs(seconds)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    parts = [(hours, texts("runs.hours")), (minutes, texts("runs.minutes")), (seconds, texts("runs.seconds"))]
    named = [f"{number} {unit}" for number, unit in parts if number] or [f"0 {texts('runs.seconds')}"]
    return sign + " ".join(named[:2])
