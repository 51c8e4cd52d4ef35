"""Answers to decisions: checked, recorded once, and the deadline's timer cancelled with them."""

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import asyncpg
import orjson

from backbone.ledger.port import Append, Timer
from contracts.decisions import DecisionExpired, DecisionKind
from contracts.response import RunCancelled
from tests.conftest import as_owner
from tests.integration.gateway.conftest import JSON, RAW, House, decision

APPROVE = {"answer": {"action": "approve"}}


async def _asked(house: House) -> tuple[str, str, str]:
    begun = await house.begin()
    question = await house.open_decision(begun["session_id"], begun["run_id"])
    return begun["session_id"], begun["run_id"], question


async def test_an_answer_is_recorded_in_its_run_and_closes_the_decision(house: House) -> None:
    session, run, question = await _asked(house)
    listed = (await house.http.get(f"/sessions/{session}/decisions")).json()["open_decisions"]
    assert [(one["decision_id"], one["run_id"], one["version"]) for one in listed] == [(question, run, 3)]
    answer = await house.http.post(f"/sessions/{session}/decisions/{question}", json=APPROVE)
    assert (answer.status_code, answer.json()) == (200, {"decision_id": question, "version": 4})
    requested, recorded = (await house.stream(session))[2:]
    assert (recorded.type, str(recorded.run_id), recorded.producer) == ("DecisionAnswered", run, "gateway")
    assert recorded.causation_id == requested.event_id
    assert (await house.http.get(f"/sessions/{session}/decisions")).json() == {"open_decisions": []}
    assert (await house.http.get(f"/sessions/{session}")).json()["runs"][0]["status"] == "running"


async def test_of_twenty_answers_at_once_one_is_recorded(house: House) -> None:
    session, _, question = await _asked(house)
    answers = await asyncio.gather(
        *(
            house.http.post(f"/sessions/{session}/decisions/{question}", json={"answer": {"action": action}})
            for action in ["approve", "reject"] * 10
        )
    )
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == [200] + [409] * 19
    assert {answer.json()["code"] for answer in answers if answer.status_code == 409} == {5001}
    assert [message.type for message in await house.stream(session)].count("DecisionAnswered") == 1


async def test_the_same_answer_under_the_same_key_is_the_same_answer(house: House) -> None:
    session, _, question = await _asked(house)
    address, key = f"/sessions/{session}/decisions/{question}", {"Idempotency-Key": "k1"}
    answers = [await house.http.post(address, json=APPROVE, headers=key) for _ in range(3)]
    assert [(answer.status_code, answer.json()["version"]) for answer in answers] == [(200, 4)] * 3
    other = await house.http.post(address, json={"answer": {"action": "reject"}}, headers=key)
    assert (other.status_code, other.json()["code"]) == (409, 1012)
    without = await house.http.post(address, json=APPROVE)
    assert (without.status_code, without.json()["code"]) == (409, 5001)
    assert len(await house.stream(session)) == 4


async def test_an_unknown_decision_or_session_is_404(house: House) -> None:
    session, _, question = await _asked(house)
    unknown = await house.http.post(f"/sessions/{session}/decisions/{uuid4()}", json=APPROVE)
    assert (unknown.status_code, unknown.json()["code"]) == (404, 5000)
    elsewhere = await house.http.post(f"/sessions/{uuid4()}/decisions/{question}", json=APPROVE)
    assert (elsewhere.status_code, elsewhere.json()["code"]) == (404, 3000)
    other = (await house.begin())["session_id"]
    foreign = await house.http.post(f"/sessions/{other}/decisions/{question}", json=APPROVE)
    assert (foreign.status_code, foreign.json()["code"]) == (404, 5000)


async def test_an_expired_decision_and_one_whose_run_has_ended_are_closed(house: House) -> None:
    session, run, question = await _asked(house)
    expired = DecisionExpired(decision_id=UUID(question), kind=DecisionKind.PLAN)
    await house.tell(session, run, expired, by="timers")
    other = await house.open_decision(session, run)
    await house.tell(session, run, RunCancelled(reason="expired"))
    for one in (question, other):
        answer = await house.http.post(f"/sessions/{session}/decisions/{one}", json=APPROVE)
        assert (answer.status_code, answer.json()["code"]) == (409, 5001)


UNFIT = [
    ({}, ""),
    ({"action": "maybe"}, "/action"),
    ({"action": "approve", "extra": 1}, ""),
    ({"action": None}, "/action"),
]


