"""Controls and edits with the real desks of planning and response behind the gateway; execution is the test's pen."""

import asyncio
from collections.abc import AsyncIterator
from uuid import UUID, uuid5

import pytest

from backbone import packs
from contracts.cognitive import PlanHint
from contracts.execution import TodoDispatched
from contracts.planning import Plan, PlanApproved, PlanningOutput, TodoItem
from services.planning import app as planning
from services.planning.approval import approved
from services.planning.domain.plan import make
from services.response import app as response
from tests.integration.gateway.conftest import House
from tests.unit.services.given import NOW
from tests.unit.services.plans import succeeded

READ = "marketing.collector"


@pytest.fixture
async def layers(house: House) -> AsyncIterator[House]:
    services = [planning.service(house.backbone), response.service(house.backbone)]
    for service in services:
        await service.start()
    try:
        yield house
    finally:
        for service in services:
            await service.stop()


def plan_of(run: str) -> Plan:
    """Two todos that do not need each other, by tools that exist."""
    tools = packs.load(("platform", "marketing")).tools
    todos = [
        TodoItem(id=todo_id, title=title, tool=READ, executor=tools[READ].executor)
        for todo_id, title in (("t1", "첫째"), ("t2", "둘째"))
    ]
    return make(uuid5(UUID(run), "plan"), 1, PlanHint(), todos, tools)


async def _running(house: House) -> tuple[str, str, str]:
    begun = await house.begin("리뷰 분석해줘")
    session, run = begun["session_id"], begun["run_id"]
    plan = plan_of(run)
    proposed = PlanningOutput(plan=plan, language="ko", requires_approval=False)
    await house.tell(session, run, proposed, approved(plan, "policy"), by="planning")
    return session, run, f"/sessions/{session}/runs/{run}"


async def test_planning_answers_an_edit_of_a_paused_run_in_time(layers: House) -> None:
    session, _, address = await _running(layers)
    await layers.http.post(f"{address}/control", json={"control": "pause"})
    edit = {"plan_version": 1, "patch": [{"op": "remove", "path": "/1"}]}
    answers = await asyncio.gather(*(layers.http.patch(f"{address}/plan", json=edit) for _ in range(2)))
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    revised = next(answer.json() for answer in answers if answer.status_code == 200)
    assert (revised["plan"]["version"], [todo["id"] for todo in revised["plan"]["todos"]]) == (2, ["t1"])
    (refused,) = [answer.json() for answer in answers if answer.status_code == 409]
    assert (refused["code"], "버전" in refused["detail"]) == (3003, True)
    stream = await layers.stream(session)
    approvals = [message.event for message in stream if message.type == "PlanApproved"]
    assert [one.plan_version for one in approvals if isinstance(one, PlanApproved)] == [1, 2]


async def test_what_is_over_is_refused_in_the_language_of_the_plan(layers: House) -> None:
    session, run, address = await _running(layers)

    plan = plan_of(run)
    dispatched = TodoDispatched(plan_id=plan.plan_id, todo=plan.todos[0], attempt=1, language="ko", requested_at=NOW)
    await layers.tell(session, run, dispatched, succeeded("t1"), by="execution")
    await layers.http.post(f"{address}/control", json={"control": "pause"})
    edit = {"plan_version": 1, "patch": [{"op": "replace", "path": "/0/title", "value": "다른 이름"}]}
    answer = await layers.http.patch(f"{address}/plan", json=edit)
    assert (answer.status_code, answer.json()["code"]) == (409, 4012)
    assert "‘첫째’" in answer.json()["detail"]


async def test_an_early_cancel_ends_the_run_at_once(layers: House) -> None:
    begun = await layers.begin("리뷰 분석해줘")
    session, run = begun["session_id"], begun["run_id"]
    answer = await layers.http.post(f"/sessions/{session}/runs/{run}/control", json={"control": "cancel"})
    assert answer.status_code == 202
    async with asyncio.timeout(10):
        while (await layers.http.get(f"/sessions/{session}")).json()["runs"][0]["status"] != "cancelled":
            await asyncio.sleep(0.02)
    stream = await layers.stream(session)
    assert [message.type for message in stream][-2:] == ["RunControlRequested", "RunCancelled"]
