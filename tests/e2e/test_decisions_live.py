"""Every kind of question that execution asks, over real servers, and every way in which it can end."""

import asyncio
import random
from typing import Any

import httpx
import pytest

from dream.local.nats import free_port
from tests.e2e.person import Json, Person, eventually, of
from tests.e2e.scene import begun, control, effects, let_time_pass, perform, played, todo
from tests.e2e.world import World

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]


async def asked(person: Person, kind: str, *todos: Json, **say: Any) -> tuple[Json, Json]:
    """A run of these todos, and its open question of the kind."""
    run = await perform(person, *todos, **say)
    return run, await person.question(run["session_id"], kind, 20)


async def test_a_gated_tool_runs_only_after_a_person_has_approved_exactly_its_arguments(
    house: World, person: Person
) -> None:
    run, question = await asked(person, "tool", todo("a", "gated", to="Kim"), todo("b", "quick", "a"))
    assert question["subject"]["params"] == {"to": "Kim"} and len(question["subject"]["arguments_hash"]) == 64
    assert effects(house, run) == {}
    await person.answer(run["session_id"], question, action="approve")
    play = await played(person, run)
    assert play.status == "succeeded" and effects(house, run) == {"a": 1}


async def test_a_rejected_tool_is_left_out_with_all_that_needs_it(house: World, person: Person) -> None:
    run, question = await asked(
        person, "tool", todo("a", "gated"), todo("b", "quick", "a"), todo("c", "quick"), language="ko"
    )
    await person.answer(run["session_id"], question, action="reject", reason="아직 아니에요")
    play = await played(person, run)
    assert play.fates == {"a": "skipped", "b": "skipped", "c": "succeeded"}
    assert play.all("TodoSkipped", "a")[0]["reason"] == "person"
    assert play.result("a")["error"]["code"] == 5004 and effects(house, run) == {}


async def test_a_question_about_a_tool_that_expires_is_not_an_approval_and_not_a_rejection(
    house: World, person: Person
) -> None:
    run, question = await asked(person, "tool", todo("a", "gated"), todo("b", "quick"), language="ko")
    await let_time_pass(house, question)
    play = await played(person, run)
    assert of(play.events, "DecisionExpired")[0]["decision_id"] == question["decision_id"]
    assert play.fates == {"a": "skipped", "b": "succeeded"} and effects(house, run) == {}
    assert play.all("TodoSkipped", "a")[0]["reason"] == "policy" and play.result("a")["error"]["code"] == 5003
    late = await answer(person, run, question, action="approve")
    assert (late.status_code, late.json()["code"]) == (409, 5001)


@pytest.mark.parametrize(("action", "fate"), [("wait", "succeeded"), ("cancel", "skipped"), ("", "skipped")])
async def test_whoever_finds_a_tool_locked_waits_in_line_or_leaves_it(
    action: str, fate: str, house: World, person: Person
) -> None:
    first = await perform(person, todo("a", "device", seconds=2.5 if action == "wait" else 20))
    await begun(house, first, "a")
    run, question = await asked(person, "lock", todo("b", "screen", seconds=0.1))
    assert question["subject"]["groups"] == ["MonitorBox"]
    if action:
        await person.answer(run["session_id"], question, action=action)
    else:
        await let_time_pass(house, question)
    play = await played(person, run)
    assert play.fates == {"b": fate}
    if action == "wait":
        (busy,) = play.all("ToolBusy", "b")
        assert busy["position"] == 1 and effects(house, run) == {"b": 1}
    else:
        await control(person, first, "cancel")
        assert effects(house, run) == {}
    await person.end_of(first)


async def test_a_question_about_an_error_that_nobody_answers_skips_the_step(house: World, person: Person) -> None:
    run, question = await asked(person, "error", todo("a", "fails", on_error="ask"), todo("b", "quick"))
    await let_time_pass(house, question)
    play = await played(person, run)
    assert play.status == "partial" and play.fates == {"a": "failed", "b": "succeeded"}


@pytest.mark.parametrize(
    ("given", "done", "error"),
    [
        ({"action": "raise", "budget": {"tool_calls": 3}}, 3, None),
        ({"action": "raise"}, 3, None),
        ({"action": "stop"}, 2, 4010),
        ({}, 2, 4010),
    ],
)
async def test_a_run_at_its_limit_asks_and_is_raised_or_stops_with_what_is_there(
    given: Json, done: int, error: int | None, house: World, person: Person
) -> None:
    chain = [todo("a", "write"), todo("b", "write", "a"), todo("c", "write", "b")]
    run, question = await asked(person, "budget", *chain, budget={"tool_calls": 2})
    assert question["subject"]["used"] == {"tool_calls": 2} and question["subject"]["hard"] is True
    if given:
        await person.answer(run["session_id"], question, **given)
    else:
        await let_time_pass(house, question)
    play = await played(person, run)
    assert list(play.fates.values()).count("succeeded") == done
    assert (play.status, play.end) == ("partial" if error else "succeeded", "RunCompleted")
    assert (play.output.get("error") or {}).get("code") == error


