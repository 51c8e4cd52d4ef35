"""Every control of a run, over real servers: pause, resume, interrupt, cancel, and an edit in between."""

import asyncio

import pytest

from tests.e2e.person import Json, Person, eventually, only
from tests.e2e.scene import begun, control, effects, envelopes, perform, played, seen, stays, todo
from tests.e2e.world import World

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


async def test_a_paused_run_ends_what_it_has_begun_and_begins_nothing_until_it_is_resumed(
    house: World, person: Person
) -> None:
    run = await perform(person, todo("a", "nap", seconds=1.2), todo("b", "nap", "a", seconds=0.1))
    await begun(house, run, "a")
    await control(person, run, "pause")
    await seen(person, run, "TodoSucceeded", todo_id="a")
    await asyncio.sleep(0.5)
    assert dispatched(await person.events(run["session_id"])) == ["a"]
    await control(person, run, "resume")
    play = await played(person, run)
    assert play.status == "succeeded" and effects(house, run) == {"a": 1, "b": 1}
    resumed = envelopes(play.events, "RunControlRequested", control="resume")[0]["version"]
    assert play.place("TodoDispatched", "b") > resumed


@pytest.mark.parametrize(
    ("hold", "go_on"), [("잠깐 멈춰", "계속해"), ("stop", "go on"), ("一時停止して", "続けて")], ids=["ko", "en", "ja"]
)
async def test_what_is_typed_holds_the_run_lets_it_go_on_and_begins_no_other(
    house: World, person: Person, hold: str, go_on: str
) -> None:
    run = await perform(person, todo("a", "nap", seconds=1.2), todo("b", "nap", "a", seconds=0.1))
    await begun(house, run, "a")
    held = await person.say(hold, session_id=run["session_id"])
    assert held["run_id"] == run["run_id"]
    state = (await person.ask("GET", f"/sessions/{run['session_id']}")).json()
    assert [one["status"] for one in state["runs"]] == ["paused"]
    await asyncio.sleep(1.5)
    assert "b" not in dispatched(await person.events(run["session_id"]))
    assert (await person.say(go_on, session_id=run["session_id"]))["run_id"] == run["run_id"]
    play = await played(person, run)
    assert play.status == "succeeded" and effects(house, run) == {"a": 1, "b": 1}


@pytest.mark.parametrize("word", ["그만둬", "cancel it", "やめて"])
async def test_what_is_typed_cancels_the_run(house: World, person: Person, word: str) -> None:
    run = await perform(person, todo("a", "nap", seconds=20))
    await begun(house, run, "a")
    assert (await person.say(word, session_id=run["session_id"]))["run_id"] == run["run_id"]
    play = await played(person, run, 10)
    assert (play.status, play.end) == ("cancelled", "RunCancelled")
    assert effects(house, run) == {}


async def test_a_retry_that_falls_into_a_pause_waits_for_its_end(person: Person) -> None:
    run = await perform(person, todo("a", "moody", times=1, on_error="retry"))
    await seen(person, run, "TodoFailed", todo_id="a")
    await control(person, run, "pause")
    await asyncio.sleep(1.8)  # the first retry is due within a second
    assert dispatched(await person.events(run["session_id"])) == ["a"]
    await control(person, run, "resume")
    play = await played(person, run)
    assert (play.status, play.result("a")["attempts"]) == ("succeeded", 2)
    resumed = envelopes(play.events, "RunControlRequested", control="resume")[0]["version"]
    assert envelopes(play.events, "TimerFired")[0]["version"] > resumed


async def test_an_interrupted_run_stops_what_is_in_flight_and_does_it_again_when_resumed(
    house: World, person: Person
) -> None:
    run = await perform(person, todo("a", "nap", seconds=4), todo("b", "doze", seconds=4), todo("c", "quick", "a", "b"))
    await begun(house, run, "a", "b")
    await control(person, run, "interrupt")
    await seen(person, run, "TodoFailed", todo_id="a")
    await seen(person, run, "TodoFailed", todo_id="b")
    await stays(lambda: effects(house, run), 0.3)
    assert effects(house, run) == {}
    await control(person, run, "resume")
    play = await played(person, run)
    assert play.status == "succeeded" and effects(house, run) == {"a": 1, "b": 1}
    assert [play.result(name).get("attempts", 1) for name in "abc"] == [2, 2, 1]


async def test_a_cancelled_run_stops_everything_and_what_comes_late_changes_nothing(
    house: World, person: Person
) -> None:
    run = await perform(
        person, todo("a", "nap", seconds=20), todo("b", "doze", seconds=20), todo("c", "quick"), todo("d", "quick", "a")
    )
    await begun(house, run, "a", "b")
    await control(person, run, "cancel")
    play = await played(person, run, 10)
    assert (play.status, play.end) == ("cancelled", "RunCancelled")
    assert (play.fates["c"], play.fates["d"]) == ("succeeded", "cancelled")
    assert (play.fates["a"], play.fates["b"]) == ("cancelled", "cancelled")
    late = [*await seen(person, run, "TodoFailed", todo_id="a"), *await seen(person, run, "TodoFailed", todo_id="b")]
    assert all(one["data"]["late"] and one["data"]["error"]["code"] == 6007 for one in late)
    await stays(lambda: effects(house, run), 0.5)
    assert effects(house, run) == {}
    after = await person.events(run["session_id"])
    assert len(envelopes(after, "ExecutionOutput")) == len(envelopes(after, "RunCancelled")) == 1
    state = (await person.ask("GET", f"/sessions/{run['session_id']}")).json()
    assert state["runs"][0]["status"] == "cancelled"