async def test_an_answer_that_breaks_the_schema_says_where_and_can_be_mended(house: House) -> None:
    session, _, question = await _asked(house)
    for answer, path in UNFIT:
        refused = await house.http.post(f"/sessions/{session}/decisions/{question}", json={"answer": answer})
        problem = refused.json()
        assert (refused.status_code, problem["code"]) == (422, 5002)
        assert problem["errors"][0]["path"] == path
    assert len(await house.stream(session)) == 3
    assert (await house.http.post(f"/sessions/{session}/decisions/{question}", json=APPROVE)).status_code == 200


async def test_a_malformed_answer_is_refused(house: House) -> None:
    session, _, question = await _asked(house)
    for body, status, code in (
        (b"", 400, 1000),
        (b"{}", 400, 1000),
        (b'{"answer": []}', 400, 1000),
        (b'{"answer": {"action": "a\\u0000"}}', 400, 1000),
        (b'{"answer": {"action": NaN}}', 422, 5002),
        (b'{"answer": {"action": "%s"}}' % (b"x" * 2_000_000), 413, 1000),
    ):
        answer = await house.http.post(f"/sessions/{session}/decisions/{question}", content=body, headers=JSON)
        assert (answer.status_code, answer.json()["code"]) == (status, code)


async def test_an_answer_too_large_for_the_ledger_is_413_and_the_question_stays_open(house: House) -> None:
    begun = await house.begin()
    session = begun["session_id"]
    question = await house.open_decision(session, begun["run_id"], {"type": "object"})
    large = {"answer": {"text": "x" * 950_000}}
    refused = await house.http.post(f"/sessions/{session}/decisions/{question}", json=large)
    assert (refused.status_code, refused.json()["code"]) == (413, 5002)
    async with house.socket(session, "?after=3") as socket:
        await socket.recv()
        await socket.send(orjson.dumps({"type": "hitl_response", "decision_id": question, **large}).decode())
        error = orjson.loads(await socket.recv())
    assert (error["type"], error["code"], error["of"]) == ("error", 5002, "hitl_response")
    small = {"answer": {"text": "x"}}
    assert (await house.http.post(f"/sessions/{session}/decisions/{question}", json=small)).status_code == 200


async def test_malformed_ids_are_1009(house: House) -> None:
    session, _, _ = await _asked(house)
    for address in (f"/sessions/{session}/decisions/1", f"/sessions/x/decisions/{uuid4()}"):
        answer = await house.http.post(address, json=APPROVE)
        assert (answer.status_code, answer.json()["code"]) == (400, 1009)


async def test_files_in_an_answer_must_be_in_the_store(house: House) -> None:
    begun = await house.begin()
    question = await house.open_decision(begun["session_id"], begun["run_id"], {"type": "object"})
    address = f"/sessions/{begun['session_id']}/decisions/{question}"
    ghost = {"artifact_id": "0" * 64, "name": "a.csv", "media_type": "text/csv", "size": 1, "type": "file.table"}
    for files, code in (([ghost], 1010), (["a.csv"], 5002)):
        answer = await house.http.post(address, json={"answer": {"attachments": files}})
        assert (answer.status_code, answer.json()["code"]) == (422, code)
    stored = (await house.http.post("/artifacts?name=a.csv", content=b"text\nhello\n", headers=RAW)).json()
    assert (await house.http.post(address, json={"answer": {"attachments": [stored]}})).status_code == 200


async def test_an_answer_cancels_the_timer_of_its_deadline(house: House, postgres_url: str) -> None:
    begun = await house.begin()
    session, run = UUID(begun["session_id"]), UUID(begun["run_id"])
    question = decision()
    expiry = DecisionExpired(decision_id=question.decision_id, kind=question.kind)
    timer = Timer(question.decision_id, run, datetime.now(UTC) + timedelta(hours=1), expiry)
    await house.backbone.ledger.append("planning", "gateway", [Append(session, uuid4(), timers=(timer,))])
    await house.tell(session, run, question, by="planning")
    owner = await asyncpg.connect(as_owner(postgres_url))
    try:
        assert await owner.fetchval("select count(*) from ledger.timers") == 1
        await house.http.post(f"/sessions/{session}/decisions/{question.decision_id}", json=APPROVE)
        assert await owner.fetchval("select count(*) from ledger.timers") == 0
    finally:
        await owner.close()
