"""POST /agui where keys are asked for: a thread is its person's, whatever it is called."""

import asyncio
from uuid import uuid4

import pytest

from backbone.settings import Settings
from contracts.gateway import SessionOpened
from services.gateway.http import authentication
from tests.integration.gateway.conftest import Holder, House, code, revoke
from tests.integration.gateway.test_agui import begun, given, interrupts, kinds, played, session_of

People = tuple[Holder, Holder, Holder]


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"auth": "keys", "sockets_per_person": 1})


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """What lasts is looked at again soon."""
    monkeypatch.setattr(authentication, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr(authentication, "FRESH_SECONDS", 0.1)


async def test_nobody_without_a_key_is_answered(house: House, people: People) -> None:
    assert code(await house.http.post("/agui", json=given("mine", "안녕"))) == (401, 2000)


async def test_two_people_have_threads_of_one_name(house: House, people: People) -> None:
    kim, lee, _ = people
    theirs = [session_of(await played(one.http, given("mine"))) for one in (kim, lee)]
    assert theirs[0] != theirs[1]
    for one, session in zip((kim, lee), theirs, strict=True):
        async with one.http.stream("POST", "/agui", json=given("mine", "안녕")):
            await begun(house, session)
        opened = (await house.stream(session))[0].event
        assert isinstance(opened, SessionOpened) and opened.user == ("kim" if one is kim else "lee")


async def test_the_session_of_another_is_no_thread_of_mine(house: House, people: People) -> None:
    kim, lee, oncall = people
    kims = await kim.begin("우리 집 주소는 비밀이야")
    decision = await house.open_decision(kims["session_id"], kims["run_id"])
    assert interrupts(await played(kim.http, given(kims["session_id"])))
    resume = [{"interruptId": decision, "status": "resolved", "payload": {"action": "approve"}}]
    for other in (lee, oncall):  # who operates may read it elsewhere, and says nothing in it
        events = await played(other.http, given(kims["session_id"]))
        assert session_of(events) != kims["session_id"] and interrupts(events) == []
        await played(other.http, given(kims["session_id"], resume=resume))
    types = [one.type for one in await house.stream(kims["session_id"])]
    assert "DecisionAnswered" not in types and types.count("MessageReceived") == 1


async def test_a_file_of_another_is_unknown(house: House, people: People) -> None:
    kim, lee, _ = people
    file = (
        await kim.http.post("/artifacts?name=a.csv", content=b"a,b\n1,2\n", headers={"Content-Type": "text/csv"})
    ).json()
    events = await played(lee.http, given("t", "분석해줘", forwardedProps={"dream": {"attachments": [file]}}))
    assert (kinds(events)[-1], events[-1]["code"]) == ("RUN_ERROR", "1010")


async def test_nobody_speaks_as_another(house: House, people: People) -> None:
    kim, _, _ = people
    events = await played(kim.http, given("t", "안녕", forwardedProps={"dream": {"user": "lee"}}))
    assert (kinds(events)[-1], events[-1]["code"]) == ("RUN_ERROR", "2001")


async def test_a_stream_is_counted_and_ends_with_its_key(house: House, people: People, postgres_url: str) -> None:
    kim, _, _ = people
    thread = str(uuid4())
    session = session_of(await played(kim.http, given(thread)))
    async with kim.http.stream("POST", "/agui", json=given(thread, "안녕")) as answer:
        await begun(house, session)
        assert code(await kim.http.post("/agui", json=given(thread))) == (429, 2002)
        await revoke(kim, postgres_url)
        async with asyncio.timeout(5):  # nobody tells of the run: nothing else ends it
            told = "".join([text async for text in answer.aiter_text()])
    assert "RUN_STARTED" in told and "RUN_FINISHED" not in told
