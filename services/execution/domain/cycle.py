"""Cycles: todos that run again until a result is good enough (strategy CYCLIC), three rounds by default."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jsonschema import Draft202012Validator
from referencing import Registry

from contracts.planning import TodoItem
from contracts.shape import JsonObject


@dataclass(slots=True)
class Cycle:
    """From `repeat_from` to the todo whose result is tested. Who waits outside for a member waits for the cycle."""

    closing: TodoItem
    members: tuple[str, ...]
    round: int = 1
    closed: bool = False

    def closes(self, todo_id: str) -> bool:
        return todo_id == self.closing.id

    def is_good(self, result: JsonObject) -> bool:
        # an empty registry: a $ref may not make anybody fetch anything
        return Draft202012Validator(self.closing.until or {}, registry=Registry()).is_valid(result)

    @property
    def exhausted(self) -> bool:
        return self.round >= self.closing.rounds


def cycles(todos: Sequence[TodoItem], before: Mapping[str, Cycle]) -> dict[str, Cycle]:
    """Todo -> its cycle. `before`: rounds go on counting when the plan is edited. A todo is in one cycle, the first."""
    found: dict[str, Cycle] = {}
    for item in todos:
        if item.until is None:
            continue
        members = tuple(one for one in _between(todos, item.repeat_from or item.id, item.id) if one not in found)
        known = before.get(item.id)
        cycle = Cycle(item, members, known.round if known else 1, known.closed if known else False)
        found |= dict.fromkeys(members, cycle)
    return found


def _between(todos: Sequence[TodoItem], first: str, last: str) -> list[str]:
    """All todos on a path from the first to the last, both included, in plan order; the last alone without a path."""
    by_id = {item.id: item for item in todos}
    after: set[str] = {first}
    for item in todos:  # in topological order
        if after & set(item.depends_on):
            after.add(item.id)
    before, queue = {last}, [last]
    for one in queue:  # grows while it is read
        fresh = [two for two in by_id[one].depends_on if two in by_id and two not in before]
        before.update(fresh)
        queue += fresh
    return [item.id for item in todos if item.id in after & before] or [last]
