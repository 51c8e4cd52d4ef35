"""Edits of a plan's todos, and the difference as JSON Patch (RFC 6902) over the list of todos. Pure."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

Todo = Mapping[str, Any]
Operation = dict[str, Any]


class EditRefused(ValueError):
    """The edit makes no sense; the message carries the value that is wrong."""


def without(todos: Sequence[Todo], todo_id: str) -> list[Todo]:
    """The todos without one; nobody waits for it any more."""
    gone = _named(todos, todo_id)
    return [_independent(todo, gone) for todo in todos if todo["id"] != gone]


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


def operations(todos: Sequence[Todo], remove: Sequence[str] = (), assign: Sequence[str] = ()) -> list[Operation]:
    """The patch that sets `t2.params.top_n=5`, and then removes todos: what waited for them, the server decides."""
    ids = [str(todo["id"]) for todo in todos]
    patch: list[Operation] = []
    for one in assign:
        path, equals, value = one.partition("=")
        todo_id, *fields = path.strip().split(".")
        if not equals or not fields or not all(fields):
            raise EditRefused(one)
        steps = [str(ids.index(_named(todos, todo_id))), *map(_escaped, fields)]
        patch.append({"op": "add", "path": "/" + "/".join(steps), "value": value_of(value.strip())})
    places = {ids.index(_named(todos, one)) for one in remove}
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
