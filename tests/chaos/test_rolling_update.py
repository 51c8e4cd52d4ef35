"""Every service is replaced, one after the other, while people talk and watch: nothing is lost, repeated or missing.

DREAM_ROLLING_SOCKETS says how many watch (the long form: make rolling, 1,000)."""

import asyncio
import logging
import os
import random
import resource
from collections import Counter, defaultdict
from contextlib import suppress
from itertools import cycle

import pytest

from dream.local.stack import GATEWAY, LAYERS
from tests.chaos.rollout import Balancer, Rollout
from tests.chaos.viewers import StreamViewer, Viewer
from tests.e2e.books import gapless
from tests.e2e.person import Json, Person, eventually
from tests.e2e.world import World, errand

log = logging.getLogger(__name__)

SOCKETS = int(os.environ.get("DREAM_ROLLING_SOCKETS", "50"))
OF_A_SESSION = 10
STREAMS = max(SOCKETS // 25, 2)
AT_ONCE = 8
"""Sessions that are opened side by side."""
TALKERS = 2
EXPECTED = {"1012", "HTTP 503", "nobody there"}
"""How a connection may end: told so, told to come again, or between two looks at who is there."""

pytestmark = [pytest.mark.chaos, pytest.mark.slow, pytest.mark.timeout(300 + 2 * SOCKETS)]

if SOCKETS > 200:  # each is a file, here and in the gateway, which inherits the limit
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


async def test_services_are_replaced_and_nobody_misses_or_sees_anything_twice(world: World) -> None:
    rollout = Rollout(world, [world.stack.url])
    async with rollout.beside(GATEWAY) as (second, its_address), Balancer(rollout) as balancer:
        rollout.gateways.append(its_address)
        people = [Person(balancer.url) for _ in range(TALKERS + 1)]
        runs = await opened(people[0], max(SOCKETS // OF_A_SESSION, 2))
        sessions = [run["session_id"] for run in runs]
        viewers = [Viewer(rollout.gateway, sessions[number % len(sessions)]) for number in range(SOCKETS)]
        streams = [StreamViewer(rollout.gateway, session) for session, _ in zip(cycle(sessions), range(STREAMS))]
        watching = Watching(rollout, viewers, streams)
        await eventually(watching.all_there, "all sockets to be open", 120)
        over = asyncio.Event()
        talking = [asyncio.create_task(talk(person, watching, over)) for person in people[1:]]
        talking.append(asyncio.create_task(go_on(people[0], sessions, over)))
        for name in (GATEWAY, *LAYERS):
            await rollout.replace(name)
            watching.check()
        rollout.gateways.remove(its_address)
        await rollout.end(GATEWAY, second)
        over.set()
        runs += [run for told in await asyncio.gather(*talking) for run in told]
        for run in runs:
            await people[0].end_of(run, 120)
        await world.quiet(120)
        await everything_was_seen(world, runs, watching)
        for person in people:
            await person.__aexit__()
    assert not await world.books.dead_letters()
    assert "has not stopped within" not in (world.folder / "services.log").read_text()
    log.warning("%d runs; stopped in s: %s; sent away: %s", len(runs), rollout.seconds, watching.sent_away())


class Watching:
    """All who watch, each in a task of its own."""

    def __init__(self, rollout: Rollout, viewers: list[Viewer], streams: list[StreamViewer]) -> None:
        self._rollout = rollout
        self.faithful = tuple(viewers)
        """Those who were there from the beginning."""
        self.viewers = viewers
        self.streams = streams
        everybody: list[Viewer | StreamViewer] = [*viewers, *streams]
        self._tasks = [asyncio.create_task(viewer.watch()) for viewer in everybody]

    def begin(self, run: Json) -> None:
        """Somebody watches a new session."""
        self.viewers.append(Viewer(self._rollout.gateway, run["session_id"]))
        self._tasks.append(asyncio.create_task(self.viewers[-1].watch()))

    def check(self) -> None:
        """Raises what a viewer has failed with."""
        for task in self._tasks:
            if task.done():
                task.result()

    async def all_there(self) -> bool:
        self.check()
        return all(viewer.event_ids for viewer in self.viewers) and all(stream.turns for stream in self.streams)

    async def end(self) -> None:
        self.check()
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with suppress(asyncio.CancelledError):
                await task

    def sent_away(self) -> Counter[str]:
        everybody: list[Viewer | StreamViewer] = [*self.viewers, *self.streams]
        return sum((viewer.sent_away for viewer in everybody), Counter[str]())


async def opened(person: Person, count: int) -> list[Json]:
    """Sessions with a run behind them."""
    runs: list[Json] = []
    while len(runs) < count:
        some = min(AT_ONCE, count - len(runs))
        begun = await asyncio.gather(*(person.say("/errand 1", auto_approve=True) for _ in range(some)))
        for run in begun:
            await person.end_of(run)
        runs += begun
    return runs


async def talk(person: Person, watching: Watching, over: asyncio.Event) -> list[Json]:
    """New sessions, one after the other, each with somebody who watches."""
    chance, told = random.Random(20_270_101), list[Json]()
    while not over.is_set():
        match chance.randrange(4):
            case 0:
                run = await errand(person, chance.randrange(1, 4))
            case 1:
                run = await person.wait_for("/errand 2")
            case 2:
                run = await person.say("/naps 2", auto_approve=True)
            case _:
                run = await person.say("/day 2", auto_approve=True)
        watching.begin(run)
        told.append(run)
        await person.end_of(run, 120)
    return told


async def go_on(person: Person, sessions: list[str], over: asyncio.Event) -> list[Json]:
    """In the sessions that are watched, one after the other."""
    told: list[Json] = []
    for session in cycle(sessions):
        if over.is_set() and len(told) >= len(sessions):
            return told
        told.append(await person.say("/errand 1", auto_approve=True, session_id=session))
        await person.end_of(told[-1], 120)
    raise AssertionError


async def everything_was_seen(world: World, runs: list[Json], watching: Watching) -> None:
    """Ledger, effects and viewers agree."""
    of: dict[str, list[Json]] = defaultdict(list)
    for run in runs:
        of[run["session_id"]].append(run)
    recorded = {}
    for session, its in of.items():
        messages = await world.books.read(session)
        gapless(messages)
        for run in its:
            world.books.balanced(run, messages)
        recorded[session] = [str(message.event_id) for message in messages]

    async def all_seen() -> bool:
        watching.check()
        caught_up = all(len(viewer.event_ids) == len(recorded[viewer.session]) for viewer in watching.viewers)
        return caught_up and all(stream.turns == len(of[stream.session]) for stream in watching.streams)

    await eventually(all_seen, "everybody to have seen everything", 120)
    fresh = [StreamViewer(lambda: world.stack.url, stream.session) for stream in watching.streams]
    reading = [asyncio.create_task(stream.watch()) for stream in fresh]

    async def all_read() -> bool:
        return all(stream.turns == len(of[stream.session]) for stream in fresh)

    await eventually(all_read, "the streams, read in one go", 120)
    for task in reading:
        task.cancel()
    await watching.end()
    for viewer in watching.viewers:
        assert viewer.event_ids == recorded[viewer.session]
    for stream, again in zip(watching.streams, fresh, strict=True):
        assert all(one == other for one, other in zip(stream.told, again.told, strict=False))
    for viewer in watching.faithful:
        assert viewer.sent_away["1012"], "each gateway was replaced"
    assert set().union(*(viewer.sent_away for viewer in watching.viewers)) <= EXPECTED, watching.sent_away()
    assert any(viewer.hints for viewer in watching.viewers)
