"""Makes, checks, hashes and edits plans. Pure: ids and texts come in."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from uuid import UUID

import jsonpatch
import orjson
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter, ValidationError

from contracts.cognitive import PlanHint
from contracts.errors import Code
from contracts.planning import Plan, TodoItem
from contracts.shape import JsonObject
from contracts.tools import Need, ToolSpec
from services.planning.domain.dependency import PlanInvalid, in_order
from services.planning.domain.estimator import estimate
from services.planning.domain.mermaid import render

_TODOS = TypeAdapter(tuple[TodoItem, ...])


def make(plan_id: UUID, version: int, hint: PlanHint, todos: Sequence[TodoItem], tools: Mapping[str, ToolSpec]) -> Plan:
    """A checked plan. Raises PlanInvalid."""
    for todo in todos:
        _check(todo, tools)
    ordered = in_order(todos)
    return Plan(
        plan_id=plan_id,
        version=version,
        goals=hint.goals,
        formats=hint.formats,
        todos=ordered,
        estimate=estimate(ordered, tools),
        mermaid=render(ordered),
    )


def _check(todo: TodoItem, tools: Mapping[str, ToolSpec]) -> None:
    tool = tools.get(todo.tool)
    if tool is None:
        raise PlanInvalid(
            Code.PLAN_TOOL_UNKNOWN, f"{todo.id!r} wants the tool {todo.tool!r}, which no pack has", tool=todo.tool
        )
    if todo.executor != tool.executor:
        raise PlanInvalid(
            Code.PLAN_ARGUMENTS_INVALID,
            f"{todo.id!r}: {todo.tool} runs on {tool.executor!r}, not on {todo.executor!r}",
            todo=todo.id,
        )
    if not todo.params and "required" not in tool.params_schema:
        return
    problem = next(Draft202012Validator(tool.params_schema).iter_errors(todo.params), None)
    if problem is not None:
        where = "/".join(str(part) for part in problem.absolute_path) or "params"
        raise PlanInvalid(Code.PLAN_ARGUMENTS_INVALID, f"{todo.id!r}: {where}: {problem.message[:200]}", todo=todo.id)


def plan_hash(plan: Plan) -> str:
    """SHA-256 over the plan's canonical JSON: what exactly was approved."""
    return sha256(orjson.dumps(plan.model_dump(mode="json"), option=orjson.OPT_SORT_KEYS)).hexdigest()


def edit(plan: Plan, patch: Sequence[JsonObject], tools: Mapping[str, ToolSpec]) -> Plan:
    """The next version of the plan, with a JSON Patch over its todos. Raises PlanInvalid; the old plan stays as it is.

    A changed todo is version + 1. Whoever merely wanted a removed todo's output goes on without it; whoever requires
    it makes the edit invalid."""
    before = [todo.model_dump(mode="json") for todo in plan.todos]
    try:
        after = _TODOS.validate_python(jsonpatch.apply_patch(before, list(patch)))
    except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException, TypeError, KeyError) as error:
        raise PlanInvalid(Code.PLAN_EDIT_INVALID, f"the patch does not apply: {error}") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = "/".join(str(part) for part in first["loc"])
        raise PlanInvalid(Code.PLAN_EDIT_INVALID, f"todo {where}: {first['msg']}") from None
    old = {todo.id: todo for todo in plan.todos}
    todos = [_next_version(_without_removed(todo, after, old, tools), old.get(todo.id)) for todo in after]
    hint = PlanHint(goals=plan.goals, formats=plan.formats)
    return make(plan.plan_id, plan.version + 1, hint, todos, tools)


def _without_removed(
    todo: TodoItem, after: Sequence[TodoItem], old: Mapping[str, TodoItem], tools: Mapping[str, ToolSpec]
) -> TodoItem:
    there = {one.id for one in after}
    removed = [old[gone] for gone in todo.depends_on if gone not in there and gone in old]
    tool = tools.get(todo.tool)
    if not removed or tool is None:
        return todo
    required = {consumed.type for consumed in tool.consumes if consumed.need is Need.REQUIRED}
    for gone in removed:
        if needed := required & set(gone.produces):
            raise PlanInvalid(
                Code.PLAN_EDIT_INVALID,
                f"{todo.id!r} needs what {gone.id!r} makes ({', '.join(sorted(needed))})",
                todo=todo.id,
            )
    return todo.model_copy(update={"depends_on": tuple(one for one in todo.depends_on if one in there)})


def _next_version(todo: TodoItem, old: TodoItem | None) -> TodoItem:
    if old is None or todo == old:
        return todo
    return todo.model_copy(update={"version": old.version + 1})
