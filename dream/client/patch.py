"""Edits of a plan's todos, and the difference as JSON Patch (RFC 6902) over the list of todos. Pure."""

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

Todo = Mapping[str, Any]
Operation = dict[str, Any]


class EditRefused(ValueError):
    """The edit makes no sense; the message carries the value that is wrong."""


def without(todos: Sequence[Todo], todo_id: str) -> list[Todo]:
    """The todos without one and those that need it; nobody waits for them any more."""
    gone = [_named(todos, todo_id), *(str(todo["id"]) for todo in falling(todos, todo_id))]
    kept = [todo for todo in todos if todo["id"] not in gone]
    for one in gone:
        kept = [_independent(todo, one) for todo in kept]
    return kept


def falling(todos: Sequence[Todo], todo_id: str) -> list[Todo]:
    """Those that need it, and those that need them: what is merely wanted may be missing."""
    gone, found = {_named(todos, todo_id)}, list[Todo]()
    for todo in todos:  # in an order in which each comes after what it needs
        if gone & {*(todo.get("depends_on") or ())} - {*(todo.get("wants") or ())}:
            gone.add(str(todo["id"]))
            found.append(todo)
    return found


def with_step(todos: Sequence[Todo], text: str) -> list[Todo]:
    """`trends grain=month`: the todos with one more; the server knows the rest of it. A tool without its pack is of the
    pack of the plan."""
    try:
        tool, *given = shlex.split(text)
    except ValueError:  # nothing, or a quote that is not closed
        raise EditRefused(text) from None
    pack = str(todos[0].get("tool", "")).partition(".")[0] if todos else ""
    key = tool if "." in tool or not pack else f"{pack}.{tool}"
    params = dict(one.partition("=")[::2] for one in given)
    if not all(name and value for name, value in params.items()):
        raise EditRefused(text)
    taken = {str(todo["id"]).partition("-")[0] for todo in todos}
    number = next(one for one in range(1, len(taken) + 2) if f"t{one}" not in taken)
    name = re.sub("[^a-z0-9]+", "-", key.partition(".")[2])
    return [*todos, {"id": f"t{number}-{name}", "tool": key, "params": {k: value_of(v) for k, v in params.items()}}]


def moved(todos: Sequence[Todo], text: str) -> list[Todo]:
    """`t3 after t1` or `t3 before t1`: the later one waits for the earlier one, whether that succeeds or not."""
    match text.split():
        case [one, "after" | "before" as where, other] if _named(todos, one) != _named(todos, other):
            first, then = (other, one) if where == "after" else (one, other)
        case _:
            raise EditRefused(text)
    first, then = _named(todos, first), _named(todos, then)
    return [_after(todo, first) if todo["id"] == then else todo for todo in todos]


def _after(todo: Todo, first: str) -> Todo:
    before = list(todo.get("depends_on") or ())
    more = [] if first in before else [first]
    return {**todo, "depends_on": [*before, *more], "wants": [*(todo.get("wants") or ()), *more]}


def _named(todos: Sequence[Todo], name: str) -> str:
    """The id that a person means: all of it, or its first part ("t3" for "t3-sentiment")."""
    ids = [str(todo["id"]) for todo in todos]
    found = [one for one in ids if one == name] or [one for one in ids if one.startswith(f"{name}-")]
    if len(found) != 1:
        raise EditRefused(name)
    return found[0]


def _independent(todo: Todo, of: str) -> Todo:
    lists = {name: todo[name] for name in ("depends_on", "wants") if of in (todo.get(name) or [])}
    return {**todo, **{name: [one for one in ids if one != of] for name, ids in lists.items()}} if lists else todo


def with_parameter(todos: Sequence[Todo], todo_id: str, name: str, value: Any) -> list[Todo]:
    """The todos with one parameter of one of them changed."""
    meant = _named(todos, todo_id)
    return [_with(todo, name, value) if todo["id"] == meant else todo for todo in todos]


def _with(todo: Todo, name: str, value: Any) -> Todo:
    return {**todo, "params": {**(todo.get("params") or {}), name: value}}


def operations(
    todos: Sequence[Todo],
    remove: Sequence[str] = (),
    assign: Sequence[str] = (),
    add: Sequence[str] = (),
    move: Sequence[str] = (),
) -> list[Operation]:
    """The patch that adds and moves todos, sets `t2.params.top_n=5`, and then removes todos: what waited for them, the
    server decides."""
    wanted = list(todos)
    for one in add:
        wanted = with_step(wanted, one)
    for one in move:
        wanted = moved(wanted, one)
    patch = difference(todos, wanted)
    ids = [str(todo["id"]) for todo in wanted]
    for one in assign:
        path, equals, value = one.partition("=")
        todo_id, *fields = path.strip().split(".")
        if not equals or not fields or not all(fields):
            raise EditRefused(one)
        steps = [str(ids.index(_named(wanted, todo_id))), *map(_escaped, fields)]
        patch.append({"op": "add", "path": "/" + "/".join(steps), "value": value_of(value.strip())})
    places = {ids.index(_named(wanted, one)) for one in remove}
    return patch + [{"op": "remove", "path": f"/{place}"} for place in sorted(places, reverse=True)]


def value_of(text: str) -> Any:
    """JSON as such, anything else as text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def difference(before: Sequence[Todo], after: Sequence[Todo]) -> list[Operation]:
    """The operations from `before` to `after`: changed fields, then todos removed from the end on, then new ones.

    Whole fields are set with `add`, which also replaces: so the patch fits whether or not the server's copy of a todo
    spells out fields that have their default. Order is not compared: the dependencies say what comes first."""
    ids = [todo.get("id") for todo in after]
    if repeated := next((one for one in ids if ids.count(one) > 1 or not one), None):
        raise EditRefused(str(repeated))
    wanted = {todo["id"]: todo for todo in after}
    known = {todo["id"] for todo in before}
    patch: list[Operation] = []
    for index, todo in enumerate(before):
        if todo["id"] in wanted:
            patch += _fields(index, todo, wanted[todo["id"]])
    patch += [
        {"op": "remove", "path": f"/{index}"}
        for index, todo in reversed(list(enumerate(before)))
        if todo["id"] not in wanted
    ]
    patch += [{"op": "add", "path": "/-", "value": dict(todo)} for todo in after if todo["id"] not in known]
    return patch


def _fields(index: int, before: Todo, after: Todo) -> list[Operation]:
    patch: list[Operation] = []
    for name in sorted({*before, *after}):
        path = f"/{index}/{_escaped(name)}"
        if name not in after:
            patch.append({"op": "remove", "path": path})
        elif name not in before or before[name] != after[name]:
            patch.append({"op": "add", "path": path, "value": after[name]})
    return patch
