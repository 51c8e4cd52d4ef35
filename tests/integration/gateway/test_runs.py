"""POST /agent/run and /agent/run-async."""

import asyncio
import itertools
from uuid import UUID, uuid4

import httpx
import pytest

from backbone.ledger.port import LedgerUnavailable
from contracts.errors import Code, ErrorInfo
from contracts.gateway import TEXT_LIMIT
from contracts.response import ResponseOutput, RunCancelled, RunCompleted, RunFailed
from contracts.shape import Event
from tests.integration.gateway.conftest import JSON, RAW, House, decision

ANSWER = ResponseOutput(format="text", text="다 했습니다.", language="ko")


async def _begun(house: House, text: str, **headers: str) -> tuple["asyncio.Task[httpx.Response]", UUID, UUID]:
    """A waiting POST /agent/run in a known session, and the ids of its run."""
    session = (await house.begin())["session_id"]
    asking = asyncio.create_task(
        house.http.post("/agent/run", json={"text": text, "session_id": session}, headers=headers)
    )
    while True:
        for message in await house.stream(session):
            if message.type == "MessageReceived" and text.encode() in message.data:
                assert message.run_id
                return asking, message.session_id, message.run_id
        await asyncio.sleep(0.01)


async def test_a_message_opens_a_session_and_both_events_are_one_append(house: House) -> None:
    begun = await house.begin("리뷰 분석해 줘", language="ko", auto_approve=True)
    opened, received = await house.stream(begun["session_id"])
    assert (opened.type, opened.version, opened.run_id) == ("SessionOpened", 1, None)
    assert (received.type, received.version, received.producer) == ("MessageReceived", 2, "gateway")
    assert str(received.event_id) == str(received.run_id) == begun["run_id"]
    assert begun["version"] == 2
    assert begun["websocket_url"] == f"ws{house.gateway.url.removeprefix('http')}/ws/{begun['session_id']}"
    assert opened.recorded_at == received.recorded_at
    assert received.traceparent and received.traceparent.startswith("00-")


async def test_a_valid_traceparent_of_the_caller_goes_on_with_the_run(house: House) -> None:
    given = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    answers = [
        await house.http.post("/agent/run-async", json={"text": "x"}, headers={"traceparent": value})
        for value in (given, "00-zz-01")
    ]
    first, second = [(await house.stream(answer.json()["session_id"]))[1].traceparent for answer in answers]
    assert first == given
    assert second != "00-zz-01" and second is not None


async def test_a_hundred_messages_at_once_are_a_hundred_sessions(house: House) -> None:
    begun = await asyncio.gather(*(house.begin(f"number {number}") for number in range(100)))
    assert len({one["session_id"] for one in begun}) == 100
    texts = {(await house.stream(one["session_id"]))[1].data for one in begun}
    assert len(texts) == 100


async def test_a_run_is_answered_with_what_the_layers_recorded(house: House) -> None:
    asking, session, run = await _begun(house, "차트 그려 줘")
    version = await house.tell(session, run, ANSWER, RunCompleted(partial=True))
    result = (await asking).json()
    assert result["status"] == "partial"
    assert result["response"]["text"] == "다 했습니다."
    assert (result["session_id"], result["run_id"], result["version"]) == (str(session), str(run), version)
    assert result["decision"] is None and result["error"] is None
    assert house.gateway.composition.fanout.watched == 0


ENDS: list[tuple[Event, str, int | None]] = [
    (RunFailed(error=ErrorInfo(code=Code.TEXT_COLUMN_MISSING, message="열이 없습니다.")), "failed", 6102),
    (RunCancelled(reason="rejected"), "rejected", None),
    (RunCancelled(reason="expired", message="아무도 답하지 않았습니다."), "expired", 5003),
    (RunCancelled(reason="requested"), "cancelled", None),
]


async def test_every_end_of_a_run_has_its_status(house: House) -> None:
    for end, status, code in ENDS:
        asking, session, run = await _begun(house, "끝")
        await house.tell(session, run, end)
        result = (await asking).json()
        assert result["status"] == status
        assert (result["error"] or {}).get("code") == code


