"""Tools that only so many may use at once, over real servers: sessions wait in line, and the dead do not hold on."""

import asyncpg
import pytest

from backbone.scratch import PREFIX
from tests.e2e.person import Person, eventually
from tests.e2e.scene import begun, control, effects, perform, played, seen, todo
from tests.e2e.world import World

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]


async def test_sessions_get_a_device_one_after_the_other_in_the_order_of_their_line(
    house: World, person: Person
) -> None:
    first = await perform(person, todo("a", "device", seconds=2.5))
    await begun(house, first, "a")
    second = await perform(person, todo("b", "device", seconds=0.2))
    (busy,) = await seen(person, second, "ToolBusy", todo_id="b")
    third = await perform(person, todo("c", "device", seconds=0.2))
    (last,) = await seen(person, third, "ToolBusy", todo_id="c")
    assert (busy["data"]["position"], last["data"]["position"]) == (1, 2)
    assert busy["data"]["group_key"] == "MonitorBox"
    plays = [await played(person, run) for run in (first, second, third)]
    spans = [(play.all("ToolLeased", name)[-1]["fencing_token"], play) for play, name in zip(plays, "abc", strict=True)]
    assert [token for token, _ in spans] == sorted(token for token, _ in spans)
    assert plays[0].at("TodoSucceeded", "a") <= plays[1].at("ToolLeased", "b")
    assert plays[1].at("TodoSucceeded", "b") <= plays[2].at("ToolLeased", "c")
    assert all(play.status == "succeeded" for play in plays)


async def test_tools_that_need_the_same_two_groups_in_either_order_never_block_each_other(person: Person) -> None:
    runs = [
        await perform(
            person,
            *(todo(f"l{number}", "left_right", seconds=0.05) for number in range(3)),
            *(todo(f"r{number}", "right_left", seconds=0.05) for number in range(3)),
        )
        for _ in range(2)
    ]
    plays = [await played(person, run) for run in runs]
    assert [play.status for play in plays] == ["succeeded", "succeeded"]


async def test_who_is_cancelled_in_line_leaves_it_and_who_is_cancelled_at_the_device_gives_it_back(
    house: World, person: Person
) -> None:
    first = await perform(person, todo("a", "device", seconds=30))
    await begun(house, first, "a")
    second = await perform(person, todo("b", "device", seconds=0.1))
    await seen(person, second, "ToolBusy", todo_id="b")
    third = await perform(person, todo("c", "device", seconds=0.1))
    await seen(person, third, "ToolBusy", todo_id="c")
    await control(person, second, "cancel")
    assert (await played(person, second)).status == "cancelled"
    await control(person, first, "cancel")
    assert (await played(person, first)).status == "cancelled"
    assert (await played(person, third, 20)).status == "succeeded"
    assert effects(house, third) == {"c": 1} and effects(house, second) == effects(house, first) == {}


async def test_the_device_of_a_holder_who_was_killed_goes_to_the_next_in_line_when_its_lease_is_over(
    house: World, person: Person
) -> None:
    first = await perform(person, todo("a", "device", seconds=2))
    await begun(house, first, "a")
    second = await perform(person, todo("b", "device", seconds=0.1))
    await seen(person, second, "ToolBusy", todo_id="b")
    await house.stack.kill("execution")
    (lease,) = await seen(person, first, "ToolLeased", todo_id="a")
    await eventually(lambda: over(house, lease["data"]["lease_id"]), "the end of the lease", 10)
    leftover = house.outbox / f"{PREFIX}of-the-dead"
    leftover.mkdir()
    await house.stack.restart("execution")
    later, earlier = await played(person, second), await played(person, first)
    (released,) = [one for one in earlier.all("ToolReleased", "a") if one["reason"] == "expired"]
    assert released["lease_id"] == lease["data"]["lease_id"]
    assert later.all("ToolLeased", "b")[-1]["fencing_token"] > released["fencing_token"]
    assert later.status == earlier.status == "succeeded"
    assert later.at("TodoSucceeded", "b") < earlier.at("TodoSucceeded", "a")
    assert effects(house, first) == {"a": 1} and effects(house, second) == {"b": 1}
    assert not leftover.exists()


async def test_a_paused_run_does_not_keep_a_device_from_those_behind_it(house: World, person: Person) -> None:
    first = await perform(person, todo("a", "device", seconds=2.5))
    await begun(house, first, "a")
    second = await perform(person, todo("b", "device", seconds=0.1))
    await seen(person, second, "ToolBusy", todo_id="b")
    third = await perform(person, todo("c", "device", seconds=0.1))
    await seen(person, third, "ToolBusy", todo_id="c")
    await control(person, second, "pause")
    assert (await played(person, third, 20)).status == "succeeded"
    assert effects(house, second) == {}
    await control(person, second, "resume")
    assert (await played(person, second, 20)).status == "succeeded"
    assert effects(house, second) == {"b": 1}


async def over(house: World, lease_id: str) -> bool:
    """By the clock of the toolbox."""
    connection = await asyncpg.connect(house.stack.database_url)
    try:
        expired = "select expires_at < clock_timestamp() from toolbox.leases where lease_id = $1"
        return bool(await connection.fetchval(expired, lease_id))
    finally:
        await connection.close()
