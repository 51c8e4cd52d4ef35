"""The response layer's inner graph in LangGraph: aggregate, then generate in the format that fits.

The only module of this service that knows LangGraph. Compiled once; an answer that is there already needs no graph."""

from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph

from contracts.response import ResponseInput, ResponseOutput
from services.response.domain.aggregate import Aggregate, aggregate
from services.response.formatter import ResponseGenerator


class ResponseState(TypedDict, total=False):
    """What the nodes hand on."""

    given: ResponseInput
    made: Aggregate
    output: ResponseOutput


class ResponseGraph:
    """aggregate -> generate."""

    def __init__(self, generator: ResponseGenerator) -> None:
        self._generator = generator
        graph: Any = StateGraph(ResponseState)
        graph.add_node("aggregate", self._aggregate)
        graph.add_node("generate", self._generate)
        graph.add_edge(START, "aggregate")
        graph.add_edge("aggregate", "generate")
        graph.add_edge("generate", END)
        self._compiled = graph.compile()

    async def respond(self, given: ResponseInput) -> ResponseOutput:
        state = await self._compiled.ainvoke({"given": given})
        output: ResponseOutput = state["output"]
        return output

    async def _aggregate(self, state: ResponseState) -> ResponseState:
        given = state["given"]
        if given.plan is None or given.execution is None:
            return {"made": Aggregate((), (), (), (), {})}
        return {"made": aggregate(given.plan, given.execution)}

    async def _generate(self, state: ResponseState) -> ResponseState:
        return {"output": self._generator.generate(state["given"], state["made"])}
