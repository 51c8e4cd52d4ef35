"""Controlling a run and editing its plan, over REST and over a socket, with planning's answers written by the test."""

import asyncio
from typing import Any
from uuid import UUID, uuid4

import orjson

from backbone.ledger.port import Append, Fact
from contracts.errors import Code, ErrorInfo
from contracts.planning import PlanApproved, PlanEditRefused
from contracts.response import RunCancelled
from contracts.shape import Event
from tests.integration.gateway.conftest import House, frames
from tests.unit.services.plans import planned, todo

PLANNED = planned(todo("a"), todo("b"))
REVISED = planned(todo("a"), version=2)
REFUSED = PlanEditRefused(
    plan_id=PLANNED.plan.plan_id,
    plan_version=1,
    error=ErrorInfo(code=Code.TODO_NOT_EDITABLE, message="‘읽기’ 단계는 끝났어요."),
)
EDIT = {"plan_version": 1, "patch": [{"op": "remove", "path": "/1"}]}


async def _running(house: House) -> tuple[str, str, str]:
    begun = await house.begin()
    session, run = begun["session_id"], begun["run_id"]
    await house.tell(session, run, PLANNED, by="planning")
    return session, run, f"/sessions/{session}/runs/{run}"


async def _control(house: House, address: str, control: str, **more: Any) -> tuple[int, dict[str, Any]]:
    answer = await house.http.post(f"{address}/control", json={"control": control}, **more)
    return answer.status_code, answer.json()


async def _status(house: House, session: str) -> str:
    return str((await house.http.get(f"/sessions/{session}")).json()["runs"][0]["status"])


async def _edit_of(house: House, session: str) -> Any:
    """The newest edit, once it is recorded."""
    while True:
        edits = [message for message in await house.stream(session) if message.type == "PlanEdited"]
        if edits:
            return edits[-1]
        await asyncio.sleep(0.01)


async def _answer(house: House, session: str, run: str, event: Event) -> int:
    """Planning's answer to the newest edit: caused by it."""
    edit = await _edit_of(house, session)
    fact = Fact(event, uuid4(), UUID(run), UUID(run), edit.event_id)
    (appended,) = await house.backbone.ledger.append(
        "planning", "test:desk", [Append(UUID(session), edit.event_id, (fact,))]
    )
    assert appended.last_version
    return appended.last_version


async def test_a_run_is_paused_once_resumed_and_cancelled(house: House) -> None:
    session, run, address = await _running(house)
    assert (await _control(house, address, "resume"))[1]["code"] == 4014
    assert await _control(house, address, "pause") == (202, {"run_id": run, "control": "pause", "version": 4})
    assert await _status(house, session) == "paused"
    assert await _control(house, address, "pause") == (202, {"run_id": run, "control": "pause", "version": 4})
    assert (await _control(house, address, "resume"))[1]["version"] == 5
    assert await _status(house, session) == "running"
    assert (await _control(house, address, "cancel"))[1]["version"] == 6
    assert (await _control(house, address, "cancel"))[1]["version"] == 6
    assert (await _control(house, address, "pause"))[0] == 409
    await house.tell(session, run, RunCancelled(reason="requested"))
    status, problem = await _control(house, address, "interrupt")
    assert (status, problem["code"]) == (409, 3002)
    stream = await house.stream(session)
    assert [message.type for message in stream].count("RunControlRequested") == 3
    said, paused = stream[1], stream[3]
    assert (str(paused.run_id), paused.causation_id, paused.traceparent) == (run, said.event_id, said.traceparent)


async def test_of_ten_pauses_at_once_one_is_recorded(house: House) -> None:
    session, _, address = await _running(house)
    answers = await asyncio.gather(*(_control(house, address, "pause") for _ in range(10)))
    assert {(status, body["version"]) for status, body in answers} == {(202, 4)}
    assert len(await house.stream(session)) == 4


