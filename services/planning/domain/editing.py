"""Edits a plan: JSON Patch (RFC 6902) over its todos, as a person sends it. Revising a rejected plan without a model:
what the reason names is taken out, or is all that stays."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final
from unicodedata import normalize

import jsonpatch
from pydantic import TypeAdapter, ValidationError

from contracts.artifacts import FOUND
from contracts.cognitive import PlanHint
from contracts.errors import Code
from contracts.planning import Plan, TodoItem
from contracts.shape import JsonObject
from contracts.tools import Need, ToolSpec
from services.planning.domain.adding import Registry, completed, waiting
from services.planning.domain.dependency import PlanInvalid
from services.planning.domain.plan import make, plan_hash
from services.planning.domain.tasks import DASH
from services.planning.domain.todo_fields import todo_fields

_TODOS = TypeAdapter(tuple[TodoItem, ...])
_FORECASTS: Final = ("tokens", "money")
_LIMITED: Final = ("timeout_seconds", "retries", "estimate_seconds", *_FORECASTS)
_WHOLE_TODO = re.compile(r"/(\d+|-)")


def edit(
    plan: Plan,
    patch: Sequence[JsonObject],
    tools: Mapping[str, ToolSpec],
    begun: Collection[str] = (),
    known: Registry | None = None,
) -> Plan:
    """The next version of the plan. Raises PlanInvalid; the old plan stays as it is. With `known` an added step may be
    a tool and its arguments alone.

    A changed todo is version + 1. Whoever merely wanted a removed todo's output goes on without it; whoever requires
    it makes the edit invalid. Todos that have `begun` stay exactly as they are."""
    after = _patched(plan, patch, known)
    old = {todo.id: todo for todo in plan.todos}
    there = {todo.id: todo for todo in after}
    fixed = [todo for todo in plan.todos if todo.id in begun]
    # first, for a removal is about the removed todo, whoever needs what it makes
    _unchanged(fixed, (_next_version(todo, old.get(todo.id)) for todo in after))
    todos = [
        _next_version(
            _within_limits(_without_removed(todo, there, old, tools), old.get(todo.id), tools), old.get(todo.id)
        )
        for todo in after
    ]
    todos = waiting(todos, old, begun, tools) if known else todos
    # again: one that has begun may have named a todo that is removed
    _unchanged(fixed, todos)
    hint = PlanHint(goals=plan.goals, formats=plan.formats)
    revised = make(plan.plan_id, plan.version + 1, hint, todos, tools)
    try:
        plan_hash(revised)
    except TypeError as error:  # an integer of more than 64 bits: what cannot be hashed cannot be approved
        raise _no_patch(str(error)) from None
    return revised


def _unchanged(fixed: Iterable[TodoItem], after: Iterable[TodoItem]) -> None:
    there = {todo.id: todo for todo in after}
    for todo in fixed:
        if there.get(todo.id) != todo:
            raise PlanInvalid(
                Code.TODO_NOT_EDITABLE, f"{todo.id!r} has begun or is over: it stays as it is", todo=todo.title
            )


def _patched(plan: Plan, patch: Sequence[JsonObject], known: Registry | None) -> tuple[TodoItem, ...]:
    for operation in patch:
        pointers = [operation.get("from"), operation.get("path")]
        # a copy of the whole list into itself doubles it with every operation
        if operation.get("op") == "copy" and not all(_WHOLE_TODO.fullmatch(str(one)) for one in pointers):
            raise _no_patch("copy takes a whole todo, as in /2")
    before = [todo.model_dump(mode="json") for todo in plan.todos]
    try:
        patched: Any = jsonpatch.apply_patch(before, list(patch))
    # the library checks little and trips over what is no patch: whatever it raises, the patch is at fault
    except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException) as error:
        raise _no_patch(str(error)) from None
    except (TypeError, ValueError, LookupError, AttributeError, RecursionError) as error:
        raise _no_patch(f"{type(error).__name__}: {error}") from None
    if known is not None:
        most = max(known.most, len(plan.todos))
        _bounded(patched, most)
        patched = completed(patched, {todo.id for todo in plan.todos}, known)
        _bounded(patched, most)  # again: what added steps need has come with them
    try:
        return _TODOS.validate_python(patched)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = "/".join(str(part) for part in first["loc"])
        raise PlanInvalid(
            Code.PLAN_EDIT_INVALID, f"todo {where}: {first['msg']}", why="field", field=where, problem=first["msg"]
        ) from None


def _bounded(todos: Any, most: int) -> None:
    if isinstance(todos, list) and len(todos) > most:
        raise PlanInvalid(
            Code.PLAN_EDIT_INVALID, f"the plan would have {len(todos):,} steps: an edit leaves {most:,} at most",
            why="many", count=f"{len(todos):,}", limit=f"{most:,}",
        )  # fmt: skip


def _no_patch(problem: str) -> PlanInvalid:
    return PlanInvalid(
        Code.PLAN_EDIT_INVALID, f"the patch does not apply: {problem[:300]}", why="patch", problem=problem[:300]
    )


def _without_removed(
    todo: TodoItem, there: Mapping[str, TodoItem], old: Mapping[str, TodoItem], tools: Mapping[str, ToolSpec]
) -> TodoItem:
    # what it came after before the edit counts, too: an editor may have taken the link out with the step
    after = dict.fromkeys((*todo.depends_on, *(old[todo.id].depends_on if todo.id in old else ())))
    gone = [old[one] for one in after if one not in there and one in old]
    tool = tools.get(todo.tool)
    if not gone or tool is None:
        return todo
    kept = tuple(one for one in todo.depends_on if one in there)
    still_made = {type_ for one in kept if there[one].tool in tools for type_ in tools[there[one].tool].produces}
    required = {one.type for one in tool.consumes if one.need is Need.REQUIRED} - still_made
    for one in gone:
        if needed := required & set(one.produces):
            raise PlanInvalid(
                Code.PLAN_EDIT_INVALID, f"{todo.id!r} needs what {one.id!r} makes ({', '.join(sorted(needed))})",
                why="needed", todo=", ".join(other.title for other in falling(one.id, old, tools)), gone=one.title,
            )  # fmt: skip
    wants = tuple(one for one in todo.wants if one in there)
    return todo.model_copy(update={"depends_on": kept, "wants": wants})


def falling(todo_id: str, todos: Mapping[str, TodoItem], tools: Mapping[str, ToolSpec]) -> list[TodoItem]:
    """The steps that cannot be done without this one: those that require what it makes, and those that require that."""
    gone = {todo_id: todos[todo_id]}
    for todo in todos.values():  # in topological order
        tool = tools.get(todo.tool)
        required = {one.type for one in tool.consumes if one.need is Need.REQUIRED} if tool else set()
        if any(required & set(gone[one].produces) for one in todo.depends_on if one in gone):
            gone[todo.id] = todo
    return list(gone.values())[1:]


def _within_limits(todo: TodoItem, old: TodoItem | None, tools: Mapping[str, ToolSpec]) -> TodoItem:
    """What a tool takes at most is its pack's to say, and what it costs too: a person may ask for less time and fewer
    tries, and forecasts, which budgets reserve, are the tool's. What nobody has said is as the tool says."""
    tool = tools.get(todo.tool)
    if tool is None or todo == old:
        return todo
    promise = todo_fields(tool)
    own: dict[str, float] = {field: promise[field] for field in _LIMITED}
    # how long a step will take a person may know better, but no longer than it may take
    limits = own | {"estimate_seconds": max(promise["estimate_seconds"], promise["timeout_seconds"])}
    known = old if old is not None and old.tool == todo.tool else None
    said: dict[str, float] = {}
    for field in _LIMITED:
        given: float = getattr(todo, field) if field in todo.model_fields_set else own[field]
        most = max(limits[field], getattr(known, field)) if known else limits[field]
        if given > most:
            raise PlanInvalid(
                Code.PLAN_ARGUMENTS_INVALID, f"{todo.id!r}: {field} is {given:g}: {todo.tool} has {most:g} at most",
                why="limit", todo=todo.title, field=field, limit=f"{most:g}", problem=f"more than {most:g}",
            )  # fmt: skip
        said[field] = max(given, most) if field in _FORECASTS else given
    return todo.model_copy(update=said)


