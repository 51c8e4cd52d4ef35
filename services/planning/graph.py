"""The planning layer's inner graph in LangGraph: ask the planner role, then build, check, estimate and draw.

The only module of this service that knows LangGraph. Compiled once; a command needs none (docs/adr/0006)."""

from typing import Any, TypedDict
from uuid import UUID

from langgraph.graph import END, START, StateGraph

from backbone.model.port import NO_CONVERSATION, Conversation, ModelProvider, ModelRequest
from contracts.cognitive import CognitiveOutput
from contracts.model import ModelCalled, ModelRole
from contracts.planning import Plan
from contracts.tools import ToolSpec
from services.planning.domain.dependency import PlanInvalid
from services.planning.domain.request import drop_unreachable_inputs, with_addresses
from services.planning.domain.wiring import problem_of, resolve_dependencies
from services.planning.planner import PlanGenerator, PlannedStep, PlannerAnswer, PlannerQuestion, available_types

PROMPT = "planning.plan@1"


class PlanningState(TypedDict, total=False):
    """What the nodes hand on."""

    plan_id: UUID
    understood: CognitiveOutput
    conversation: Conversation
    steps: tuple[PlannedStep, ...]
    called: ModelCalled
    plan: Plan


class PlanningGraph:
    """generate_todos -> assemble (dependencies, estimate, Mermaid)."""

    def __init__(self, provider: ModelProvider, generator: PlanGenerator) -> None:
        self._provider = provider
        self._generator = generator
        graph: Any = StateGraph(PlanningState)
        graph.add_node("generate_todos", self._generate_todos)
        graph.add_node("assemble", self._assemble)
        graph.add_edge(START, "generate_todos")
        graph.add_edge("generate_todos", "assemble")
        graph.add_edge("assemble", END)
        self._compiled = graph.compile()

    async def plan(
        self, plan_id: UUID, understood: CognitiveOutput, conversation: Conversation = NO_CONVERSATION
    ) -> tuple[Plan, ModelCalled]:
        """Raises GoalUnreachable or PlanInvalid."""
        state = await self._compiled.ainvoke(
            {"plan_id": plan_id, "understood": understood, "conversation": conversation}
        )
        return state["plan"], state["called"]

    async def _generate_todos(self, state: PlanningState) -> PlanningState:
        understood = state["understood"]
        question = PlannerQuestion(
            hint=understood.plan_hint,
            available=available_types(understood.attachments),
            tools=with_addresses(self._generator.catalogue.tools.values(), understood),
            text=understood.text,
        )

        def problem(said: PlannerAnswer) -> str | None:
            return self._problem(state, question, said)

        request = ModelRequest(
            ModelRole.PLANNER, PROMPT, question, PlannerAnswer, conversation=state["conversation"], problem=problem
        )
        answer = await self._provider.ask(request)
        steps = answer.answer.steps
        return {"steps": steps if answer.called.local else _linked(question, steps), "called": answer.called}

    def _problem(self, state: PlanningState, question: PlannerQuestion, said: PlannerAnswer) -> str | None:
        """Why a model's plan will not do. It may mend it once; then the offline planner's word stands."""
        tools = _met(question)
        hint = question.hint
        problem = problem_of(_after(said.steps), hint.goals, question.available, tools)
        if problem is not None:
            return problem
        try:
            self._generator.from_steps(state["plan_id"], state["understood"], _linked(question, said.steps))
        except PlanInvalid as error:
            return error.message
        return None

    async def _assemble(self, state: PlanningState) -> PlanningState:
        return {"plan": self._generator.from_steps(state["plan_id"], state["understood"], state["steps"])}


def _met(question: PlannerQuestion) -> dict[str, ToolSpec]:
    """The tools as this request meets them: without files where it names an address or a product instead."""
    met = drop_unreachable_inputs(question.tools, question.hint.filters, question.available)
    return {tool.tool_key: tool for tool in met if tool.produces}


def _after(steps: tuple[PlannedStep, ...]) -> dict[str, tuple[str, ...]]:
    return {step.tool: step.after for step in steps}


def _linked(question: PlannerQuestion, steps: tuple[PlannedStep, ...]) -> tuple[PlannedStep, ...]:
    after = resolve_dependencies(_after(steps), question.available, _met(question))
    return tuple(PlannedStep(tool=tool, after=tuple(before)) for tool, before in after.items())
