"""A flow through the whole product: two clicks at once, another wish in the middle, and the record of the person's word."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import orjson
import pytest

from backbone.arguments import arguments_hash
from tests.e2e.person import Json, Person, of, only
from tests.e2e.world import World

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
async def person(bank_house: World) -> AsyncIterator[Person]:
    async with Person(bank_house.stack.url) as person:
        yield person


async def says(person: Person, text: str, session: Json | None = None) -> tuple[Json, Json]:
    """A turn, and its answer."""
    run = await person.say(text, **({"session_id": session["session_id"]} if session else {}))
    return run, only(await person.end_of(run), "ResponseOutput", run)


async def test_two_clicks_at_once_pay_once(person: Person) -> None:
    begun, ready = await says(person, "엄마한테 7천원 보내줘")
    assert ready["ui_hint"] == {"buttons": ["확인", "취소"], "next_action": "CONFIRM"}
    session = {"session_id": begun["session_id"]}
    clicks = await asyncio.gather(*(person.say("확인", **session) for _ in range(3)))
    for click in clicks:
        await person.end_of(click)
    events = await person.events(begun["session_id"])
    assert [move["stage"] for move in of(events, "FlowAdvanced")].count("EXECUTED") == 1
    assert len(of(events, "TodoDispatched")) == 1
    assert len({answer["text"] for answer in of(events, "ResponseOutput")}) > 1  # the others are told why not


async def test_what_is_paid_hangs_on_the_persons_word_for_exactly_these_arguments(person: Person) -> None:
    begun, _ = await says(person, "아빠한테 8천원 보내줘")
    paid, answer = await says(person, "응", begun)
    events = await person.end_of(paid)
    told = only(events, "CognitiveOutput", paid)
    approval = of(events, "FlowAdvanced", paid)[0]["approval"]
    todo = only(events, "TodoDispatched", paid)["todo"]
    assert (told["route"], told["flow"]["act"]) == ("flow", "confirm")
    assert (todo["tool"], todo["params"]) == (approval["tool"], approval["params"])
    assert approval["arguments_hash"] == arguments_hash(todo["params"])
    assert only(events, "PlanApproved", paid)["approved_by"] == "person"
    assert of(events, "DecisionRequested") == []
    assert (answer["data"]["stage"], answer["ui_hint"]["next_action"]) == ("EXECUTED", "DONE")


async def test_a_flow_waits_while_something_else_is_said_and_goes_on_after_it(person: Person) -> None:
    begun, asked = await says(person, "엄마한테 보내줘")
    assert asked["ui_hint"]["next_action"] == "FILL"
    _, again = await says(person, "음… 잠깐만", begun)
    assert again["text"] == asked["text"]
    _, recalled = await says(person, "총 얼마 보냈어?", begun)
    assert recalled["text"] != asked["text"]
    _, ready = await says(person, "9천원", begun)
    assert (ready["data"]["stage"], ready["data"]["slots"]) == ("READY", {"target": "엄마", "amount": 9_000})
    cancelled, over = await says(person, "취소", begun)
    assert over["data"]["stage"] == "CANCELLED"
    assert of(await person.end_of(cancelled), "TodoDispatched") == []


async def stream(person: Person, session: str, turns: int) -> list[tuple[str, Json]]:
    """What a client of the event stream is told, until so many turns are over."""
    seen: list[tuple[str, Json]] = []
    async with (
        asyncio.timeout(30),
        httpx.AsyncClient(base_url=person.url, trust_env=False, timeout=30) as http,
        http.stream("GET", f"/sessions/{session}/stream") as answer,
    ):
        name = ""
        async for line in answer.aiter_lines():
            key, _, value = line.partition(": ")
            if key == "event":
                name = value
            elif key == "data":
                seen.append((name, orjson.loads(value)))
                if [one for one, _ in seen].count("DONE") == turns:
                    return seen
    raise AssertionError(f"the stream ended after {seen}")


async def test_002_section_9_the_event_stream_of_three_turns(person: Person) -> None:
    begun, _ = await says(person, "엄마한테 만원 용걸이한테 5만원")
    await says(person, "확인", begun)
    await says(person, "확인", begun)
    seen = await stream(person, begun["session_id"], turns=3)
    ends = [place for place, (name, _) in enumerate(seen, 1) if name == "DONE"]
    first, second, third = (seen[start:end] for start, end in zip([0, *ends], ends, strict=False))
    assert [(name, one.get("agent")) for name, one in first] == [
        ("AGENT_START", "intent"), ("AGENT_DONE", "intent"), ("AGENT_START", "slot"), ("AGENT_DONE", "slot"), ("DONE", None),
    ]  # fmt: skip
    assert (first[1][1]["result"], first[3][1]["stage"]) == ("TRANSFER", "READY")
    done = first[-1][1]
    assert done["message"] == "총 2건이 요청됐어요. 먼저 엄마에게 1만원 보낼까요? (1/2)"
    assert (done["next_action"], done["ui_hint"]["buttons"]) == ("CONFIRM", ["확인", "취소"])
    assert done["state_snapshot"]["meta"]["batch_total"] == 2
    for turn, index, slots in ((second, 1, ("엄마", 10_000)), (third, 2, ("용걸이", 50_000))):
        told = dict(turn)
        assert (told["TASK_PROGRESS"]["index"], told["TASK_PROGRESS"]["total"]) == (index, 2)
        assert (told["TASK_PROGRESS"]["slots"]["target"], told["TASK_PROGRESS"]["slots"]["amount"]) == slots
        assert told["AGENT_START"]["label"] == "이체 실행 중"
        assert (told["AGENT_DONE"]["agent"], told["AGENT_DONE"]["success"]) == ("execute", True)
    assert second[-1][1]["message"] == "완료! 다음으로 용걸이에게 5만원 보낼까요? (2/2)"
    assert third[-1][1]["message"] == "2건 이체가 모두 완료됐어요."
    assert third[-1][1]["next_action"] == "DONE"
