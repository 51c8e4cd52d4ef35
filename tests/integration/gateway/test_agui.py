"""POST /agui over real servers: threads and sessions, messages once, answers, and how a stream ends."""

import asyncio
import base64
from typing import Any
from uuid import UUID, uuid4

import orjson
import pytest

from contracts.cognitive import CognitiveOutput, Intent, Route
from contracts.decisions import DecisionExpired
from contracts.gateway import MessageReceived, RunControlRequested
from contracts.response import ResponseOutput, RunCancelled, RunCompleted
from tests.integration.gateway.conftest import House, code

HELLO = CognitiveOutput(
    text="안녕", language="ko", intent=Intent(domain="INQUIRY", category="general", confidence=1.0), route=Route.ANSWER
)
ANSWER = ResponseOutput(format="text", text="안녕하세요", language="ko")
Event = dict[str, Any]


def given(thread: str, text: str | None = None, /, **more: Any) -> dict[str, Any]:
    """A RunAgentInput. `message_id` names the message."""
    message_id = more.pop("message_id", str(uuid4()))
    messages = [{"id": message_id, "role": "user", "content": text}] if text is not None else []
    return {"threadId": thread, "runId": str(uuid4()), "messages": messages, "state": {}, "tools": [], **more}


async def played(client: Any, body: dict[str, Any]) -> list[Event]:
    """All events of a stream, read as clients of AG-UI do: they end at LF LF."""
    async with client.stream("POST", "/agui", json=body) as answer:
        assert answer.status_code == 200, await answer.aread()
        raw = "".join([text async for text in answer.aiter_text()])
    assert "\r" not in raw
    frames = [frame for frame in raw.split("\n\n") if frame and not frame.startswith(":")]
    return [orjson.loads(frame.removeprefix("data: ")) for frame in frames]


def kinds(events: list[Event]) -> list[str]:
    return [str(event["type"]) for event in events]


def session_of(events: list[Event]) -> str:
    (value,) = [event["value"] for event in events if event.get("name") == "dream.session"]
    return str(value["session_id"])


def interrupts(events: list[Event]) -> list[Event]:
    outcome = events[-1]["outcome"]
    return list(outcome["interrupts"]) if outcome["type"] == "interrupt" else []


async def begun(house: House, session: str) -> str:
    """The newest run of a session, once there is one."""
    for _ in range(100):
        runs = [one.run_id for one in await house.stream(session) if isinstance(one.event, MessageReceived)]
        if runs:
            return str(runs[-1])
        await asyncio.sleep(0.02)
    raise AssertionError("no run has begun")


async def asked(house: House, text: str = "해줘") -> tuple[str, str, str, str]:
    """Thread, session, run and open decision of a run that waits."""
    begun_ = await house.begin(text)
    session, run = begun_["session_id"], begun_["run_id"]
    return session, session, run, await house.open_decision(session, run)


async def test_a_message_begins_a_run_and_its_end_is_the_end_of_the_stream(house: House) -> None:
    thread = str(uuid4())
    (hydrated,) = [session_of(await played(house.http, given(thread)))]
    playing = asyncio.create_task(played(house.http, given(thread, "안녕")))
    run = await begun(house, hydrated)
    await house.tell(hydrated, run, HELLO, by="cognitive")
    await house.tell(hydrated, run, ANSWER, RunCompleted())
    events = await playing
    assert kinds(events)[0] == "RUN_STARTED" and kinds(events)[-1] == "RUN_FINISHED"
    assert events[0]["threadId"] == events[-1]["threadId"] == thread
    assert [event["delta"] for event in events if event["type"] == "TEXT_MESSAGE_CONTENT"] == ["안녕하세요"]
    assert (session_of(events), events[-1]["outcome"]) == (hydrated, {"type": "success"})
    assert events[-1]["result"]["runs"] == [{"run_id": run, "status": "completed", "error": None}]
    assert "protocolVersion" not in events[0]  # this client has not said that it knows one


