"""A sentence that is typed answers the question put last, in REST as at a socket; any other one closes older menus."""

import asyncio
import json
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
from websockets.asyncio.client import connect

from services.gateway.domain.typed import SEEN_AFTER
from tests.e2e.person import Json, Person, eventually, of, only
from tests.e2e.world import World

pytestmark = pytest.mark.timeout(120)

PLANNED = "3층 회의실 일정은 지워 줘"
VAGUE = "지워줘"


@pytest.fixture
async def person(bank_house: World) -> AsyncIterator[Person]:
    async with Person(bank_house.stack.url) as person:
        yield person


async def asked(person: Person, said: str, kind: str) -> tuple[Json, Json]:
    """A run, and its question, on the screen for long enough to be read."""
    run = await person.say(said, user=f"dora-{uuid4()}")
    question = await person.question(run["session_id"], kind)
    await asyncio.sleep(SEEN_AFTER.total_seconds() + 0.1)
    return run, question


@pytest.mark.parametrize("yes", ["네, 진행해 주세요", "ㅇㅋ", "Sounds good!"])
async def test_a_word_of_yes_approves_the_plan_that_is_shown(person: Person, yes: str) -> None:
    run, _ = await asked(person, PLANNED, "plan")
    typed = await person.say(yes, session_id=run["session_id"])
    assert typed["run_id"] == run["run_id"]
    events = await person.end_of(run)
    assert len(of(events, "MessageReceived")) == 1
    assert only(events, "DecisionAnswered")["answer"] == {"action": "approve"}
    assert "3층" in only(events, "ResponseOutput")["text"]


async def test_a_word_of_no_rejects_it_and_a_sentence_of_its_own_leaves_it_open(person: Person) -> None:
    run, question = await asked(person, PLANNED, "plan")
    other = await person.say("잔액 얼마야?", session_id=run["session_id"], auto_approve=True)
    assert other["run_id"] != run["run_id"]
    await person.end_of(other)
    late = await person.say("응", session_id=run["session_id"])
    assert late["run_id"] != run["run_id"], "the plan was not what was said last"
    await person.end_of(late)
    assert (await person.question(run["session_id"]))["decision_id"] == question["decision_id"]
    again, _ = await asked(person, PLANNED, "plan")
    await person.say("아니요", session_id=again["session_id"])
    assert only(await person.end_of(again), "RunCancelled")["reason"] == "rejected"


async def test_a_yes_that_was_typed_ahead_approves_nothing(person: Person) -> None:
    run = await person.say(PLANNED, user=f"dora-{uuid4()}")
    await person.question(run["session_id"])
    early = await person.say("응", session_id=run["session_id"])
    assert early["run_id"] != run["run_id"]
    assert not of(await person.events(run["session_id"]), "PlanApproved")


async def test_a_socket_answers_by_typing_as_well_and_a_repetition_is_one_answer(
    person: Person, bank_house: World
) -> None:
    run, _ = await asked(person, PLANNED, "plan")
    url = bank_house.stack.url.replace("http", "ws", 1)
    async with connect(f"{url}/ws/{run['session_id']}") as socket:
        await socket.send(json.dumps({"type": "message", "text": "좋아요", "ref": 1}))
        while (frame := json.loads(await socket.recv())).get("ref") != 1:
            pass
    assert frame["run_id"] == run["run_id"]
    only(await person.end_of(run), "PlanApproved")
    other, _ = await asked(person, PLANNED, "plan")
    key = {"Idempotency-Key": str(uuid4())}
    body = {"text": "응", "session_id": other["session_id"]}
    told = [(await person.ask("POST", "/agent/run", json=body, headers=key)).json() for _ in range(2)]
    assert told[0]["run_id"] == told[1]["run_id"] == other["run_id"]
    assert told[0]["status"] == told[1]["status"] == "failed", "there is no such appointment"
    assert len(of(await person.events(other["session_id"]), "DecisionAnswered")) == 1


async def test_a_menu_is_answered_by_its_number_and_closed_by_a_sentence_of_its_own(person: Person) -> None:
    run, question = await asked(person, VAGUE, "clarify")
    chosen = await person.say("1", session_id=run["session_id"])
    assert chosen["run_id"] == run["run_id"]
    answered = of(await person.events(run["session_id"]), "DecisionAnswered")
    assert answered[0]["answer"] == {"choice": question["options"][0]["value"]}
    menu, _ = await asked(person, VAGUE, "clarify")
    other = await person.say("잔액 얼마야?", session_id=menu["session_id"], auto_approve=True)
    events = await person.end_of(menu)
    assert of(events, "RunCancelled", menu)
    only(await person.end_of(other), "RunCompleted", other)


@pytest.mark.parametrize(
    ("yes", "approves", "waits"),
    [
        ("응", "승인", "계획이 승인을 기다리고"),
        ("yes", "approve", "waits for your approval"),
        ("はい", "承認", "承認を待って"),
    ],
)
async def test_a_yes_that_is_no_answer_names_the_plan_that_waits_and_a_word_of_approval_is_one(
    person: Person, yes: str, approves: str, waits: str
) -> None:
    user = f"dora-{uuid4()}"
    # a dialogue that has just ended is what a bare yes was taken for
    sent = await person.say("엄마한테 만원 보내줘", user=user)
    await person.end_of(sent)
    await person.end_of(await person.say("응", session_id=sent["session_id"]))
    run = await person.say(PLANNED, session_id=sent["session_id"])
    question = await person.question(run["session_id"])
    other = await person.say("잔액 얼마야?", session_id=run["session_id"], auto_approve=True)
    await person.end_of(other)
    late = await person.say(yes, session_id=run["session_id"], language={"응": "ko", "yes": "en", "はい": "ja"}[yes])
    told = only(await person.end_of(late), "ResponseOutput", late)["text"]
    assert waits in told and PLANNED in told
    assert (await person.question(run["session_id"]))["decision_id"] == question["decision_id"]
    await asyncio.sleep(SEEN_AFTER.total_seconds())
    typed = await person.say(approves, session_id=run["session_id"])
    assert typed["run_id"] == run["run_id"]
    only(await person.end_of(run), "PlanApproved", run)


async def test_of_two_plans_that_wait_both_are_named_and_none_is_approved(person: Person) -> None:
    first, _ = await asked(person, PLANNED, "plan")
    second = await person.say("치과 일정은 지워 줘", session_id=first["session_id"])

    async def both() -> bool:
        state = (await person.ask("GET", f"/sessions/{first['session_id']}/decisions")).json()
        return len(state["open_decisions"]) == 2

    await eventually(both, "two plans")
    other = await person.say("잔액 얼마야?", session_id=first["session_id"], auto_approve=True)
    await person.end_of(other)
    late = await person.say("승인", session_id=first["session_id"])
    assert late["run_id"] not in (first["run_id"], second["run_id"])
    told = only(await person.end_of(late), "ResponseOutput", late)["text"]
    assert PLANNED in told and "치과 일정은 지워 줘" in told and "이체" not in told
    assert not of(await person.events(first["session_id"]), "DecisionAnswered")