async def test_a_run_that_needs_a_person_answers_with_the_question(house: House) -> None:
    asking, session, run = await _begun(house, "계획 세워 줘")
    question = decision()
    await house.tell(session, run, question, by="planning")
    result = (await asking).json()
    assert result["status"] == "waiting"
    assert result["decision"]["decision_id"] == str(question.decision_id)
    assert result["decision"]["run_id"] == str(run)


async def test_the_end_of_another_run_ends_nothing_here(house: House) -> None:
    asking, session, run = await _begun(house, "둘째")
    first = next(message.run_id for message in await house.stream(session) if message.type == "MessageReceived")
    await house.tell(session, first, ANSWER, RunCompleted())
    await asyncio.sleep(0.2)
    assert not asking.done()
    await house.tell(session, run, ANSWER, RunCompleted())
    assert (await asking).json()["run_id"] == str(run)


async def test_an_end_that_the_bus_lost_is_found_in_the_ledger(house: House) -> None:
    asking, session, run = await _begun(house, "잃어버린 끝")
    await house.behind.stop()  # its relays are gone: nothing is published any more
    await house.tell(session, run, ANSWER, RunCompleted())
    result = (await asyncio.wait_for(asking, 4)).json()
    assert result["status"] == "completed"


async def test_a_run_that_takes_too_long_is_answered_with_504_and_goes_on(house: House) -> None:
    house.backbone.settings.__dict__["run_timeout_seconds"] = 0.3
    answer = await house.http.post("/agent/run", json={"text": "느린 일"})
    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (504, 4008)
    shown = (await house.http.get(f"/sessions/{problem['session_id']}")).json()
    assert [run["status"] for run in shown["runs"]] == ["running"]
    assert shown["runs"][0]["run_id"] == problem["run_id"]


async def test_a_client_that_hangs_up_leaves_no_waiter_and_its_run_goes_on(house: House) -> None:
    asking, session, run = await _begun(house, "끊긴 전화")
    assert house.gateway.composition.fanout.watched == 1
    asking.cancel()
    for _ in range(40):
        if not house.gateway.composition.fanout.watched:
            break
        await asyncio.sleep(0.1)
    assert house.gateway.composition.fanout.watched == 0
    await house.tell(session, run, ANSWER, RunCompleted())
    assert (await house.http.get(f"/sessions/{session}")).json()["runs"][-1]["status"] == "completed"


async def test_the_same_key_is_the_same_run_whoever_comes_first(house: House) -> None:
    key = {"Idempotency-Key": str(uuid4())}
    answers = await asyncio.gather(
        *(house.http.post("/agent/run-async", json={"text": "한 번만"}, headers=key) for _ in range(8))
    )
    assert {answer.status_code for answer in answers} == {202}
    assert len({(one["session_id"], one["run_id"], one["version"]) for one in (a.json() for a in answers)}) == 1
    later = await house.http.post("/agent/run-async", json={"text": "한 번만"}, headers=key)
    assert later.json() == answers[0].json()
    assert len(await house.stream(later.json()["session_id"])) == 2


async def test_a_key_that_came_with_another_message_is_refused(house: House) -> None:
    key = {"Idempotency-Key": "abc"}
    session = (await house.begin())["session_id"]
    assert (await house.http.post("/agent/run-async", json={"text": "하나"}, headers=key)).status_code == 202
    for body in ({"text": "둘"}, {"text": "하나", "session_id": session}):
        answer = await house.http.post("/agent/run-async", json=body, headers=key)
        assert (answer.status_code, answer.json()["code"]) == (409, 1012)
    other_endpoint = asyncio.create_task(house.http.post("/agent/run", json={"text": "둘"}, headers=key))
    await asyncio.sleep(0.2)
    assert not other_endpoint.done()  # a key belongs to its endpoint: this is a run of its own
    other_endpoint.cancel()


