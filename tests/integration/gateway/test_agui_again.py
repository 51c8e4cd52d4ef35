"""POST /agui for clients that have something already: answers that come again, late or together, and what they lack."""

import asyncio
from datetime import UTC, datetime
from uuid import uuid4

import orjson
import pytest

from contracts.artifacts import Attachment
from contracts.decisions import DecisionKind
from contracts.gateway import MessageReceived, RunControlRequested
from contracts.response import RunCompleted
from contracts.timers import ReminderDue
from tests.integration.gateway.conftest import RAW, House
from tests.integration.gateway.conftest import decision as decision_of
from tests.integration.gateway.test_agui import ANSWER, asked, given, kinds, played, session_of


async def test_several_answers_are_recorded_together_or_not_at_all(house: House) -> None:
    thread, session, run, first = await asked(house)
    second = await house.open_decision(session, run)
    resume = [
        {"interruptId": first, "status": "resolved", "payload": {"action": "approve"}},
        {"interruptId": second, "status": "resolved", "payload": {"action": "fly"}},
    ]
    events = await played(house.http, given(thread, resume=resume))
    assert (events[-1]["type"], events[-1]["code"]) == ("RUN_ERROR", "5002")
    assert [one for one in await house.stream(session) if one.type == "DecisionAnswered"] == []


async def test_the_words_of_an_answer_that_stand_in_a_message_too_are_said_once(house: House) -> None:
    thread, session, run, decision = await asked(house)
    second = await house.open_decision(session, run)
    for words in ("네", "오늘 날씨 어때?"):
        resume = [{"interruptId": one, "status": "resolved", "payload": words} for one in (decision, second)]
        before = len(await house.stream(session))
        async with house.http.stream("POST", "/agui", json=given(thread, words, resume=resume)):
            async with asyncio.timeout(5):
                while len(await house.stream(session)) == before:
                    await asyncio.sleep(0.02)
            await asyncio.sleep(0.2)
    said = [one.event.text for one in await house.stream(session) if isinstance(one.event, MessageReceived)]
    assert said == ["해줘", "오늘 날씨 어때?"]


async def test_an_answer_that_comes_too_late_is_named(house: House) -> None:
    thread, session, run, decision = await asked(house)
    answer = {"answer": {"action": "approve"}}
    assert (await house.http.post(f"/sessions/{session}/decisions/{decision}", json=answer)).status_code == 200
    await house.tell(session, run, ANSWER, RunCompleted())
    for payload, late in (({"action": "approve"}, None), ({"action": "reject"}, [decision]), ("아니", [decision])):
        resume = [{"interruptId": decision, "status": "resolved", "payload": payload}]
        events = await played(house.http, given(thread, resume=resume))
        assert events[-1]["result"].get("late") == late
    resume = [{"interruptId": decision, "status": "cancelled"}]
    assert (await played(house.http, given(thread, resume=resume)))[-1]["result"]["late"] == [decision]
    assert [one for one in await house.stream(session) if isinstance(one.event, RunControlRequested)] == []


@pytest.mark.parametrize("how", ["words", "message", "message without words"])
async def test_a_file_that_was_asked_for_is_the_answer(house: House, how: str) -> None:
    schema = {
        "type": "object",
        "properties": {"text": {"type": "string"}, "attachments": {"type": "array"}},
        "anyOf": [{"required": ["text"]}, {"required": ["attachments"]}],
    }
    begun_ = await house.begin("감성 분석해줘")
    thread = session = begun_["session_id"]
    question = decision_of(schema).model_copy(update={"kind": DecisionKind.CLARIFY})
    await house.tell(session, begun_["run_id"], question, by="cognitive")
    file = (await house.http.post("/artifacts?name=reviews.csv", content=b"a,b\n1,2\n", headers=RAW)).json()
    props = {"forwardedProps": {"dream": {"attachments": [file]}}}
    await asyncio.sleep(1.1)  # a person reads the question
    if how == "words":
        resume = [{"interruptId": str(question.decision_id), "status": "resolved", "payload": "여기 있어"}]
        body = given(thread, resume=resume, **props)
    else:
        body = given(thread, "이 파일로 해줘" if how == "message" else "", **props)
    playing = asyncio.create_task(played(house.http, body))
    await asyncio.sleep(0.4)
    await house.tell(session, begun_["run_id"], ANSWER, RunCompleted())
    await playing
    (answer,) = [one.event for one in await house.stream(session) if one.type == "DecisionAnswered"]
    assert [one["name"] for one in answer.answer["attachments"]] == ["reviews.csv"]  # type: ignore[attr-defined]


