"""PlanGenerator: from an understood message to the todos of a plan.

The planner role's offline answer is backward chaining; a command of a pack is a plan said in code."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from uuid import UUID

from jsonschema import Draft202012Validator
from pydantic import Field

from backbone.mcp.offers import OUTSIDE_ENTRY
from backbone.packs import Catalogue
from contracts.artifacts import Attachment
from contracts.cognitive import CognitiveOutput, FlowApproval, PackCommand, PlanHint
from contracts.errors import Code
from contracts.packs import CommandSpec, CommandTodo
from contracts.planning import Plan, TodoItem
from contracts.shape import ArtifactType, Contract, JsonObject, JsonValue, ToolKey
from contracts.tools import ConfirmPolicy, Need, ToolSpec
from services.planning.domain import plan as plans
from services.planning.domain import tasks
from services.planning.domain.chain import Step, chain
from services.planning.domain.dependency import PlanInvalid
from services.planning.domain.fitting import ANY_TABLE, Fitting
from services.planning.domain.request import drop_unreachable_inputs, params_of, with_addresses
from services.planning.domain.tasks import confirmed_todo
from services.planning.domain.todo_fields import todo_fields

PLANNER = "backward-chaining-1"
LONGEST_ID = 48
MOST_TODOS = 10_000


class PlannerQuestion(Contract):
    """What the planner role is asked."""

    hint: PlanHint
    available: tuple[str, ...]
    tools: tuple[ToolSpec, ...]
    text: str = ""

    @property
    def goals(self) -> tuple[str, ...]:
        return self.hint.goals

    @property
    def menu(self) -> list[JsonObject]:
        """The tools that make something, and those from outside, as a model sees them."""
        return [entry_of(tool) for tool in self.tools if tool.produces or _is_told(tool)]


class PlannedStep(Contract):
    """A step of the planner's answer: a tool, and the tools it comes after."""

    tool: str
    after: tuple[str, ...] = ()
    params: JsonObject = Field(default={}, description="for a tool that lists its parameters")


class PlannerAnswer(Contract):
    """What the planner role answers; or why no chain of tools leads there."""

    steps: tuple[PlannedStep, ...]


def entry_of(tool: ToolSpec) -> JsonObject:
    """A tool in the catalogue that a model plans from: what it is for, what it needs, and what it makes."""
    entry: JsonObject = {"tool": tool.tool_key, "for": tool.description, "produces": list(tool.produces)}
    for key, need in (("needs", Need.REQUIRED), ("takes", Need.WANTED)):
        if types := [one.type for one in tool.consumes if one.need is need]:
            entry[key] = list[JsonValue](types)
    if _is_told(tool):
        entry["parameters"] = tool.params_schema
    return entry


def _is_told(tool: ToolSpec) -> bool:
    """Whether the planner says what it is called with: nobody here knows what a tool from outside wants to be told."""
    return tool.entry.startswith(OUTSIDE_ENTRY)


def chain_offline(question: PlannerQuestion) -> PlannerAnswer:
    """The offline planner. Raises GoalUnreachable."""
    tools = drop_unreachable_inputs(question.tools, question.hint.filters, question.available)
    steps = chain(question.hint.goals, question.available, tools)
    return PlannerAnswer(steps=tuple(PlannedStep(tool=step.tool.tool_key, after=tuple(step.after)) for step in steps))


