"""The clients of AG-UI that front ends have, beside the whole product: a plan that is approved, words, and a reload."""

import asyncio
import json
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.e2e.person import Person
from tests.e2e.scene import todo
from tests.e2e.world import World

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

ROOT = Path(__file__).parents[2]
CLIENT = Path(__file__).parent / "agui"
NODE = shutil.which("node") or str(ROOT / ".venv-node/bin/node")
CLIENTS = ("ag-ui-1", "ag-ui-0")
"""1.0, and the last one before the protocol had a version, which CopilotKit and assistant-ui have."""
Turn = dict[str, Any]


class Front:
    """A front end with one thread."""

    def __init__(self, node: asyncio.subprocess.Process) -> None:
        self._node = node

    async def turn(self, **step: Any) -> Turn:
        """One run of the client: what it was told and has now. A client that meets an event out of order says so."""
        assert self._node.stdin and self._node.stdout
        self._node.stdin.write(json.dumps(step).encode() + b"\n")
        turn: Turn = json.loads(await asyncio.wait_for(self._node.stdout.readline(), 60))
        assert (turn["error"], turn["warned"]) == (None, []), turn
        return turn


@asynccontextmanager
async def front(house: World, which: str, thread: str | None = None) -> AsyncIterator[Front]:
    url = f"{house.stack.url}/agui"
    node = await asyncio.create_subprocess_exec(
        NODE, "client.mjs", which, url, thread or str(uuid4()), cwd=CLIENT, limit=2**24,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        yield Front(node)
    finally:
        assert node.stdin
        node.stdin.close()
        assert await asyncio.wait_for(node.wait(), 10) == 0


def kinds(turn: Turn) -> list[str]:
    return [event["type"] for event in turn["events"]]


def asked(turn: Turn) -> list[dict[str, Any]]:
    assert kinds(turn)[-1] == "RUN_FINISHED"
    return list((turn["events"][-1].get("outcome") or {}).get("interrupts", []))


def resolved(turn: Turn, payload: Any) -> list[dict[str, Any]]:
    return [{"interruptId": one["id"], "status": "resolved", "payload": payload} for one in asked(turn)]


def last(turn: Turn) -> dict[str, Any]:
    return dict(turn["messages"][-1])


@pytest.mark.parametrize("which", CLIENTS)
async def test_a_table_becomes_a_report_that_the_person_has_approved(house: World, person: Person, which: str) -> None:
    table = "review,stars\n" + "".join(f"배송이 빠르고 {n}번째 것도 좋아요,5\n별로예요 {n},2\n" for n in range(20))
    file = await person.upload("reviews.csv", table.encode())
    async with front(house, which) as here:
        turn = await here.turn(say="리뷰 감성 분석해서 리포트 만들어줘", props={"dream": {"attachments": [file]}})
        (question,) = asked(turn)
        assert question["reason"] == "dream:plan" and ("expiresAt" in question) == (which == "ag-ui-1")
        turn = await here.turn(resume=resolved(turn, {"action": "approve"}))
        assert asked(turn) == [] and turn["interrupts"] == []
        plan = next(one for one in turn["messages"] if one["role"] == "activity")
        assert {one["status"] for one in plan["content"]["todos"]} == {"succeeded"}
        work = next(one for one in turn["messages"] if one.get("toolCalls"))
        results = [one["toolCallId"] for one in turn["messages"] if one["role"] == "tool"]
        assert sorted(call["id"] for call in work["toolCalls"]) == sorted(results)
        assert len(results) == len(plan["content"]["todos"])
        answer = next(one for one in turn["messages"] if one["id"].startswith("answer:"))
        (link,) = re.findall(r"(?<!!)\[[^]]*\.pdf\]\((http[^)]*)\)", answer["content"])
        assert "![" in answer["content"]  # its charts, as pictures
        assert (await person.ask("GET", link)).content.startswith(b"%PDF-")
        again = await here.turn()
        assert asked(again) == [] and kinds(again)[-1] == "RUN_FINISHED"


@pytest.mark.parametrize("which", CLIENTS)
async def test_two_calls_that_ask_at_once_are_answered_together(house: World, which: str) -> None:
    todos = [todo("a", "gated"), todo("b", "gated")]
    async with front(house, which) as here:
        turn = await here.turn(say="/scene")
        edit = {"action": "edit", "patch": [{"op": "replace", "path": "", "value": todos}]}
        turn = await here.turn(resume=resolved(turn, edit))
        turn = await here.turn(resume=resolved(turn, {"action": "approve"}))
        assert [one["reason"] for one in asked(turn)] == ["dream:tool", "dream:tool"]
        approved, rejected = resolved(turn, {"action": "approve"})[0], resolved(turn, {"action": "reject"})[1]
        turn = await here.turn(resume=[approved, rejected])
        assert asked(turn) == []
        plan = next(one for one in turn["messages"] if one["role"] == "activity")
        assert sorted(one["status"] for one in plan["content"]["todos"]) == ["skipped", "succeeded"]


@pytest.mark.parametrize("which", CLIENTS)
async def test_a_page_that_is_loaded_anew_has_what_was_said_and_what_is_asked(house: World, which: str) -> None:
    thread = str(uuid4())
    async with front(house, which, thread) as here:
        await here.turn(say="안녕")
        turn = await here.turn(say="/scene")
        assert asked(turn)
    async with front(house, which, thread) as there:
        turn = await there.turn()
        roles = [one["role"] for one in turn["messages"]]
        assert roles == ["user", "assistant", "user", "activity"]
        turn = await there.turn(resume=resolved(turn, "네"))
        assert asked(turn) == [] and last(turn)["role"] in ("assistant", "tool")


@pytest.mark.parametrize("which", CLIENTS)
async def test_a_request_that_is_sent_again_leaves_the_screen_as_it_is(house: World, which: str) -> None:
    async with front(house, which) as here:
        await here.turn(say="안녕")
        turn = await here.turn(say="/scene")
        resume = resolved(
            turn, {"action": "edit", "patch": [{"op": "replace", "path": "", "value": [todo("a", "quick")]}]}
        )
        turn = await here.turn(resume=resume)
        resume = resolved(turn, {"action": "approve"})
        turn = await here.turn(resume=resume)
        for again in ({"resume": resume}, {}):
            assert (await here.turn(**again))["messages"] == turn["messages"]
