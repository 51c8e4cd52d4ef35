"""Which tools can do with the tables that are there: what people wrote is judged where a column has texts, other tables
are told of by their figures."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from contracts.shape import ArtifactType
from contracts.tools import Consumes, Need, ToolSpec
from services.planning.domain.makers import cheapest_makers


@dataclass(frozen=True, slots=True)
class Met:
    """Goals, the tools that they are planned with, and those (keys) that are left out as they fit no table."""

    goals: tuple[ArtifactType, ...]
    tools: tuple[ToolSpec, ...]
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fitting:
    """`roles`: the roles of all columns of the files of a type, where every one of them was looked at."""

    roles: Mapping[ArtifactType, frozenset[str]] = field(default_factory=dict)

    def tools(self, tools: Iterable[ToolSpec]) -> tuple[ToolSpec, ...]:
        return tuple(tool for tool in tools if all(self._fits(one) for one in _required(tool)))

    def _fits(self, one: Consumes) -> bool:
        there = self.roles.get(one.type)
        if there is None:
            return not one.lacking
        return there.issuperset(one.having) and there.isdisjoint(one.lacking)

    def met(
        self, goals: Sequence[ArtifactType], available: Collection[ArtifactType], tools: Sequence[ToolSpec]
    ) -> "Met":
        """What of these files can be made in place of all that was asked for. As it was asked for where nothing would
        be left of it: then the tool itself says what it lacks."""
        there, fit = frozenset(available), self.tools(tools)
        before, after = cheapest_makers(tools, there), cheapest_makers(fit, there)
        lost = [goal for goal in goals if goal in before and goal not in after]
        kept = [goal for goal in goals if goal not in lost]
        instead = {goal: self._instead(after[goal], after) for goal in kept if goal in after}
        if lost and not (kept and all(instead.get(goal) for goal in kept)):
            return Met(tuple(goals), ANY_TABLE.tools(tools))
        made = [type_ for types in instead.values() for type_ in types]
        return Met(
            tuple(dict.fromkeys([*made, *kept])), fit, tuple(dict.fromkeys(before[goal].tool_key for goal in lost))
        )

    def _instead(self, tool: ToolSpec, makers: Mapping[ArtifactType, ToolSpec]) -> list[ArtifactType]:
        """What the tool wants that is made of just such files."""
        wanted = [one.type for one in tool.consumes if one.need is Need.WANTED and one.type in makers]
        return [type_ for type_ in wanted if any(one.lacking for one in _required(makers[type_]))]


def _required(tool: ToolSpec) -> list[Consumes]:
    return [one for one in tool.consumes if one.need is Need.REQUIRED]


ANY_TABLE = Fitting()
"""Of files that nobody has looked at."""
