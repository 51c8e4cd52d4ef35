"""`dream events`: what happened in a session, as a table or as JSON lines."""

import json
from contextlib import aclosing
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from dream.client.gateway_client import Client, Frame
from dream.texts import Texts

PAGE = 500
LONGEST = 100


async def events(url: str, session: str, after: int, *, follow: bool, as_json: bool, texts: Texts) -> None:
    """Prints the events after a version, and with `follow` those that come, until interrupted."""
    async with Client(url) as client:
        if follow:
            await client.session(session)  # says so at once when there is no such session
            async with aclosing(client.follow(session, after)) as frames:
                async for frame in frames:
                    print(json.dumps(frame, ensure_ascii=False) if as_json else line(frame), flush=True)
            return
        past = await history(client, session, after)
    if as_json:
        for frame in past:
            print(json.dumps(frame, ensure_ascii=False))
    else:
        Console().print(_table(past, texts))


async def history(client: Client, session: str, after: int) -> list[Frame]:
    """All events after a version, page by page."""
    past: list[Frame] = []
    while True:
        page = await client.events(session, after, PAGE)
        past += page["events"]
        if not page["events"] or past[-1]["version"] >= page["version"]:
            return past
        after = past[-1]["version"]


def line(frame: Frame) -> str:
    """An event in one line: version, time, producer, type, the gist of its data."""
    time = str(frame["recorded_at"])[11:23]
    return f"{frame['version']:>5}  {time}  {frame['producer']:<10} {frame['event']:<20} {gist(frame['data'])}"


def gist(data: Any) -> str:
    """The data on one line, cut."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _table(past: list[Frame], texts: Texts) -> Table:
    table = Table()
    for name in ("version", "time", "producer", "event", "data"):
        table.add_column(texts(f"events.{name}"), justify="right" if name == "version" else "left", overflow="fold")
    for frame in past:
        time = str(frame["recorded_at"])[11:23]
        table.add_row(str(frame["version"]), time, frame["producer"], frame["event"], Text(gist(frame["data"]), "dim"))
    return table
