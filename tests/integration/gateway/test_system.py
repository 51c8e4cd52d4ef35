"""Sessions and their events, health, documents, dead letters: the rest of the gateway."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from urllib.parse import unquote, urlsplit
from uuid import uuid4

import httpx
import nats
import pytest
from pydantic import JsonValue

from backbone.settings import Settings
from contracts.envelope import to_headers
from contracts.response import ResponseOutput, RunCompleted
from services.gateway.app import service
from services.gateway.http.server import GatewayUnavailable
from tests.integration.gateway.conftest import House

ANSWER = ResponseOutput(format="text", text="끝", language="ko")


async def test_a_session_is_shown_with_its_runs(house: House) -> None:
    begun = await house.begin("첫째")
    await house.tell(begun["session_id"], begun["run_id"], ANSWER, RunCompleted())
    second = await house.begin("둘째", session_id=begun["session_id"])
    shown = (await house.http.get(f"/sessions/{begun['session_id']}")).json()
    assert (shown["session_id"], shown["version"], shown["open_decisions"]) == (begun["session_id"], 5, [])
    assert [(run["text"], run["status"]) for run in shown["runs"]] == [("첫째", "completed"), ("둘째", "running")]
    assert shown["runs"][0]["response"]["text"] == "끝"
    assert second["version"] == 5


async def test_events_are_paged_by_version(house: House) -> None:
    begun = await house.begin()
    session = begun["session_id"]
    await house.tell(session, begun["run_id"], *(ANSWER for _ in range(8)))
    seen: list[int] = []
    while True:
        page = (await house.http.get(f"/sessions/{session}/events?after={len(seen)}&limit=3")).json()
        assert (page["session_id"], page["version"]) == (session, 10)
        if not page["events"]:
            break
        seen += [event["version"] for event in page["events"]]
    assert seen == list(range(1, 11))


async def test_a_position_that_cannot_be_is_1011(house: House) -> None:
    session = (await house.begin())["session_id"]
    for query in ("?after=3", "?after=-1", "?after=x", "?limit=1001", "?limit=x"):
        answer = await house.http.get(f"/sessions/{session}/events{query}")
        assert (answer.status_code, answer.json()["code"]) == (400, 1011)


async def test_unknown_and_malformed_sessions_are_told_apart(house: House) -> None:
    for path in ("/sessions/{}", "/sessions/{}/events", "/sessions/{}/decisions"):
        unknown = await house.http.get(path.format(uuid4()))
        assert (unknown.status_code, unknown.json()["code"]) == (404, 3000)
        malformed = await house.http.get(path.format("abc"))
        assert (malformed.status_code, malformed.json()["code"]) == (400, 1009)


async def test_health_names_what_is_missing(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (await house.http.get("/health")).json() == {"healthy": True, "problems": []}

    async def gone(*_: object) -> bool:
        return False

    monkeypatch.setattr(house.gateway.shell.broker, "ping", gone)
    answer = await house.http.get("/health")
    assert answer.status_code == 503
    assert answer.json() == {"healthy": False, "problems": ["the bus is not connected"]}


async def test_metrics_and_documents_are_served(house: House) -> None:
    assert "dream_sockets" in (await house.http.get("/metrics")).text
    document = (await house.http.get("/openapi.json")).json()
    assert "/agent/run" in document["paths"]
    assert (await house.http.get("/asyncapi.json")).json()["asyncapi"].startswith("3.")
    page = await house.http.get("/docs")
    assert "<code>POST /agent/run</code>" in page.text
    assert page.headers["content-security-policy"].startswith("default-src 'none'")


async def test_unknown_addresses_and_methods_are_problems_too(house: House) -> None:
    nowhere = await house.http.get("/nowhere")
    assert (nowhere.status_code, nowhere.headers["content-type"]) == (404, "application/problem+json")
    wrong = await house.http.get("/agent/run")
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "POST")


async def _letters(house: House, count: int) -> list[dict[str, JsonValue]]:
    letters: list[dict[str, JsonValue]] = []
    for _ in range(60):
        letters = await house.backbone.ledger.dead_letters()
        if len(letters) >= count:
            break
        await asyncio.sleep(0.05)
    return letters


async def test_unknown_types_and_rubbish_on_the_bus_become_dead_letters_and_stop_nothing(house: House) -> None:
    begun = await house.begin()
    session, run = begun["session_id"], begun["run_id"]
    real = (await house.stream(session))[1]
    headers = to_headers(real)
    client = await nats.connect(house.backbone.settings.nats_url)
    async with house.socket(session) as socket:
        for _ in range(3):
            await socket.recv()
        for _ in range(2):  # the same one twice is one dead letter
            await client.publish(
                f"evt.1.{uuid4()}.planning.DreamDreamt", b"{}", headers={"ce-id": str(uuid4()), "a": "1"}
            )
        await client.publish("evt.short", b"\xff")
        await client.publish(f"evt.1.{session}.gateway.MessageReceived", b"{}", headers={"ce-id": "x"})
        await client.publish(f"evt.1.{session}.gateway.MessageReceived", real.data)
        await client.publish(
            f"evt.1.{session}.gateway.MessageReceived", b"not json", headers={**headers, "ce-streamversion": "77"}
        )
        await client.flush()
        await house.tell(session, run, ANSWER)
        async with asyncio.timeout(3):
            assert b'"version":3' in (await socket.recv()).encode()  # type: ignore[union-attr]  # a text frame
    await client.close()
    letters = await _letters(house, 6)
    assert sorted(int(str(letter["code"])) for letter in letters) == [9001, 9001, 9001, 9002, 9002, 9004]
    assert {letter["consumer"] for letter in letters} == {"gateway"}


async def test_a_full_disk_is_a_problem_although_everything_still_answers(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await house.http.get("/health")).status_code == 200
    full = type(shutil.disk_usage("/"))(total=9 << 30, used=9 << 30, free=15 << 20)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: full)
    answer = await house.http.get("/health")
    artifacts = unquote(urlsplit(house.backbone.settings.artifacts_url).path)
    data = house.backbone.settings.data_dir  # there, where somebody has started the product in this folder
    full_ones = {f"the disk of {folder} is full" for folder in (artifacts, *([data] if data.exists() else ()))}
    assert (answer.status_code, {*answer.json()["problems"]}) == (503, full_ones)


async def test_a_taken_port_is_said_in_one_sentence(house: House) -> None:
    port = int(house.gateway.url.rsplit(":", 1)[1])
    taken = house.backbone.settings.model_copy(update={"port": port})
    second = service(replace(house.backbone, settings=taken))
    with pytest.raises(GatewayUnavailable, match="DREAM_PORT"):
        await second.start()


def test_the_process_says_where_it_listens_and_ends_cleanly_on_sigterm(settings: Settings) -> None:
    environment = {
        **os.environ,
        "DREAM_DATABASE_URL": settings.database_url.get_secret_value(),
        "DREAM_NATS_URL": settings.nats_url,
        "DREAM_ARTIFACTS_URL": settings.artifacts_url,
        "DREAM_PORT": "0",
    }
    process = subprocess.Popen([sys.executable, "-m", "services.gateway"], env=environment, stdout=subprocess.PIPE)
    try:
        assert process.stdout
        with closing(process.stdout):
            url = process.stdout.readline().decode().strip()
            assert httpx.get(f"{url}/health").json() == {"healthy": True, "problems": []}
            process.send_signal(signal.SIGTERM)
            assert process.wait(5) == 0
    finally:
        process.kill()
        process.wait()
