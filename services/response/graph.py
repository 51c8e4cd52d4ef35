"""The response layer's inner graph in LangGraph: aggregate, then generate in the format that fits.

The only module of this service that knows LangGraph. Compiled once; an answer that is there already needs no graph."""

from dataclasses import replace
from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph

from backbone.model.port import NO_CONVERSATION, Conversation, Hear
from contracts.model import ModelCalled
from contracts.response import ResponseInput, ResponseOutput
from services.response.domain.aggregate import Aggregate, aggregate
from services.response.formatter import ResponseGenerator
from services.response.reporter import Reporter


class ResponseState(TypedDict, total=False):
    """What the nodes hand on."""

    given: ResponseInput
    conversation: Conversation
    hear: Hear | None
    made: Aggregate
    called: ModelCalled | None
    output: ResponseOutput


class ResponseGraph:
    """aggregate -> report -> generate. Without a model for the reporter the findings stand as they are."""

    def __init__(self, generator: ResponseGenerator, reporter: Reporter | None = None) -> None:
        self._generator = generator
        self._reporter = reporter
        graph: Any = StateGraph(ResponseState)
        graph.add_node("aggregate", self._aggregate)
        graph.add_node("generate", self._generate)
        graph.add_edge(START, "aggregate")
        if reporter is not None:
            graph.add_node("report", self._report)
            graph.add_edge("aggregate", "report")
        graph.add_edge("aggregate" if reporter is None else "report", "generate")
        graph.add_edge("generate", END)
        self._compiled = graph.compile()

    async def respond(
        self, given: ResponseInput, conversation: Conversation = NO_CONVERSATION, hear: Hear | None = None
    ) -> tuple[ResponseOutput, ModelCalled | None]:
        """The answer, and the record of the model's call if one has told it."""
        state = await self._compiled.ainvoke({"given": given, "conversation": conversation, "hear": hear})
        return state["output"], state.get("called")

    async def _aggregate(self, state: ResponseState) -> ResponseState:
        given = state["given"]
        if given.plan is None or given.execution is None:
            return {"made": Aggregate((), (), (), (), {})}
        return {"made": aggregate(given.plan, given.execution)}

    async def _report(self, state: ResponseState) -> ResponseState:
        if self._reporter is None:
            return {}
        understood, made = state["given"].cognitive, state["made"]
        told, called = await self._reporter.retell(
            understood.text, made.sentences, understood.language, state["conversation"], state["hear"]
        )
        return {"made": replace(made, sentences=tuple(told)), "called": called}

    async def _generate(self, state: ResponseState) -> ResponseState:
        return {"output": self._generator.generate(state["given"], state["made"])}
