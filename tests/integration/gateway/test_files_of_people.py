"""Files where keys are asked for: an id is the SHA-256 of the bytes, and whoever guesses it has no file."""

import hashlib
from typing import Any
from uuid import uuid4

import orjson
import pytest

from backbone.settings import Settings
from contracts.artifacts import Attachment
from contracts.response import ResponseOutput
from tests.integration.gateway.conftest import RAW, Holder, House, code

People = tuple[Holder, Holder, Holder]
CSV = "이름,급여\nkim,5000\n".encode()
NOBODYS = hashlib.sha256(b"nobody has this").hexdigest()
CLARIFIES = {"type": "object", "properties": {"attachments": {"type": "array"}}}


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"auth": "keys"})


async def upload(holder: Holder, name: str = "a.csv", body: bytes = CSV) -> dict[str, Any]:
    answer = await holder.http.post(f"/artifacts?name={name}", content=body, headers=RAW)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


async def made_in(house: House, run: dict[str, Any], body: bytes) -> dict[str, Any]:
    """A file that a run of a session has made, and its answer shows."""
    digest, size = await house.backbone.artifacts.put(body, "text/csv")
    file = Attachment(artifact_id=digest, name="result.csv", media_type="text/csv", size=size, type="document.report")
    output = ResponseOutput(format="text", text="끝", language="ko", attachments=(file,))
    await house.tell(run["session_id"], run["run_id"], output)
    return dict(file.model_dump())


async def test_files_of_others_are_as_those_that_nobody_has(house: House, people: People) -> None:
    kim, lee, oncall = people
    file = await upload(kim)
    id_ = file["artifact_id"]
    for path in (f"/artifacts/{id_}", f"/artifacts/{id_}?name=a.csv", f"/artifacts/{id_}/profile?name=a.csv"):
        hidden = await lee.http.get(path)
        unknown = await lee.http.get(path.replace(id_, NOBODYS))
        assert code(hidden) == (404, 1010)
        assert hidden.text.replace(id_, NOBODYS) == unknown.text
        assert code(await kim.http.get(path)) != (404, 1010) if "profile" in path else True
    assert (await kim.http.get(f"/artifacts/{id_}")).content == CSV
    assert (await oncall.http.get(f"/artifacts/{id_}")).content == CSV
    await upload(lee, "mine.csv")  # who has the bytes has the file
    assert (await lee.http.get(f"/artifacts/{id_}")).content == CSV


async def test_files_of_others_are_not_attached(house: House, people: People) -> None:
    kim, lee, oncall = people
    file = await upload(kim)
    session = (await lee.begin())["session_id"]
    before = await house.stream(session)
    told = set()
    for attached in (file, {**file, "size": 1}, {**file, "artifact_id": NOBODYS}):
        for path in ("/agent/run", "/agent/run-async"):
            for more in ({}, {"session_id": session}):
                answer = await lee.http.post(path, json={"text": "요약해줘", "attachments": [attached], **more})
                assert code(answer) == (422, 1010), answer.text
                told.add(answer.json()["detail"].replace(attached["artifact_id"], ""))
        async with house.socket(session, additional_headers=lee.headers) as socket:
            said = {"type": "message", "text": "요약해줘", "attachments": [attached]}
            await socket.send(orjson.dumps(said).decode())
            while (frame := orjson.loads(await socket.recv()))["type"] != "error":
                pass
            assert frame["code"] == 1010
            told.add(frame["message"].replace(attached["artifact_id"], ""))
    assert len(told) == 1  # whether it exists, and how large it is, is nobody's to learn
    assert await house.stream(session) == before
    for who in (kim, oncall):
        assert (await who.begin(attachments=[file]))["run_id"]


async def test_files_of_others_are_no_answer(house: House, people: People) -> None:
    kim, lee, _ = people
    file = await upload(kim)
    run = await lee.begin()
    decision_id = await house.open_decision(run["session_id"], run["run_id"], CLARIFIES)
    path = f"/sessions/{run['session_id']}/decisions/{decision_id}"
    assert code(await lee.http.post(path, json={"answer": {"attachments": [file]}})) == (422, 1010)
    own = await upload(lee, body=CSV + b"lee,1\n")
    assert (await lee.http.post(path, json={"answer": {"attachments": [own]}})).status_code == 200


@pytest.mark.parametrize("how", ["socket", "events", "session", "state"])
async def test_what_was_made_in_a_session_is_its_persons_when_it_is_shown(
    house: House, people: People, how: str
) -> None:
    kim, lee, oncall = people
    run = await kim.begin()
    session = run["session_id"]
    body = uuid4().bytes
    if how == "socket":
        async with house.socket(session, "?after=2", additional_headers=kim.headers) as socket:
            assert orjson.loads(await socket.recv())["type"] == "session_state"
            file = await made_in(house, run, body)
            while orjson.loads(await socket.recv()).get("event") != "ResponseOutput":
                pass
    else:
        file = await made_in(house, run, body)
        if how == "state":
            async with house.socket(session, "?after=3", additional_headers=kim.headers) as socket:
                assert orjson.loads(await socket.recv())["type"] == "session_state"
        else:
            path = f"/sessions/{session}" + ("/events" if how == "events" else "")
            for who in (kim, oncall):
                assert file["artifact_id"] in (await who.http.get(path)).text
    path = f"/artifacts/{file['artifact_id']}"
    assert (await kim.http.get(path)).content == body
    assert (await kim.begin(attachments=[file]))["run_id"]
    assert code(await lee.http.get(path)) == (404, 1010)


async def test_a_sum_that_somebody_writes_into_their_session_gives_them_no_file(house: House, people: People) -> None:
    kim, lee, _ = people
    file = await upload(kim)
    planted = await upload(lee, body=b"a\n1\n")
    meta = {"artifact_id": file["artifact_id"], "more": [file]}
    run = await lee.begin(orjson.dumps(file).decode(), attachments=[{**planted, "meta": meta}])
    decision_id = await house.open_decision(run["session_id"], run["run_id"], {"type": "object"})
    path = f"/sessions/{run['session_id']}"
    answer = {"answer": {"patch": [{"op": "add", "path": "/-", "value": {"attachment": file}}]}}
    assert (await lee.http.post(f"{path}/decisions/{decision_id}", json=answer)).status_code == 200
    assert (await lee.http.get(f"{path}/events")).text.count(file["artifact_id"]) > 2
    await lee.http.get(path)
    assert code(await lee.http.get(f"/artifacts/{file['artifact_id']}")) == (404, 1010)


async def test_what_an_operator_looked_at_is_not_theirs_as_a_person(
    house: House, people: People, postgres_url: str
) -> None:
    kim, _, oncall = people
    person = await Holder.of(house, postgres_url, "oncall")
    run = await kim.begin()
    file = await made_in(house, run, b"made")
    assert (await oncall.http.get(f"/sessions/{run['session_id']}/events")).status_code == 200
    assert code(await person.http.get(f"/artifacts/{file['artifact_id']}")) == (404, 1010)
    await person.http.aclose()
