"""PlanGenerator: from an understood message to the todos of a plan.

The planner role's offline answer is backward chaining; a command of a pack is a plan said in code."""

from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from jsonschema import Draft202012Validator

from backbone.packs import Catalogue
from contracts.artifacts import Attachment
from contracts.cognitive import CognitiveOutput, PackCommand, PlanHint
from contracts.errors import Code
from contracts.packs import CommandSpec, CommandTodo
from contracts.planning import Plan, TodoItem
from contracts.shape import Contract, JsonObject
from contracts.tools import Need, ToolSpec
from services.planning.domain import plan as plans
from services.planning.domain.chain import Step, chain
from services.planning.domain.dependency import PlanInvalid
from services.planning.domain.estimator import seconds_of
from services.planning.domain.request import by_name_alone, params_of

PLANNER = "backward-chaining-1"
LONGEST_ID = 48
MOST_TODOS = 10_000


class PlannerQuestion(Contract):
    """What the planner role is asked."""

    hint: PlanHint
    available: tuple[str, ...]
    tools: tuple[ToolSpec, ...]


class PlannedStep(Contract):
    """A step of the planner's answer: a tool, and the tools it comes after."""

    tool: str
    after: tuple[str, ...] = ()


class PlannerAnswer(Contract):
    """What the planner role answers; or why no chain of tools leads there."""

    steps: tuple[PlannedStep, ...]


def chain_offline(question: PlannerQuestion) -> PlannerAnswer:
    """The offline planner. Raises GoalUnreachable."""
    tools = by_name_alone(question.tools, question.hint.filters, question.available)
    steps = chain(question.hint.goals, question.available, tools)
    return PlannerAnswer(steps=tuple(PlannedStep(tool=step.tool.tool_key, after=tuple(step.after)) for step in steps))


class PlanGenerator:
    """Turns steps or commands into checked plans, with titles in the person's language."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue

    def from_steps(self, plan_id: UUID, understood: CognitiveOutput, steps: Iterable[PlannedStep]) -> Plan:
        """Raises PlanInvalid, also for a tool that a model invented."""
        found: dict[str, Step] = {}
        for step in steps:
            tool = self.catalogue.tools.get(step.tool)
            if tool is None:
                raise PlanInvalid(
                    Code.PLAN_TOOL_UNKNOWN, f"the planner wants {step.tool!r}, which no pack has", tool=step.tool
                )
            found[step.tool] = Step(tool, list(step.after))
        names = {key: key.split(".", 1)[1].replace("_", "-") for key in found}
        ids = {key: f"t{number}-{name}"[:LONGEST_ID] for number, (key, name) in enumerate(names.items(), 1)}
        size = sum(attachment.size for attachment in understood.attachments)
        planned = [step.tool for step in found.values()]
        todos = [self._todo(ids, step, understood, planned, size) for step in found.values()]
        return plans.make(plan_id, 1, understood.plan_hint, todos, self.catalogue.tools)

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
            tool=tool.tool_key,
            executor=tool.executor,
            params=params_of(tool, understood, planned),
            depends_on=tuple(ids[key] for key in step.after if key in ids),
            wants=tuple(ids[key] for key in step.after if key in ids and not self._requires(tool, key)),
            consumes=tuple(consumed.type for consumed in tool.consumes),
            produces=tool.produces,
            on_error=tool.on_error,
            retries=tool.retries,
            timeout_seconds=tool.timeout_seconds,
            estimate_seconds=seconds_of(tool, input_bytes),
            tokens=tool.cost.tokens,
            money=tool.cost.money,
        )

    def _requires(self, tool: ToolSpec, maker: str) -> bool:
        made = set(self.catalogue.tools[maker].produces)
        return any(consumed.type in made for consumed in tool.consumes if consumed.need is Need.REQUIRED)

    def _title(self, tool: ToolSpec, language: str) -> str:
        try:
            return self.catalogue.title(tool.tool_key, language)
        except (ValueError, LookupError):  # braces that are no placeholder: no plan fails for a title
            return tool.tool_key

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
        model = TodoItem(
            id=part.id or "t0",
            title=self._title(tool, understood.language),
            tool=tool.tool_key,
            executor=tool.executor,
            params=part.params,
            # later parts of a command take what earlier ones make
            depends_on=_made_before(before, takes) if part.depends_on is None else part.depends_on,
            wants=part.wants,
            consumes=tuple(consumed.type for consumed in tool.consumes),
            produces=tool.produces,
            join=part.join,
            join_count=part.join_count,
            on_error=part.on_error or tool.on_error,
            retries=tool.retries if part.retries is None else part.retries,
            timeout_seconds=part.timeout_seconds or tool.timeout_seconds,
            estimate_seconds=seconds_of(tool, sum(attachment.size for attachment in understood.attachments)),
            tokens=tool.cost.tokens,
            money=tool.cost.money,
            role=part.role,
            until=part.until,
            repeat_from=part.repeat_from,
            rounds=part.rounds,
        )
        if part.id and not part.repeat:
            return [model]
        # copies of one checked todo: only the id differs
        return [model.model_copy(update={"id": f"t{len(before) + number}"}) for number in range(1, count + 1)]


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
