"""What a model plans, held against the catalogue: which tools is its suggestion, how they hang together is code's."""

from collections.abc import Collection, Mapping, Sequence

from contracts.shape import ArtifactType
from contracts.tools import Need, ToolSpec

After = Mapping[str, Sequence[str]]
"""Tool -> the tools it comes after."""


def resolve_dependencies(
    after: After, available: Collection[ArtifactType], tools: Mapping[str, ToolSpec]
) -> dict[str, list[str]]:
    """The steps with what they must come after, whether it was said or not: the first makers of what they require."""
    found: dict[str, list[str]] = {}
    for key, said in after.items():
        makers = [
            maker
            for consumed in _required(tools[key])
            if consumed not in available
            for maker in [_maker(consumed, key, after, tools)]
            if maker is not None
        ]
        kept = [one for one in said if one in after and one != key]
        found[key] = list(dict.fromkeys([*makers, *kept]))
    return found


def problem_of(
    after: After,
    goals: Collection[ArtifactType],
    available: Collection[ArtifactType],
    tools: Mapping[str, ToolSpec],
) -> str | None:
    """Why a plan of these steps will not do, for its maker to mend; None when it will."""
    unknown = sorted(key for key in after if key not in tools)
    if unknown:
        return f"there is no tool {', '.join(unknown)[:200]} in the catalogue"
    made = {type_ for key in after for type_ in tools[key].produces}
    missing = [goal for goal in goals if goal not in made and goal not in available]
    if missing:
        return f"nothing in it produces {', '.join(missing)}"
    for key in after:
        for type_ in _required(tools[key]):
            if type_ not in available and _maker(type_, key, after, tools) is None:
                return f"{key} needs {type_}, which is neither available nor produced by another step"
    used = {one.type for key in after for one in tools[key].consumes} | {*goals}
    idle = [key for key in after if not used & {*tools[key].produces}]
    return f"nobody asked for what {', '.join(idle)} makes" if idle else None


def _required(tool: ToolSpec) -> list[ArtifactType]:
    return [one.type for one in tool.consumes if one.need is Need.REQUIRED]


def _maker(type_: ArtifactType, taker: str, after: After, tools: Mapping[str, ToolSpec]) -> str | None:
    return next((key for key in after if key != taker and type_ in tools[key].produces), None)