async def test_a_key_does_one_thing_also_when_there_was_nothing_to_do(house: House) -> None:
    session, _, address = await _running(house)
    first, second = {"Idempotency-Key": "k1"}, {"Idempotency-Key": "k2"}
    assert [(await _control(house, address, "pause", headers=first))[1]["version"] for _ in range(2)] == [4, 4]
    assert (await _control(house, address, "cancel", headers=first))[1]["code"] == 1012
    assert (await _control(house, address, "pause", headers=second))[1]["version"] == 4
    await _control(house, address, "resume")
    assert (await _control(house, address, "pause", headers=second))[0] == 202
    assert await _status(house, session) == "running"


async def test_what_is_unknown_or_malformed_is_refused(house: House) -> None:
    session, run, address = await _running(house)
    assert (await _control(house, f"/sessions/{session}/runs/{uuid4()}", "pause"))[1]["code"] == 3001
    assert (await _control(house, f"/sessions/{uuid4()}/runs/{run}", "pause"))[1]["code"] == 3000
    assert (await _control(house, f"/sessions/{session}/runs/x", "pause"))[1]["code"] == 1009
    assert (await _control(house, address, "stop"))[1]["code"] == 1000
    for body in ({"plan_version": 0, "patch": EDIT["patch"]}, {"plan_version": 1, "patch": []}, {"patch": ["x"]}):
        answer = await house.http.patch(f"{address}/plan", json=body)
        assert (answer.status_code, answer.json()["code"]) == (400, 1000)
    assert len(await house.stream(session)) == 3


async def test_an_edit_of_a_paused_run_is_answered_by_the_new_plan(house: House) -> None:
    session, run, address = await _running(house)
    early = await house.http.patch(f"{address}/plan", json=EDIT)
    assert (early.status_code, early.json()["code"]) == (409, 4014)
    await _control(house, address, "pause")
    key = {"Idempotency-Key": "k"}
    editing = asyncio.create_task(house.http.patch(f"{address}/plan", json=EDIT, headers=key))
    version = await _answer(house, session, run, REVISED)
    answer = await editing
    assert (answer.status_code, answer.json()["run_id"], answer.json()["version"]) == (200, run, version)
    assert (answer.json()["plan"]["version"], len(answer.json()["plan"]["todos"])) == (2, 1)
    again = await house.http.patch(f"{address}/plan", json=EDIT, headers=key)
    assert again.json() == answer.json()
    assert [message.type for message in await house.stream(session)].count("PlanEdited") == 1


async def test_an_edit_that_planning_refuses_is_a_problem_with_its_sentence(house: House) -> None:
    session, run, address = await _running(house)
    await _control(house, address, "interrupt")
    editing = asyncio.create_task(house.http.patch(f"{address}/plan", json=EDIT))
    await _edit_of(house, session)
    await house.tell(session, run, REVISED, by="planning")  # the answer to somebody else's edit
    await _answer(house, session, run, REFUSED)
    answer = await editing
    assert (answer.status_code, answer.json()["code"]) == (409, 4012)
    assert answer.json()["detail"] == REFUSED.error.message


async def test_an_edit_does_not_wait_for_a_run_that_ends(house: House) -> None:
    session, run, address = await _running(house)
    await _control(house, address, "pause")
    editing = asyncio.create_task(house.http.patch(f"{address}/plan", json=EDIT))
    await _edit_of(house, session)
    await house.tell(session, run, RunCancelled(reason="requested"))
    answer = await editing
    assert (answer.status_code, answer.json()["code"]) == (409, 3002)


