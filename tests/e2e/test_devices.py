"""Source design 000 with its own devices, over real servers: people who share a monitor, two voices, and the weather.

The names quote the states of its diagram."""

# ruff: noqa: N802  # the states are written as in the diagram

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from dream.stack import LocalStack
from tests.e2e.person import Json, Person, eventually, of, only
from tests.e2e.scene import control, moment, played, seen
from tests.e2e.world import folder_for

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120), pytest.mark.asyncio(loop_scope="module")]

LONG = 600
"""Seconds that nobody waits for: who holds a device so long lets it go by being cancelled."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def home() -> AsyncIterator[LocalStack]:
    with folder_for("devices") as folder, pytest.MonkeyPatch.context() as environment:
        environment.setenv("DREAM_PACKS", "devices,marketing")  # greetings are marketing's
        environment.setenv("DREAM_PACK_DEVICES_SPEED", "10")  # ten seconds of a showing are one of ours
        async with LocalStack(folder) as stack:
            yield stack


@pytest_asyncio.fixture(loop_scope="module")
async def viewer(home: LocalStack) -> AsyncIterator[Person]:
    async with Person(home.url) as person:
        yield person


async def asks(viewer: Person, command: str) -> Json:
    """A session of its own, whose plan is approved."""
    return await viewer.say(command, auto_approve=True, language="ko")


async def holds(viewer: Person, run: Json) -> Json:
    """Waits until the run has its device, and uses it."""
    (leased,) = await seen(viewer, run, "ToolLeased")
    await seen(viewer, run, "TodoProgressed")
    return leased


async def answers(viewer: Person, run: Json, kind: str, **answer: str) -> Json:
    question = await viewer.question(run["session_id"], kind, 20)
    await viewer.answer(run["session_id"], question, **answer)
    return question


async def waits(viewer: Person, run: Json) -> int:
    """Is asked, chooses to wait, and stands in line at this place."""
    question = await answers(viewer, run, "lock", action="wait")
    assert [one["value"] for one in question["options"]] == ["wait", "cancel"]
    (busy,) = await seen(viewer, run, "ToolBusy")
    return int(busy["data"]["position"])


async def test_AnswerNow_a_greeting_is_answered_without_a_plan(viewer: Person) -> None:
    events = await viewer.end_of(await viewer.say("안녕하세요"))
    assert of(events, "PlanningOutput") == [] and of(events, "TodoDispatched") == []
    assert only(events, "ResponseOutput")["text"]


async def test_SubmitJob_a_sentence_becomes_a_job_and_its_map_is_shown(viewer: Person) -> None:
    run = await viewer.say("서울에서 부산까지 가는 길 알려줘")
    await answers(viewer, run, "plan", action="approve")
    play = await played(viewer, run)
    assert (play.status, play.end) == ("succeeded", "RunCompleted")
    (todo,) = only(play.events, "PlanningOutput")["plan"]["todos"]
    assert (todo["tool"], todo["params"]) == ("devices.navigation", {"destination": "부산", "origin": "서울"})
    response = only(play.events, "ResponseOutput")
    assert "서울에서 부산까지" in response["text"]
    assert (await viewer.download(response["attachments"][0])).startswith(b"\x89PNG")


async def test_ToolLocked_WaitUser_WaitRetry_the_monitor_goes_from_one_session_to_the_next_in_order(
    viewer: Person,
) -> None:
    first = await asks(viewer, f"/nav 부산 서울 {LONG}")
    await holds(viewer, first)
    # NavTool and MovieTool share MonitorBox: the film finds it locked, and so does the next way
    second = await asks(viewer, "/movie 비")
    assert await waits(viewer, second) == 1
    third = await asks(viewer, "/nav 대구 서울 0")
    assert await waits(viewer, third) == 2
    await control(viewer, first, "cancel")
    assert (await played(viewer, first)).end == "RunCancelled"
    # ConfirmCheck: the film is asked about when it is its turn, and stands in line no more meanwhile
    await answers(viewer, second, "tool", action="approve")
    plays = [await played(viewer, run) for run in (second, third)]
    assert [play.status for play in plays] == ["succeeded", "succeeded"]
    assert {one["group_key"] for play in plays for one in of(play.events, "ToolLeased")} == {"MonitorBox"}
    granted = [moment(next(one for one in play.events if one["event"] == "ToolLeased")) for play in plays]
    assert granted == sorted(granted)
    film = only(plays[0].events, "ResponseOutput")["attachments"][0]
    assert (await viewer.download(film))[4:8] == b"ftyp"


async def test_ToolLocked_Canceled_who_does_not_want_to_wait_leaves_without_having_used_anything(
    viewer: Person,
) -> None:
    first = await asks(viewer, f"/nav 부산 서울 {LONG}")
    await holds(viewer, first)
    second = await asks(viewer, "/nav 대전")
    await answers(viewer, second, "lock", action="cancel")
    play = await played(viewer, second)
    assert list(play.fates.values()) == ["skipped"]
    assert of(play.events, "ToolLeased") == [] and of(play.events, "ToolBusy") == []
    await control(viewer, first, "cancel")
    await viewer.end_of(first)


async def test_ConfirmCheck_WaitUser_a_film_runs_only_after_a_yes_to_exactly_this_film(viewer: Person) -> None:
    run = await viewer.say("불꽃놀이 영화 틀어줘")
    await answers(viewer, run, "plan", action="approve")
    question = await viewer.question(run["session_id"], "tool", 20)
    assert question["subject"]["params"] == {"title": "불꽃놀이"} and len(question["subject"]["arguments_hash"]) == 64
    assert of(await viewer.events(run["session_id"]), "TodoSucceeded") == []
    await viewer.answer(run["session_id"], question, action="reject", reason="다음에")
    play = await played(viewer, run)
    assert list(play.fates.values()) == ["skipped"] and play.result("t1-movie")["error"]["code"] == 5004


async def test_AcquireTool_two_songs_sound_at_once_and_the_third_waits_for_a_voice(viewer: Person) -> None:
    singers = [await asks(viewer, f"/song {title} {LONG}") for title in ("아리랑", "나비야")]
    for run in singers:
        leased = await holds(viewer, run)
        assert leased["data"]["group_key"] == "SongPool"
    third = await asks(viewer, "/song sakura 1")
    assert await waits(viewer, third) == 1
    await control(viewer, singers[1], "cancel")
    play = await played(viewer, third)
    assert play.status == "succeeded" and only(play.events, "ResponseOutput")["attachments"][0]["name"] == "sakura.wav"
    await control(viewer, singers[0], "cancel")
    for run in singers:
        await viewer.end_of(run)


async def test_ExecTool_the_weather_needs_no_lock_and_nobody_is_asked(viewer: Person) -> None:
    runs = [await viewer.say(f"{city} 날씨 어때") for city in ("서울", "부산", "도쿄", "파리")]
    for run in runs:
        play = await played(viewer, run)
        assert play.status == "succeeded" and "평년값" in only(play.events, "ResponseOutput")["text"]
        asked_or_locked = ("DecisionRequested", "ToolLeased", "ToolBusy")
        assert [one["event"] for one in play.events if one["event"] in asked_or_locked] == []


async def test_Done_an_unknown_place_ends_the_job_with_the_name_and_similar_ones(viewer: Person) -> None:
    play = await played(viewer, await asks(viewer, "/nav 부산녁"))
    assert play.status == "failed"
    (result,) = play.output["results"]
    assert "부산녁" in result["error"]["message"] and "부산역" in result["error"]["message"]

    async def free() -> bool:
        # ReleaseTool: the monitor is free again at once
        again = await played(viewer, await asks(viewer, "/nav 부산역 서울역 0"))
        return again.status == "succeeded" and of(again.events, "ToolBusy") == []

    assert await eventually(free, "a free monitor", 20)
