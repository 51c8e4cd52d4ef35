"""What of a request goes to which tool: its period, names and details, and the web addresses it brings for files."""

from collections.abc import Iterable, Mapping, Sequence

from jsonschema import Draft202012Validator

from contracts.artifacts import MADE
from contracts.cognitive import CognitiveOutput, Entity, Period
from contracts.planning import Plan
from contracts.shape import ArtifactType, JsonObject, JsonValue
from contracts.tools import Need, ToolSpec
from services.planning.domain.makers import cheapest_makers

MOST_SOURCES = 20
MOST_NAMES = 50
SOURCES = "sources"
"""The parameter of a tool that reads web addresses where it would else need a file."""
COMPARED = "brands"
"""The parameter of a tool that looks at what is named beside all others."""
ASKED = "asked"
"""The parameter of a tool that picks out what the words of the request name."""
LONGEST_ASKED = 2000
CHANGES = "changes"
"""The parameter of such a tool for what was said to change it."""
FIRST_DAY, LAST_DAY = "date_from", "date_to"
"""The parameters of a tool that looks at some days alone."""
PERIODS = "periods"
"""The parameter of a tool that has a use for the days of a request one by one, with the words that name them."""
MOST_PERIODS = 10


def addresses(understood: CognitiveOutput) -> tuple[str, ...]:
    """The web addresses in the sentence, each once, as many as a tool may take."""
    said = (str(entity.value) for entity in understood.entities if entity.type == "url")
    return tuple(dict.fromkeys(said))[:MOST_SOURCES]


def with_addresses(tools: Iterable[ToolSpec], understood: CognitiveOutput) -> tuple[ToolSpec, ...]:
    """The tools as this request meets them: one that reads web addresses needs no file when there are some."""
    if not addresses(understood):
        return tuple(tools)
    return tuple(_without_files(tool) if SOURCES in _declared(tool) else tool for tool in tools)


def _without_files(tool: ToolSpec) -> ToolSpec:
    kept = tuple(one for one in tool.consumes if one.need is not Need.REQUIRED or not one.type.startswith("file."))
    return tool.model_copy(update={"consumes": kept})


def drop_unreachable_inputs(
    tools: Sequence[ToolSpec], filters: Mapping[str, JsonValue], available: Iterable[ArtifactType]
) -> tuple[ToolSpec, ...]:
    """The tools as a request meets them that names something and brings nothing to read: one that takes such
    a name, and whose inputs would all be welcome but cannot be had, does with the name."""
    there = frozenset(available)
    within_reach = there | cheapest_makers(tools, there).keys()

    def does_without(tool: ToolSpec) -> bool:
        named = any(name in filters for name in _looked_at(tool))
        optional = all(one.need is Need.WANTED and one.type not in within_reach for one in tool.consumes)
        return named and optional

    return tuple(tool.model_copy(update={"consumes": ()}) if does_without(tool) else tool for tool in tools)


def params_of(tool: ToolSpec, understood: CognitiveOutput, planned: Sequence[ToolSpec]) -> JsonObject:
    """Hands the request's period, names and addresses to the tools that declare a parameter for them.

    `planned` are all tools of the plan: where one of them looks at the named products itself (it compares them with
    others, say), the others must not be left out before."""
    hint = understood.plan_hint
    given: JsonObject = dict(hint.filters)
    if hint.period:
        period = hint.period.model_dump(mode="json")
        given |= period | {FIRST_DAY: period["start"], LAST_DAY: period["end"]}
    if not any(_looked_at(one) for one in planned):
        given |= {name: _names(understood, types) for name, types in tool.names.items() if name not in types}
    if understood.attachments and not any(COMPARED in _declared(one) for one in planned):
        given[ASKED] = understood.text[:LONGEST_ASKED]
    given[PERIODS] = list[JsonValue](said_days(understood.entities))
    given[SOURCES] = list[JsonValue](addresses(understood))
    return _fitting(tool, given)