async def test_a_client_that_has_the_conversation_is_told_what_it_lacks(house: House) -> None:
    first = await house.begin("안녕")
    session = first["session_id"]
    await house.tell(session, first["run_id"], ANSWER, RunCompleted())
    second = await house.begin("또 안녕", session_id=session)
    again = ANSWER.model_copy(update={"text": "또 안녕하세요"})
    await house.tell(session, second["run_id"], again, RunCompleted())
    body = given(session, "안녕")
    body["messages"].append({"id": f"answer:{first['run_id']}", "role": "assistant", "content": "안녕하세요"})
    events = await played(house.http, body)
    assert "MESSAGES_SNAPSHOT" not in kinds(events)
    assert [event["delta"] for event in events if event["type"] == "TEXT_MESSAGE_CONTENT"] == ["또 안녕하세요"]


async def test_the_history_has_questions_with_their_answers(house: House) -> None:
    thread, session, run, decision = await asked(house)
    answer = {"answer": {"action": "approve"}}
    assert (await house.http.post(f"/sessions/{session}/decisions/{decision}", json=answer)).status_code == 200
    await house.tell(session, run, ANSWER, RunCompleted())
    (snapshot,) = [e["messages"] for e in await played(house.http, given(thread)) if e["type"] == "MESSAGES_SNAPSHOT"]
    assert [one["content"] for one in snapshot] == ["해줘", "이대로 할까요?", "approve", "안녕하세요"]


async def test_a_reminder_that_is_due_is_told_when_a_page_loads(house: House) -> None:
    begun_ = await house.begin("안녕")
    due = ReminderDue(reminder_id=uuid4(), text="물 마시기", due_at=datetime.now(UTC))
    await house.tell(begun_["session_id"], None, due, by="timers")
    await house.tell(begun_["session_id"], begun_["run_id"], ANSWER, RunCompleted())
    events = await played(house.http, given(begun_["session_id"]))
    assert [e["value"]["text"] for e in events if e.get("name") == "dream.reminder"] == ["물 마시기"]


async def test_links_are_where_the_front_end_says(house: House) -> None:
    begun_ = await house.begin("안녕")
    file = (await house.http.post("/artifacts?name=reviews.csv", content=b"a,b\n1,2\n", headers=RAW)).json()
    answer = ANSWER.model_copy(update={"attachments": (Attachment.model_validate(file),)})
    await house.tell(begun_["session_id"], begun_["run_id"], answer, RunCompleted())
    for at, start in ((None, house.gateway.url), ("", ""), ("/dream/", "/dream")):
        props = {} if at is None else {"forwardedProps": {"dream": {"files_at": at}}}
        text = orjson.dumps(await played(house.http, given(begun_["session_id"], **props))).decode()
        assert f"]({start}/artifacts/{file['artifact_id']}?name=reviews.csv)" in text


async def test_people_without_keys_have_threads_of_their_own_by_name(house: House) -> None:
    who = [{"forwardedProps": {"dream": {"user": user}}} for user in ("alice", "bob")]
    theirs = [session_of(await played(house.http, given("mine", **one))) for one in (*who, {})]
    assert len(set(theirs)) == 3
