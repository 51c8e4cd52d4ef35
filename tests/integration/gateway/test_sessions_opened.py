"""POST /sessions, and the person that a first run opens a session for."""

import asyncio
from typing import Any

import httpx
import pytest

from contracts.cognitive import Profile
from contracts.gateway import SessionOpened
from tests.integration.gateway.conftest import House

MINA = {"user": "mina", "language": "ko", "timezone": "Asia/Tokyo", "name": "민아"}


async def post(house: House, path: str, body: dict[str, Any], key: str = "") -> httpx.Response:
    return await house.http.post(path, json=body, headers={"Idempotency-Key": key} if key else {})


async def opened(house: House, session: str) -> SessionOpened:
    first = (await house.stream(session))[0].event
    assert isinstance(first, SessionOpened)
    return first


async def test_a_session_is_opened_for_somebody_before_they_speak(house: House) -> None:
    answer = await post(house, "/sessions", MINA)
    assert answer.status_code == 201
    accepted = answer.json()
    assert accepted["version"] == 1
    profile = Profile(name="민아", timezone="Asia/Tokyo", language="ko")
    assert await opened(house, accepted["session_id"]) == SessionOpened(user="mina", profile=profile, language="ko")
    run = await house.begin("안녕", session_id=accepted["session_id"])
    assert (run["session_id"], run["version"]) == (accepted["session_id"], 2)
    assert accepted["websocket_url"] == run["websocket_url"]


async def test_who_says_nothing_about_themselves_is_anonymous(house: House) -> None:
    answer = await post(house, "/sessions", {})
    assert await opened(house, answer.json()["session_id"]) == SessionOpened()


async def test_the_same_key_opens_one_session_however_often_it_comes(house: House) -> None:
    answers = await asyncio.gather(*(post(house, "/sessions", MINA, "key-1") for _ in range(5)))
    assert {answer.status_code for answer in answers} == {201}
    (session,) = {answer.json()["session_id"] for answer in answers}
    assert len(await house.stream(session)) == 1
    other = await post(house, "/sessions", {**MINA, "user": "jun"}, "key-1")
    assert (other.status_code, other.json()["code"]) == (409, 1012)


async def test_the_first_run_can_say_whose_session_it_opens(house: House) -> None:
    run = await house.begin("안녕", user="mina", profile={"timezone": "Europe/Berlin"})
    assert await opened(house, run["session_id"]) == SessionOpened(
        user="mina", profile=Profile(timezone="Europe/Berlin")
    )


@pytest.mark.parametrize(
    ("path", "body", "told"),
    [
        ("/sessions", {"timezone": "Mars/Olympus"}, "Mars/Olympus"),
        ("/sessions", {"language": "xx"}, "xx"),
        ("/sessions", {"user": "  "}, "user"),
        ("/sessions", {"user": "x" * 201}, "user"),
        ("/sessions", {"nickname": "m"}, "nickname"),
        ("/sessions", {"name": "nul \u0000"}, "U+0000"),
        ("/agent/run-async", {"text": "x", "user": ""}, "user"),
        ("/agent/run-async", {"text": "x", "profile": {"timezone": "nowhere"}}, "nowhere"),
    ],
)
async def test_a_person_that_cannot_be_is_refused_with_the_value(
    house: House, path: str, body: dict[str, Any], told: str
) -> None:
    answer = await post(house, path, body)
    assert (answer.status_code, answer.json()["code"]) in {(400, 1000), (422, 1003)}
    assert told in answer.text


async def test_a_session_keeps_its_person(house: House) -> None:
    session = (await post(house, "/sessions", MINA)).json()["session_id"]
    answer = await post(house, "/agent/run-async", {"text": "x", "session_id": session, "user": "jun"})
    assert answer.status_code == 400
    assert "new session" in answer.json()["detail"]
    assert len(await house.stream(session)) == 1