async def test_at_a_soft_limit_the_run_goes_on_while_the_person_is_asked_and_at_the_hard_one_it_stops(
    person: Person,
) -> None:
    chain = [todo("a", "quick"), todo("b", "nap", "a", seconds=0.8), todo("c", "quick", "b")]
    run, soft = await asked(person, "budget", *chain, budget={"tool_calls": 2, "soft": 0.5})
    assert [one["value"] for one in soft["options"]] == ["continue", "raise", "stop"]
    await person.answer(run["session_id"], soft, action="continue")
    hard = await person.question(run["session_id"], "budget", 20)
    assert [one["value"] for one in hard["options"]] == ["raise", "stop"]
    await person.answer(run["session_id"], hard, action="raise")
    assert (await played(person, run)).status == "succeeded"


async def test_an_answer_that_breaks_the_schema_or_comes_from_elsewhere_changes_nothing(
    house: World, person: Person
) -> None:
    run, question = await asked(person, "tool", todo("a", "gated"))
    for wrong in ({"action": "yes"}, {}, {"action": "approve", "more": 1}, {"action": None}):
        refused = await answer(person, run, question, **wrong)
        assert (refused.status_code, refused.json()["code"]) == (422, 5002)
    other = await person.say("/scene", auto_approve=True)
    elsewhere = await answer(person, other, question, action="approve")
    assert (elsewhere.status_code, elsewhere.json()["code"]) == (404, 5000)
    assert effects(house, run) == {} and not of(await person.events(run["session_id"]), "TodoSkipped")
    both = await asyncio.gather(*(answer(person, run, question, action=one) for one in ("approve", "reject") * 4))
    assert sorted(one.status_code for one in both) == [200] + [409] * 7
    play = await played(person, run)
    assert play.status in {"succeeded", "failed"}
    assert effects(house, run) == ({"a": 1} if play.status == "succeeded" else {})


async def test_a_question_outlives_the_process_that_asked_it(house: World, person: Person) -> None:
    run, question = await asked(person, "tool", todo("a", "gated", to="Lee"), todo("b", "quick", "a"))
    await house.stack.kill("execution")
    await person.answer(run["session_id"], question, action="approve")
    await house.stack.restart("execution")
    play = await played(person, run)
    assert play.status == "succeeded" and effects(house, run) == {"a": 1}
    assert len(of(play.events, "DecisionRequested")) == 3, "the two of the plan, and this one"


async def test_fifty_questions_answered_in_any_order_at_two_gateways_each_reach_their_own_todo(
    house: World, person: Person
) -> None:
    names = [f"g{number}" for number in range(50)]
    run = await perform(person, *(todo(name, "gated", to=name) for name in names))
    port = free_port()
    with house.replica("gateway", DREAM_PORT=str(port)):
        async with Person(f"http://127.0.0.1:{port}") as second:
            await eventually(lambda: healthy(second), "the second gateway")
            questions = await all_of(second, run, len(names))
            random.Random(7).shuffle(questions)
            wishes = {one["subject"]["todo_id"]: place % 3 > 0 for place, one in enumerate(questions)}
            answers = [
                (person, second)[place % 2].answer(
                    run["session_id"], one, action="approve" if wishes[one["subject"]["todo_id"]] else "reject"
                )
                for place, one in enumerate(questions)
            ]
            await asyncio.gather(*answers)
    play = await played(person, run, 90)
    assert play.fates == {name: "succeeded" if wishes[name] else "skipped" for name in names}
    assert effects(house, run) == {name: 1 for name in names if wishes[name]}


async def all_of(person: Person, run: Json, number: int) -> list[Json]:
    async def look() -> list[Json] | None:
        answer = await person.ask("GET", f"/sessions/{run['session_id']}/decisions")
        if answer.status_code == 503:  # a gateway that has just started on a busy machine: it says to ask again
            return None
        assert answer.status_code == 200, answer.text
        found: list[Json] = answer.json()["open_decisions"]
        return found if len(found) == number else None

    return await eventually(look, f"{number} open questions")


async def healthy(person: Person) -> bool:
    try:
        return (await person.ask("GET", "/health")).status_code == httpx.codes.OK
    except httpx.TransportError:
        return False


async def answer(person: Person, run: Json, question: Json, **given: object) -> httpx.Response:
    """An answer as it is, without patience."""
    path = f"/sessions/{run['session_id']}/decisions/{question['decision_id']}"
    return await person.ask("POST", path, json={"answer": given})
