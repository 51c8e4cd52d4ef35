"""The planning layer's inner graph in LangGraph: ask the planner role, then build, check, estimate and draw.

The only module of this service that knows LangGraph. Compiled once; a command needs none (docs/adr/0006)."""

from typing import Any, TypedDict
from uuid import UUID

from langgraph.graph import END, START, StateGraph

from backbone.model.port import ModelProvider, ModelRequest
from contracts.cognitive import CognitiveOutput
from contracts.model import ModelCalled, ModelRole
from contracts.planning import Plan
from services.planning.domain.request import with_addresses
from services.planning.planner import PlanGenerator, PlannedStep, PlannerAnswer, PlannerQuestion, available_types


class PlanningState(TypedDict, total=False):
    """What the nodes hand on."""

    plan_id: UUID
    understood: CognitiveOutput
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

    async def plan(self, plan_id: UUID, understood: CognitiveOutput) -> tuple[Plan, ModelCalled]:
        """Raises GoalUnreachable or PlanInvalid."""
        state = await self._compiled.ainvoke({"plan_id": plan_id, "understood": understood})
        return state["plan"], state["called"]

    async def _generate_todos(self, state: PlanningState) -> PlanningState:
        understood = state["understood"]
        question = PlannerQuestion(
            hint=understood.plan_hint,
            available=available_types(understood.attachments),
            tools=with_addresses(self._generator.catalogue.tools.values(), understood),
        )
        answer = await self._provider.ask(ModelRequest(ModelRole.PLANNER, "planning.plan@1", question, PlannerAnswer))
        return {"steps": answer.answer.steps, "called": answer.called}

    async def _assemble(self, state: PlanningState) -> PlanningState:
        return {"plan": self._generator.from_steps(state["plan_id"], state["understood"], state["steps"])}
