"""A gateway that asks for keys: nobody without one, nobody in another person's session, and nobody any more whose key
was revoked. What stays open meanwhile: test_sockets_of_people.py."""

import asyncio
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import httpx
import orjson
import pytest
from websockets.exceptions import ConnectionClosed

from backbone.ledger import access_keys
from backbone.settings import Settings
from contracts.access import Role
from contracts.decisions import DecisionAnswered
from contracts.gateway import SessionOpened
from services.gateway.http import authentication
from services.gateway.http.authentication import COOKIE
from tests.conftest import as_superuser
from tests.integration.gateway.conftest import RAW, Holder, House, code, revoke

UNKNOWN_RUN = "0197a1f0-0000-7000-8000-00000000000f"


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"auth": "keys"})


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """What lasts is looked at again soon."""
    monkeypatch.setattr(authentication, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr(authentication, "FRESH_SECONDS", 0.1)


async def test_without_a_key_only_what_says_the_same_to_everybody_is_answered(house: House) -> None:
    documented = (await house.http.get("/openapi.json")).json()["paths"]
    assert len(documented) > 25
    for path, operations in documented.items():
        address = re.sub(r"\{artifact_id\}", "0" * 64, path)
        address = re.sub(r"\{\w+\}", UNKNOWN_RUN, address)
        for method in operations:
            answer = await house.http.request(method, address, json={} if method in ("post", "patch") else None)
            if path in ("/", "/console", "/console/", "/login", "/logout", "/me") or path.startswith(
                ("/health", "/console/", "/openapi", "/asyncapi", "/docs")
            ):
                assert answer.status_code != 401, path
            else:
                assert code(answer) == (401, 2000), (method, path)
                assert answer.headers["www-authenticate"].startswith("Bearer")
    assert (await house.http.get("/me")).json() == {"auth": "keys", "user": None, "role": None}


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Bearer",
        "Bearer x",
        "Basic a2ltOmtpbQ==",
        "Bearer dream_000000000000_" + "0" * 48,
        "Bearer é",
    ],
)
async def test_what_is_no_key_opens_nothing(house: House, said: str) -> None:
    answer = await house.http.get("/runs", headers=[(b"authorization", said.encode("latin-1"))])
    assert code(answer) == (401, 2000)


async def test_two_keys_in_one_request_are_none(house: House, people: tuple[Holder, Holder, Holder]) -> None:
    said = [(b"authorization", f"Bearer {one.key}".encode()) for one in people[:2]]
    assert code(await house.http.get("/sessions/" + UNKNOWN_RUN, headers=said)) == (401, 2000)


async def test_a_new_session_is_of_whose_key_it_is(house: House, people: tuple[Holder, Holder, Holder]) -> None:
    kim, *_ = people
    assert (await kim.http.get("/me")).json() == {"auth": "keys", "user": "kim", "role": "person"}
    run = await kim.begin(profile={"timezone": "Europe/Berlin"})
    first = (await house.stream(run["session_id"]))[0].event
    assert isinstance(first, SessionOpened)
    assert (first.user, first.profile.timezone) == ("kim", "Europe/Berlin")
    opened = await kim.http.post("/sessions", json={"name": "Kim"})
    first = (await house.stream(opened.json()["session_id"]))[0].event
    assert isinstance(first, SessionOpened)
    assert first.user == "kim"
    for path, body in (("/agent/run", {"text": "hi", "user": "lee"}), ("/sessions", {"user": "lee"})):
        assert code(await kim.http.post(path, json=body)) == (403, 2001)


