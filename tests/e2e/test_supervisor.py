"""The supervisor of source design 001 over real servers: workers in parallel, a synthesis, memory, reminders."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from uuid import uuid4
from zoneinfo import ZoneInfo

import orjson
import pytest
from websockets.asyncio.client import ClientConnection, connect

from backbone import packs
from tests.e2e.person import Json, Person, of, only
from tests.e2e.scene import perform, played, seen, todo
from tests.e2e.world import World

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

ALL_THREE = "내일 오후 3시 치과 예약 일정 넣고, 와이파이 비번은 1234라고 기억해 줘, 30분 전에 알려줘"
WIFI = "와이파이 비번은 1234"
SEOUL, NEW_YORK = ZoneInfo("Asia/Seoul"), ZoneInfo("America/New_York")
ASSISTANT = packs.load(("assistant",)).tools


@pytest.fixture
async def boss(bank_house: World) -> AsyncIterator[Person]:
    async with Person(bank_house.stack.url) as person:
        yield person


def tomorrow(zone: ZoneInfo = SEOUL) -> str:
    return (datetime.now(zone) + timedelta(days=1)).date().isoformat()


async def test_001_2_1_one_sentence_uses_google_memory_and_scheduler_workers_in_parallel_and_joins_them(boss):
    # nobody else's appointment is at that time; and nobody is asked: it was said in so many words
    run = await boss.say(ALL_THREE, user=f"mina-{uuid4()}")
    play = await played(boss, run)
    assert (play.status, play.end) == ("succeeded", "RunCompleted")
    assert only(play.events, "ExecutionStarted")["strategy"] == "swarm"
    todos = only(play.events, "PlanningOutput")["plan"]["todos"]
    assert [one["executor"] for one in todos] == ["google", "memory", "scheduler", "supervisor"]
    # fan-out: all at once; fan-in: the synthesis after the last of them
    workers = [one["id"] for one in todos[:3]]
    dispatched = [play.place("TodoDispatched", one) for one in workers]
    succeeded = [play.place("TodoSucceeded", one) for one in workers]
    assert max(dispatched) < min(succeeded) < max(succeeded) < play.place("TodoDispatched", todos[3]["id"])
    assert play.result(workers[0])["result"]["event"]["start"] == f"{tomorrow()}T15:00:00+09:00"
    assert play.result(workers[2])["result"]["reminder"]["at"] == f"{tomorrow()}T14:30:00+09:00"
    text = only(play.events, "ResponseOutput")["text"].splitlines()
    assert [part in line for part, line in zip(("일정을 넣었어요", WIFI, "알려 드릴게요"), text, strict=False)] == [
        True
    ] * 3
    assert all(text.count(line) == 1 for line in text)


async def test_001_2_2_what_the_memory_worker_was_told_is_recalled_in_a_new_session_of_the_same_person(boss):
    told = await boss.say(f"{WIFI}라고 기억해 줘", auto_approve=True)
    assert only(await boss.end_of(told), "RunCompleted", told) is not None
    asked = await boss.say("와이파이 비번 뭐였지?", auto_approve=True)
    assert asked["session_id"] != told["session_id"]
    assert WIFI in only(await boss.end_of(asked), "ResponseOutput", asked)["text"]


async def test_001_3_1_the_state_of_each_worker_has_the_persons_timezone_and_user_id(boss):
    """AgentState: timezone, username, user_id."""
    mina: Json = {"user": f"mina-{uuid4()}", "profile": {"timezone": NEW_YORK.key, "name": "민아"}}
    play = await played(boss, await boss.say("내일 오후 3시 치과 예약 일정 넣어 줘", auto_approve=True, **mina))
    (event,) = [one["result"]["event"] for one in play.output["results"]]
    at = datetime.fromisoformat(event["start"])
    assert at.replace(tzinfo=NEW_YORK).isoformat() == event["start"]
    assert (at.date().isoformat(), at.hour) == (tomorrow(NEW_YORK), 15)
    listed = "내일 일정 알려 줘"
    own = await played(boss, await boss.say(listed, auto_approve=True, **mina))
    assert "치과" in only(own.events, "ResponseOutput")["text"]
    other = await played(boss, await boss.say(listed, auto_approve=True, user=f"jun-{uuid4()}"))
    assert other.status == "succeeded" and "치과" not in only(other.events, "ResponseOutput")["text"]


def worker(name: str, tool: str, *after: str, role: str = "", **params: str) -> Json:
    spec = ASSISTANT[f"assistant.{tool}"]
    fixed = {"id": name, "title": name, "tool": spec.tool_key, "executor": spec.executor, "params": params}
    return {**fixed, "depends_on": after, "timeout_seconds": spec.timeout_seconds, **({"role": role} if role else {})}


async def test_001_3_2_and_4_1_reports_are_gathered_in_plan_order_and_the_synthesis_waits_for_the_last_of_them(boss):
    """리듀서, 병렬 수렴, 상태 단계 관리: the first worker ends last, because it waits for the person; the google worker has
    its calendar and its tasks."""
    run = await perform(
        boss,
        todo("asked", "gated", to="mina"),
        worker("chore", "todo", title="우유 사기"),
        worker("note", "memory", action="remember", text="주차는 지하 2층"),
        worker("whole", "synthesis", "asked", "chore", "note", role="synthesis"),
    )
    question = await boss.question(run["session_id"], "tool")
    for done in ("chore", "note"):
        await seen(boss, run, "TodoSucceeded", todo_id=done)
    assert not [
        one for one in of(await boss.events(run["session_id"]), "TodoDispatched") if one["todo"]["id"] == "whole"
    ]
    await boss.answer(run["session_id"], question, action="approve")
    play = await played(boss, run)
    assert only(play.events, "ExecutionStarted")["strategy"] == "swarm"
    assert max(play.place("TodoSucceeded", one) for one in ("chore", "note")) < play.place("TodoSucceeded", "asked")
    assert play.place("TodoSucceeded", "asked") < play.first("TodoDispatched", "whole")
    told = play.result("whole")["result"]["summary"]
    places = [next(n for n, line in enumerate(told) if part in line) for part in ("asked", "우유 사기", "지하 2층")]
    assert places == sorted(places) and len(told) == len(places)


async def test_the_google_worker_is_told_in_a_sentence_what_there_is_to_do_and_tells_it_again(boss):
    mina: Json = {"user": f"mina-{uuid4()}"}
    await played(boss, await boss.say("할 일에 우유 사기 추가해줘", auto_approve=True, **mina))
    listed = await played(boss, await boss.say("할 일 목록 보여줘", **mina))  # only looks: nobody is asked
    assert "우유 사기" in only(listed.events, "ResponseOutput")["text"]


async def test_what_takes_something_out_is_asked_about_first(boss):
    mina: Json = {"user": f"mina-{uuid4()}"}
    await played(boss, await boss.say("모레 오후 2시에 현악 합주 일정 넣어줘", **mina))
    run = await boss.say("현악 합주 일정 지워줘", **mina)
    await boss.answer(run["session_id"], await boss.question(run["session_id"]), action="approve")
    gone = await played(boss, run)
    assert "현악 합주 일정을 지웠어요" in only(gone.events, "ResponseOutput")["text"]


async def test_001_5_partial_failure_one_worker_fails_and_is_named_and_the_results_of_the_others_are_kept(boss):
    run = await boss.say("어제 오후 3시 회의 일정 넣고, 주차는 지하 2층이라고 기억해 줘", auto_approve=True)
    play = await played(boss, run)
    assert (play.status, play.end) == ("partial", "RunCompleted")
    assert sorted(play.fates.values()) == ["failed", "succeeded", "succeeded"]
    text = only(play.events, "ResponseOutput")["text"]
    assert "기억했어요: 주차는 지하 2층" in text
    assert "이미 지난 때예요" in text and "1가지는 했고, 1가지는 못 했어요." in text
    assert text.count("이미 지난 때예요") == 1


async def test_001_5_circuit_breaker_a_synthesis_that_is_never_complete_is_ended_after_three_rounds_and_says_so(boss):
    bring = {"role": "synthesis", "until": {"properties": {"complete": {"const": True}}}}
    run = await perform(
        boss, todo("good", "quick"), todo("bad", "fails"), todo("bring", "unsure", "good", "bad", **bring)
    )
    play = await played(boss, run)
    assert (play.status, play.end) == ("partial", "RunCompleted")
    rounds = {one: len(play.all("TodoDispatched", one)) for one in ("good", "bad", "bring")}
    assert rounds == {"good": 1, "bad": 3, "bring": 3}  # what is done is not done again
    assert play.result("bring")["error"]["code"] == 4016
    assert "3" in only(play.events, "ResponseOutput")["text"]


async def frame(socket: ClientConnection, event: str) -> Json:
    async with asyncio.timeout(30):
        while True:
            one: Json = orjson.loads(await socket.recv())
            if one.get("event") == event:
                return one


async def test_001_2_2_the_scheduler_workers_reminder_survives_a_kill_comes_again_and_waits_until_it_is_seen(
    bank_house: World, boss: Person
):
    run = await perform(boss, todo("nudge", "nudge", seconds=3, rule="FREQ=SECONDLY;INTERVAL=3"))
    await played(boss, run)
    await bank_house.stack.kill("execution")
    await bank_house.stack.restart("execution")
    session = run["session_id"]
    address = f"ws{bank_house.stack.url.removeprefix('http')}/ws/{session}?after={run['version']}"
    async with connect(address, proxy=None, open_timeout=30) as socket:
        first, second = await frame(socket, "ReminderDue"), await frame(socket, "ReminderDue")
    assert (first["type"], first["data"]["text"]) == ("reminder", "drink water")
    assert first["data"]["reminder_id"] == second["data"]["reminder_id"]
    apart = (_at(second["data"]["due_at"]) - _at(first["data"]["due_at"])).total_seconds()
    assert apart > 0 and apart % 3 == 0
    assert first["data"].get("run_id") is None
    async with connect(address, proxy=None, open_timeout=30) as socket:  # whoever comes back sees that it waits
        (waiting,) = orjson.loads(await socket.recv())["reminders"]
        assert waiting["times"] >= 2
        seen = {"type": "reminder_seen", "reminder_id": waiting["reminder_id"]}
        await socket.send(orjson.dumps(seen).decode())
        await frame(socket, "ReminderSeen")
    state = (await boss.ask("GET", f"/sessions/{session}")).json()
    assert all(_at(one["due_at"]) > _at(waiting["due_at"]) for one in state["reminders"])
    times = [one["due_at"] for one in of(await boss.events(session), "ReminderDue")]
    assert len(times) == len(set(times))


def _at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)
