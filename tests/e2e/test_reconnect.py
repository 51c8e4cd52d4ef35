"""A client that loses its connection again and again sees every event once, in order, and what it sees is what is kept."""

import asyncio
import random
from contextlib import suppress
from typing import Any

import orjson
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from dream.client.gateway_client import Client
from tests.e2e.person import ENDS, Json, Person, eventually
from tests.e2e.world import World, errand

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


async def test_a_client_that_drops_and_reconnects_sees_every_event_once_and_in_order(
    house: World, person: Person
) -> None:
    run = await person.say("/day 5", auto_approve=True)
    seen, connections = await watch(house, run, frames_per_connection=3)
    assert connections > 3
    await assert_same_everywhere(house, person, run, seen)


async def test_a_client_that_hangs_up_at_once_misses_nothing(house: World, person: Person) -> None:
    run = await person.say("/naps 2", auto_approve=True)
    chance = random.Random(7)
    seen, _ = await watch(house, run, frames_per_connection=lambda: chance.choice((0, 0, 1, 2)))
    await assert_same_everywhere(house, person, run, seen)


async def test_fifty_clients_at_once_see_the_same(house: World, person: Person) -> None:
    run = await person.say("/day 10", auto_approve=True)
    chance = random.Random(11)
    several = await asyncio.gather(
        *(watch(house, run, frames_per_connection=lambda: chance.randrange(1, 12)) for _ in range(50))
    )
    for seen, _ in several:
        await assert_same_everywhere(house, person, run, seen)


async def test_a_client_outlives_the_gateway(house: World, person: Person) -> None:
    run = await person.say("/naps 6")
    question = await person.question(run["session_id"])
    seen: list[Json] = []

    async def follow() -> None:
        async with Client(house.stack.url) as client:
            async for frame in client.follow(run["session_id"]):
                seen.append(frame)
                if frame["event"] in ENDS:
                    return

    following = asyncio.create_task(follow())
    await person.answer(run["session_id"], question, action="approve")

    async def under_way() -> bool:
        return any(frame["event"] == "TodoSucceeded" for frame in seen)

    await eventually(under_way, "the first todo")
    await house.stack.kill("gateway")
    await house.stack.restart("gateway")
    await asyncio.wait_for(following, 60)
    await assert_same_everywhere(house, person, run, seen)


async def test_what_is_said_while_watching_comes_back_over_the_same_socket(house: World, person: Person) -> None:
    first = await person.say("/errand 1", auto_approve=True)
    await person.end_of(first)
    async with connect(address(house, first, 0), proxy=None, open_timeout=30) as socket:
        assert orjson.loads(await socket.recv())["type"] == "session_state"
        await socket.send(orjson.dumps({"type": "message", "text": "/errand 1", "ref": "a"}).decode())
        seen: list[Json] = []
        acked: Json = {}
        while True:
            frame = orjson.loads(await asyncio.wait_for(socket.recv(), 60))
            if frame["type"] == "ack" and frame["of"] == "message":
                acked = frame
            elif frame["type"] == "hitl_request":
                answer = {
                    "type": "hitl_response",
                    "decision_id": frame["data"]["decision_id"],
                    "answer": {"action": "approve"},
                }
                await socket.send(orjson.dumps(answer).decode())
            if "event" in frame:
                seen.append(frame)
                if frame["event"] in ENDS and acked and frame["run_id"] == acked["run_id"]:
                    break
    assert acked["ref"] == "a" and acked["run_id"] != first["run_id"]
    await assert_same_everywhere(house, person, first, seen)


def address(house: World, run: Json, after: int) -> str:
    return f"ws{house.stack.url.removeprefix('http')}/ws/{run['session_id']}?after={after}"


async def watch(house: World, run: Json, frames_per_connection: Any) -> tuple[list[Json], int]:
    """Follows a run with connections that are cut after so many events; returns the events and the connections."""
    seen: list[Json] = []
    connections = 0
    while not (seen and seen[-1]["event"] in ENDS):
        connections += 1
        left = frames_per_connection() if callable(frames_per_connection) else frames_per_connection
        after = seen[-1]["version"] if seen else 0
        with suppress(ConnectionClosed):
            socket = await connect(address(house, run, after), proxy=None, open_timeout=30)
            try:
                state = orjson.loads(await socket.recv())
                assert state["type"] == "session_state" and state["version"] >= after
                while left and not (seen and seen[-1]["event"] in ENDS):
                    seen.append(orjson.loads(await asyncio.wait_for(socket.recv(), 60)))
                    left -= 1
            finally:
                socket.transport.abort()  # as a phone in a tunnel: no goodbye
        await asyncio.sleep(0)
    return seen, connections


async def assert_same_everywhere(house: World, person: Person, run: Json, seen: list[Json]) -> None:
    """What was seen is what REST tells is what the ledger holds."""
    history = await person.events(run["session_id"])
    assert [frame["version"] for frame in seen] == list(range(1, len(history) + 1))
    assert seen == history
    messages = await house.books.read(run["session_id"])
    kept = [(message.version, message.type, str(message.event_id), orjson.loads(message.data)) for message in messages]
    assert [(one["version"], one["event"], one["event_id"], one["data"]) for one in seen] == kept


async def test_a_run_with_a_person_in_it_looks_the_same_from_every_side(house: World, person: Person) -> None:
    run = await errand(person, 3)
    seen, _ = await watch(house, run, frames_per_connection=5)
    await assert_same_everywhere(house, person, run, seen)
    await house.quiet()
    await house.books.balance(run)
