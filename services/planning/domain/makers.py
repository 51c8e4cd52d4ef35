"""Which tool makes a type most cheaply, counting everything that has to be made before it.

Knuth's generalisation of Dijkstra's algorithm: tools are settled in the order of their whole cost, so a tool stands on
what was settled before it. Circles among tools and dead ends never come up, and nothing is tried twice."""

from collections.abc import Sequence
from heapq import heappop, heappush

from contracts.shape import ArtifactType
from contracts.tools import Need, ToolSpec


def cheapest_makers(tools: Sequence[ToolSpec], available: frozenset[ArtifactType]) -> dict[ArtifactType, ToolSpec]:
    """Every type that can be made from what is available -> its tool. Equal costs: the earlier tool in the list."""
    requires = [{one.type for one in tool.consumes if one.need is Need.REQUIRED} - available for tool in tools]
    users: dict[ArtifactType, list[int]] = {}
    for number, types in enumerate(requires):
        for type_ in types:
            users.setdefault(type_, []).append(number)
    makers: dict[ArtifactType, ToolSpec] = {}
    before = [0.0] * len(tools)
    queue: list[tuple[float, int]] = []
    for number, types in enumerate(requires):
        if not types:
            heappush(queue, (tools[number].cost.seconds, number))
    while queue:
        cost, number = heappop(queue)
        for type_ in tools[number].produces:
            if type_ in makers or type_ in available:
                continue
            makers[type_] = tools[number]
            for user in users.get(type_, ()):
                requires[user].discard(type_)
                before[user] += cost
                if not requires[user]:
                    heappush(queue, (before[user] + tools[user].cost.seconds, user))
    return makers
