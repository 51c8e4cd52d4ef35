"""Every error policy, over real servers: what happens when an attempt of a todo has failed."""

import pytest

from tests.e2e.person import Json, Person
from tests.e2e.scene import Play, begun, effects, moment, perform, played, seen, stays, todo
from tests.e2e.world import World

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

CLOSED = "오늘은 무대를 열지 않습니다."


async def test_retry_waits_longer_each_time_until_it_succeeds(person: Person) -> None:
    run = await perform(person, todo("a", "moody", times=2, on_error="retry", retries=3))
    play = await played(person, run)
    assert (play.status, play.result("a")["attempts"]) == ("succeeded", 3)
    failed = [event for event in play.events if event["event"] == "TodoFailed"]
    waits = [(moment({"recorded_at": one["data"]["will_retry_at"]}) - moment(one)).total_seconds() for one in failed]
    # 1, 2, 4 s at most, half of it at least; a little of it is over when the failure is recorded, and the transaction
    # that says when that was may have begun a little before the attempt
    assert all(2**number / 2 - 0.4 < wait <= 2**number + 0.1 for number, wait in enumerate(waits)), waits
    dispatched = [moment(event) for event in play.events if event["event"] == "TodoDispatched"]
    assert all(
        moment({"recorded_at": one["data"]["will_retry_at"]}) <= again
        for one, again in zip(failed, dispatched[1:], strict=True)
    )


async def test_retry_repeats_what_would_not_pass_by_itself_and_gives_up_in_the_end(person: Person) -> None:
    run = await perform(person, todo("a", "fails", on_error="retry", retries=1))
    play = await played(person, run)
    assert (play.status, play.result("a")["attempts"]) == ("failed", 2)


async def test_skip_leaves_out_what_builds_on_it_and_nothing_else(person: Person) -> None:
    run = await perform(
        person,
        todo("a", "fails", on_error="skip"),
        todo("b", "quick", "a"),
        todo("c", "quick"),
        language="ko",
    )
    play = await played(person, run)
    assert (play.status, play.end) == ("partial", "RunCompleted")
    assert play.fates == {"a": "failed", "b": "skipped", "c": "succeeded"}
    assert play.result("a")["error"]["message"] == CLOSED
    assert play.result("b")["error"]["message"] == CLOSED


async def test_fail_ends_the_run_and_stops_what_is_in_flight(house: World, person: Person) -> None:
    run = await perform(
        person,
        todo("long", "nap", seconds=20),
        todo("a", "nap", seconds=0.5),
        todo("b", "fails", "a", on_error="fail"),
        language="ko",
    )
    await begun(house, run, "long", "a")
    play = await played(person, run, 15)
    assert (play.status, play.end) == ("failed", "RunFailed")
    assert play.output["error"]["message"] == CLOSED
    assert play.fates == {"long": "cancelled", "a": "succeeded", "b": "failed"}
    await seen(person, run, "TodoFailed", todo_id="long", late=True)
    await stays(lambda: effects(house, run), 0.3)
    assert effects(house, run) == {"a": 1}


@pytest.mark.parametrize(
    ("action", "status", "fates"),
    [
        ("retry", "succeeded", {"a": "succeeded", "b": "succeeded", "c": "succeeded"}),
        ("skip", "partial", {"a": "failed", "b": "skipped", "c": "succeeded"}),
        ("abort", "failed", {"a": "failed", "b": "cancelled", "c": "succeeded"}),
    ],
)
async def test_ask_does_what_the_person_answers(
    action: str, status: str, fates: dict[str, str], person: Person
) -> None:
    run = await perform(
        person,
        todo("a", "moody", times=1, on_error="ask", retries=0),
        todo("b", "quick", "a"),
        todo("c", "quick"),
        language="ko",
    )
    play = await asked(person, run, action)
    assert (play.status, play.fates) == (status, fates)
    assert len(play.all("TodoDispatched", "a")) == (2 if action == "retry" else 1)


async def asked(person: Person, run: Json, action: str) -> Play:
    question = await person.question(run["session_id"], "error")
    assert "지금은 어렵습니다." in question["question"]
    assert [one["value"] for one in question["options"]] == ["retry", "skip", "abort"]
    await person.answer(run["session_id"], question, action=action)
    return await played(person, run)


async def test_a_todo_that_takes_longer_than_its_own_limit_is_stopped(house: World, person: Person) -> None:
    run = await perform(
        person,
        todo("a", "nap", seconds=20, timeout_seconds=0.3, retries=0),
        todo("b", "doze", seconds=20, timeout_seconds=0.5, retries=0),
        todo("c", "nap", seconds=0.4, timeout_seconds=5),
        language="ko",
    )
    play = await played(person, run, 15)
    assert play.fates == {"a": "failed", "b": "failed", "c": "succeeded"}
    assert [play.result(name)["error"]["code"] for name in "ab"] == [6001, 6001]
    assert effects(house, run) == {"c": 1}