async def test_a_socket_controls_and_edits_and_sees_what_comes_of_it(house: House) -> None:
    session, run, _ = await _running(house)
    async with house.socket(session, "?after=3") as socket:
        await frames(socket, 1)
        sent: list[dict[str, Any]] = [
            {"type": "plan_edit", "run_id": run, "ref": 1, **EDIT},
            {"type": "run_control", "run_id": run, "control": "pause", "ref": "p"},
            {"type": "plan_edit", "run_id": run, "ref": 2, **EDIT},
        ]
        answers: dict[Any, dict[str, Any]] = {}
        for one in sent:
            await socket.send(orjson.dumps(one).decode())
            while one["ref"] not in answers:
                (told,) = await frames(socket, 1)
                answers[told.get("ref", told.get("version"))] = told
        assert (answers[1]["type"], answers[1]["code"]) == ("error", 4014)
        assert answers["p"] == {"type": "ack", "of": "run_control", "version": 4, "run_id": run, "ref": "p"}
        assert answers[2] == {"type": "ack", "of": "plan_edit", "version": 5, "run_id": run, "ref": 2}
        await _answer(house, session, run, REFUSED)
        shown = [told for told in answers.values() if "event" in told]
        while len(shown) < 3:
            shown += await frames(socket, 1)
        assert [(one["type"], one["event"]) for one in sorted(shown, key=lambda one: one["version"])] == [
            ("run_control", "RunControlRequested"),
            ("event", "PlanEdited"),
            ("plan", "PlanEditRefused"),
        ]


async def test_a_budget_is_recorded_with_its_message(house: House) -> None:
    begun = await house.begin(budget={"tool_calls": 3, "soft": 0.5})
    said = (await house.stream(begun["session_id"]))[1].event
    assert said.model_dump(exclude_defaults=True)["budget"] == {"tool_calls": 3, "soft": 0.5}
    refused = await house.http.post("/agent/run", json={"text": "x", "budget": {"tool_calls": -1}})
    assert (refused.status_code, refused.json()["code"]) == (400, 1000)


async def _at_work(house: House) -> tuple[str, str]:
    session, run, _ = await _running(house)
    approved = PlanApproved(plan_id=PLANNED.plan.plan_id, plan_version=1, plan_hash="0" * 64, approved_by="policy")
    await house.tell(session, run, approved, by="planning")
    return session, run


async def test_a_run_at_work_is_controlled_by_what_is_typed_as_by_a_call(house: House) -> None:
    session, run = await _at_work(house)
    key = {"Idempotency-Key": str(uuid4())}
    body = {"text": "잠깐 멈춰", "session_id": session}
    told = [(await house.http.post("/agent/run", json=body, headers=key)).json() for _ in range(2)]
    assert told[0] == told[1]
    assert (told[0]["run_id"], told[0]["status"], told[0]["version"]) == (run, "paused", 5)
    assert await _status(house, session) == "paused"
    async with house.socket(session, "?after=5") as socket:
        await frames(socket, 1)
        await socket.send(orjson.dumps({"type": "message", "text": "Go on!", "ref": 7}).decode())
        answered = {one["type"]: one for one in await frames(socket, 2)}
    assert (answered["ack"]["run_id"], answered["ack"]["version"]) == (run, 6)
    assert answered["run_control"]["data"]["control"] == "resume"
    cancelled = await house.http.post("/agent/run-async", json={"text": "やめて", "session_id": session})
    assert (cancelled.status_code, cancelled.json()["run_id"], cancelled.json()["version"]) == (202, run, 7)
    stream = await house.stream(session)
    controls = [one for one in stream if one.type == "RunControlRequested"]
    assert [str(one.run_id) for one in controls] == [run] * 3
    assert {one.causation_id for one in controls} == {stream[1].event_id}
    assert [one.type for one in stream].count("MessageReceived") == 1


async def test_of_many_typed_at_once_one_is_recorded(house: House) -> None:
    session, run = await _at_work(house)
    body = {"text": "멈춰", "session_id": session}
    told = await asyncio.gather(*(house.http.post("/agent/run-async", json=body) for _ in range(8)))
    assert {(one.json()["run_id"], one.json()["version"]) for one in told} == {(run, 5)}
    assert [one.type for one in await house.stream(session)].count("RunControlRequested") == 1
