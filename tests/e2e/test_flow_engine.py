"""A flow through the whole product: two clicks at once, another wish in the middle, and the record of the person's word."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from backbone.arguments import arguments_hash
from tests.e2e.person import Json, Person, of, only
from tests.e2e.turns import stream
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
    assert again["text"].endswith(asked["text"]) and again["text"] != asked["text"]  # it says that nothing has changed
    _, recalled = await says(person, "총 얼마 보냈어?", begun)
    assert recalled["text"] != asked["text"]
    _, able = await says(person, "뭘 할 수 있어?", begun)
    assert "· 이체:" in able["text"]
    _, ready = await says(person, "9천원", begun)
    assert (ready["data"]["stage"], ready["data"]["slots"]) == ("READY", {"target": "엄마", "amount": 9_000})
    cancelled, over = await says(person, "취소", begun)
    assert over["data"]["stage"] == "CANCELLED"
    assert of(await person.end_of(cancelled), "TodoDispatched") == []


async def test_002_section_2_after_executed_the_state_begins_anew_and_the_memory_stays(person: Person) -> None:
    """실행 성공 → EXECUTED → "이체가 완료됐어요." → state 초기화 (메모리 유지)."""
    begun, _ = await says(person, "엄마한테 6천원 보내줘")
    _, paid = await says(person, "확인", begun)
    assert (paid["text"], paid["data"]["stage"]) == ("이체가 완료됐어요. 엄마에게 6,000원을 보냈어요.", "EXECUTED")
    _, asked = await says(person, "2만원 보내줘", begun)
    assert (asked["data"]["stage"], asked["data"]["slots"]) == ("FILLING", {"amount": 20_000})
    assert asked["text"] == "누구에게 보내드릴까요?"
    await says(person, "취소", begun)
    _, recalled = await says(person, "총 얼마 보냈어?", begun)
    assert recalled["text"] == "이번에 총 6,000원을 보내셨어요. 엄마에게 6,000원이었어요."


async def test_002_section_9_the_event_stream_of_three_turns(person: Person) -> None:
    begun, _ = await says(person, "엄마한테 만원 용걸이한테 5만원")
    await says(person, "확인", begun)
    await says(person, "확인", begun)
    seen = await stream(person, begun["session_id"], turns=3)
    ends = [place for place, (name, _) in enumerate(seen, 1) if name == "DONE"]
    first, second, third = (seen[start:end] for start, end in zip([0, *ends], ends, strict=False))
    intent = [
        ("AGENT_START", {"agent": "intent", "label": "의도 파악 중"}),
        ("AGENT_DONE", {"agent": "intent", "result": "TRANSFER", "success": True}),
        ("AGENT_START", {"agent": "slot", "label": "정보 추출 중"}),
    ]

    def slot(stage: str) -> tuple[str, Json]:
        return ("AGENT_DONE", {"agent": "slot", "label": "정보 추출 완료", "stage": stage})

    def executes(index: int, target: str, amount: int) -> list[tuple[str, Json]]:
        return [
            ("TASK_PROGRESS", {"index": index, "total": 2, "slots": {"target": target, "amount": amount}}),
            ("AGENT_START", {"agent": "execute", "label": "이체 실행 중"}),
            ("AGENT_DONE", {"agent": "execute", "success": True}),
        ]

    assert plain(first[:-1]) == [*intent, slot("READY")]
    assert plain(second[:-1]) == [*intent, slot("CONFIRMED"), *executes(1, "엄마", 10_000)]
    assert plain(third[:-1]) == [*intent, slot("CONFIRMED"), *executes(2, "용걸이", 50_000)]
    done, again, last = (turn[-1][1] for turn in (first, second, third))
    assert done["message"] == "총 2건이 요청됐어요: 엄마 1만원, 용걸이 5만원. 먼저 엄마에게 1만원 보낼까요? (1/2)"
    assert (done["next_action"], done["ui_hint"]["buttons"]) == ("CONFIRM", ["확인", "취소"])
    snapshot = done["state_snapshot"]
    assert (snapshot["stage"], snapshot["slots"]) == ("READY", {"target": "엄마", "amount": 10_000})
    assert snapshot["meta"]["batch_total"] == 2
    told = "이체가 완료됐어요. 엄마에게 1만원을 보냈어요."
    assert again["message"] == f"{told} 다음으로 용걸이에게 5만원 보낼까요? (2/2)"
    assert (again["next_action"], again["state_snapshot"]["stage"]) == ("CONFIRM", "READY")
    assert again["state_snapshot"]["meta"]["batch_progress"] == 1
    every = "용걸이에게 5만원을 보냈어요. 2건 이체가 모두 완료됐어요."
    assert (last["message"], last["next_action"]) == (every, "DONE")


def plain(turn: list[tuple[str, Json]]) -> list[tuple[str, Json]]:
    """The events of a turn, without the id of its run."""
    return [(name, {key: value for key, value in one.items() if key != "run_id"}) for name, one in turn]
