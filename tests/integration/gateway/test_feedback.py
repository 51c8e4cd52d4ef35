"""Feedback over REST and on the socket: recorded once, of a run that exists, with a correction that the packs know."""

from uuid import uuid4

import orjson
import pytest

from contracts.gateway import FeedbackGiven
from tests.integration.gateway.conftest import House


async def test_a_rating_and_a_correction_are_recorded_once_under_one_key(house: House) -> None:
    begun = await house.begin()
    session, run = begun["session_id"], begun["run_id"]
    body = {"run_id": run, "rating": 2, "comment": "다른 뜻", "correction": {"intent": "ANALYSIS.trend"}}
    answers = [
        await house.http.post(f"/sessions/{session}/feedback", json=body, headers={"Idempotency-Key": "f"})
        for _ in range(2)
    ]
    assert [one.status_code for one in answers] == [201, 201]
    assert [one.json() for one in answers] == [{"run_id": run, "version": 3}] * 2
    other = await house.http.post(
        f"/sessions/{session}/feedback", json={**body, "rating": 1}, headers={"Idempotency-Key": "f"}
    )
    assert (other.status_code, other.json()["code"]) == (409, 1012)
    recorded = (await house.stream(session))[-1]
    assert recorded.event == FeedbackGiven(
        about="intent", rating=2, comment="다른 뜻", correction={"intent": "ANALYSIS.trend"}
    )
    assert str(recorded.run_id) == run


async def test_the_socket_takes_feedback_and_shows_it(house: House) -> None:
    begun = await house.begin()
    session, run = begun["session_id"], begun["run_id"]
    async with house.socket(session, "?after=2") as socket:
        await socket.recv()
        frame = {"type": "feedback", "run_id": run, "correction": {"slots": {"amount": 1}, "plan": []}, "ref": 1}
        await socket.send(orjson.dumps(frame).decode())
        answers = {one["type"]: one for one in [orjson.loads(await socket.recv()) for _ in range(2)]}
    assert answers["ack"] == {"type": "ack", "of": "feedback", "version": 3, "run_id": run, "ref": 1}
    assert answers["event"]["data"] == {"about": "slot", "correction": {"slots": {"amount": 1}, "plan": []}}


@pytest.mark.parametrize(
    ("body", "status", "code", "word"),
    [
        ({}, 400, 1000, "rating"),
        ({"comment": "nothing else"}, 400, 1000, "neither rating nor correction"),
        ({"rating": 6}, 400, 1000, "6"),
        ({"rating": 5, "run_id": str(uuid4())}, 404, 3001, "GET"),
        ({"correction": {"intent": "ANALYSIS.weather"}}, 422, 1000, "ANALYSIS.weather"),
        ({"correction": {"intent": "TRANSFER", "slots": {"colour": "red"}}}, 422, 1000, "colour"),
        ({"correction": {"plan": ["marketing.nothing"]}}, 422, 1000, "marketing.nothing"),
    ],
)
async def test_what_cannot_be_is_refused_with_its_value_and_nothing_is_recorded(
    house: House, body: dict[str, object], status: int, code: int, word: str
) -> None:
    begun = await house.begin()
    session = begun["session_id"]
    answer = await house.http.post(f"/sessions/{session}/feedback", json={"run_id": begun["run_id"], **body})
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    assert word in answer.text
    assert len(await house.stream(session)) == 2


async def test_feedback_on_a_session_that_is_not_there_is_refused(house: House) -> None:
    body = {"run_id": str(uuid4()), "rating": 5}
    answer = await house.http.post(f"/sessions/{uuid4()}/feedback", json=body)
    assert (answer.status_code, answer.json()["code"]) == (404, 3000)
