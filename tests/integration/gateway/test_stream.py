"""GET /sessions/{id}/stream: server-sent events, resumed by version."""

from typing import Any
from uuid import uuid4

import orjson
import pytest

from contracts.cognitive import CognitiveOutput, Intent, Route
from contracts.response import ResponseOutput, RunCompleted
from tests.integration.gateway.conftest import House

HELLO = CognitiveOutput(
    text="안녕", language="ko", intent=Intent(domain="INQUIRY", category="general", confidence=1.0), route=Route.ANSWER
)
ANSWER = ResponseOutput(format="text", text="안녕하세요", language="ko")


async def _events(house: House, session: str, count: int, **headers: str) -> list[dict[str, Any]]:
    """The first events of the stream, each with its name, id and data."""
    seen: list[dict[str, Any]] = []
    one: dict[str, Any] = {}
    async with house.http.stream("GET", f"/sessions/{session}/stream", headers=headers) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        async for line in answer.aiter_lines():
            name, _, value = line.partition(": ")
            if name in ("event", "id", "data"):
                one[name] = orjson.loads(value) if name == "data" else value
            elif not line and one:
                seen.append(one)
                one = {}
                if len(seen) == count:
                    return seen
    return seen


async def test_a_run_is_told_from_its_beginning_to_its_end(house: House) -> None:
    begun = await house.begin("안녕")
    await house.tell(begun["session_id"], begun["run_id"], HELLO, by="cognitive")
    await house.tell(begun["session_id"], begun["run_id"], ANSWER, RunCompleted())
    seen = await _events(house, begun["session_id"], 3)
    assert [one["event"] for one in seen] == ["AGENT_START", "AGENT_DONE", "DONE"]
    assert seen[0]["data"]["label"] == "의도 파악 중"
    assert seen[2]["data"]["message"] == "안녕하세요"
    assert {one["data"]["run_id"] for one in seen} == {begun["run_id"]}


async def test_a_client_that_comes_back_goes_on_after_the_last_event_it_had(house: House) -> None:
    begun = await house.begin("안녕")
    await house.tell(begun["session_id"], begun["run_id"], HELLO, by="cognitive")
    (_, understood) = await _events(house, begun["session_id"], 2)
    await house.tell(begun["session_id"], begun["run_id"], ANSWER, RunCompleted())
    (done,) = await _events(house, begun["session_id"], 1, **{"Last-Event-ID": understood["id"]})
    assert done["event"] == "DONE"


@pytest.mark.parametrize("digits", [4300, 4301, 60_000])  # Python reads no number of more than 4,300
async def test_what_no_event_can_have_is_read_as_if_it_were_not_said(house: House, digits: int) -> None:
    begun = await house.begin("안녕")
    path = f"/sessions/{begun['session_id']}/stream"
    beyond = await house.http.get(f"{path}?after=3", headers={"Last-Event-ID": "9" * digits})
    assert (beyond.status_code, beyond.json()["code"]) == (400, 1011)
    await house.tell(begun["session_id"], begun["run_id"], HELLO, by="cognitive")
    (first, _) = await _events(house, begun["session_id"], 2, **{"Last-Event-ID": "9" * digits})
    assert first["id"] == "2"


async def test_a_session_that_does_not_exist_is_a_problem_document(house: House) -> None:
    answer = await house.http.get(f"/sessions/{uuid4()}/stream")
    assert (answer.status_code, answer.json()["code"]) == (404, 3000)
