"""What a person wants, said in slots: each task is one call of its intent's tool, all of them in parallel; where a pack
has a synthesis, it brings together what came of them (the supervisor of source design 001). The plan of what a
person has confirmed word by word in a flow: a call for each task, with exactly its arguments."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from contracts.cognitive import CognitiveOutput, FlowAdvanced, FlowApproval, Task
from contracts.errors import Code
from contracts.packs import IntentSpec
from contracts.planning import TodoItem, TodoRole
from contracts.shape import ArtifactType, JsonObject, ToolKey
from contracts.tools import Need, ToolSpec
from services.planning.domain.chain import GoalUnreachable
from services.planning.domain.dependency import PlanInvalid
from services.planning.domain.todo_fields import todo_fields

COMPLETE: JsonObject = {"properties": {"complete": {"const": True}}}
"""A synthesis that says {"complete": false} sends the failed workers to work again (source design 001 section 5)."""
ROUNDS = 3
SEVERAL = 2
DASH = " — "
"""Between what a step does and the words that asked for it."""
TITLE = 120
LONGEST_ID = 48


class Call(NamedTuple):
    """A task that is one call of a tool. `said` are the words it was read from."""

    tool: ToolSpec
    params: JsonObject
    said: str


def by_task(specs: Sequence[IntentSpec]) -> dict[str, IntentSpec]:
    """Task intent -> the intent that says what to do; a subcategory with a tool counts for its category, unless that
    has one or is a flow's, and always for itself."""
    found: dict[str, IntentSpec] = {}
    led = {spec.intent: spec for spec in specs if spec.flow is not None}
    for spec in specs:
        name = ".".join(spec.intent.split(".")[:2])
        if name in led:
            found[name] = led[name]
        elif name not in found or (found[name].tool is None and spec.tool is not None):
            found[name] = spec
        if spec.tool is not None:
            found.setdefault(spec.intent, spec)
    return found


def _spec(task: Task, intents: Mapping[str, IntentSpec]) -> IntentSpec | None:
    return intents.get(f"{task.intent}.{task.subcategory}") or intents.get(task.intent)


def calls_of(
    understood: CognitiveOutput, intents: Mapping[str, IntentSpec], tools: Mapping[ToolKey, ToolSpec]
) -> list[Call]:
    """The calls that the tasks stand for, in the order they were said, each once. Raises PlanInvalid."""
    found: list[Call] = []
    for task in understood.tasks:
        spec = _spec(task, intents)
        if spec is None or spec.tool is None:
            continue  # it is reached by its goals
        tool = tools.get(spec.tool)
        if tool is None:
            why = f"the intent {task.intent} wants {spec.tool!r}, which no pack has"
            raise PlanInvalid(Code.PLAN_TOOL_UNKNOWN, why, tool=spec.tool)
        properties = tool.params_schema.get("properties")
        declared = properties if isinstance(properties, dict) else {}
        params = {name: value for name, value in task.slots.items() if name in declared}
        if not any((tool.tool_key, params) == (call.tool.tool_key, call.params) for call in found):
            found.append(Call(tool, params, " ".join(task.text.split())))
    return found


def by_policy(understood: CognitiveOutput, intents: Mapping[str, IntentSpec]) -> bool:
    """Whether there is nothing in the plan but what runs without being asked about."""
    specs = [(task, _spec(task, intents)) for task in understood.tasks]
    planned = [(task, spec) for task, spec in specs if spec is None or spec.flow is None]  # a flow's is for later
    return bool(planned) and not understood.plan_hint.goals and all(_unasked(task, spec) for task, spec in planned)


def _unasked(task: Task, spec: IntentSpec | None) -> bool:
    if spec is None or spec.tool is None:
        return False
    action = task.slots.get("action")
    return action not in spec.asks and (spec.approve == "policy" or action in spec.looks)


def todos_of(
    calls: Sequence[Call],
    before: Sequence[TodoItem],
    available: Collection[ArtifactType],
    input_bytes: int,
    title: Callable[[ToolSpec], str],
) -> list[TodoItem]:
    """One todo per call. They wait for nothing but the steps of the same plan that make what they take.

    Raises GoalUnreachable for an input that is neither there nor made."""
    todos: list[TodoItem] = []
    for number, call in enumerate(calls, len(before) + 1):
        tool = call.tool
        makers = _makers(tool, before, available)
        name = title(tool)
        todos.append(
            TodoItem(
                id=_id(number, tool),
                title=f"{name}{DASH}{call.said}"[:TITLE] if call.said not in ("", name) else name,
                params=call.params,
                depends_on=makers,
                consumes=tuple(one.type for one in tool.consumes),
                **todo_fields(tool, input_bytes),
            )
        )
    return todos


def synthesis_of(
    calls: Sequence[Call],
    todos: Sequence[TodoItem],
    number: int,
    syntheses: Mapping[str, ToolSpec],
    title: Callable[[ToolSpec], str],
) -> TodoItem | None:
    """The todo that brings the workers together; none where no pack with several of them has one."""
    packs = [call.tool.pack for call in calls]
    pack = next((one for one in packs if one in syntheses and packs.count(one) >= SEVERAL), None)
    if pack is None:
        return None
    tool, workers = syntheses[pack], tuple(todo.id for todo in todos)
    return TodoItem(
        id=_id(number, tool),
        title=title(tool),
        depends_on=workers,
        wants=workers,
        role=TodoRole.SYNTHESIS,
        until=COMPLETE,
        rounds=ROUNDS,
        **todo_fields(tool),
    )


def _id(number: int, tool: ToolSpec) -> str:
    return f"t{number}-{tool.tool_key.split('.', 1)[1].replace('_', '-')}"[:LONGEST_ID]


def _makers(tool: ToolSpec, before: Sequence[TodoItem], available: Collection[ArtifactType]) -> tuple[str, ...]:
    makers: list[str] = []
    for consumed in tool.consumes:
        made_by = [todo.id for todo in before if consumed.type in todo.produces]
        makers += made_by
        if consumed.need is Need.REQUIRED and not made_by and consumed.type not in available:
            raise GoalUnreachable(tool.tool_key, consumed.type)
    return tuple(dict.fromkeys(makers))


def approvals_in(event: FlowAdvanced) -> tuple[FlowApproval, ...]:
    """The approvals to act on. A move with a message is an answer: nothing is done for it."""
    return (event.approval, *event.also) if event.approval is not None and not event.message else ()


def confirmed_todo(number: int, approval: FlowApproval, tool: ToolSpec, title: str) -> TodoItem:
    """The todo of an approval, the first being number 1. Whether tool and arguments fit is checked like in any plan."""
    return TodoItem(
        id=f"t{number}",
        title=title,
        params=approval.params,
        **todo_fields(tool),
    )
