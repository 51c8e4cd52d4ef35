"""Controls one run that goes on, and edits its plan: what `dream pause` and its like do."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from dream.client import patch, target
from dream.client.events import history
from dream.client.gateway_client import Client, Refused
from dream.client.tables import plan_table
from dream.failures import CommandFailed, Exit
from dream.ids import beginnings
from dream.local.data_dir import DataDir
from dream.texts import Texts

DONE: Mapping[str, str] = {
    "pause": "control.pause",
    "resume": "control.resume",
    "interrupt": "control.interrupt",
    "cancel": "control.cancel",
}


@dataclass(frozen=True, slots=True)
class Which:
    """A run by the beginning of its id; its session, if that is known."""

    run: str
    session: str | None
    url: str | None
    data_dir: Path


@dataclass(frozen=True, slots=True)
class Changes:
    """What `dream edit` is to change: todos to remove, `t2.params.top_n=5`, `trends grain=month` to add, `t3 after t1`
    to move, or a file with a JSON Patch."""

    remove: tuple[str, ...] = ()
    assign: tuple[str, ...] = ()
    file: Path | None = None
    add: tuple[str, ...] = ()
    move: tuple[str, ...] = ()


async def control(which: Which, wanted: str, reason: str, texts: Texts) -> int:
    """Pauses, resumes, interrupts or cancels, and says so."""
    async with Client(await target.required(which.url, which.data_dir, texts)) as client:
        session, run = await find(client, which, texts)
        await client.control(session, run, wanted, reason)
    print(texts(DONE[wanted], run=run))
    return Exit.DONE


async def edit(which: Which, changes: Changes, texts: Texts) -> int:
    """Edits the plan of a paused run, and shows its new version."""
    async with Client(await target.required(which.url, which.data_dir, texts)) as client:
        session, run = await find(client, which, texts)
        frames = await history(client, session, 0)
        plans = [one["data"]["plan"] for one in frames if one["event"] == "PlanningOutput" and one["run_id"] == run]
        if not plans:
            raise CommandFailed(texts("edit.no_plan", run=run), Exit.USAGE)
        plan = plans[-1]
        operations = _operations(plan["todos"], changes, texts)
        revised = await client.edit_plan(session, run, plan.get("version", 1), operations)
    Console().print(plan_table(revised["plan"], texts))
    print(texts("edit.done", version=revised["plan"]["version"]))
    return Exit.DONE


async def find(client: Client, which: Which, texts: Texts) -> tuple[str, str]:
    """The session and the whole id of the run: of the session that is told, else of the last one, else of any."""
    last = which.session or DataDir(which.data_dir).last_session()
    found = await _of_session(client, which, last) if last else []
    if not found and not which.session:
        open_runs = (await client.open_runs())["runs"]
        found = [(str(run["session_id"]), str(run["run_id"])) for run in open_runs if _is(which, run)]
    if len(found) == 1:
        return found[0]
    key = "run.ambiguous" if found else "run.not_there" if which.session else "run.not_open"
    ids = ", ".join(beginnings([run for _, run in found]).values())
    raise CommandFailed(texts(key, run=which.run, ids=ids), Exit.USAGE)


async def _of_session(client: Client, which: Which, session: str) -> list[tuple[str, str]]:
    try:
        runs = (await client.session(session))["runs"]
    except Refused:
        if which.session:
            raise
        return []  # the last session was one of another server
    return [(session, str(run["run_id"])) for run in runs if _is(which, run)]


def _is(which: Which, run: Mapping[str, Any]) -> bool:
    return str(run["run_id"]).startswith(which.run.casefold())


def _operations(todos: list[dict[str, Any]], changes: Changes, texts: Texts) -> list[patch.Operation]:
    try:
        made = patch.operations(todos, changes.remove, changes.assign, changes.add, changes.move)
    except patch.EditRefused as error:
        raise CommandFailed(texts("edit.refused", what=error), Exit.USAGE) from None
    if changes.file is None:
        return made
    try:
        read = json.loads(changes.file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CommandFailed(texts("edit.unreadable", what=error), Exit.USAGE) from None
    if not isinstance(read, list) or not all(isinstance(one, dict) for one in read):
        raise CommandFailed(texts("edit.no_patch", file=changes.file), Exit.USAGE)
    return [*read, *made]