def _next_version(todo: TodoItem, old: TodoItem | None) -> TodoItem:
    """Versions are ours to count, whatever the patch says."""
    if old is None:
        return todo.model_copy(update={"version": 1})
    same = todo.model_copy(update={"version": old.version})
    return same if same == old else todo.model_copy(update={"version": old.version + 1})


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
    return _removal(plan, _all_but(plan, [todo.id for todo in plan.todos if _is_named(todo, reason, types)]))


def taken_out(plan: Plan, places: Collection[int], more: Sequence[JsonObject] = ()) -> list[JsonObject]:
    """The JSON Patch that removes the steps at these places, whatever requires them, and what `more` removes. Applying
    it raises PlanInvalid for what others require."""
    paths = {*(f"/{place}" for place in places), *(str(one["path"]) for one in more)}
    return [{"op": "remove", "path": f"/{place}"} for place in reversed(range(len(plan.todos))) if f"/{place}" in paths]


def replaced(more: Plan, last: Plan) -> list[JsonObject]:
    """The JSON Patch that takes out of a plan what it made for people before something was added to make instead of
    that: the steps of the last one that nothing comes after. What was found out stays, for what is made now to tell."""
    old, before = {todo.id for todo in last.todos}, {one for todo in more.todos for one in todo.depends_on}
    places = [
        place
        for place, todo in enumerate(more.todos)
        if todo.id in old and todo.id not in before and not any(one.startswith(FOUND) for one in todo.produces)
    ]
    return _removal(more, places)


def all_but(plan: Plan, places: Collection[int]) -> list[JsonObject]:
    """The same the other way round: the steps at these places stay, with everything that they require."""
    return _removal(plan, _all_but(plan, [plan.todos[place].id for place in places]))


def _all_but(plan: Plan, kept: Sequence[str]) -> list[int]:
    by_id, stay = {todo.id: todo for todo in plan.todos}, list(kept)
    for todo_id in stay:  # grows while it is read
        stay += [before for before in by_id[todo_id].depends_on if before not in stay]
    return [place for place, todo in enumerate(plan.todos) if stay and todo.id not in stay]


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
