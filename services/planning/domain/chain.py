"""Backward chaining over the tools' typed inputs and outputs: from what is asked for to what is there."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from contracts.shape import ArtifactType
from contracts.tools import Need, ToolSpec
from services.planning.domain.makers import cheapest_makers


class GoalUnreachable(Exception):
    """No chain of tools leads to the goal. `missing` is the type that nothing makes and nobody brought."""

    def __init__(self, goal: ArtifactType, missing: ArtifactType) -> None:
        super().__init__(f"goal {goal!r} cannot be reached: nothing makes {missing!r} and it was not brought")
        self.goal = goal
        self.missing = missing


@dataclass(slots=True)
class Step:
    """A tool to run, and the tools whose outputs it takes."""

    tool: ToolSpec
    after: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Search:
    tools: Sequence[ToolSpec]
    available: frozenset[ArtifactType]
    makers: Mapping[ArtifactType, ToolSpec]
    """Type -> the tool that makes it most cheaply, counting all that has to be made before it."""
    steps: dict[str, Step] = field(default_factory=dict)
    made: dict[ArtifactType, str] = field(default_factory=dict)
    """Type -> the first step that makes it. A step is here when everything that it requires is, so links point back."""

    def reach(self, goal: ArtifactType, wanted: ArtifactType) -> None:
        """Makes sure that `wanted` exists. Raises GoalUnreachable before it has added anything."""
        if wanted in self.available or wanted in self.made:
            return
        tool = self.makers.get(wanted)
        if tool is None:
            raise GoalUnreachable(goal, self.missing(wanted))
        required = _types(tool, Need.REQUIRED)
        for type_ in required:
            self.reach(goal, type_)
        after = [self.made[type_] for type_ in required if type_ not in self.available]
        self.steps[tool.tool_key] = Step(tool, list(dict.fromkeys(after)))
        for type_ in tool.produces:
            self.made.setdefault(type_, tool.tool_key)

    def missing(self, wanted: ArtifactType) -> ArtifactType:
        """Follows the cheapest tools down to what no tool makes at all (or only in a circle)."""
        seen: set[ArtifactType] = set()
        while wanted not in seen:
            seen.add(wanted)
            tool = next((tool for tool in self.tools if wanted in tool.produces), None)
            lacking = (type_ for type_ in _types(tool, Need.REQUIRED) if not self.can_be(type_)) if tool else ()
            wanted = next(iter(lacking), wanted)
        return wanted

    def can_be(self, type_: ArtifactType) -> bool:
        return type_ in self.available or type_ in self.makers

    def link_wanted(self, step: Step) -> None:
        """Wanted inputs that the plan makes anyway are waited for, as long as that makes no circle."""
        for type_ in _types(step.tool, Need.WANTED):
            maker = self.made.get(type_)
            if maker is None or maker in step.after or self.waits(maker, step.tool.tool_key):
                continue
            step.after.append(maker)

    def waits(self, key: str, on: str) -> bool:
        """Whether a step is, or comes after, another."""
        seen, queue = {key}, [key]
        for one in queue:  # grows while it is read
            fresh = [before for before in self.steps[one].after if before not in seen]
            seen.update(fresh)
            queue += fresh
        return on in seen


def chain(goals: Sequence[ArtifactType], available: Collection[ArtifactType], tools: Iterable[ToolSpec]) -> list[Step]:
    """The steps that make every goal, dependencies before dependants. Raises GoalUnreachable.

    Wanted inputs are made when the request names them; a goal that names none of its wanted inputs gets all that can
    be made (a plain "report" is a report on everything)."""
    there = frozenset(available)
    known = sorted(tools, key=lambda one: (one.cost.seconds, one.tool_key))
    search = _Search(known, there, cheapest_makers(known, there))
    for goal in goals:
        search.reach(goal, goal)
    for goal in goals:
        _fill(search, goal, frozenset(goals))
    for step in search.steps.values():
        search.link_wanted(step)
    return _in_order(search.steps)


def _types(tool: ToolSpec, need: Need) -> list[ArtifactType]:
    return [consumed.type for consumed in tool.consumes if consumed.need is need]


def _fill(search: _Search, goal: ArtifactType, goals: frozenset[ArtifactType]) -> None:
    maker = search.made.get(goal)
    if maker is None:
        return
    tool = search.steps[maker].tool
    wanted = _types(tool, Need.WANTED)
    if not wanted or goals & set(wanted) or _types(tool, Need.REQUIRED):
        return
    reachable = [type_ for type_ in wanted if search.can_be(type_)]
    if not reachable:
        raise GoalUnreachable(goal, search.missing(wanted[-1]))
    for type_ in reachable:
        search.reach(goal, type_)


def _in_order(steps: Mapping[str, Step]) -> list[Step]:
    ordered: dict[str, Step] = {}

    def visit(key: str) -> None:
        if key in ordered:
            return
        for before in steps[key].after:
            visit(before)
        ordered[key] = steps[key]

    for key in steps:
        visit(key)
    return list(ordered.values())
