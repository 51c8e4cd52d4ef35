"""Revising a rejected plan without a model: what the reason names is taken out, or is all that stays."""

import re
from collections.abc import Collection, Mapping, Sequence
from unicodedata import normalize

from contracts.planning import Plan, TodoItem
from contracts.shape import JsonObject
from contracts.tools import Need, ToolSpec
from services.planning.domain.tasks import DASH

SHORTEST = 2
"""Letters of the shortest word of a title that counts as naming it: Korean nouns are short."""
_THING = re.compile(r"[^\s\u3041-\u309f]+")
"""Korean and Japanese titles begin with what is worked on; hiragana ends the noun."""


def without_named(
    plan: Plan, reason: str, tools: Mapping[str, ToolSpec], types: Collection[str] = ()
) -> list[JsonObject]:
    """The JSON Patch that removes the steps which the reason names and nothing requires.

    `types` are the artifact types that the reason names by a topic's words; ("", types) asks for these alone."""
    removable = [
        place
        for place, todo in enumerate(plan.todos)
        if _is_named(todo, reason, types) and not _required(plan, todo, tools)
    ]
    return _removal(plan, removable)


def only_named(plan: Plan, reason: str, types: Collection[str] = ()) -> list[JsonObject]:
    """The same the other way round: the named steps stay, with everything that they come after."""
    by_id = {todo.id: todo for todo in plan.todos}
    kept = [todo.id for todo in plan.todos if _is_named(todo, reason, types)]
    for todo_id in kept:  # grows while it is read
        kept += [before for before in by_id[todo_id].depends_on if before not in kept]
    return _removal(plan, [place for place, todo in enumerate(plan.todos) if kept and todo.id not in kept])


def _removal(plan: Plan, places: Sequence[int]) -> list[JsonObject]:
    if not places or len(places) == len(plan.todos):
        return []
    return [{"op": "remove", "path": f"/{place}"} for place in reversed(places)]


def _is_named(todo: TodoItem, reason: str, types: Collection[str]) -> bool:
    if any(type_ in types for type_ in todo.produces):
        return True
    # the words that asked for a step are not its name: a reason may repeat some of them
    said, title = (normalize("NFKC", one).casefold() for one in (reason, todo.title.partition(DASH)[0]))
    tool = todo.tool.split(".", 1)[1].replace("_", " ")
    if title.isascii():
        # English titles end with what is worked on
        return any(_says(said, word) for word in (*title.split()[-1:], tool))
    thing = _THING.match(title)
    return _says(said, tool) or (thing is not None and len(thing[0]) >= SHORTEST and thing[0] in said)


def _says(reason: str, word: str) -> bool:
    stem = word.removesuffix("s")
    return len(stem) >= SHORTEST and re.search(rf"(?<![a-z]){re.escape(stem)}s?(?![a-z])", reason) is not None


def _required(plan: Plan, todo: TodoItem, tools: Mapping[str, ToolSpec]) -> bool:
    for other in plan.todos:
        tool = tools.get(other.tool)
        if todo.id in other.depends_on and tool is not None:
            required = {consumed.type for consumed in tool.consumes if consumed.need is Need.REQUIRED}
            if required & set(todo.produces):
                return True
    return False
