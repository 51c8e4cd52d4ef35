"""A flow through the whole product: two clicks at once, another wish in the middle, and the record of the person's word."""

import asyncio
from collections.abc import AsyncIterator

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