async def test_the_same_message_again_is_the_same_run(house: House) -> None:
    thread, body = str(uuid4()), given("", "안녕")
    body["threadId"] = thread
    session = session_of(await played(house.http, given(thread)))
    playing = asyncio.create_task(played(house.http, body))
    run = await begun(house, session)
    await house.tell(session, run, HELLO, by="cognitive")
    await house.tell(session, run, ANSWER, RunCompleted())
    first, again = await playing, await played(house.http, body)
    assert kinds(again) == kinds(first)
    assert sum(isinstance(one.event, MessageReceived) for one in await house.stream(session)) == 1


async def test_a_client_that_lost_the_stream_goes_on_with_the_same_run(house: House) -> None:
    body = given(str(uuid4()), "안녕")
    session = session_of(await played(house.http, given(body["threadId"])))
    async with house.http.stream("POST", "/agui", json=body):
        run = await begun(house, session)
    playing = asyncio.create_task(played(house.http, body))
    await house.tell(session, run, HELLO, by="cognitive")
    await house.tell(session, run, ANSWER, RunCompleted())
    assert [event["delta"] for event in await playing if event["type"] == "TEXT_MESSAGE_CONTENT"] == ["안녕하세요"]


async def test_a_question_is_an_interrupt_and_its_answer_goes_on(house: House) -> None:
    thread, session, run, decision = await asked(house)
    waiting = await played(house.http, given(thread, protocolVersion="1.0"))
    (interrupt,) = interrupts(waiting)
    assert (interrupt["id"], interrupt["reason"], interrupt["message"]) == (decision, "dream:plan", "이대로 할까요?")
    assert interrupt["responseSchema"]["required"] == ["action"] and interrupt["expiresAt"]
    assert "expiresAt" not in interrupts(await played(house.http, given(thread)))[0]
    resume = [{"interruptId": decision, "status": "resolved", "payload": {"action": "approve"}}]
    playing = asyncio.create_task(played(house.http, given(thread, resume=resume)))
    await asyncio.sleep(0.3)
    await house.tell(session, run, ANSWER, RunCompleted())
    events = await playing
    assert interrupts(events) == [] and "TEXT_MESSAGE_CONTENT" in kinds(events)
    # the same answer may come twice, and so may one that comes too late
    for payload in ({"action": "approve"}, {"action": "reject"}, "아니"):
        resume[0]["payload"] = payload
        late = await played(house.http, given(thread, resume=resume))
        assert (kinds(late)[-1], interrupts(late)) == ("RUN_FINISHED", [])
    answers = [one for one in await house.stream(session) if one.type == "DecisionAnswered"]
    assert len(answers) == 1


@pytest.mark.parametrize(("words", "action"), [("네", "approve"), ("아니", "reject")])
async def test_a_question_may_be_answered_in_words(house: House, words: str, action: str) -> None:
    thread, session, run, decision = await asked(house)
    resume = [{"interruptId": decision, "status": "resolved", "payload": words}]
    playing = asyncio.create_task(played(house.http, given(thread, resume=resume)))
    await asyncio.sleep(0.3)
    await house.tell(session, run, ANSWER, RunCompleted())
    await playing
    (answer,) = [one.event for one in await house.stream(session) if one.type == "DecisionAnswered"]
    assert answer.answer["action"] == action  # type: ignore[attr-defined]


async def test_words_that_are_no_answer_are_a_message_and_the_question_stays(house: House) -> None:
    thread, session, run, decision = await asked(house)
    resume = [{"interruptId": decision, "status": "resolved", "payload": "오늘 날씨 어때?"}]
    playing = asyncio.create_task(played(house.http, given(thread, resume=resume)))
    async with asyncio.timeout(5):
        while (other := await begun(house, session)) == run:
            await asyncio.sleep(0.02)
    await house.tell(session, other, HELLO, by="cognitive")
    await house.tell(session, other, ANSWER, RunCompleted())
    assert [one["id"] for one in interrupts(await playing)] == [decision]


