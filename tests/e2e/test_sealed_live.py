"""A conversation that was sealed (docs/adr/0085) goes on over the five processes as if it had not been."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import asyncpg
import pytest

from backbone.ledger.retention import SessionGoesOn, retention
from dream.client.gateway_client import Client
from tests.e2e.person import Json, Person, eventually
from tests.e2e.world import World

GREETING, QUESTION = "뭘 할 수 있어?", "내 데이터는 안전하게 보관되나요"


async def seal(house: World, session: str) -> None:
    """As `dream admin prune` does it weeks later."""

    async def sealed() -> bool:
        async with retention(house.stack.servers.owner_url) as ledger:
            async for ended in ledger.idle_since(datetime.now(UTC) + timedelta(days=60)):
                if ended.session_id == UUID(session):
                    try:
                        await ledger.seal(ended)
                    except SessionGoesOn:  # relays say a moment later how far they are
                        return False
                    return True
        return False

    await eventually(sealed, "the session sealed")


async def rows_of(house: World, session: str) -> int:
    connection = await asyncpg.connect(house.stack.servers.owner_url)
    try:
        return int(await connection.fetchval("select count(*) from ledger.events where stream_id = $1", UUID(session)))
    finally:
        await connection.close()


async def test_a_sealed_conversation_is_shown_and_goes_on(house: World, person: Person) -> None:
    begun = await person.say(GREETING, user=f"mina-{uuid4()}")
    session = begun["session_id"]
    before = await person.end_of(begun, 30)
    await seal(house, session)
    assert await rows_of(house, session) == 0
    assert await person.events(session) == before
    assert await rows_of(house, session) == len(before)
    for text in (GREETING, QUESTION):
        await seal(house, session)
        run = await person.say(text, session_id=session)
        events = await person.end_of(run, 30)
        assert events[: len(before)] == before
        assert [one["version"] for one in events] == list(range(1, len(events) + 1))
        before = events


@pytest.mark.parametrize("asked", ["/runs/{run_id}", "/runs?trace_id={run_id}", "/sessions/{session_id}/decisions"])
async def test_what_is_asked_of_a_sealed_run_is_told(house: World, person: Person, asked: str) -> None:
    run = await person.say(GREETING)
    await person.end_of(run, 30)
    path = asked.format(**run)
    before = await person.ask("GET", path)
    await seal(house, run["session_id"])
    after = await person.ask("GET", path)
    assert (after.status_code, after.text) == (before.status_code, before.text)


async def test_a_client_that_was_there_all_the_time_hears_what_comes_after(house: World, person: Person) -> None:
    run = await person.say(GREETING)
    await person.end_of(run, 30)
    async with Client(house.stack.url) as client:
        frames: list[Json] = []
        async for frame in client.follow(run["session_id"]):
            frames.append(frame)
            if frame["event"] == "RunCompleted" and len([one for one in frames if one["event"] == "RunCompleted"]) == 1:
                await seal(house, run["session_id"])
                await person.say(QUESTION, session_id=run["session_id"])
            elif frame["event"] == "RunCompleted":
                break
    versions = [one["version"] for one in frames if "version" in one]
    assert sorted(set(versions)) == list(range(1, max(versions) + 1))
