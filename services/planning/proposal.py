"""Proposes a plan for what was understood: asks the planner role, then builds, checks, estimates and draws its steps.

A command needs no planner (docs/adr/0006)."""

from functools import partial
from uuid import UUID

from backbone.model.port import NO_CONVERSATION, Conversation, ModelProvider, ModelRequest
from contracts.cognitive import CognitiveOutput
from contracts.model import ModelCalled, ModelRole
from contracts.planning import Plan
from contracts.tools import ToolSpec
from services.planning.domain.dependency import PlanInvalid
from services.planning.domain.fitting import ANY_TABLE, Fitting
from services.planning.domain.request import drop_unreachable_inputs, with_addresses
from services.planning.domain.wiring import problem_of, resolve_dependencies
from services.planning.planner import PlanGenerator, PlannedStep, PlannerAnswer, PlannerQuestion, available_types

PROMPT = "planning.plan@1"


class PlanProposer:
    """The planner role's steps, assembled to a plan by the generator."""

    def __init__(self, provider: ModelProvider, generator: PlanGenerator) -> None:
        self._provider = provider
        self._generator = generator

    async def propose(
        self,
        plan_id: UUID,
        understood: CognitiveOutput,
        conversation: Conversation = NO_CONVERSATION,
        fitting: Fitting = ANY_TABLE,
    ) -> tuple[Plan, ModelCalled, tuple[str, ...]]:
        """And the tools (keys) that were left out, as none of the tables is for them. Raises GoalUnreachable or
        PlanInvalid."""
        hint, available = understood.plan_hint, available_types(understood.attachments)
        met = fitting.met(hint.goals, available, with_addresses(self._generator.catalogue.tools.values(), understood))
        if met.goals != hint.goals:
            understood = understood.model_copy(update={"plan_hint": hint.model_copy(update={"goals": met.goals})})
        question = PlannerQuestion(
            hint=understood.plan_hint,
            available=available,
            tools=met.tools,
            text=understood.text,
        )
        problem = partial(self._problem, plan_id, understood, question)
        answer = await self._provider.ask(
            ModelRequest(ModelRole.PLANNER, PROMPT, question, PlannerAnswer, conversation=conversation, problem=problem)
        )
        steps = answer.answer.steps if answer.called.local else _linked(question, answer.answer.steps)
        return self._generator.from_steps(plan_id, understood, steps), answer.called, met.left_out

    def _problem(
        self, plan_id: UUID, understood: CognitiveOutput, question: PlannerQuestion, said: PlannerAnswer
    ) -> str | None:
        """Why a model's plan will not do. It may mend it once; then the offline planner's word stands."""
        problem = problem_of(_after(said.steps), question.hint.goals, question.available, _met(question))
        if problem is not None:
            return problem
        try:
            self._generator.from_steps(plan_id, understood, _linked(question, said.steps))
        except PlanInvalid as error:
            return error.message
        return None


def _met(question: PlannerQuestion) -> dict[str, ToolSpec]:
    """The tools as this request meets them: without files where it names an address or a product instead."""
    met = drop_unreachable_inputs(question.tools, question.hint.filters, question.available)
    return {tool.tool_key: tool for tool in met if tool.produces}


def _after(steps: tuple[PlannedStep, ...]) -> dict[str, tuple[str, ...]]:
    return {step.tool: step.after for step in steps}


def _linked(question: PlannerQuestion, steps: tuple[PlannedStep, ...]) -> tuple[PlannedStep, ...]:
    after = resolve_dependencies(_after(steps), question.available, _met(question))
    return tuple(PlannedStep(tool=tool, after=tuple(before)) for tool, before in after.items())
