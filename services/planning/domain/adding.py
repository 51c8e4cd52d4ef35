"""Steps that a person adds to a plan: they say a tool and its arguments, the rest the registry knows."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from contracts.errors import Code
from contracts.planning import TodoItem
from contracts.shape import ArtifactType, JsonObject
from contracts.tools import Need, ToolSpec
from services.planning.domain.chain import GoalUnreachable, chain
from services.planning.domain.dependency import PlanInvalid
from services.planning.domain.todo_fields import todo_fields

LONGEST_ID = 48
MOST_STEPS = 1000
"""Of a plan in which ids are counted anew: nobody types more."""
MOST_EDITED = 200
"""Steps that an edit may leave, unless the settings say otherwise."""


class Registry(NamedTuple):
    """`title` in the plan's language; `files` are the types of what the person brought; an edit may leave `most` steps,
    or as many as there were."""

    tools: Mapping[str, ToolSpec]
    title: Callable[[ToolSpec], str]
    files: tuple[ArtifactType, ...] = ()
    most: int = MOST_EDITED


def completed(given: Any, old: Collection[str], known: Registry) -> Any:
    """The todos of an edited plan; one without an executor is a tool and its arguments. Steps that it needs and the
    plan has not come with it, and it comes after those that make what it takes. Raises PlanInvalid."""
    if not isinstance(given, list) or len(given) > MOST_STEPS or not all(isinstance(todo, dict) for todo in given):
        return given
    todos: list[JsonObject] = []
    for todo in given:
        if str(todo.get("id")) in old or "executor" in todo or "tool" not in todo:
            todos.append(todo)
            continue
        tool = known.tools.get(str(todo["tool"]))
        if tool is None:
            key = str(todo["tool"])
            raise PlanInvalid(Code.PLAN_TOOL_UNKNOWN, f"an added step wants {key!r}, which no pack has", tool=key)
        taken = {str(one.get("id")) for one in (*given, *todos)}
        for needed in _needed(tool, [*given, *todos], known):
            todos.append(_step({}, needed, _id(needed, taken), todos + _before(given, todos), known))
        named = {"id": _id(tool, taken)} | todo
        todos.append(_step(named, tool, str(named["id"]), todos + _before(given, todos), known))
    return todos


def waiting(
    todos: Sequence[TodoItem], old: Collection[str], begun: Collection[str], tools: Mapping[str, ToolSpec]
) -> list[TodoItem]:
    """Steps that were there wait for new ones that make what they would take, where that makes no circle."""
    new = [todo for todo in todos if todo.id not in old]
    by_id = {todo.id: todo for todo in todos}
    found: list[TodoItem] = []
    for todo in todos:
        takes = {one.type for one in tools[todo.tool].consumes} if todo.tool in tools else set()
        more = tuple(
            one.id
            for one in new
            if todo.id in old and todo.id not in begun and one.id not in todo.depends_on
            and takes & set(tools[one.tool].produces if one.tool in tools else ())
            and todo.id not in _upstream(one.id, by_id)
        )  # fmt: skip
        update = {"depends_on": (*todo.depends_on, *more), "wants": (*todo.wants, *more)}
        found.append(todo.model_copy(update=update) if more else todo)
    return found


def _needed(tool: ToolSpec, todos: Iterable[JsonObject], known: Registry) -> list[ToolSpec]:
    """Tools that have to run before it and are not in the plan, in order. Raises PlanInvalid."""
    there = {
        type_
        for one in todos
        if (maker := known.tools.get(str(one.get("tool"))))
        for type_ in maker.produces
        if maker is not tool
    }
    required = [one.type for one in tool.consumes if one.need is Need.REQUIRED]
    usable = [one for one in known.tools.values() if one.produces and not one.arrival]
    try:
        return [step.tool for step in chain(required, (*known.files, *there), usable)]
    except GoalUnreachable as error:
        raise PlanInvalid(
            Code.PLAN_EDIT_INVALID, f"{tool.tool_key} needs {error.missing}, which nothing makes",
            why="lacking", todo=known.title(tool), missing=error.missing,
        ) from None  # fmt: skip


def _before(given: Iterable[JsonObject], todos: Sequence[JsonObject]) -> list[JsonObject]:
    """Those of the edited plan that stand as they are and have not been read yet."""
    read = {id(todo) for todo in todos}
    return [todo for todo in given if id(todo) not in read and "executor" in todo]


def _step(said: JsonObject, tool: ToolSpec, id_: str, others: Iterable[JsonObject], known: Registry) -> JsonObject:
    takes = {one.type: one.need for one in tool.consumes}
    makers = {
        str(one["id"]): {takes[type_] for type_ in maker.produces if type_ in takes}
        for one in others
        if (maker := known.tools.get(str(one.get("tool")))) is not None and maker is not tool
    }
    after = [one for one, needs in makers.items() if needs]
    wants = [one for one in after if Need.REQUIRED not in makers[one]]
    fields: dict[str, Any] = dict(todo_fields(tool))
    fields |= {
        "id": id_,
        "title": known.title(tool),
        "produces": list(tool.produces),
        "depends_on": after,
        "wants": wants,
    }
    return {**fields, **said}


def _id(tool: ToolSpec, taken: set[str]) -> str:
    name = tool.tool_key.split(".", 1)[1].replace("_", "-")
    numbers = (f"t{number}-{name}"[:LONGEST_ID] for number in range(1, 2 * MOST_STEPS))
    begun = {one.partition("-")[0] for one in taken}
    chosen = next(one for one in numbers if one.partition("-")[0] not in begun)
    taken.add(chosen)
    return chosen


def _upstream(todo_id: str, by_id: Mapping[str, TodoItem]) -> set[str]:
    queue = [todo_id]
    for one in queue:  # grows while it is read
        queue += [before for before in by_id[one].depends_on if before in by_id and before not in queue]
    return set(queue)