async def test_sessions_of_others_do_not_exist(house: House, people: tuple[Holder, Holder, Holder]) -> None:
    kim, lee, oncall = people
    run = await kim.begin()
    session, run_id = run["session_id"], run["run_id"]
    decision_id = await house.open_decision(session, run_id)
    asked = [
        ("GET", f"/sessions/{session}", None),
        ("GET", f"/sessions/{session}/events", None),
        ("GET", f"/sessions/{session}/stream", None),
        ("GET", f"/sessions/{session}/decisions", None),
        ("POST", f"/sessions/{session}/decisions/{decision_id}", {"answer": {"action": "approve"}}),
        ("POST", f"/sessions/{session}/runs/{run_id}/control", {"control": "cancel"}),
        ("PATCH", f"/sessions/{session}/runs/{run_id}/plan", {"plan_version": 1, "patch": []}),
        ("POST", f"/sessions/{session}/feedback", {"run_id": run_id, "rating": 1}),
        ("POST", f"/sessions/{session}/reminders/{decision_id}/seen", {}),
        ("POST", "/agent/run-async", {"text": "hi", "session_id": session}),
        ("POST", "/agent/run", {"text": "hi", "session_id": session}),
    ]
    before = await house.stream(session)
    for method, path, body in asked:
        answer = await lee.http.request(method, path, json=body)
        assert code(answer) == (404, 3000), path
    upload = await lee.http.post(f"/artifacts?name=a.csv&session_id={session}", content=b"a\n1\n", headers=RAW)
    assert code(upload) == (404, 3000)
    nobodys = await lee.http.get(f"/sessions/{UNKNOWN_RUN}")
    hidden = await lee.http.get(f"/sessions/{session}")
    assert nobodys.text.replace(UNKNOWN_RUN, session) == hidden.text
    assert await house.stream(session) == before
    assert (await kim.http.get(f"/sessions/{session}")).status_code == 200
    assert (await oncall.http.get(f"/sessions/{session}")).status_code == 200


async def test_what_is_of_the_whole_installation_is_for_operators(
    house: House, people: tuple[Holder, Holder, Holder]
) -> None:
    kim, _, oncall = people
    run = await kim.begin()
    for path in ("/runs", f"/runs/{run['run_id']}", "/dead-letters", f"/dead-letters/{UNKNOWN_RUN}", "/metrics"):
        assert code(await kim.http.get(path)) == (403, 2001), path
        assert (await oncall.http.get(path)).status_code in (200, 404), path


async def test_the_ledger_says_who_answered(house: House, people: tuple[Holder, Holder, Holder]) -> None:
    kim, *_ = people
    run = await kim.begin()
    first = await house.open_decision(run["session_id"], run["run_id"])
    second = await house.open_decision(run["session_id"], run["run_id"])
    answer = {"answer": {"action": "approve"}}
    told = await kim.http.post(f"/sessions/{run['session_id']}/decisions/{first}", json=answer)
    assert told.status_code == 200, told.text
    async with house.socket(run["session_id"], additional_headers=kim.headers) as socket:
        await socket.send(orjson.dumps({"type": "hitl_response", "decision_id": second, **answer}).decode())
        while orjson.loads(await socket.recv())["type"] != "ack":
            pass
    stream = await house.stream(run["session_id"])
    assert [one.event.answered_by for one in stream if isinstance(one.event, DecisionAnswered)] == ["kim", "kim"]


async def test_operators_read_and_steer_and_say_nothing_for_others(
    house: House, people: tuple[Holder, Holder, Holder]
) -> None:
    kim, _, oncall = people
    run = await kim.begin()
    session, run_id = run["session_id"], run["run_id"]
    decision_id = await house.open_decision(session, run_id)
    before = await house.stream(session)
    answer = {"answer": {"action": "approve"}}
    for path, body in (
        (f"/sessions/{session}/decisions/{decision_id}", answer),
        (f"/sessions/{session}/feedback", {"run_id": run_id, "rating": 5}),
        ("/agent/run-async", {"text": "엄마한테 5만원 보내줘", "session_id": session}),
    ):
        assert code(await oncall.http.post(path, json=body)) == (403, 2001), path
    async with house.socket(session, additional_headers=oncall.headers) as socket:
        for frame in (
            {"type": "message", "text": "보내줘"},
            {"type": "hitl_response", "decision_id": decision_id, **answer},
        ):
            await socket.send(orjson.dumps(frame).decode())
            while (told := orjson.loads(await socket.recv()))["type"] != "error":
                pass
            assert (told["code"], told["of"]) == (2001, frame["type"])
    assert await house.stream(session) == before
    steered = await oncall.http.post(f"/sessions/{session}/runs/{run_id}/control", json={"control": "pause"})
    assert steered.status_code == 202


