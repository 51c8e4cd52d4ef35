"""What a person can do with a plan before it runs: edit it, reject it, reject it with a reason, answer too late."""

import asyncio

import pytest

from services.gateway.domain.typed import SEEN_AFTER
from tests.e2e.person import Json, Person, eventually, of, only
from tests.e2e.test_main_job import demo

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

SENTENCE = "이 리뷰들 감성이랑 키워드 분석하고 월별 트렌드까지 리포트로 만들어줘"


async def test_a_step_that_the_person_takes_out_does_not_run(person: Person) -> None:
    run, question, plan = await proposed(person)
    assert {"keyword", "trends"} <= set(tools(plan))
    number = tools(plan).index("keyword")
    await person.answer(run["session_id"], question, action="edit", patch=[{"op": "remove", "path": f"/{number}"}])
    again = await next_question(person, run, question)
    events = await person.events(run["session_id"])
    edited = of(events, "PlanningOutput")[-1]["plan"]
    assert (edited["version"], set(tools(edited))) == (2, set(tools(plan)) - {"keyword"})
    await person.answer(run["session_id"], again, action="approve")
    events = await person.end_of(run, 120)
    assert only(events, "PlanApproved")["plan_version"] == 2
    dispatched = {one["todo"]["tool"].split(".")[1] for one in of(events, "TodoDispatched")}
    assert dispatched == set(tools(edited))
    assert len(only(events, "ResponseOutput")["attachments"]) == 3, "the PDF and the charts of sentiment and trend"


async def test_a_step_is_taken_out_by_typing_its_place(person: Person) -> None:
    run, question, plan = await proposed(person)
    await asyncio.sleep(SEEN_AFTER.total_seconds() + 0.1)
    typed = await person.say("마지막 단계는 안 해도 돼", session_id=run["session_id"])
    assert typed["run_id"] == run["run_id"]
    again = await next_question(person, run, question)
    edited = of(await person.events(run["session_id"]), "PlanningOutput")[-1]["plan"]
    assert (edited["version"], tools(edited)) == (2, tools(plan)[:-1])
    await person.answer(run["session_id"], again, action="reject")
    await person.end_of(run)


async def test_an_edit_that_cannot_be_made_leaves_the_plan_as_it_is_and_asks_again(person: Person) -> None:
    run, question, plan = await proposed(person)
    number = tools(plan).index("preprocessor")
    await person.answer(run["session_id"], question, action="edit", patch=[{"op": "remove", "path": f"/{number}"}])
    again = await next_question(person, run, question)
    assert again["question"].startswith("그렇게는 바꿀 수 없어요")
    assert len(of(await person.events(run["session_id"]), "PlanningOutput")) == 1
    await person.answer(run["session_id"], again, action="reject")
    await person.end_of(run)


async def test_a_step_is_added_by_its_tool_alone_and_what_falls_with_one_is_named(person: Person) -> None:
    run, question, plan = await proposed(person)
    number = tools(plan).index("collector")
    reader = plan["todos"][number]["id"]
    unlinked = [
        {"op": "add", "path": f"/{place}/depends_on", "value": [one for one in todo["depends_on"] if one != reader]}
        for place, todo in enumerate(plan["todos"])
        if reader in todo.get("depends_on", ())
    ]
    await person.answer(
        run["session_id"], question, action="edit", patch=[*unlinked, {"op": "remove", "path": f"/{number}"}]
    )
    again = await next_question(person, run, question)
    assert all(title in again["question"] for title in ("리뷰 정리하기", "감성 분석하기", "키워드 뽑기"))
    added = {"tool": "marketing.export", "params": {"file": "csv"}}
    await person.answer(run["session_id"], again, action="edit", patch=[{"op": "add", "path": "/-", "value": added}])
    asked = await next_question(person, run, again)
    await person.answer(run["session_id"], asked, action="approve")
    events = await person.end_of(run, 120)
    new = next(todo for todo in of(events, "PlanningOutput")[-1]["plan"]["todos"] if todo["tool"] == "marketing.export")
    assert new["title"] == "리뷰별 결과 표 만들기" and len(new["depends_on"]) == 3
    names = [one["name"] for one in only(events, "ResponseOutput")["attachments"]]
    assert any(name.endswith(".csv") for name in names)


async def test_a_rejected_plan_ends_the_run_without_running_anything(person: Person) -> None:
    run, question, _ = await proposed(person)
    await person.answer(run["session_id"], question, action="reject")
    events = await person.end_of(run)
    assert only(events, "RunCancelled")["reason"] == "rejected"
    assert not of(events, "TodoDispatched") and not of(events, "PlanApproved")
    state = (await person.ask("GET", f"/sessions/{run['session_id']}")).json()
    assert state["runs"][0]["status"] == "rejected" and state["open_decisions"] == []


async def test_a_plan_rejected_with_a_reason_comes_back_revised(person: Person) -> None:
    run, question, plan = await proposed(person)
    await person.answer(run["session_id"], question, action="reject", reason="키워드는 빼줘")
    again = await next_question(person, run, question)
    events = await person.events(run["session_id"])
    revised = of(events, "PlanningOutput")[-1]["plan"]
    assert (revised["version"], set(tools(revised))) == (2, set(tools(plan)) - {"keyword"})
    assert only(events, "PlanRejected")["final"] is False
    await person.answer(run["session_id"], again, action="reject")
    assert only(await person.end_of(run), "RunCancelled")["reason"] == "rejected"


async def test_of_two_answers_at_once_one_is_taken(person: Person) -> None:
    run, question, _ = await proposed(person)
    path = f"/sessions/{run['session_id']}/decisions/{question['decision_id']}"
    answers = await asyncio.gather(*(person.ask("POST", path, json={"answer": {"action": "reject"}}) for _ in range(8)))
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 7
    assert {answer.json()["code"] for answer in answers if answer.status_code == 409} == {5001}
    events = await person.end_of(run)
    only(events, "DecisionAnswered")
    late = await person.ask("POST", path, json={"answer": {"action": "approve"}})
    assert (late.status_code, late.json()["code"]) == (409, 5001)


async def proposed(person: Person) -> tuple[Json, Json, Json]:
    """A run whose plan waits: the run, the question, the plan."""
    run = await person.say(SENTENCE, attachments=[await person.upload("reviews.csv", demo("ko"))])
    question = await person.question(run["session_id"], seconds=120)
    plan = only(await person.events(run["session_id"]), "PlanningOutput")["plan"]
    return run, question, plan


async def next_question(person: Person, run: Json, last: Json) -> Json:
    async def look() -> Json | None:
        now = await person.question(run["session_id"])
        return now if now["decision_id"] != last["decision_id"] else None

    return await eventually(look, "another question")


def tools(plan: Json) -> list[str]:
    return [todo["tool"].split(".")[1] for todo in plan["todos"]]
