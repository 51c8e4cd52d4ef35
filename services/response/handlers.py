"""I/O around the response: reads what the run is about, answers, and ends the run."""

from dataclasses import dataclass
from uuid import UUID

from backbone.ledger.port import Ledger
from backbone.packs import Catalogue
from backbone.runner.handlers import NOTHING, Outcome, Record, Takes, WorkHandler, emit
from backbone.telemetry import metrics
from contracts.cognitive import CognitiveOutput, OutputFormat, Route
from contracts.decisions import DecisionExpired
from contracts.envelope import Message
from contracts.errors import Code, ErrorInfo
from contracts.execution import ExecutionOutput, ExecutionStatus
from contracts.gateway import MessageReceived
from contracts.planning import PlanningOutput, PlanRejected
from contracts.response import ResponseInput, ResponseOutput, RunCancelled, RunCompleted, RunFailed
from contracts.shape import Event
from services.response.domain.aggregate import aggregate
from services.response.formatter import ResponseGenerator
from services.response.graph import ResponseGraph

_CONTEXT = frozenset({"MessageReceived", "CognitiveOutput", "PlanningOutput"})


@dataclass(frozen=True, slots=True)
class Responder:
    """Ends every run, one way or another."""

    catalogue: Catalogue
    generator: ResponseGenerator
    graph: ResponseGraph
    ledger: Ledger

    def handler(self) -> WorkHandler:
        return WorkHandler(
            name="response",
            producer="response",
            takes=(
                Takes("execution", "ExecutionOutput"),
                Takes("cognitive", "CognitiveOutput"),
                Takes("planning", "PlanRejected"),
                Takes("timers", "DecisionExpired"),
            ),
            handle=self.handle,
            give_up=self.give_up,
        )

    async def handle(self, message: Message, event: Event, record: Record) -> Outcome:
        if message.run_id is None:
            return NOTHING
        outcome = await self._answer(message, message.run_id, event)
        for emitted in outcome.emits:
            if isinstance(emitted.event, RunCompleted | RunFailed | RunCancelled):
                metrics.RUNS.labels(type(emitted.event).__name__).inc()
        return outcome

    async def _answer(self, message: Message, run_id: UUID, event: Event) -> Outcome:
        match event:
            case ExecutionOutput():
                return await self._results(message.session_id, run_id, event)
            case CognitiveOutput(error=ErrorInfo() as error):
                return emit(_spoken(error.message, event.language), RunFailed(error=error))
            case CognitiveOutput(route=Route.ANSWER, requires_clarification=False):
                return emit(_spoken(event.answer or "", event.language), RunCompleted())
            case PlanRejected(final=True):
                return await self._rejected(message.session_id, run_id, event)
            case DecisionExpired(default=None):
                sentence = self.catalogue.say(await self._language(message.session_id, run_id), "run.expired")
                return emit(RunCancelled(reason="expired", message=sentence))
            case _:
                return NOTHING

    async def _results(self, session_id: UUID, run_id: UUID, execution: ExecutionOutput) -> Outcome:
        given = await self._input(session_id, run_id, execution)
        if given is None or given.plan is None:
            return emit(RunFailed(error=ErrorInfo(code=Code.INTERNAL, message="the run has results but no plan")))
        if execution.status is ExecutionStatus.FAILED:
            error = execution.error or ErrorInfo(code=Code.EXECUTION_FAILED, message=self._say(given, "answer.partial"))
            return emit(self.generator.generate(given, aggregate(given.plan, execution)), RunFailed(error=error))
        if given.cognitive.plan_hint.command is not None:
            output = self.generator.generate(given, aggregate(given.plan, execution))
        else:
            output = await self.graph.respond(given)
        return emit(output, RunCompleted(partial=execution.status is ExecutionStatus.PARTIAL))

    def _say(self, given: ResponseInput, key: str) -> str:
        return self.catalogue.say(given.cognitive.language, key)

    async def _input(self, session_id: UUID, run_id: UUID, execution: ExecutionOutput) -> ResponseInput | None:
        cognitive, plan = None, None
        for message in await self.ledger.find(session_id, _CONTEXT - {"MessageReceived"}, run_id):
            match message.event:
                case CognitiveOutput() as understood:
                    cognitive = understood
                case PlanningOutput() as planned:
                    plan = planned.plan
                case _:
                    pass
        return ResponseInput(cognitive=cognitive, plan=plan, execution=execution) if cognitive else None

    async def _rejected(self, session_id: UUID, run_id: UUID, event: PlanRejected) -> Outcome:
        language = await self._language(session_id, run_id)
        if event.error is not None:
            error = event.error
            if error.code >= Code.INTERNAL:
                sentence = self.catalogue.say(language, "answer.internal_error", code=int(error.code))
                error = error.model_copy(update={"message": sentence, "detail": {"cause": error.message}})
            return emit(_spoken(error.message, language), RunFailed(error=error))
        return emit(RunCancelled(reason="rejected", message=self.catalogue.say(language, "run.rejected")))

    async def _language(self, session_id: UUID, run_id: UUID) -> str:
        language = "en"
        for message in await self.ledger.find(session_id, _CONTEXT, run_id):
            event = message.event
            if isinstance(event, CognitiveOutput | PlanningOutput) or (
                isinstance(event, MessageReceived) and event.language
            ):
                language = event.language
        return language

    def give_up(self, message: Message, event: Event, error: ErrorInfo) -> Outcome:
        return emit(RunFailed(error=error)) if message.run_id else NOTHING


def _spoken(text: str, language: str) -> ResponseOutput:
    return ResponseOutput(format=OutputFormat.TEXT, text=text, language=language)
