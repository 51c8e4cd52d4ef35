"""Tools that do what no tool should, all in one run: each has its code and its sentence, and harms nobody else."""

import pytest
import pytest_asyncio

from backbone import packs
from tests.e2e.person import Person, only
from tests.e2e.scene import Play, perform, played, todo
from tests.e2e.world import World

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

CODES = {
    "liar": 6003,
    "raiser": 6000,
    "crasher": 6006,
    "hanger": 6001,
    "waiter": 6001,
    "hoarder": 6011,
    "glutton": 6010,
}
"""Tool -> what it ends with."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def bad_day(shared_house: World) -> tuple[Play, int]:
    """All of them at once, with good ones between and after them; and the process that has lived through it."""
    before = shared_house.stack.pid("execution")
    async with Person(shared_house.stack.url) as person:
        run = await perform(
            person,
            *(todo(name, name) for name in CODES),
            todo("shouter", "shouter"),
            todo("inline", "nap"),
            todo("process", "doze", *CODES, "inline", wants=[*CODES, "inline"]),
            language="ko",
        )
        return await played(person, run, 90), before


@pytest.mark.parametrize("name", CODES)
async def test_a_bad_tool_fails_with_its_code_and_a_sentence_in_the_language_of_the_person(
    name: str, bad_day: tuple[Play, int]
) -> None:
    play, _ = bad_day
    result = play.result(name)
    assert (result["status"], result["error"]["code"]) == ("failed", CODES[name])
    assert result["error"]["message"] == packs.load().say("ko", f"error.{CODES[name]}")
    assert result["error"]["detail"]["technical"]


async def test_a_tool_that_prints_without_end_harms_nobody(bad_day: tuple[Play, int]) -> None:
    assert bad_day[0].fates["shouter"] == "succeeded"


async def test_the_good_todos_of_the_same_run_succeed_and_the_worker_lives_on(
    house: World, bad_day: tuple[Play, int]
) -> None:
    play, worker = bad_day
    assert (play.fates["inline"], play.fates["process"]) == ("succeeded", "succeeded")
    assert (play.status, play.end) == ("partial", "RunCompleted")
    assert house.stack.pid("execution") == worker and house.alive("execution")
    text = only(play.events, "ResponseOutput")["text"]
    assert all(f"stage.{name}" in text or name in text for name in CODES), "every failure is named"
    assert not [one for one in await house.books.dead_letters() if play.run["session_id"] in one["subject"]]
