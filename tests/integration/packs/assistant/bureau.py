"""The assistant's tools as an executor runs them, with what they ask the ledger for: timers, and a person's memory."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid4, uuid5

from backbone import packs
from contracts.execution import TodoDispatched
from contracts.memory import Found, MemoryItem, MemoryKind
from contracts.planning import TodoItem
from contracts.tables import PackDatabase
from contracts.tools import ToolError, Upstream
from services.execution.tools.resources import Owner, Resources
from services.execution.tools.tool_runner import Done, ToolRunner
from services.execution.tools.toolpool import ToolPool
from tests.fakes.artifacts import MemoryArtifacts

CATALOGUE = packs.load(("assistant",))
NOON = datetime(2026, 11, 22, 3, tzinfo=UTC)
"""Noon in Seoul."""


@dataclass
class Notes:
    """contracts.memory.Memories of everybody, by the letters that words share: enough for tests of who asks it."""

    items: dict[UUID, MemoryItem] = field(default_factory=dict)
    alike: dict[tuple[str, str], float] = field(default_factory=dict)
    """How alike two texts are by what they mean; those that are not here are not alike at all."""

    def of(self, owner: Owner) -> "NotesOf":
        return NotesOf(self, owner)


@dataclass
class NotesOf:
    """One person's."""

    notes: Notes
    owner: Owner

    async def keep(self, kind: MemoryKind, text: str) -> UUID:
        item_id = uuid5(NAMESPACE_OID, self.owner.key + text)
        fields = {"user": self.owner.user, "kind": kind, "text": text, "language": "ko", "recorded_at": NOON}
        self.notes.items.setdefault(item_id, MemoryItem(item_id=item_id, **fields))
        return item_id

    async def search(self, query: str, limit: int = 5, kinds: Sequence[MemoryKind] = ()) -> list[Found]:
        mine = [one for one in self.notes.items.values() if one.user == self.owner.user]
        scores = {one.item_id: len(set(query) & set(one.text)) / (len(set(query)) or 1) for one in mine}
        found = [
            Found(item=one, score=scores[one.item_id])
            for one in mine
            if scores[one.item_id] > 0.3 and (not kinds or one.kind in kinds)
        ]
        return sorted(found, key=lambda one: -one.score)[:limit]

    async def said_here(self, limit: int = 500) -> list[MemoryItem]:
        return []

    async def newest(self, limit: int = 20, kinds: Sequence[MemoryKind] = ()) -> list[MemoryItem]:
        mine = [one for one in self.notes.items.values() if one.user == self.owner.user and one.kind in kinds]
        return mine[::-1][:limit]

    async def forget(self, item_id: UUID) -> bool:
        return self.notes.items.pop(item_id, None) is not None

    async def alike(self, text: str, others: Sequence[str]) -> Sequence[float]:
        return [self.notes.alike.get((text, other), 0.0) for other in others]


@dataclass
class Bureau:
    """One person who asks; `done` is what the last call has made."""

    tables: PackDatabase
    notes: Notes = field(default_factory=Notes)
    language: str = "ko"
    user: str = field(default_factory=lambda: f"u{uuid4().hex}")
    now: datetime = NOON
    timezone: str = "Asia/Seoul"
    done: Done = field(default_factory=lambda: Done({}))

    async def __call__(
        self, tool: str, run: UUID | None = None, upstream: tuple[Upstream, ...] = (), **params: Any
    ) -> dict[str, Any]:
        """The result; with the same `run` it is another attempt of the same call. Holds both to their schemas."""
        resources = Resources(lambda pack: self.tables, self.notes.of, self.timezone, {})
        runner = ToolRunner(CATALOGUE, MemoryArtifacts(), ToolPool(1), resources)
        spec = runner.spec(f"assistant.{tool}")
        dispatched = TodoDispatched(
            plan_id=uuid4(),
            todo=TodoItem(id="t1", title=tool, tool=spec.tool_key, executor=spec.executor, params=params),
            attempt=1,
            language=self.language,
            user=self.user,
            upstream=upstream,
            requested_at=self.now,
        )
        runner.check_arguments(spec, dispatched)
        self.done = await runner.execute(run or uuid4(), spec, dispatched, self)
        runner.check_result(spec, self.done)
        return self.done.result

    async def error(self, tool: str, **params: Any) -> ToolError:
        try:
            result = await self(tool, **params)
        except ToolError as error:
            return error
        raise AssertionError(f"no error, but {result}")

    async def progress(self, fraction: float, message: str) -> None:
        """These tools have none."""

    def log(self, line: str) -> None:
        """Nor lines."""