async def test_repeating_a_waiting_run_shows_its_question_and_then_its_end(house: House) -> None:
    asking, session, run = await _begun(house, "되풀이", **{"Idempotency-Key": "again"})
    question = await house.open_decision(str(session), str(run))
    assert (await asking).json()["status"] == "waiting"
    body = {"text": "되풀이", "session_id": str(session)}
    again = await house.http.post("/agent/run", json=body, headers={"Idempotency-Key": "again"})
    assert again.json()["decision"]["decision_id"] == question
    await house.http.post(f"/sessions/{session}/decisions/{question}", json={"answer": {"action": "approve"}})
    waiting = asyncio.create_task(house.http.post("/agent/run", json=body, headers={"Idempotency-Key": "again"}))
    await asyncio.sleep(0.2)
    assert not waiting.done()
    await house.tell(session, run, ANSWER, RunCompleted())
    assert (await waiting).json()["status"] == "completed"


ATTACHMENT = {"artifact_id": "0" * 64, "name": "a.csv", "media_type": "text/csv", "size": 1, "type": "file.table"}


BAD: list[tuple[bytes, int, int]] = [
    (b"{not json", 400, 1000),
    (b"[]", 400, 1000),
    (b"{}", 400, 1000),
    (b'{"text": "a", "colour": "red"}', 400, 1000),
    (b'{"text": "a\\u0000b"}', 400, 1000),
    (b'{"text": ""}', 422, 1001),
    (b'{"text": " \\n"}', 422, 1001),
    (b'{"text": "%s"}' % (b"x" * (TEXT_LIMIT + 1)), 413, 1002),
    (b'{"text": "%s"}' % (b"x" * 3_000_000), 413, 1002),
    (b'{"text": "bonjour", "language": "fr"}', 422, 1003),
    (b'{"text": "a", "session_id": "abc"}', 400, 1009),
    (b'{"text": "a", "session_id": "0197a1f0-0000-7000-8000-000000000001"}', 404, 3000),
]


async def test_bad_input_is_refused_with_its_code_and_a_sentence(house: House) -> None:
    for address, (body, status, code) in itertools.product(("/agent/run", "/agent/run-async"), BAD):
        answer = await house.http.post(address, content=body, headers=JSON)
        problem = answer.json()
        assert (answer.status_code, problem["code"]) == (status, code), (body[:80], problem)
        assert answer.headers["content-type"] == "application/problem+json"
        assert problem["status"] == status
        assert 20 < len(problem["detail"]) < 500
    assert (await house.http.get("/health")).status_code == 200


async def test_the_longest_text_is_taken(house: House) -> None:
    begun = await house.begin("가" * TEXT_LIMIT)
    assert begun["version"] == 2


async def test_attachments_must_be_in_the_store_with_their_size(house: House) -> None:
    stored = (await house.http.post("/artifacts?name=a.csv", content=b"text\nhello\n", headers=RAW)).json()
    assert (await house.begin("이 파일", attachments=[stored]))["version"] == 2
    for wrong in (ATTACHMENT, {**stored, "size": 3}):
        answer = await house.http.post("/agent/run-async", json={"text": "이 파일", "attachments": [wrong]})
        assert (answer.status_code, answer.json()["code"]) == (422, 1010)
    answer = await house.http.post(
        "/agent/run-async", json={"text": "x", "attachments": [{**stored, "artifact_id": "12"}]}
    )
    assert (answer.status_code, answer.json()["code"]) == (400, 1009)


async def test_without_a_ledger_everybody_is_told_to_come_back(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(*_: object) -> None:
        raise LedgerUnavailable("the ledger does not answer")

    monkeypatch.setattr(house.backbone.ledger, "append", away)
    answers = await asyncio.gather(*(house.http.post("/agent/run-async", json={"text": "x"}) for _ in range(5)))
    assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(503, 9006)}
    assert {answer.headers["retry-after"] for answer in answers} == {"1"}


@pytest.mark.parametrize("known", [True, False], ids=["known session", "new session"])
async def test_a_message_too_large_for_the_ledger_is_413_and_nothing_is_recorded(house: House, known: bool) -> None:
    stored = (await house.http.post("/artifacts?name=a.csv", content=b"text\nhello\n", headers=RAW)).json()
    stored["meta"] = {"note": "x" * 950_000}
    session = (await house.begin())["session_id"]
    body = {"text": "분석", "attachments": [stored]} | ({"session_id": session} if known else {})
    refused = await house.http.post("/agent/run-async", json=body)
    assert (refused.status_code, refused.json()["code"]) == (413, 1000)
    assert len(await house.stream(session)) == 2
