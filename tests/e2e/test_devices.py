"""Source design 000 with its own devices, over real servers: people who share a monitor, two voices, and the weather.

The names quote the states and classes of its diagrams."""

# ruff: noqa: N802  # the states are written as in the diagram

from collections.abc import AsyncIterator

import orjson
import pytest
import pytest_asyncio
from websockets.asyncio.client import connect

from backbone import packs
from dream.local.stack import LocalStack
from tests.e2e.person import Json, Person, eventually, of, only
from tests.e2e.scene import control, envelopes, moment, perform, played, seen
from tests.e2e.world import PLAIN, folder_for

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120), pytest.mark.asyncio(loop_scope="module")]

LONG = 600
"""Seconds that nobody waits for: who holds a device so long lets it go by being cancelled."""
TOOLS = packs.load(("devices",)).tools


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def home() -> AsyncIterator[LocalStack]:
    with folder_for("devices") as folder, pytest.MonkeyPatch.context() as environment:
        environment.setenv("DREAM_PACKS", PLAIN)
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
    question = await viewer.question(run["session_id"], kind)
    await viewer.answer(run["session_id"], question, **answer)
    return question


async def waits(viewer: Person, run: Json) -> int:
    """Is asked, chooses to wait, and stands in line at this place."""
    question = await answers(viewer, run, "lock", action="wait")
    assert [one["value"] for one in question["options"]] == ["wait", "cancel"]
    (busy,) = await seen(viewer, run, "ToolBusy")
    return int(busy["data"]["position"])


async def turn_of(viewer: Person, run: Json) -> tuple[str, str | None]:
    """The job as the dashboard shows it: its state, and whose turn it is."""
    shown = (await viewer.ask("GET", f"/runs/{run['run_id']}")).json()
    return shown["state"], shown.get("actor")


def step(name: str, tool: str, *after: str, **params: str | float) -> Json:
    spec = TOOLS[tool]
    return {
        "id": name, "title": name, "tool": tool, "executor": spec.executor, "params": params, "depends_on": after,
        "on_error": spec.on_error.value, "retries": spec.retries, "timeout_seconds": spec.timeout_seconds,
    }  # fmt: skip


async def test_AnswerNow_a_greeting_is_answered_without_a_plan(viewer: Person) -> None:
    events = await viewer.end_of(await viewer.say("안녕하세요"))
    assert of(events, "PlanningOutput") == [] and of(events, "TodoDispatched") == []
    assert only(events, "ResponseOutput")["text"]


async def test_SubmitJob_Idle_the_next_sentence_is_answered_while_the_job_is_at_work(viewer: Person) -> None:
    """`SubmitJob --> Idle : job_submitted`, and `JobManager`: GetJobState while it runs, CancelJob."""
    job = await asks(viewer, f"/nav 부산 서울 {LONG}")
    await holds(viewer, job)
    greeting = await viewer.say("안녕하세요", session_id=job["session_id"])
    events = await viewer.end_of(greeting)
    assert only(events, "ResponseOutput", greeting)["text"]
    assert await turn_of(viewer, job) == ("moving", "executor:devices")
    await control(viewer, job, "cancel")
    assert (await played(viewer, job)).end == "RunCancelled"
    assert await turn_of(viewer, job) == ("cancelled", None)


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
    question = await viewer.question(run["session_id"], "tool")
    # once: the plan is nothing but this call
    assert len(of(await viewer.events(run["session_id"]), "DecisionRequested")) == 1
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


async def test_JobStopped_a_song_that_plays_ends_by_a_word_and_plays_on_by_another(viewer: Person) -> None:
    song = await asks(viewer, f"/song 아리랑 {LONG}")
    await holds(viewer, song)
    assert (await viewer.say("멈춰", session_id=song["session_id"]))["run_id"] == song["run_id"]
    await seen(viewer, song, "TodoFailed")
    state = (await viewer.ask("GET", f"/sessions/{song['session_id']}")).json()
    assert [run["status"] for run in state["runs"]] == ["paused"]
    assert (await viewer.say("계속해", session_id=song["session_id"]))["run_id"] == song["run_id"]
    assert (await viewer.say("그만둬", session_id=song["session_id"]))["run_id"] == song["run_id"]
    assert (await played(viewer, song)).end == "RunCancelled"
    later = await viewer.say("멈춰", session_id=song["session_id"])
    assert later["run_id"] != song["run_id"], "where nothing plays it is a question about devices"
    assert "저절로" in only(await viewer.end_of(later), "ResponseOutput", later)["text"]


async def test_ExecTool_the_weather_needs_no_lock_and_nobody_is_asked(viewer: Person) -> None:
    runs = [await viewer.say(f"{city} 날씨 어때") for city in ("서울", "부산", "도쿄", "파리")]
    for run in runs:
        play = await played(viewer, run)
        assert play.status == "succeeded" and "평년값" in only(play.events, "ResponseOutput")["text"]
        asked_or_locked = ("DecisionRequested", "ToolLeased", "ToolBusy")
        assert [one["event"] for one in play.events if one["event"] in asked_or_locked] == []


