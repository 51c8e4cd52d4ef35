"""The cognitive layer's inner graph in LangGraph: understand, detect ambiguity, then ask, answer, refuse or go on.

The only module of this service that knows LangGraph. Compiled once; a slash command needs no graph."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypedDict, assert_never

from langgraph.graph import END, START, StateGraph

from contracts.cognitive import CognitiveInput, CognitiveOutput
from contracts.model import ModelCalled
from services.cognitive.clarifier import AmbiguityDetector, Question
from services.cognitive.domain.ambiguity import Ask, Proceed, QuestionKind, Refuse, Reply, Verdict
from services.cognitive.domain.outcome import cognitive_output
from understanding.port import Situation, Understander, Understanding, UserTurn


class CognitiveState(TypedDict, total=False):
    """What the nodes hand on."""

    given: CognitiveInput
    now: datetime
    asked: Sequence[QuestionKind]
    understanding: Understanding
    verdict: Verdict
    output: CognitiveOutput
    question: Question | None


class CognitiveGraph:
    """understand -> detect_ambiguity -> ask | answer | refuse | go_on."""

    def __init__(self, understander: Understander, detector: AmbiguityDetector) -> None:
        self._understander = understander
        self._detector = detector
        graph: Any = StateGraph(CognitiveState)
        graph.add_node("understand", self._understand)
        graph.add_node("detect_ambiguity", self._detect_ambiguity)
        graph.add_node("ask", self._ask)
        graph.add_node("answer", self._answer)
        graph.add_node("refuse", self._refuse)
        graph.add_node("go_on", self._go_on)
        graph.add_edge(START, "understand")
        graph.add_edge("understand", "detect_ambiguity")
        graph.add_conditional_edges("detect_ambiguity", _branch, ["ask", "answer", "refuse", "go_on"])
        for last in ("ask", "answer", "refuse", "go_on"):
            graph.add_edge(last, END)
        self._compiled = graph.compile()

    async def understand(
        self, given: CognitiveInput, now: datetime, asked: Sequence[QuestionKind]
    ) -> tuple[CognitiveOutput, Question | None, tuple[ModelCalled, ...]]:
        """The message understood, the question if there has to be one, and the records of the models' work."""
        state = await self._compiled.ainvoke({"given": given, "now": now, "asked": asked})
        return state["output"], state.get("question"), state["understanding"].called

    async def _understand(self, state: CognitiveState) -> CognitiveState:
        given = state["given"]
        turn = UserTurn(given.text, given.language, given.answers)
        return {"understanding": await self._understander.understand(turn, Situation.of(given, state["now"]))}

    async def _detect_ambiguity(self, state: CognitiveState) -> CognitiveState:
        verdict = self._detector.decide(state["understanding"], state["given"].attachments, state["asked"])
        return {"verdict": verdict}

    async def _ask(self, state: CognitiveState) -> CognitiveState:
        understanding, verdict = state["understanding"], state["verdict"]
        if not isinstance(verdict, Ask):
            raise TypeError(f"{verdict!r} is not a question")
        question = self._detector.question(verdict, understanding.language)
        return {"question": question, "output": cognitive_output(understanding, state["given"].attachments, asks=True)}

    async def _answer(self, state: CognitiveState) -> CognitiveState:
        understanding, verdict = state["understanding"], state["verdict"]
        text = self._detector.reply(verdict, understanding.language, state["now"]) if isinstance(verdict, Reply) else ""
        return {"output": cognitive_output(understanding, state["given"].attachments, answer=text)}

    async def _refuse(self, state: CognitiveState) -> CognitiveState:
        understanding, verdict = state["understanding"], state["verdict"]
        error = self._detector.refusal(verdict, understanding.language) if isinstance(verdict, Refuse) else None
        return {"output": cognitive_output(understanding, state["given"].attachments, error=error)}

    async def _go_on(self, state: CognitiveState) -> CognitiveState:
        return {"output": cognitive_output(state["understanding"], state["given"].attachments)}


def _branch(state: CognitiveState) -> str:
    verdict = state["verdict"]
    match verdict:
        case Ask():
            return "ask"
        case Reply():
            return "answer"
        case Refuse():
            return "refuse"
        case Proceed():
            return "go_on"
        case _:
            assert_never(verdict)
