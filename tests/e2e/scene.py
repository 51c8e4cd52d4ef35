"""Scenes: runs of exactly the plan that a test writes down, and what came of them."""

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Any

import asyncpg

from backbone import packs
from tests.e2e.person import ENDS, Json, Person, eventually, of
from tests.e2e.world import EFFECTS, STAGE, World
from tests.packs.effects import outbox

TOOLS = packs.load((STAGE, EFFECTS)).tools


def todo(name: str, tool: str, *after: str, **more: Any) -> Json:
    """A step that waits for others; `more` are its fields, and the parameters of its tool."""
    spec = next(spec for key, spec in TOOLS.items() if key in (f"stage.{tool}", f"effects.{tool}"))
    params = {key: more.pop(key) for key in list(more) if key in spec.params_schema.get("properties", {})}  # type: ignore[operator]
    said = {
        "on_error": spec.on_error.value,
        "retries": spec.retries,
        "timeout_seconds": spec.timeout_seconds,
        "depends_on": after,
    }
    fixed = {"id": name, "title": name, "tool": spec.tool_key, "executor": spec.executor, "params": params}
    return {**fixed, **said, **more}


async def perform(person: Person, *todos: Json, said: str = "/scene", **say: Any) -> Json:
    """A run whose plan the person has edited into these todos, and approved."""
    run = await person.say(said, **say)
    first = await person.question(run["session_id"])
    await person.answer(
        run["session_id"], first, action="edit", patch=[{"op": "replace", "path": "", "value": list(todos)}]
    )

    async def another() -> Json | None:
        now = await person.question(run["session_id"])
        return now if now["decision_id"] != first["decision_id"] else None

    await person.answer(run["session_id"], await eventually(another, "the edited plan"), action="approve")
    return run


async def seen(person: Person, run: Json, name: str, number: int = 1, **fields: Any) -> list[Json]:
    """Waits for so many events of a type and with these fields; returns them, with their envelopes."""

    async def look() -> list[Json] | None:
        found = envelopes(await person.events(run["session_id"]), name, run, **fields)
        return found if len(found) >= number else None

    return await eventually(look, f"{number} {name} with {fields}")


def envelopes(events: list[Json], name: str, run: Json | None = None, **fields: Any) -> list[Json]:
    """The events of a type whose data has these fields, in order."""
    return [
        event
        for event in events
        if event["event"] == name
        and (run is None or event["run_id"] == run["run_id"])
        and all(event["data"].get(field) == value for field, value in fields.items())
    ]


async def played(person: Person, run: Json, seconds: float = 60.0) -> "Play":
    return Play(await person.end_of(run, seconds), run)


class Play:
    """What was recorded of a run that has ended."""

    def __init__(self, events: list[Json], run: Json) -> None:
        self.events = [event for event in events if event["run_id"] == run["run_id"]]
        self.run = run

    @property
    def output(self) -> Json:
        found = of(self.events, "ExecutionOutput")
        assert len(found) == 1
        return found[0]

    @property
    def status(self) -> str:
        return str(self.output["status"])

    @property
    def end(self) -> str:
        ends = [str(event["event"]) for event in self.events if event["event"] in ENDS]
        assert len(ends) == 1
        return ends[0]

    @property
    def fates(self) -> dict[str, str]:
        """Todo -> how it ended."""
        return {one["todo_id"]: one["status"] for one in self.output["results"]}

    def result(self, todo_id: str) -> Json:
        found: Json = next(one for one in self.output["results"] if one["todo_id"] == todo_id)
        return found

    def place(self, name: str, todo_id: str) -> int:
        """The version of the last event of a type about a todo."""
        return int(self._about(name, todo_id)["version"])

    def at(self, name: str, todo_id: str) -> datetime:
        """When it was recorded."""
        return moment(self._about(name, todo_id))

    def first(self, name: str, todo_id: str) -> int:
        """The version of the first of them."""
        return int(next(one for one in self.events if one["event"] == name and todo_of(one) == todo_id)["version"])

    def _about(self, name: str, todo_id: str) -> Json:
        return [one for one in self.events if one["event"] == name and todo_of(one) == todo_id][-1]

    def all(self, name: str, todo_id: str) -> list[Json]:
        """The data of all events of a type about a todo."""
        return [one["data"] for one in self.events if one["event"] == name and todo_of(one) == todo_id]


def todo_of(event: Json) -> str:
    data = event["data"]
    return str(data["todo"]["id"] if "todo" in data else data.get("todo_id", ""))


def moment(event: Json) -> datetime:
    return datetime.fromisoformat(event["recorded_at"])


async def control(person: Person, run: Json, verb: str) -> Json:
    path = f"/sessions/{run['session_id']}/runs/{run['run_id']}/control"
    answer = await person.ask("POST", path, json={"control": verb})
    assert answer.status_code == 202, answer.text
    body: Json = answer.json()
    return body


def effects(house: World, run: Json) -> dict[str, int]:
    """Todo -> how often it had its effect on the world outside."""
    found: dict[str, int] = {}
    for key, count in outbox.keys_in(house.outbox / outbox.EFFECTS).items():
        run_id, name, *_ = key.split(":")
        if run_id == run["run_id"]:
            found[name] = found.get(name, 0) + count
    return found


async def begun(house: World, run: Json, *todos: str) -> dict[str, int]:
    """Waits until these todos are at work; todo -> its process."""

    async def look() -> dict[str, int] | None:
        found = outbox.begun(house.outbox, run["run_id"])
        return found if found.keys() >= set(todos) else None

    return await eventually(look, f"the beginning of {todos}", 20)


async def let_time_pass(house: World, decision: Json) -> None:
    """The deadline of a question is now: nobody can wait a day for it."""
    connection = await asyncpg.connect(house.stack.servers.owner_url)
    try:
        moved = "update ledger.timers set due_at = now() where timer_id = $1"
        assert await connection.execute(moved, decision["decision_id"]) == "UPDATE 1"
    finally:
        await connection.close()


async def stays(look: Callable[[], object], seconds: float) -> None:
    """What `look` returns is the same at the end as it is now."""
    before = look()
    await asyncio.sleep(seconds)
    assert look() == before