async def test_StreamLog_OpenJobPanel_the_lines_of_a_job_come_while_it_works(viewer: Person) -> None:
    """`AgentChatUI: +StreamLog(jobId, line)`."""
    session = (await viewer.ask("POST", "/sessions", json={"language": "ko"})).json()
    address = f"ws{viewer.url.removeprefix('http')}/ws/{session['session_id']}?log=1"
    async with connect(address, proxy=None, open_timeout=30) as socket:

        async def look() -> list[Json]:
            """Lines are live, and may be lost: then the job is done again."""
            run = await viewer.say("/weather 서울", session_id=session["session_id"], auto_approve=True)
            heard: list[Json] = []
            while not heard or (heard[-1].get("event"), heard[-1].get("run_id")) != ("RunCompleted", run["run_id"]):
                heard.append(orjson.loads(await socket.recv()))
            return [one for one in heard if (one["type"], one.get("run_id")) == ("log", run["run_id"])]

        lines = await eventually(look, "a line of the weather")
    assert [(one["todo_id"], one["line"].partition(",")[0]) for one in lines] == [("t1", "climate normals of seoul")]


async def test_Done_an_unknown_place_ends_the_job_with_the_name_and_similar_ones(viewer: Person) -> None:
    play = await played(viewer, await asks(viewer, "/nav 부산녁"))
    assert play.status == "failed"
    (result,) = play.output["results"]
    assert "부산녁" in result["error"]["message"] and "부산역" in result["error"]["message"]

    async def free() -> bool:
        # ReleaseTool: the monitor is free again at once
        again = await played(viewer, await asks(viewer, "/nav 부산역 서울역 0"))
        return again.status == "succeeded" and of(again.events, "ToolBusy") == []

    assert await eventually(free, "a free monitor")


async def test_WorkerJob_from_the_first_todo_to_Done_each_arrow_in_order(viewer: Person) -> None:
    """One job of three todos: `NeedTool --> LlmSolve : no_tool_needed`, `ToolLocked --> WaitUser : ask_wait_cancel`,
    `WaitRetry --> AcquireTool : retry_same_todo` ("order preserved"), `UpdateState --> ReleaseTool --> PickTodo`,
    `ConfirmCheck --> WaitUser : need_confirm`, `WaitUser --> ExecTool : user_approve`, `PickTodo --> Done : no_todo`."""
    holder = await asks(viewer, f"/nav 부산 서울 {LONG}")
    await holds(viewer, holder)
    job = await perform(
        viewer,
        step("solve", "platform.solve", instruction="어디로 가는지", text="내일은 대구로 가요. 비가 와요."),
        step("way", "devices.navigation", "solve", destination="대구", origin="서울", seconds=0),
        step("film", "devices.movie", "way", title="비", seconds=1),
        said="/weather 서울",
    )
    assert await waits(viewer, job) == 1
    await control(viewer, holder, "cancel")
    await answers(viewer, job, "tool", action="approve")
    play = await played(viewer, job)
    assert (play.status, set(play.fates.values())) == ("succeeded", {"succeeded"})
    (solved,) = [one for one in of(play.events, "ModelCalled") if one["role"] == "solver"]
    assert solved["todo_id"] == "solve" and "대구" in play.result("solve")["result"]["answer"]
    tries = play.all("TodoDispatched", "way")
    assert len(tries) > 1 and all(one["todo"] == tries[0]["todo"] for one in tries)
    first = {name: play.first("TodoDispatched", name) for name in ("solve", "way", "film")}
    ended = {name: play.place("TodoSucceeded", name) for name in first}
    assert first["solve"] < ended["solve"] < first["way"] < ended["way"] < first["film"] < ended["film"]
    leases = {one["data"]["lease_id"]: one["data"]["todo_id"] for one in envelopes(play.events, "ToolLeased")}
    assert list(leases.values()) == ["way", "film"]
    assert play.place("ToolReleased", "way") < play.first("ToolLeased", "film")


async def test_DashboardBoard_OpenJobPanel_each_job_shows_whose_turn_it_is_and_its_panel_the_question(
    viewer: Person,
) -> None:
    """`+SetWorkerState`, `+Blink`: "UI shows yellow blink" is a job whose turn is the person's; "click icon opens job panel
    for approve, cancel, stop" is its open decision with its options, and the control of its run."""
    holder = await asks(viewer, f"/nav 부산 서울 {LONG}")
    await holds(viewer, holder)
    in_line = await asks(viewer, "/nav 대구 서울 0")
    await waits(viewer, in_line)
    blinking = await asks(viewer, "/movie 비")
    question = await viewer.question(blinking["session_id"], "lock")
    wanted = ["executor:devices", "toolbox", "person"]

    async def board() -> list[Json] | None:
        """The three jobs, as soon as the board has read to where they are."""
        all_of_them = {one["run_id"]: one for one in (await viewer.ask("GET", "/runs")).json()["runs"]}
        rows = [all_of_them[run["run_id"]] for run in (holder, in_line, blinking) if run["run_id"] in all_of_them]
        return rows if [one["actor"] for one in rows] == wanted else None

    shown = await eventually(board, f"the jobs wait for {wanted}")
    assert [one["text"] for one in shown] == [f"/nav 부산 서울 {LONG}", "/nav 대구 서울 0", "/movie 비"]
    assert shown[2]["state"] == "waiting" and shown[2]["deadline"] == question["deadline"]
    panel = (await viewer.ask("GET", f"/sessions/{blinking['session_id']}")).json()["open_decisions"]
    assert [one["decision_id"] for one in panel] == [question["decision_id"]]
    assert [one["value"] for one in panel[0]["options"]] == ["wait", "cancel"]
    await control(viewer, blinking, "cancel")
    assert (await played(viewer, blinking)).end == "RunCancelled"
    await control(viewer, holder, "cancel")
    assert (await played(viewer, in_line)).status == "succeeded"
