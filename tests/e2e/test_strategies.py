"""Every strategy, over real servers: which one a plan calls for, and how its todos run."""

import pytest

from tests.e2e.person import Person, only
from tests.e2e.scene import Play, envelopes, perform, played, todo

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


async def run(person: Person, command: str) -> Play:
    return await played(person, await person.say(command, auto_approve=True, language="en"))


def strategy(play: Play) -> str:
    return str(only(play.events, "ExecutionStarted")["strategy"])


async def test_one_todo_runs_single(person: Person) -> None:
    play = await run(person, "/scene")
    assert (strategy(play), play.status, play.end) == ("single", "succeeded", "RunCompleted")


async def test_a_chain_runs_in_sequence_each_after_the_one_before(person: Person) -> None:
    play = await run(person, "/chain")
    assert (strategy(play), play.status) == ("sequential", "succeeded")
    assert play.place("TodoSucceeded", "first") < play.place("TodoDispatched", "second")
    assert play.place("TodoSucceeded", "second") < play.place("TodoDispatched", "third")


async def test_todos_that_wait_for_nothing_run_at_the_same_time(person: Person) -> None:
    play = await run(person, "/crowd 20")
    assert (strategy(play), play.status) == ("parallel", "succeeded")
    dispatched, succeeded = envelopes(play.events, "TodoDispatched"), envelopes(play.events, "TodoSucceeded")
    assert len(dispatched) == 20 and dispatched[-1]["version"] < succeeded[0]["version"]


async def test_a_swarm_goes_on_with_what_its_workers_found_and_names_the_one_that_failed(person: Person) -> None:
    play = await run(person, "/swarm")
    assert (strategy(play), play.status, play.end) == ("swarm", "partial", "RunCompleted")
    assert play.fates == {"data": "succeeded", "insight": "failed", "content": "succeeded", "whole": "succeeded"}
    assert play.result("whole")["result"] == {"notes": 2}
    text = only(play.events, "ResponseOutput")["text"]
    assert "stage.fails" in text and "The stage is closed today." in text


async def test_a_cycle_that_is_good_in_its_second_round_ends_there(person: Person) -> None:
    play = await run(person, "/polish")
    assert (strategy(play), play.status) == ("cyclic", "succeeded")
    assert [one.get("round", 1) for one in play.all("TodoDispatched", "draft")] == [1, 2]
    assert [one["result"]["score"] for one in play.all("TodoSucceeded", "judge")] == [0.5, 1.0]
    assert play.place("TodoSucceeded", "judge") < play.place("TodoDispatched", "after")
    assert len(play.all("TodoDispatched", "after")) == 1


async def test_a_cycle_that_is_never_good_is_broken_after_three_rounds_and_says_so(person: Person) -> None:
    play = await run(person, "/perfection")
    assert (strategy(play), play.status) == ("cyclic", "partial")
    assert [one.get("round", 1) for one in play.all("TodoDispatched", "judge")] == [1, 2, 3]
    judge = play.result("judge")
    assert (judge["status"], judge["error"]["code"], judge["result"]["round"]) == ("succeeded", 4016, 3)
    assert play.fates["after"] == "succeeded"
    assert judge["error"]["message"] in only(play.events, "ResponseOutput")["text"]


async def test_a_todo_starts_as_soon_as_its_own_dependencies_are_done(person: Person) -> None:
    uneven = await perform(
        person,
        todo("fast", "quick"),
        todo("slow", "nap", seconds=1.5),
        todo("next", "quick", "fast"),
        todo("last", "quick", "next"),
    )
    play = await played(person, uneven)
    assert play.place("TodoSucceeded", "last") < play.place("TodoSucceeded", "slow")
    assert play.status == "succeeded"
