"""Revising a rejected plan without a model: the steps that the reason names are taken out."""

from collections.abc import Mapping

from contracts.planning import Plan, TodoItem
from contracts.shape import JsonObject
from contracts.tools import Need, ToolSpec

SHORTEST = 2
"""Letters of the shortest word of a title that counts as naming it: Korean nouns are short."""


def without_named(plan: Plan, reason: str, tools: Mapping[str, ToolSpec]) -> tuple[list[str], list[JsonObject]]:
    """Titles of the steps that the reason names and that nothing requires, and the JSON Patch that removes them."""
    named = [number for number, todo in enumerate(plan.todos) if _names(reason.lower(), todo)]
    removable = [number for number in named if not _required(plan, plan.todos[number], tools)]
    if not removable or len(removable) == len(plan.todos):
        return [], []
    titles = [plan.todos[number].title for number in removable]
    patch: list[JsonObject] = [{"op": "remove", "path": f"/{number}"} for number in reversed(removable)]
    return titles, patch


def _names(reason: str, todo: TodoItem) -> bool:
    words = [*todo.title.lower().split(), todo.tool.split(".", 1)[1]]
    return any(len(word) >= SHORTEST and word in reason for word in words[:1] + words[-1:])


def _required(plan: Plan, todo: TodoItem, tools: Mapping[str, ToolSpec]) -> bool:
    for other in plan.todos:
        tool = tools.get(other.tool)
        if todo.id in other.depends_on and tool is not None:
            required = {consumed.type for consumed in tool.consumes if consumed.need is Need.REQUIRED}
            if required & set(todo.produces):
                return True
    return False
