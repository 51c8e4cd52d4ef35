"""The whole product with a model behind every role: a scripted server over real HTTP, and processes of their own."""

import json
from collections.abc import AsyncIterator

import pytest
from llmock.pytest_plugin import LLMock
from websockets.asyncio.client import connect

from contracts.errors import Code
from tests.e2e.person import Json, Person, of, only
from tests.e2e.world import World
from tests.support.llm import KEY, OPENAI

REVIEWS = "date,review\n" + "\n".join(
    f"2026-02-{day:02},{text}" for day in range(1, 29) for text in ("배송이 빨라서 정말 좋아요", "향이 별로라 아쉬워요")
)
ASKED = "이 리뷰들 감성 분석해 줘"
TOLD = "2026-02-01부터 2026-02-28까지의 리뷰 56건 가운데 긍정이 28건(50.0%), 부정이 28건(50.0%)입니다."


@pytest.fixture
async def person(model_house: World) -> AsyncIterator[Person]:
    async with Person(model_house.stack.url) as person:
        yield person


async def begun(person: Person) -> Json:
    brought = await person.upload("reviews.csv", REVIEWS.encode())
    return await person.say(ASKED, attachments=[brought], auto_approve=True)


async def answered(person: Person) -> list[Json]:
    return await person.end_of(await begun(person))


async def pieces(url: str, run: Json) -> list[Json]:
    """What a socket that asks for pieces of answers hears of a run, until it ends."""
    heard: list[Json] = []
    address = f"{url.replace('http', 'ws', 1)}/ws/{run['session_id']}?after=0&chunk=1"
    async with connect(address, proxy=None) as socket:
        async for frame in socket:
            said = json.loads(frame)
            if said["type"] == "chunk":
                heard.append(said)
            elif said.get("event") == "RunCompleted":
                break
    return heard


async def test_a_model_understands_plans_and_tells(person: Person, llmock: LLMock):
    tools = [{"tool": f"marketing.{name}"} for name in ("sentiment", "preprocessor", "collector")]
    llmock.call_tool("answer", {"tasks": [{"intent": "ANALYSIS.sentiment", "text": ASKED}]})
    llmock.call_tool("answer", {"steps": tools})
    llmock.reply(TOLD)
    run = await begun(person)
    heard = await pieces(person.url, run)
    events = await person.end_of(run)
    calls = {call["role"]: call["provider"] for call in of(events, "ModelCalled") if not call.get("fell_back_from")}
    assert {calls["planner"], calls["reporter"]} == {"openai"}
    todos = only(events, "PlanningOutput")["plan"]["todos"]
    assert [todo["tool"] for todo in todos] == [one["tool"] for one in reversed(tools)]
    assert "".join(piece["text"] for piece in heard) == TOLD
    assert TOLD in only(events, "ResponseOutput")["text"]
    assert KEY not in str(events)


async def test_a_model_that_talks_nonsense_changes_nothing(person: Person, llmock: LLMock):
    llmock.tool_mode("off")
    events = await answered(person)
    only(events, "RunCompleted")
    planned = next(call for call in of(events, "ModelCalled") if call["role"] == "planner")
    assert (planned["provider"], planned["fell_back_from"]) == ("offline", [OPENAI])
    assert planned["error"]["code"] == Code.MODEL_OUTPUT_INVALID
    assert any(todo["tool"] == "marketing.sentiment" for todo in only(events, "PlanningOutput")["plan"]["todos"])
    assert "%" in only(events, "ResponseOutput")["text"]


async def test_a_model_that_is_away_leaves_everything_as_it_is_without_one(person: Person, llmock: LLMock):
    llmock.fail(503, times=None, retry_after=0.05)
    events = await answered(person)
    only(events, "RunCompleted")
    assert all(call["provider"] == "offline" or call["error"] for call in of(events, "ModelCalled"))
    assert "%" in only(events, "ResponseOutput")["text"]
