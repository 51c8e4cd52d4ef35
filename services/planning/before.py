"""Which steps of a plan an earlier run has done already: their results are kept, and taking them costs nothing."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from backbone.kept.keys import code_of, key_of_call, may_be_kept
from backbone.kept.port import KeptResults
from backbone.ledger.port import Ledger
from backbone.pack_settings import settings_of
from backbone.packs import Catalogue
from contracts.artifacts import Attachment
from contracts.gateway import SessionOpened
from contracts.planning import Plan, TodoItem, TodoRole
from contracts.tools import ToolSpec


@dataclass(frozen=True, slots=True)
class PlanOwner:
    """Whose plan it is, in which language, and on which day of theirs."""

    user: str
    language: str
    timezone: str
    day: str


@dataclass(frozen=True, slots=True)
class Before:
    """Looks the steps of plans up among the kept results, by the keys that executors use."""

    catalogue: Catalogue
    ledger: Ledger
    kept: KeptResults
    timezone: str = "UTC"

    async def asker(self, session: UUID, language: str, at: datetime) -> PlanOwner:
        found = await self.ledger.read(session, limit=1)
        opened = found[0].event if found else None
        user, zone = (opened.user, opened.profile.timezone) if isinstance(opened, SessionOpened) else ("anonymous", "")
        zone = zone or self.timezone
        return PlanOwner(user, language, zone, at.astimezone(ZoneInfo(zone)).date().isoformat())

    async def steps(self, plan: Plan, files: Sequence[Attachment], asker: PlanOwner) -> tuple[str, ...]:
        """Ids of the steps that are done, in order. What a step takes is known when all before it are done."""
        made: dict[str, tuple[Attachment, ...]] = {}
        for todo in plan.todos:
            tool = self.catalogue.tools.get(todo.tool)
            if tool is None or todo.role is not TodoRole.STEP or not may_be_kept(tool, todo.params):
                continue
            if any(one not in made for one in todo.depends_on):
                continue
            key = await self._key(tool, todo, _taken(todo, files, made), asker)
            if found := (await self.kept.find([key], used=False)).get(key):
                made[todo.id] = found.made.attachments
        return tuple(made)

    async def _key(self, tool: ToolSpec, todo: TodoItem, taken: Sequence[Attachment], asker: PlanOwner) -> str:
        folder = self.catalogue.packs[tool.pack].folder
        await asyncio.to_thread(code_of, folder)
        return key_of_call(
            tool, folder, todo.params, taken,
            owner=asker.user, language=asker.language, timezone=asker.timezone, day=asker.day,
            config=settings_of(tool.pack, self.catalogue.packs, os.environ),
        )  # fmt: skip


def _taken(
    todo: TodoItem, files: Sequence[Attachment], made: Mapping[str, Sequence[Attachment]]
) -> tuple[Attachment, ...]:
    """As a dispatcher gives it: the person's files, then what the steps before have made."""
    before = (one for dependency in dict.fromkeys(todo.depends_on) for one in made[dependency])
    return tuple(one for one in (*files, *before) if one.type in set(todo.consumes))
