"""Backward chaining over the tools' typed inputs and outputs: from what is asked for to what is there."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from contracts.shape import ArtifactType
from contracts.tools import Need, ToolSpec


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
    makers: Mapping[ArtifactType, Sequence[ToolSpec]]
    available: frozenset[ArtifactType]
    steps: dict[str, Step] = field(default_factory=dict)

    def reach(self, goal: ArtifactType, wanted: ArtifactType, path: tuple[str, ...]) -> None:
        """Makes sure that `wanted` exists; tries the cheapest maker first and takes back what a dead end had added."""
        if wanted in self.available or self.maker_of(wanted):
            return
        missing = wanted
        for tool in self.makers.get(wanted, ()):
            if tool.tool_key in path:
                continue
            kept = dict(self.steps)
            try:
                for consumed in tool.consumes:
                    if consumed.need is Need.REQUIRED:
                        self.reach(goal, consumed.type, (*path, tool.tool_key))
            except GoalUnreachable as dead_end:
                missing, self.steps = dead_end.missing, kept
                continue
            self.steps[tool.tool_key] = Step(tool)
            return
        raise GoalUnreachable(goal, missing)

    def maker_of(self, type_: ArtifactType) -> Step | None:
        return next((step for step in self.steps.values() if type_ in step.tool.produces), None)

    def link(self, step: Step) -> None:
        """Connects a step with the makers of everything it consumes, as long as that makes no circle."""
        for consumed in step.tool.consumes:
            maker = self.maker_of(consumed.type)
            if maker is None or maker is step or maker.tool.tool_key in step.after:
                continue
            if consumed.need is Need.WANTED and self.depends(maker, step.tool.tool_key):
                continue
            step.after.append(maker.tool.tool_key)

    def depends(self, step: Step, on: str) -> bool:
        return on in step.after or any(self.depends(self.steps[key], on) for key in step.after)


def chain(goals: Sequence[ArtifactType], available: Collection[ArtifactType], tools: Iterable[ToolSpec]) -> list[Step]:
    """The steps that make every goal, dependencies before dependants. Raises GoalUnreachable.

    Wanted inputs are made when the request names them; a goal that names none of its wanted inputs gets all that can
    be made (a plain "report" is a report on everything)."""
    makers: dict[ArtifactType, list[ToolSpec]] = {}
    for tool in sorted(tools, key=lambda one: (one.cost.seconds, one.tool_key)):
        for type_ in tool.produces:
            makers.setdefault(type_, []).append(tool)
    search = _Search(makers, frozenset(available))
    for goal in goals:
        search.reach(goal, goal, ())
    for goal in goals:
        _fill(search, goal, frozenset(goals))
    # required links first, so that a wanted one can never close a circle with them
    for need in (Need.REQUIRED, Need.WANTED):
        for step in search.steps.values():
            _link_by_need(search, step, need)
    return _in_order(search.steps)


def _fill(search: _Search, goal: ArtifactType, goals: frozenset[ArtifactType]) -> None:
    maker = search.maker_of(goal)
    if maker is None:
        return
    wanted = [consumed.type for consumed in maker.tool.consumes if consumed.need is Need.WANTED]
    if not wanted or goals & set(wanted) or any(c.need is Need.REQUIRED for c in maker.tool.consumes):
        return
    reached = 0
    unreachable: GoalUnreachable | None = None
    for type_ in wanted:
        try:
            search.reach(goal, type_, (maker.tool.tool_key,))
            reached += 1
        except GoalUnreachable as error:
            unreachable = error
    if not reached and unreachable is not None:
        raise unreachable


def _link_by_need(search: _Search, step: Step, need: Need) -> None:
    narrowed = step.tool.model_copy(update={"consumes": tuple(c for c in step.tool.consumes if c.need is need)})
    whole, step.tool = step.tool, narrowed
    search.link(step)
    step.tool = whole


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
