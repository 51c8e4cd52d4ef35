"""Makes, checks and hashes plans. Pure: ids and texts come in. MermaidRenderer: the plan as a picture."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from uuid import UUID

import orjson
from jsonschema import Draft202012Validator

from contracts.cognitive import PlanHint
from contracts.errors import Code
from contracts.planning import Plan, TodoItem
from contracts.tools import ToolSpec
from services.planning.domain.dependency import PlanInvalid, in_order
from services.planning.domain.todo_fields import estimate


def make(plan_id: UUID, version: int, hint: PlanHint, todos: Sequence[TodoItem], tools: Mapping[str, ToolSpec]) -> Plan:
    """A checked plan. Raises PlanInvalid."""
    ordered = in_order([_checked(todo, tools) for todo in todos])
    return Plan(
        plan_id=plan_id,
        version=version,
        goals=hint.goals,
        formats=hint.formats,
        todos=ordered,
        estimate=estimate(ordered, tools),
        mermaid=render(ordered),
    )


def _checked(todo: TodoItem, tools: Mapping[str, ToolSpec]) -> TodoItem:
    """The todo with what its tool says about inputs and outputs, each dependency once: a person's edit may err."""
    tool = tools.get(todo.tool)
    if tool is None:
        raise PlanInvalid(
            Code.PLAN_TOOL_UNKNOWN, f"{todo.id!r} wants the tool {todo.tool!r}, which no pack has", tool=todo.tool
        )
    if todo.executor != tool.executor:
        raise _argument(todo, "executor", f"{todo.tool} runs on {tool.executor!r}, not on {todo.executor!r}")
    if todo.params or "required" in tool.params_schema:
        problem = next(Draft202012Validator(tool.params_schema).iter_errors(todo.params), None)
        if problem is not None:
            where = "/".join(str(part) for part in problem.absolute_path) or "params"
            raise _argument(todo, where, problem.message[:200])
    said = {
        "consumes": tuple(one.type for one in tool.consumes),
        "produces": tool.produces,
        "depends_on": tuple(dict.fromkeys(todo.depends_on)),
    }
    return todo if all(getattr(todo, name) == value for name, value in said.items()) else todo.model_copy(update=said)


def _argument(todo: TodoItem, field: str, problem: str) -> PlanInvalid:
    return PlanInvalid(
        Code.PLAN_ARGUMENTS_INVALID, f"{todo.id!r}: {field}: {problem}", todo=todo.title, field=field, problem=problem
    )


def plan_hash(plan: Plan) -> str:
    """SHA-256 over the plan's canonical JSON: what exactly was approved."""
    return sha256(orjson.dumps(plan.model_dump(mode="json"), option=orjson.OPT_SORT_KEYS)).hexdigest()


LIMIT = 60
"""Above so many todos a picture helps nobody; it says how many there are instead."""
SPECIAL = frozenset('#&"<>`\\;|[](){}')
"""What Mermaid or a browser could take for more than text; titles may come from people."""


def render(todos: Sequence[TodoItem]) -> str:
    """A Mermaid flowchart, left to right. The n-th todo is the node t<n>: an id may be a word of Mermaid's own."""
    if len(todos) > LIMIT:
        return f'flowchart LR\n  all["{len(todos)} todos"]'
    nodes = {todo.id: f"t{number}" for number, todo in enumerate(todos, 1)}
    lines = ["flowchart LR"]
    lines += [f'  {nodes[todo.id]}["{_label(todo.title)}"]' for todo in todos]
    lines += [f"  {nodes[before]} --> {nodes[todo.id]}" for todo in todos for before in dict.fromkeys(todo.depends_on)]
    return "\n".join(lines)


def _label(title: str) -> str:
    words = " ".join(title.split())
    return "".join(f"#{ord(letter)};" if letter in SPECIAL else letter for letter in words)