async def test_an_answer_in_a_pause_is_taken_and_acted_on_when_the_run_goes_on(house: World, person: Person) -> None:
    run = await perform(person, todo("a", "gated"))
    question = await person.question(run["session_id"], "tool", 20)
    await control(person, run, "pause")
    await person.answer(run["session_id"], question, action="approve")
    await asyncio.sleep(0.5)
    assert effects(house, run) == {}
    await control(person, run, "resume")
    assert (await played(person, run)).status == "succeeded"
    assert effects(house, run) == {"a": 1}


async def test_a_paused_run_can_be_cancelled(house: World, person: Person) -> None:
    run = await perform(person, todo("a", "nap", seconds=3), todo("b", "nap", "a", seconds=0.1))
    await begun(house, run, "a")
    await control(person, run, "pause")
    await control(person, run, "cancel")
    play = await played(person, run, 10)
    assert (play.status, play.end) == ("cancelled", "RunCancelled")
    assert len(envelopes(play.events, "TodoDispatched")) == 1


@pytest.mark.parametrize("verb", ["interrupt", "cancel"])
async def test_an_effect_that_has_happened_when_its_call_is_stopped_is_found_and_not_repeated(
    verb: str, house: World, person: Person
) -> None:
    run = await perform(person, todo("a", "charge", seconds=30), todo("b", "quick", "a"))
    await eventually(lambda: happened(house, run), "the effect")
    await control(person, run, verb)
    (found,) = await seen(person, run, "TodoSucceeded", todo_id="a")
    assert found["data"]["result"] == {"found": True}
    assert found["data"].get("late", False) is (verb == "cancel")
    if verb == "interrupt":
        await control(person, run, "resume")
    play = await played(person, run)
    ends = "cancelled" if verb == "cancel" else "succeeded"
    assert (play.status, play.fates["a"], play.fates["b"]) == (ends, ends, ends)
    assert effects(house, run) == {"a": 1}


async def happened(house: World, run: Json) -> bool:
    return effects(house, run) == {"a": 1}


async def test_a_plan_edited_while_paused_runs_as_it_is_now(house: World, person: Person) -> None:
    run = await perform(
        person,
        todo("a", "nap", seconds=1.2),
        todo("b", "nap", "a", seconds=0.1),
        todo("c", "nap", "a", seconds=20),
    )
    await begun(house, run, "a")
    await control(person, run, "pause")
    await seen(person, run, "TodoSucceeded", todo_id="a")
    refused = await edit(person, run, 2, {"op": "replace", "path": "/0/params", "value": {"seconds": 9}})
    assert (refused[0], refused[1]["code"]) == (409, 4012)
    stale = await edit(person, run, 1, {"op": "remove", "path": "/1"})
    assert stale[1]["code"] == 3003
    status, revised = await edit(
        person, run, 2,
        {"op": "replace", "path": "/2/params/seconds", "value": 0.1},
        {"op": "add", "path": "/-", "value": todo("d", "nap", "c", seconds=0.1)},
        {"op": "remove", "path": "/1"},
    )  # fmt: skip
    assert status == 200 and revised["plan"]["version"] == 3
    assert dispatched(await person.events(run["session_id"])) == ["a"]
    await control(person, run, "resume")
    play = await played(person, run, 15)
    assert play.status == "succeeded" and play.output["plan_version"] == 3
    assert effects(house, run) == {"a": 1, "c": 1, "d": 1}
    assert play.result("a").get("attempts", 1) == 1, "what was finished is kept"


async def test_an_edit_of_a_run_that_is_not_paused_and_a_control_of_one_that_has_ended_are_refused(
    person: Person,
) -> None:
    run = await perform(person, todo("a", "nap", seconds=1))
    status, problem = await edit(person, run, 2, {"op": "remove", "path": "/0"})
    assert (status, problem["code"]) == (409, 4014)
    await played(person, run)
    path = f"/sessions/{run['session_id']}/runs/{run['run_id']}/control"
    for verb in ("pause", "resume", "interrupt", "cancel"):
        answer = await person.ask("POST", path, json={"control": verb})
        assert (answer.status_code, answer.json()["code"]) == (409, 3002)
    only(await person.events(run["session_id"]), "RunCompleted")


async def edit(person: Person, run: Json, version: int, *patch: Json) -> tuple[int, Json]:
    path = f"/sessions/{run['session_id']}/runs/{run['run_id']}/plan"

    async def once() -> tuple[int, Json]:
        answer = await person.ask("PATCH", path, json={"plan_version": version, "patch": list(patch)})
        return answer.status_code, answer.json()

    return await eventually(once, "the answer to an edit")


def dispatched(events: list[Json]) -> list[str]:
    return [event["data"]["todo"]["id"] for event in envelopes(events, "TodoDispatched")]