async def test_an_answer_that_does_not_fit_says_why_and_changes_nothing(house: House) -> None:
    thread, session, _, decision = await asked(house)
    for payload in ({"action": "maybe"}, 7, None):
        resume = [{"interruptId": decision, "status": "resolved", "payload": payload}]
        events = await played(house.http, given(thread, resume=resume))
        assert (kinds(events), events[1]["code"]) == (["RUN_STARTED", "RUN_ERROR"], "5002")
    assert [one for one in await house.stream(session) if one.type == "DecisionAnswered"] == []


async def test_an_interrupt_that_is_cancelled_ends_its_run(house: House) -> None:
    thread, session, run, decision = await asked(house)
    resume = [{"interruptId": decision, "status": "cancelled"}]
    playing = asyncio.create_task(played(house.http, given(thread, resume=resume)))
    await asyncio.sleep(0.3)
    (control,) = [one.event for one in await house.stream(session) if isinstance(one.event, RunControlRequested)]
    assert control.control == "cancel"
    await house.tell(session, run, RunCancelled(reason="requested", message="그만뒀어요."))
    events = await playing
    assert [event["delta"] for event in events if event["type"] == "TEXT_MESSAGE_CONTENT"] == ["그만뒀어요."]
    again = await played(house.http, given(thread, resume=resume))
    assert interrupts(again) == []


async def test_an_answer_to_a_question_that_has_expired_shows_how_things_stand(house: House) -> None:
    thread, session, run, decision = await asked(house)
    expired = DecisionExpired(decision_id=UUID(decision), kind="plan")
    await house.tell(session, run, expired, by="timers")
    await house.tell(session, run, RunCancelled(reason="expired", message="시간이 지났어요."))
    resume = [{"interruptId": decision, "status": "resolved", "payload": {"action": "approve"}}]
    events = await played(house.http, given(thread, resume=resume))
    assert [event["delta"] for event in events if event["type"] == "TEXT_MESSAGE_CONTENT"] == ["시간이 지났어요."]
    assert interrupts(events) == []


async def test_a_page_that_loads_has_the_conversation(house: House) -> None:
    begun_ = await house.begin("안녕")
    await house.tell(begun_["session_id"], begun_["run_id"], HELLO, by="cognitive")
    await house.tell(begun_["session_id"], begun_["run_id"], ANSWER, RunCompleted())
    events = await played(house.http, given(begun_["session_id"]))
    (snapshot,) = [event["messages"] for event in events if event["type"] == "MESSAGES_SNAPSHOT"]
    assert [(one["role"], one["content"]) for one in snapshot] == [("user", "안녕"), ("assistant", "안녕하세요")]
    assert kinds(events)[-1] == "RUN_FINISHED"
    # and sends its own message again under the id that it was told
    body = given(begun_["session_id"], "안녕", message_id=snapshot[0]["id"])
    assert "TEXT_MESSAGE_CONTENT" in kinds(await played(house.http, body))
    assert sum(isinstance(one.event, MessageReceived) for one in await house.stream(begun_["session_id"])) == 1


async def test_a_thread_that_nobody_has_spoken_in_is_empty_and_records_nothing(house: House) -> None:
    events = await played(house.http, given("a thread of mine"))
    assert [event["messages"] for event in events if event["type"] == "MESSAGES_SNAPSHOT"] == [[]]
    assert (await house.http.get(f"/sessions/{session_of(events)}")).status_code == 404
    late = [{"interruptId": str(uuid4()), "status": "cancelled"}]
    assert kinds(await played(house.http, given("another", resume=late)))[-1] == "RUN_FINISHED"


