"""What must be true of every run that has completed, whatever died meanwhile: the ledger and the world agree."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

import asyncpg

from backbone.ledger.postgres import PostgresLedger
from contracts.envelope import Message
from contracts.execution import TodoDispatched, TodoFailed, TodoSucceeded
from contracts.planning import PlanningOutput
from tests.e2e.person import Json
from tests.packs.effects.outbox import CALLS, EFFECTS, keys_in

ONCE = (
    "SessionOpened", "MessageReceived", "CognitiveOutput", "PlanApproved", "ExecutionStarted", "ExecutionOutput",
    "ResponseOutput", "RunCompleted",
)  # fmt: skip


class Books:
    """The ledger, read past all services, and the outbox of the test pack."""

    def __init__(self, database_url: str, outbox: Path) -> None:
        self._url = database_url
        self._outbox = outbox

    async def read(self, session: str) -> list[Message]:
        ledger = await PostgresLedger.connect(self._url, min_size=1, max_size=2)
        try:
            assert await ledger.verify(UUID(session)) == {}, "the hash chain is broken"
            return await ledger.read(UUID(session), 0, 100_000)
        finally:
            await ledger.close()

    async def sessions(self) -> set[str]:
        connection = await asyncpg.connect(self._url)
        try:
            return {str(row["stream_id"]) for row in await connection.fetch("select stream_id from ledger.streams")}
        finally:
            await connection.close()

    async def dead_letters(self) -> list[Json]:
        ledger = await PostgresLedger.connect(self._url, min_size=1, max_size=2)
        try:
            return await ledger.dead_letters(1000)
        finally:
            await ledger.close()

    async def balance(self, run: Json) -> list[Message]:
        """Asserts all of it for a run; returns what its session holds."""
        messages = await self.read(run["session_id"])
        gapless(messages)
        self.balanced(run, messages)
        return messages

    def balanced(self, run: Json, of_session: Sequence[Message]) -> None:
        """Asserts all of it for a run of a session that was read."""
        messages = [one for one in of_session if str(one.run_id) == run["run_id"] or one.type == "SessionOpened"]
        counts = Counter(message.type for message in messages)
        assert {name: counts[name] for name in ONCE} == dict.fromkeys(ONCE, 1)
        assert not counts["RunFailed"] and not counts["RunCancelled"] and not counts["PlanRejected"]
        self._todos(messages)
        self._effects(run, messages)

    def _todos(self, messages: Sequence[Message]) -> None:
        events = [message.event for message in messages]
        plans = [event.plan for event in events if isinstance(event, PlanningOutput)]
        assert [plan.version for plan in plans] == list(range(1, len(plans) + 1)), (
            "a plan version is missing or doubled"
        )
        planned = {todo.id for todo in plans[-1].todos}
        dispatched = Counter((event.todo.id, event.attempt) for event in events if isinstance(event, TodoDispatched))
        assert set(dispatched.values()) == {1}, f"an attempt was dispatched twice: {dispatched}"
        failed = Counter((event.todo_id, event.attempt) for event in events if isinstance(event, TodoFailed))
        assert set(failed.values()) <= {1}
        # an attempt more than one is there because the one before failed
        assert set(dispatched) == {(todo, 1) for todo in planned} | {(todo, attempt + 1) for todo, attempt in failed}
        succeeded = [event.todo_id for event in events if isinstance(event, TodoSucceeded)]
        assert sorted(succeeded) == sorted(planned)
        for event in events:
            if isinstance(event, TodoDispatched):
                done = {one.todo_id for one in _until(messages, event) if isinstance(one, TodoSucceeded)}
                assert set(event.todo.depends_on) <= done, f"{event.todo.id} ran before what it depends on"

    def _effects(self, run: Json, messages: Sequence[Message]) -> None:
        plan = [message.event for message in messages if isinstance(message.event, PlanningOutput)][-1].plan
        mine = f"{run['run_id']}:"
        effects = {key: count for key, count in keys_in(self._outbox / EFFECTS).items() if key.startswith(mine)}
        calls = {key: count for key, count in keys_in(self._outbox / CALLS).items() if key.startswith(mine)}
        assert {key.split(":")[1] for key in effects} == {todo.id for todo in plan.todos}
        assert len(effects) == len(plan.todos), f"a call had more than one key: {effects}"
        assert set(effects.values()) == {1}, f"an effect happened twice: {effects}"
        assert set(calls) == set(effects)

    def calls(self, run: Json) -> int:
        """How often tools were called for a run."""
        return sum(count for key, count in keys_in(self._outbox / CALLS).items() if key.startswith(f"{run['run_id']}:"))


def gapless(messages: Sequence[Message]) -> None:
    """Versions are 1..n, and no event is there twice."""
    assert [message.version for message in messages] == list(range(1, len(messages) + 1))
    assert len({message.event_id for message in messages}) == len(messages)


def _until(messages: Sequence[Message], event: object) -> list[object]:
    return [message.event for message in messages[: next(i for i, m in enumerate(messages) if m.event == event)]]