class PlanGenerator:
    """Turns steps or commands into checked plans, with titles in the person's language."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        packs = catalogue.packs.values()
        self._intents = tasks.by_task([intent for pack in packs for intent in pack.intents])
        named = {pack.name: pack.manifest.synthesis for pack in packs}
        self._syntheses = {one: catalogue.tools[key] for one, key in named.items() if key in catalogue.tools}

    def is_said(self, understood: CognitiveOutput) -> bool:
        """Whether the person's tasks are the whole plan: nothing is left for a planner to find."""
        return not understood.plan_hint.goals and bool(self._calls(understood))

    def runs_unasked(self, understood: CognitiveOutput) -> bool:
        """Whether the packs' policy approves what is wanted."""
        return tasks.by_policy(understood, self._intents)

    def asks_by_itself(self, plan: Plan) -> bool:
        """Whether the plan is nothing but one call that a person has to approve with its exact arguments, right before
        it is made: to be asked about the plan, too, would be to be asked the same thing twice."""
        tools = [self.catalogue.tools.get(todo.tool) for todo in plan.todos]
        return len(tools) == 1 and tools[0] is not None and tools[0].confirm_policy is ConfirmPolicy.ALWAYS

    def _calls(self, understood: CognitiveOutput) -> list[tasks.Call]:
        return tasks.calls_of(understood, self._intents, self.catalogue.tools)

    def from_steps(self, plan_id: UUID, understood: CognitiveOutput, steps: Iterable[PlannedStep]) -> Plan:
        """The steps, and the calls that the person's tasks stand for, whatever the planner says of them.

        Raises PlanInvalid, also for a tool that a model invented, and GoalUnreachable."""
        calls = self._calls(understood)
        said = {call.tool.tool_key for call in calls}
        found: dict[str, Step] = {}
        told: dict[str, JsonObject] = {}
        for step in steps:
            if step.tool in said:
                continue
            tool = self.catalogue.tools.get(step.tool)
            if tool is None:
                raise PlanInvalid(
                    Code.PLAN_TOOL_UNKNOWN, f"the planner wants {step.tool!r}, which no pack has", tool=step.tool
                )
            found[step.tool] = Step(tool, list(step.after))
            if _is_told(tool):
                told[step.tool] = step.params
        ids = {key: _id(number, key) for number, key in enumerate(found, 1)}
        size = sum(attachment.size for attachment in understood.attachments)
        planned = [step.tool for step in found.values()]
        todos = [self._todo(ids, step, understood, planned, size) for step in found.values()]
        todos = [todo.model_copy(update={"params": told[todo.tool]}) if todo.tool in told else todo for todo in todos]
        todos += self._said(calls, todos, understood, size)
        return plans.make(plan_id, 1, understood.plan_hint, todos, self.catalogue.tools)

    def extended(
        self,
        plan: Plan,
        understood: CognitiveOutput,
        goals: Sequence[ArtifactType],
        fitting: Fitting = ANY_TABLE,
        gone: Collection[ToolKey] = (),
    ) -> Plan:
        """The next version of the plan, which makes these as well, of what it makes already where that will do. Tools
        of steps that are `gone` come back only for what cannot do without them.

        Raises GoalUnreachable and PlanInvalid."""
        made = {type_ for todo in plan.todos for type_ in todo.produces}
        wanted = tuple(dict.fromkeys([*(goal for goal in plan.goals if goal in made), *goals]))
        available = available_types(understood.attachments)
        met = fitting.met(wanted, available, with_addresses(self._chained(), understood))
        wanted, steps = met.goals, chain(met.goals, available, met.tools)
        there = {todo.tool: todo.id for todo in plan.todos}
        new = [step for step in steps if step.tool.tool_key not in there]
        needed = self._needed_for(goals, steps, gone)
        new = [step for step in new if step.tool.tool_key in needed]
        ids = there | {
            one.tool.tool_key: _id(number, one.tool.tool_key) for number, one in enumerate(new, len(there) + 1)
        }
        size = sum(attachment.size for attachment in understood.attachments)
        planned = [step.tool for step in steps if step.tool.tool_key in ids]
        todos = [self._waiting(todo, steps, ids) for todo in plan.todos]
        todos += [self._todo(ids, step, understood, planned, size) for step in new]
        hint = PlanHint(goals=wanted, formats=plan.formats)
        return plans.make(plan.plan_id, plan.version + 1, hint, todos, self.catalogue.tools)

    def _chained(self) -> list[ToolSpec]:
        return [tool for tool in self.catalogue.tools.values() if tool.produces and not tool.arrival]

    def _needed_for(self, goals: Sequence[ArtifactType], steps: Sequence[Step], gone: Collection[ToolKey]) -> set[str]:
        """The tools that make the goals, and all that they come after, but for those that are gone and only welcome."""
        after = {step.tool.tool_key: step.after for step in steps}
        queue = [step.tool.tool_key for step in steps if set(goals) & set(step.tool.produces)]
        for one in queue:  # grows while it is read
            tool = self.catalogue.tools[one]
            come_before = (before for before in after[one] if before not in gone or self._requires(tool, before))
            queue += [before for before in come_before if before not in queue]
        return set(queue)

    def _waiting(self, todo: TodoItem, steps: Sequence[Step], ids: Mapping[str, str]) -> TodoItem:
        """A step that was there waits for new ones that make what it wants."""
        step = next((one for one in steps if one.tool.tool_key == todo.tool), None)
        after = [ids[key] for key in step.after if key in ids] if step else []
        more = [one for one in after if one not in todo.depends_on]
        if not more:
            return todo
        return todo.model_copy(
            update={
                "version": todo.version + 1,
                "depends_on": (*todo.depends_on, *more),
                "wants": (*todo.wants, *more),
            }
        )

    def _said(
        self, calls: Sequence[tasks.Call], before: Sequence[TodoItem], understood: CognitiveOutput, size: int
    ) -> list[TodoItem]:
        def title(tool: ToolSpec) -> str:
            return self._title(tool, understood.language)

        todos = tasks.todos_of(calls, before, available_types(understood.attachments), size, title)
        number = len(before) + len(todos) + 1
        synthesis = tasks.synthesis_of(calls, todos, number, self._syntheses, title)
        return [*todos, synthesis] if synthesis else todos

    def _todo(
        self,
        ids: Mapping[str, str],
        step: Step,
        understood: CognitiveOutput,
        planned: Sequence[ToolSpec],
        input_bytes: int,
    ) -> TodoItem:
        tool = step.tool
        return TodoItem(
            id=ids[tool.tool_key],
            title=self._title(tool, understood.language),
            params=params_of(tool, understood, planned),
            depends_on=tuple(ids[key] for key in step.after if key in ids),
            wants=tuple(ids[key] for key in step.after if key in ids and not self._requires(tool, key)),
            consumes=tuple(consumed.type for consumed in tool.consumes),
            **todo_fields(tool, input_bytes),
        )

    def _requires(self, tool: ToolSpec, maker: str) -> bool:
        made = set(self.catalogue.tools[maker].produces)
        return any(consumed.type in made for consumed in tool.consumes if consumed.need is Need.REQUIRED)

    def _title(self, tool: ToolSpec, language: str) -> str:
        try:
            return self.catalogue.title(tool.tool_key, language)
        except (ValueError, LookupError):  # braces that are no placeholder: no plan fails for a title
            return tool.tool_key

    def of_confirmed(self, plan_id: UUID, language: str, approvals: Sequence[FlowApproval]) -> Plan:
        """The calls that a person has confirmed in a flow, in their order. Raises PlanInvalid."""
        todos = tuple(self._confirmed(number, one, language) for number, one in enumerate(approvals, 1))
        return plans.make(plan_id, 1, PlanHint(), todos, self.catalogue.tools)

    def _confirmed(self, number: int, approval: FlowApproval, language: str) -> TodoItem:
        tool = self.catalogue.tools.get(approval.tool)
        if tool is None:
            why = f"a flow wants {approval.tool!r}, which no pack has"
            raise PlanInvalid(Code.PLAN_TOOL_UNKNOWN, why, tool=approval.tool)
        return confirmed_todo(number, approval, tool, self._title(tool, language))

    def from_command(self, plan_id: UUID, understood: CognitiveOutput, command: PackCommand) -> Plan:
        """The todos that a slash command stands for. Raises PlanInvalid for an unknown command or bad arguments."""
        if command.name not in self.catalogue.commands:
            name = f"/{command.name}"
            raise PlanInvalid(Code.PLAN_TOOL_UNKNOWN, f"no pack has the command {name}", tool=name)
        _, spec = self.catalogue.commands[command.name]
        problem = next(Draft202012Validator(spec.args_schema).iter_errors(command.args), None)
        if problem is not None:
            raise _usage(spec, problem.message[:200])
        todos: list[TodoItem] = []
        for part in spec.todos:
            todos += self._command_todos(part, spec, command.args, understood, todos)
        return plans.make(plan_id, 1, understood.plan_hint, todos, self.catalogue.tools)

    def _command_todos(
        self,
        part: CommandTodo,
        spec: CommandSpec,
        args: JsonObject,
        understood: CognitiveOutput,
        before: Sequence[TodoItem],
    ) -> list[TodoItem]:
        tool = self.catalogue.tools.get(part.tool)
        if tool is None:
            raise PlanInvalid(
                Code.PLAN_TOOL_UNKNOWN, f"the command wants {part.tool!r}, which no pack has", tool=part.tool
            )
        count = args.get(part.repeat) if part.repeat else 1
        if not isinstance(count, int) or not 0 <= count <= MOST_TODOS - len(before):
            raise _usage(spec, f"{part.repeat} is {count!r}: it says how often, up to {MOST_TODOS:,}")
        takes = {consumed.type for consumed in tool.consumes}
        fields = todo_fields(tool, sum(attachment.size for attachment in understood.attachments))
        fields["on_error"] = part.on_error or tool.on_error
        fields["retries"] = tool.retries if part.retries is None else part.retries
        fields["timeout_seconds"] = part.timeout_seconds or tool.timeout_seconds
        model = TodoItem(
            **fields,
            id=part.id or "t0",
            title=self._title(tool, understood.language),
            params={**part.params, **args} if part.arguments else part.params,
            # later parts of a command take what earlier ones make
            depends_on=_made_before(before, takes) if part.depends_on is None else part.depends_on,
            wants=part.wants,
            consumes=tuple(consumed.type for consumed in tool.consumes),
            join=part.join,
            join_count=part.join_count,
            role=part.role,
            until=part.until,
            repeat_from=part.repeat_from,
            rounds=part.rounds,
        )
        if part.id and not part.repeat:
            return [model]
        # copies of one checked todo: only the id differs
        return [model.model_copy(update={"id": f"t{len(before) + number}"}) for number in range(1, count + 1)]


def _id(number: int, tool_key: str) -> str:
    """Of a step of the plan: its number, and the name of its tool."""
    return f"t{number}-{tool_key.split('.', 1)[1].replace('_', '-')}"[:LONGEST_ID]


def _made_before(before: Sequence[TodoItem], takes: set[str]) -> tuple[str, ...]:
    return tuple(todo.id for todo in before if takes & set(todo.produces)) if takes else ()


def _usage(spec: CommandSpec, problem: str) -> PlanInvalid:
    name = f"/{spec.name}"
    usage = " ".join((name, *(f"<{argument}>" for argument in spec.positional)))
    return PlanInvalid(
        Code.PLAN_ARGUMENTS_INVALID, f"{name}: {problem}", why="command", command=name, usage=usage, problem=problem
    )


def available_types(attachments: Sequence[Attachment]) -> tuple[str, ...]:
    """The types of the files that are there, in order, each once."""
    return tuple(dict.fromkeys(attachment.type for attachment in attachments))
