"""Runs in which the services of this version say all that they can say, over the servers of the contract tests: what they
record is their real output. Each scene is a run of its own; they are played side by side."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import asyncpg

from tests.contract import record_ledger
from tests.e2e.person import Json, Person, eventually, of
from tests.e2e.scene import control, perform, played, seen, todo
from tests.unit.packs.documents.making import docx

TURNS = 9
"""After the ninth a session is summed up."""
Scene = Callable[[Person, str], Coroutine[Any, Any, None]]


async def recorded(person: Person, owner: str) -> None:
    """The runs of the golden ledgers: the main job, a transfer, and runs that are rejected and that fail."""
    runs = (record_ledger.main, record_ledger.transfer, record_ledger.rejected, record_ledger.failed)
    await asyncio.gather(*(run(person) for run in runs))


async def vague(person: Person, owner: str) -> None:
    """Cognitive asks what is meant."""
    run = await person.say("Analyze this", **await record_ledger.session(person), auto_approve=True)
    question = await person.question(run["session_id"], "clarify", 240)  # what these packs teach is learned first
    await _let_pass(owner, question)
    await person.end_of(run)


async def in_line(person: Person, owner: str) -> None:
    """Two runs want the same device; who has it is cancelled."""
    first = await perform(person, todo("a", "device", seconds=300))
    await seen(person, first, "ToolLeased", todo_id="a")
    second = await perform(person, todo("b", "device", seconds=0))
    await seen(person, second, "ToolBusy", todo_id="b")
    await control(person, first, "cancel")
    await played(person, first)
    await played(person, second)


async def left_out(person: Person, owner: str) -> None:
    """A step fails at first, one for good, and what builds on it is skipped."""
    steps = (
        todo("a", "moody", times=1, on_error="retry"),
        todo("b", "fails", on_error="skip"),
        todo("c", "quick", "b"),
    )
    play = await played(person, await perform(person, *steps))
    assert play.fates["c"] == "skipped"


async def nobody_answers(person: Person, owner: str) -> None:
    """Execution asks, and the time is over."""
    run = await perform(person, todo("a", "gated"), todo("b", "quick"))
    await _let_pass(owner, await person.question(run["session_id"], "tool"))
    await played(person, run)


async def edited(person: Person, owner: str) -> None:
    """A plan is edited while its run is paused; of two edits one is refused. Then the run is cancelled, and rated."""
    run = await perform(person, todo("a", "nap", seconds=300), todo("b", "quick", "a"))
    await seen(person, run, "TodoDispatched")
    await control(person, run, "pause")
    path = f"/sessions/{run['session_id']}/runs/{run['run_id']}/plan"
    for status, patch in ((409, {"op": "remove", "path": "/0"}), (200, {"op": "remove", "path": "/1"})):
        answer = await person.ask("PATCH", path, json={"plan_version": 2, "patch": [patch]})
        assert answer.status_code == status, answer.text
    await control(person, run, "cancel")
    await played(person, run)
    rated = {"run_id": run["run_id"], "rating": 5}
    (await person.ask("POST", f"/sessions/{run['session_id']}/feedback", json=rated)).raise_for_status()


async def read_to(person: Person, owner: str) -> None:
    """An agent calls its tools."""
    which = await record_ledger.session(person, "ko")
    await person.upload("공고.docx", docx("2026년 채용 공고", "지원 마감은 3월 5일입니다."), which["session_id"])
    run = await person.say("공고 문서 요약해줘", **which)
    assert of(await person.end_of(run), "AgentToolAnswered", run)


async def reminded(person: Person, owner: str) -> None:
    """A reminder falls due, and is seen."""
    run = await perform(person, todo("a", "nudge", seconds=1))
    await played(person, run)
    (due,) = await seen(person, run | {"run_id": None}, "ReminderDue")
    path = f"/sessions/{run['session_id']}/reminders/{due['data']['reminder_id']}/seen"
    (await person.ask("POST", path)).raise_for_status()


async def summed_up(person: Person, owner: str) -> None:
    """A session gets long."""
    which = await record_ledger.session(person)
    for _ in range(TURNS):
        await person.end_of(await person.say("What can you do?", **which))

    async def look() -> list[Json]:
        return of(await person.events(which["session_id"]), "SessionSummarized")

    await eventually(look, "a summary after the ninth turn")


SCENES: tuple[Scene, ...] = (
    recorded, vague, in_line, left_out, nobody_answers, edited, read_to, reminded, summed_up,
)  # fmt: skip


async def play(person: Person, owner: str) -> None:
    """All of them."""
    async with asyncio.TaskGroup() as stage:
        for scene in SCENES:
            stage.create_task(scene(person, owner), name=scene.__name__)


async def _let_pass(owner: str, decision: Json) -> None:
    """The deadline of a question is now."""
    connection = await asyncpg.connect(owner)
    try:
        moved = "update ledger.timers set due_at = now() where timer_id = $1"
        assert await connection.execute(moved, decision["decision_id"]) == "UPDATE 1"
    finally:
        await connection.close()