async def test_the_same_idempotency_key_of_two_people_are_two_commands(
    house: House, people: tuple[Holder, Holder, Holder]
) -> None:
    kim, lee, _ = people
    body, key = {"text": "안녕"}, {"Idempotency-Key": "1"}
    answers = [await one.http.post("/agent/run-async", json=body, headers=key) for one in (kim, lee, kim)]
    ids = [answer.json()["run_id"] for answer in answers]
    assert ids[0] == ids[2] != ids[1]
    too_long = await kim.http.post("/agent/run-async", json=body, headers={"Idempotency-Key": "k" * 256})
    assert code(too_long) == (400, 1000)


async def test_sockets_say_why_they_do_not_open(house: House, people: tuple[Holder, Holder, Holder]) -> None:
    kim, lee, oncall = people
    session = (await kim.begin())["session_id"]
    for headers, close in ((None, 4401), (lee.headers, 4404)):
        async with house.socket(session, additional_headers=headers) as socket:
            assert orjson.loads(await socket.recv())["type"] == "error"
            with pytest.raises(ConnectionClosed) as closed:
                await socket.recv()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == close
    async with house.socket(session, additional_headers=oncall.headers) as socket:
        assert orjson.loads(await socket.recv())["type"] == "session_state"


async def test_a_browser_logs_in_with_a_key_and_out_again(
    house: House, people: tuple[Holder, Holder, Holder], postgres_url: str
) -> None:
    kim, lee, _ = people
    async with httpx.AsyncClient(base_url=house.gateway.url, verify=False) as browser:
        assert code(await browser.post("/login", json={"key": kim.key[:-1]})) == (401, 2000)
        answer = await browser.post("/login", json={"key": f" {kim.key}\n"})
        assert answer.json() == {"auth": "keys", "user": "kim", "role": "person"}
        said = answer.headers["set-cookie"]
        assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(said.split("; "))
        assert kim.key not in said
        login = browser.cookies[COOKIE]
        run = await browser.post("/agent/run-async", json={"text": "안녕"})
        assert run.status_code == 202
        session = run.json()["session_id"]
        assert (await kim.http.get(f"/sessions/{session}")).status_code == 200
        async with house.socket(session, additional_headers={"Cookie": f"{COOKIE}={login}"}) as socket:
            assert orjson.loads(await socket.recv())["type"] == "session_state"
        # a page from elsewhere would send the cookie along, if browsers let it: it is refused before anybody is asked
        elsewhere = await browser.post("/agent/run-async", json={"text": "x"}, headers={"Origin": "https://evil.test"})
        assert code(elsewhere) == (403, 2001)
        assert (await browser.post("/logout")).status_code == 204
        assert COOKIE not in browser.cookies
        again = await house.http.get(f"/sessions/{session}", headers={"Cookie": f"{COOKIE}={login}"})
        assert code(again) == (401, 2000)
    async with httpx.AsyncClient(base_url=house.gateway.url, verify=False) as browser:
        await browser.post("/login", json={"key": lee.key})
        await revoke(lee, postgres_url)
        await asyncio.sleep(0.15)
        assert code(await browser.get("/sessions/" + session)) == (401, 2000)


async def test_an_expired_key_is_none(house: House, postgres_url: str) -> None:
    owner = as_superuser(postgres_url)
    key = await access_keys.create(owner, "old", Role.PERSON, "", datetime.now(UTC) - timedelta(seconds=1))
    answer = await house.http.get("/artifacts/" + "0" * 64, headers={"Authorization": f"Bearer {key}"})
    assert code(answer) == (401, 2000)


async def test_keys_are_stored_as_hashes(
    house: House, people: tuple[Holder, Holder, Holder], postgres_url: str
) -> None:
    async with httpx.AsyncClient(base_url=house.gateway.url, verify=False) as browser:
        await browser.post("/login", json={"key": people[0].key})
        login = browser.cookies[COOKIE]
    connection: Any = await asyncpg.connect(as_superuser(postgres_url))
    try:
        stored = await connection.fetch(
            "select k::text from access.keys k union all select l::text from access.logins l"
        )
    finally:
        await connection.close()
    secrets = [one.key.split("_")[2] for one in people] + [login]
    assert len(stored) == 4
    assert not [secret for secret in secrets if secret in str(stored)]
