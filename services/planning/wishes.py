"""What the steps of a plan mean of the files at hand; and a person's words about the plan as the steps' arguments."""

import asyncio
import importlib
import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache, partial
from typing import cast

from backbone.kept.arrivals import Arrivals
from backbone.kept.keys import arrival_tools
from backbone.packs import Catalogue
from contracts.artifacts import Attachment
from contracts.planning import Plan, TodoItem
from contracts.profiles import roles_in
from contracts.shape import JsonObject
from contracts.wishes import Wish, WishAsked, WishReader
from services.planning.domain.fitting import Fitting
from services.planning.domain.request import said_days
from understanding.port import days_in

log = logging.getLogger(__name__)

_Found = dict[str, list[tuple[str, JsonObject]]]
"""Type of file -> of those of this type their names, and what was found in them."""
PATIENCE = 3.0
"""Seconds that a plan waits for what is found in files that nobody has looked at yet."""


@dataclass(frozen=True, slots=True)
class Told:
    """Of all steps together: what they mean, and what was said that cannot be done."""

    lines: tuple[str, ...] = ()
    cannot: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Changed:
    """What a reason does to the steps' arguments (a JSON Patch), what they mean from now on, what is left of it."""

    told: Told
    before: Told
    rest: str
    patch: list[JsonObject] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Since:
    """What was asked for now, and the last plan of the session, which it may go on from; `goes_on`: it names nothing of
    what that makes, and is planned to make the same."""

    request: str = ""
    plan: Plan | None = None
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class Wishes:
    """Asks the readers of the plan's tools."""

    catalogue: Catalogue
    arrivals: Arrivals

    async def told(
        self, plan: Plan, files: Sequence[Attachment], language: str, since: Since | None = None
    ) -> tuple[Told, Plan]:
        """And the plan with the arguments that the readers take them for, where all its files are known."""
        if not self.reads(plan):
            return Told(), plan
        found = await self._found(plan, files)
        since = since or Since()
        earlier = {todo.tool: todo.params for todo in since.plan.todos} if since.plan is not None else {}
        wishes: dict[str, Wish] = {}
        for todo in plan.todos:
            before = earlier.get(todo.tool, {})
            given = WishAsked(params=todo.params, before=before, request=since.request, goes_on=since.goes_on)
            if (wish := await self._wish(todo, given, found, language)) is not None:
                wishes[todo.id] = wish
        taken = {type_ for todo in plan.todos if todo.id in wishes for type_ in todo.consumes}
        if sum(map(len, found.values())) == sum(one.type in taken for one in files):
            todos = [
                todo.model_copy(update={"params": wishes[todo.id].params}) if todo.id in wishes else todo
                for todo in plan.todos
            ]
            plan = plan.model_copy(update={"todos": tuple(todos)})
        return _together(list(wishes.values())), plan

    async def changed(
        self, plan: Plan, said: str, files: Sequence[Attachment], language: str, today: date | None = None
    ) -> Changed:
        """Each step takes of the reason what it has a use for; what is left may name steps. `today` is the person's."""
        found = await self._found(plan, files)
        before: list[Wish] = []
        after: list[Wish] = []
        patch: list[JsonObject] = []
        rest = said
        days = tuple(said_days(days_in(said, today))) if today is not None else ()
        for place, todo in enumerate(plan.todos):
            now = await self._wish(todo, WishAsked(params=todo.params), found, language)
            asked = WishAsked(params=todo.params, said=rest, periods=days)
            then = await self._wish(todo, asked, found, language)
            if now is None or then is None:
                continue
            before.append(now)
            after.append(then)
            rest = then.rest
            if then.params != todo.params:
                patch.append({"op": "add", "path": f"/{place}/params", "value": then.params})
        return Changed(_together(after), _together(before), rest, patch)

    def reads(self, plan: Plan) -> bool:
        """Whether any of its steps means something of the files."""
        return any(self._reads(todo) for todo in plan.todos)

    def _reads(self, todo: TodoItem) -> bool:
        tool = self.catalogue.tools.get(todo.tool)
        return tool is not None and tool.wish is not None

    async def _wish(self, todo: TodoItem, asked: WishAsked, found: _Found, language: str) -> Wish | None:
        """None for a step whose tool reads no wishes, or whose reader fails: no plan fails for want of words."""
        tool = self.catalogue.tools.get(todo.tool)
        if tool is None or tool.wish is None:
            return None
        own = [one for type_ in todo.consumes for one in found.get(type_, ())]
        # what a step takes from another one was made of the files of the plan
        files = own or [one for each in found.values() for one in each]
        asked = asked.model_copy(
            update={"files": tuple(result for _, result in files), "names": tuple(name for name, _ in files)}
        )
        say = partial(self.catalogue.packs[tool.pack].text, language)
        try:
            return await asyncio.to_thread(lambda: _reader(tool.wish or "")(asked, say))
        except Exception:  # a pack's code
            log.exception("the wishes of %s cannot be read", tool.tool_key)
            return None

    async def fitting(self, files: Sequence[Attachment]) -> Fitting:
        """By the roles of the columns of the tables; of files that no tool is particular about nothing is looked up."""
        chosen = {
            one.type for tool in self.catalogue.tools.values() for one in tool.consumes if one.having or one.lacking
        }
        found = await self._looked(files, chosen)
        roles: dict[str, frozenset[str]] = {}
        for type_, results in found.items():
            known = [of for _, one in results if (of := roles_in(one)) is not None]
            if len(known) == sum(one.type == type_ for one in files):
                roles[type_] = frozenset[str]().union(*known)
        return Fitting(roles)

    async def _found(self, plan: Plan, files: Sequence[Attachment]) -> _Found:
        return await self._looked(files, {type_ for todo in plan.todos if self._reads(todo) for type_ in todo.consumes})

    async def _looked(self, files: Sequence[Attachment], taken: Collection[str]) -> _Found:
        wanted = [one for one in files if one.type in taken and arrival_tools(self.catalogue.tools, one.type)]
        clock = asyncio.get_running_loop().time
        deadline = clock() + PATIENCE
        found: _Found = {}
        for one in wanted:
            looked = await self.arrivals.known(one.artifact_id)
            if not looked and (left := deadline - clock()) > 0:
                looked = await self.arrivals.asked(one, left)
            found.setdefault(one.type, []).extend((one.name, each.result) for each in looked if each.error is None)
        return found


def _together(wishes: Sequence[Wish]) -> Told:
    lines = dict.fromkeys(line for one in wishes for line in one.lines)
    return Told(tuple(lines), tuple(dict.fromkeys(line for one in wishes for line in one.cannot)))


@cache
def _reader(entry: str) -> WishReader:
    module, _, function = entry.partition(":")
    return cast("WishReader", getattr(importlib.import_module(module), function))
