"""Cycles: todos that run again until a result is good enough (strategy CYCLIC), three rounds by default."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from referencing import Registry
from referencing.exceptions import Unresolvable

from contracts.planning import TodoItem, TodoRole
from contracts.shape import JsonObject


@dataclass(slots=True)
class Cycle:
    """From `repeat_from` to the todo whose result is tested, which closes it. Who waits outside for a member waits for
    the end of the closing todo: until then a member may run again.

    A synthesis that is tested closes the cycle of all the workers it waits for; what one of them has done is not done
    again, only those that have failed get another round."""

    closing: TodoItem
    members: tuple[str, ...]
    round: int = 1

    def closes(self, todo_id: str) -> bool:
        return todo_id == self.closing.id

    def is_good(self, result: JsonObject) -> bool:
        """What a test that cannot be made sense of would say is not known: no result passes it."""
        wanted = self.closing.until or {}
        try:
            Draft202012Validator.check_schema(wanted)
            # an empty registry: a $ref may not make anybody fetch anything
            return Draft202012Validator(wanted, registry=Registry()).is_valid(result)
        except (SchemaError, Unresolvable, RecursionError):
            return False

    @property
    def keeps_done(self) -> bool:
        """Whether what has succeeded stands in the next round."""
        return self.closing.role is TodoRole.SYNTHESIS and self.closing.repeat_from is None

    def round_of(self, todo_id: str) -> int:
        """A worker that failed makes the same call again: it is no call of its own, and has no effect of its own."""
        return self.round if self.closes(todo_id) or not self.keeps_done else 1

    @property
    def exhausted(self) -> bool:
        return self.round >= self.closing.rounds


def cycles(todos: Sequence[TodoItem], before: Mapping[str, Cycle]) -> dict[str, Cycle]:
    """Todo -> its cycle. `before`: rounds go on counting when the plan is edited. A todo is in one cycle, the first;
    and where two cycles would wait for each other, the second one repeats its closing todo alone."""
    found: dict[str, Cycle] = {}
    for item in todos:
        if item.until is None:
            continue
        members = tuple(one for one in _members(todos, item) if one not in found)
        known = before.get(item.id)
        rounds = known.round if known and known.closes(item.id) else 1
        cycle = Cycle(item, members, rounds)
        if not _ends(todos, found | dict.fromkeys(members, cycle)):
            cycle.members = (item.id,)
        found |= dict.fromkeys(cycle.members, cycle)
    return found


def _members(todos: Sequence[TodoItem], closing: TodoItem) -> list[str]:
    if closing.role is TodoRole.SYNTHESIS and closing.repeat_from is None:
        return [item.id for item in todos if item.id in closing.depends_on or item.id == closing.id]
    return _between(todos, closing.repeat_from or closing.id, closing.id)


def _ends(todos: Sequence[TodoItem], found: Mapping[str, Cycle]) -> bool:
    """Whether nobody waits for itself when everybody waits for whole cycles."""
    whole = {item.id: found[item.id].closing.id if item.id in found else item.id for item in todos}
    waits_for: dict[str, set[str]] = {one: set() for one in whole.values()}
    for item in todos:
        waits_for[whole[item.id]] |= {whole[one] for one in item.depends_on if whole[one] != whole[item.id]}
    try:
        TopologicalSorter(waits_for).prepare()
    except CycleError:
        return False
    return True


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