def takes_period(tool: ToolSpec | None) -> bool:
    """Whether a tool looks at some days alone, if it is told."""
    return tool is not None and {FIRST_DAY, LAST_DAY} <= set(_declared(tool))


def takes_days(tool: ToolSpec | None) -> bool:
    """Whether a tool reads the days that are named by itself."""
    return tool is not None and PERIODS in _declared(tool)


def with_period(plan: Plan, tools: Mapping[str, ToolSpec], period: Period) -> list[JsonObject]:
    """The JSON Patch that gives the steps that can look at some days alone these days, and leaves the rest of their
    arguments."""
    days: JsonObject = {
        FIRST_DAY: period.start.isoformat() if period.start else None,
        LAST_DAY: period.end.isoformat() if period.end else None,
    }
    patch: list[JsonObject] = []
    for place, todo in enumerate(plan.todos):
        kept = {name: value for name, value in todo.params.items() if name not in days}
        params: JsonObject = kept | {name: value for name, value in days.items() if value is not None}
        if takes_period(tools.get(todo.tool)) and params != todo.params:
            patch.append({"op": "add", "path": f"/{place}/params", "value": params})
    return patch


def with_details(plan: Plan, tools: Mapping[str, ToolSpec], details: JsonObject) -> list[JsonObject]:
    """The JSON Patch that gives the steps that can take them these details, and leaves the rest of their arguments."""
    patch: list[JsonObject] = []
    for place, todo in enumerate(plan.todos):
        tool = tools.get(todo.tool)
        given = {} if tool is None else _fitting(tool, details)
        if given and todo.params | given != todo.params:
            patch.append({"op": "add", "path": f"/{place}/params", "value": todo.params | given})
    return patch


def as_before(plan: Plan, before: Plan) -> Plan:
    """The plan that makes once more what another one made, with the arguments that its makers had there and that
    nothing says now: as many slides, the same title. Which rows are meant is the readers' to say."""
    known = {todo.tool: todo.params for todo in before.todos if any(one.startswith(MADE) for one in todo.produces)}
    chosen = {ASKED, CHANGES, PERIODS, SOURCES, FIRST_DAY, LAST_DAY}
    todos = []
    for todo in plan.todos:
        kept = {name: value for name, value in known.get(todo.tool, {}).items() if name not in chosen}
        todos.append(todo.model_copy(update={"params": kept | todo.params}) if kept else todo)
    return plan.model_copy(update={"todos": tuple(todos)})


def _fitting(tool: ToolSpec, given: JsonObject) -> JsonObject:
    """What a tool declares and can take."""
    declared, validator = _declared(tool), Draft202012Validator(tool.params_schema)
    wanted = {name: value for name, value in given.items() if name in declared and value not in (None, [])}
    # what a tool cannot take (a filter of another type, say) is left out: the person sees the params in the plan
    return {name: value for name, value in wanted.items() if not any(validator.iter_errors({name: value}))}


def said_days(entities: Iterable[Entity]) -> list[JsonObject]:
    """{said, start, end} of each time that is named; an end that is open is null."""
    days = [(one.text, one.value) for one in entities if one.type == "date_range"]
    return [{"said": said, **value} for said, value in days if isinstance(value, dict)][:MOST_PERIODS]


def _looked_at(tool: ToolSpec) -> list[str]:
    """The parameters by which a tool looks at what the request names itself: each is called like a type of name."""
    return [name for name, types in tool.names.items() if name in types]


def _names(understood: CognitiveOutput, types: Sequence[str]) -> list[JsonValue]:
    """What narrows the request, by its normal form and as the person wrote it."""
    # who names a brand and its product means the product, not all that the brand makes
    narrowest = next((name for name in types if name in understood.plan_hint.filters), None)
    said: list[str] = []
    for entity in understood.entities:
        if entity.type == narrowest:
            said += [str(entity.value), entity.text]
    return list[JsonValue](dict.fromkeys(said))[:MOST_NAMES]


def _declared(tool: ToolSpec) -> Mapping[str, JsonValue]:
    declared = tool.params_schema.get("properties")
    return declared if isinstance(declared, dict) else {}
