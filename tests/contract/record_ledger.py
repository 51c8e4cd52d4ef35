"""Writes the golden ledger of this version: `make golden-ledger`, once before a release, committed with it.

Whole runs of every kind as JSON lines, which every later version has to fold, and a backup with an open run, which every
later version has to finish. What was written for a version is never written again."""

import asyncio
import json
import os
import sys
from importlib.metadata import version
from pathlib import Path

from backbone.ledger.retention import retention
from dream.local.stack import LocalStack
from dream.ops.backup import backup
from dream.texts import Texts
from tests.e2e.person import Json, Person, of
from tests.e2e.scene import perform, todo
from tests.e2e.world import STAGE
from tests.support.folders import own_folder

LEDGERS = Path(__file__).parent / "ledgers"
PACKS = f"marketing,transfer,{STAGE}"
KEY = "golden.key"
CSV = b"product,review,rating,date\nlamp,I love this lamp,5,2026-01-03\nsofa,It broke and I hate it,1,2026-02-07\n"
ASKED = "Analyze the sentiment of these reviews"
REPORT = "Analyze the sentiment of these reviews and make a report with monthly trends"


async def record(place: Path) -> None:
    os.environ["DREAM_PACKS"] = PACKS
    with own_folder("golden") as folder:
        async with LocalStack(folder) as stack, Person(stack.url) as person:
            runs = {
                "main": await main(person),
                "transfer": await transfer(person),
                "cancelled": await cancelled(person),
                "failed": await failed(person),
                "rejected": await rejected(person),
                "open": await left_open(person),
            }
            place.mkdir(parents=True)  # noqa: ASYNC240  # nothing else goes on here
            async with retention(stack.servers.owner_url) as ledger:
                for name, run in runs.items():
                    (ended,) = [
                        one for one in await ledger.of_user("golden") if str(one.session_id) == run["session_id"]
                    ]
                    lines = [row async for row in ledger.rows(ended)]
                    head = {"session_id": run["session_id"], "run_id": run["run_id"], "packs": PACKS}
                    text = "\n".join([json.dumps(head), *lines]) + "\n"
                    (place / f"{name}.jsonl").write_text(text, encoding="utf-8")
            owner, files = stack.servers.owner_url, stack.settings.artifacts_url
            await backup(owner, files, place / "backup", place / KEY, Texts("en"), as_json=False)


async def session(person: Person, language: str = "en") -> Json:
    opened = await person.ask("POST", "/sessions", json={"user": "golden", "language": language})
    opened.raise_for_status()
    return {"session_id": opened.json()["session_id"]}


async def main(person: Person) -> Json:
    which = await session(person)
    file = await person.upload("reviews.csv", CSV, which["session_id"])
    run = await person.say(REPORT, attachments=[file], **which)
    await person.answer(run["session_id"], await person.question(run["session_id"]), action="approve")
    await person.end_of(run, 180)
    return run


async def transfer(person: Person) -> Json:
    which = await session(person)
    run = await person.say("send mom 30000 won", **which)
    await person.end_of(run, 120)
    confirmed = await person.say("yes", **which)
    events = await person.end_of(confirmed, 120)
    assert of(events, "TodoSucceeded"), [event["event"] for event in events]
    return confirmed


async def cancelled(person: Person) -> Json:
    run = await left_open(person)
    path = f"/sessions/{run['session_id']}/runs/{run['run_id']}/control"
    (await person.ask("POST", path, json={"control": "cancel"})).raise_for_status()
    assert of(await person.end_of(run, 60), "RunCancelled")
    return run


async def failed(person: Person) -> Json:
    run = await perform(person, todo("a", "fails", on_error="fail"), todo("b", "quick", "a"), **await session(person))
    await person.end_of(run, 60)
    return run


async def rejected(person: Person) -> Json:
    run = await left_open(person)
    await person.answer(run["session_id"], await person.question(run["session_id"]), action="reject")
    await person.end_of(run, 60)
    return run


async def left_open(person: Person) -> Json:
    which = await session(person)
    file = await person.upload("reviews.csv", CSV, which["session_id"])
    run = await person.say(ASKED, attachments=[file], **which)
    await person.question(run["session_id"])
    return run


if __name__ == "__main__":
    there = LEDGERS / (sys.argv[1] if len(sys.argv) > 1 else version("dream-agent"))
    if there.exists():
        sys.exit(f"{there} is there: what was recorded for a version stays as it is")
    asyncio.run(record(there))