@pytest.mark.parametrize("before", [False, True], ids=["1.0", "0.x"])
async def test_a_file_that_comes_with_a_message_is_an_upload(house: House, *, before: bool) -> None:
    table = b"review,stars\nnice,5\n"
    encoded = base64.b64encode(table).decode()
    part: dict[str, Any] = {
        "type": "document",
        "source": {"type": "data", "value": encoded, "mimeType": "text/csv"},
        "metadata": {"filename": "reviews.csv"},
    }
    if before:
        part = {"type": "binary", "mimeType": "text/csv", "filename": "reviews.csv", "data": encoded}
    body = given("files", "분석해줘")
    body["messages"][0]["content"] = [{"type": "text", "text": "분석해줘"}, part]
    session = session_of(await played(house.http, given("files")))
    async with house.http.stream("POST", "/agui", json=body):
        await begun(house, session)
    (said,) = [one.event for one in await house.stream(session) if isinstance(one.event, MessageReceived)]
    assert (said.text, [file.name for file in said.attachments]) == ("분석해줘", ["reviews.csv"])
    stored = await house.http.get(f"/artifacts/{said.attachments[0].artifact_id}")
    assert stored.content == table


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"type": "image", "source": {"type": "url", "value": "https://elsewhere/a.png"}}, "1000"),
        ({"type": "document", "source": {"type": "data", "value": "AAAA"}}, "1000"),
        ({"type": "document", "source": {"type": "data", "value": "?"}, "metadata": {"name": "a.csv"}}, "1000"),
        ({"type": "image", "source": {"type": "data", "value": "AAAA"}, "metadata": {"name": "a.exe"}}, "1004"),
        ("text", "1000"),
    ],
)
async def test_a_part_that_cannot_be_taken_is_told_why(house: House, change: Any, expected: str) -> None:
    body = given("parts", "x")
    body["messages"][0]["content"] = [{"type": "text", "text": "분석해줘"}, change]
    events = await played(house.http, body)
    assert (kinds(events)[-1], events[-1]["code"]) == ("RUN_ERROR", expected) and events[-1]["message"]


@pytest.mark.parametrize(
    ("text", "props", "expected"),
    [
        ("", {}, "1001"),
        ("   ", {}, "1001"),
        ("가" * 20_000, {}, "1002"),
        ("해줘", {"attachments": [{"artifact_id": "a" * 64, "name": "a.csv", "media_type": "text/csv", "size": 1,
                                 "type": "file.table"}]}, "1010"),
    ],
)  # fmt: skip
async def test_a_message_that_cannot_be_taken_is_told_why(
    house: House, text: str, props: dict[str, Any], expected: str
) -> None:
    events = await played(house.http, given("bad", text, forwardedProps={"dream": props, "other": 1}))
    assert (kinds(events), events[1]["code"]) == (["RUN_STARTED", "RUN_ERROR"], expected)


@pytest.mark.parametrize(
    "change",
    [
        {"threadId": ""}, {"threadId": None}, {"messages": "no"}, {"forwardedProps": {"dream": {"language": "fr"}}},
        {"forwardedProps": {"dream": {"unheard": 1}}}, {"resume": [{"interruptId": "x", "status": "maybe"}]},
    ],
)  # fmt: skip
async def test_what_is_no_input_of_ag_ui_is_a_problem_document(house: House, change: dict[str, Any]) -> None:
    answer = await house.http.post("/agui", json=given("t", "해줘") | change)
    assert answer.status_code in (400, 422) and answer.json()["detail"]


async def test_a_long_conversation_is_taken_and_one_without_end_is_not(house: House) -> None:
    long = given("long", "해줘")
    long["messages"] = [{"id": str(n), "role": "assistant", "content": "가" * 1_000} for n in range(700)]
    assert kinds(await played(house.http, long))[-1] == "RUN_FINISHED"
    long["messages"] *= 5
    assert code(await house.http.post("/agui", json=long)) == (413, 1000)
    long["messages"] = [{"id": "m", "role": "user", "content": "x"}] * 5_001
    assert code(await house.http.post("/agui", json=long)) == (400, 1000)
