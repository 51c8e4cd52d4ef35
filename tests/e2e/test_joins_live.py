"""Every join, over real servers: how many of those it waits for a todo needs."""

import pytest

from tests.e2e.person import Person
from tests.e2e.scene import begun, effects, perform, played, stays, todo
from tests.e2e.world import World

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


async def test_all_waits_for_every_one_and_cannot_do_without_one_that_failed(person: Person) -> None:
    run = await perform(
        person,
        todo("a", "quick"),
        todo("b", "nap", seconds=0.3),
        todo("c", "fails"),
        todo("both", "quick", "a", "b"),
        todo("never", "quick", "a", "c"),
    )
    play = await played(person, run)
    assert play.place("TodoDispatched", "both") > play.place("TodoSucceeded", "b")
    assert (play.fates["both"], play.fates["never"]) == ("succeeded", "skipped")
    (skipped,) = play.all("TodoSkipped", "never")
    assert (skipped["reason"], skipped["cause"]) == ("dependency_failed", "c")


async def test_any_runs_after_the_first_success_whatever_became_of_the_others(person: Person) -> None:
    run = await perform(
        person,
        todo("broken", "fails"),
        todo("fast", "quick"),
        todo("slow", "nap", seconds=1.2),
        todo("then", "quick", "broken", "fast", "slow", join="any"),
    )
    play = await played(person, run)
    assert play.place("TodoSucceeded", "then") < play.place("TodoSucceeded", "slow")
    assert play.fates == {"broken": "failed", "fast": "succeeded", "slow": "succeeded", "then": "succeeded"}


async def test_two_of_three_are_enough_and_one_of_three_is_not(person: Person) -> None:
    run = await perform(
        person,
        todo("a", "quick"),
        todo("b", "nap", seconds=0.3),
        todo("c", "nap", seconds=1.5),
        todo("x", "fails"),
        todo("y", "fails"),
        todo("two", "quick", "a", "b", "c", join="k_of_n", join_count=2),
        todo("short", "quick", "a", "x", "y", join="k_of_n", join_count=2),
    )
    play = await played(person, run)
    assert play.place("TodoSucceeded", "b") < play.place("TodoDispatched", "two") < play.place("TodoSucceeded", "c")
    assert (play.fates["two"], play.fates["short"]) == ("succeeded", "skipped")


async def test_of_the_first_good_the_others_are_stopped_and_skipped(house: World, person: Person) -> None:
    run = await perform(
        person,
        todo("broken", "fails"),
        todo("fast", "nap", seconds=1),
        todo("slow", "nap", seconds=30),
        todo("slower", "doze", seconds=30),
        todo("then", "quick", "broken", "fast", "slow", "slower", join="first_good"),
    )
    await begun(house, run, "fast", "slow")
    play = await played(person, run, 25)
    assert play.fates == {
        "broken": "failed",
        "fast": "succeeded",
        "slow": "skipped",
        "slower": "skipped",
        "then": "succeeded",
    }
    for name in ("slow", "slower"):
        (skipped,) = play.all("TodoSkipped", name)
        assert (skipped["reason"], skipped["cause"]) == ("policy", "fast")
    await stays(lambda: effects(house, run), 0.5)
    assert effects(house, run) == {"fast": 1}
