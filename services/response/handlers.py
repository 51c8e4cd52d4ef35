"""I/O around the response: reads what the run is about, answers, and ends the run."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from backbone.ledger.port import Ledger
from backbone.live import Live
from backbone.model.recent import NO_HISTORY, Recent
from backbone.packs import Catalogue
from backbone.runner.handlers import (
    NOTHING,
    DecisionHandler,
    Outcome,
    Record,
    Recorded,
    Takes,
    WorkHandler,
    always,
    emit,
    never,
)
from backbone.telemetry import metrics
from contracts.cognitive import CognitiveOutput, FlowAdvanced, OutputFormat, Route
from contracts.decisions import DecisionExpired, DecisionKind, DecisionRequested
from contracts.envelope import Message
from contracts.errors import Category, Code, ErrorInfo
from contracts.execution import ExecutionOutput, ExecutionStatus
from contracts.gateway import MessageReceived
from contracts.model import ModelRole
from contracts.planning import Plan, PlanningOutput, PlanRejected
from contracts.registry import RUN_ENDS
from contracts.response import ResponseInput, ResponseOutput, RunCancelled, RunCompleted, RunFailed
from contracts.shape import Event
from services.response.domain import beside, flows
from services.response.domain.aggregate import aggregate
from services.response.domain.beside import EarlyRuns, SaidInRun, said_in, together
from services.response.formatter import ResponseGenerator
from services.response.report import Report
from understanding.port import detect_language

_ENDS_OF_PARTS = frozenset({"CognitiveOutput", "FlowAdvanced", "ExecutionOutput", "PlanRejected"})
_CONTEXT = frozenset({"MessageReceived", "CognitiveOutput", "PlanningOutput"})
_OF_A_RUN = _ENDS_OF_PARTS | _CONTEXT
"""What an answer at the end of a run rests on: read once."""


@dataclass(frozen=True, slots=True)
class Responder:
    """Ends every run, one way or another."""

    catalogue: Catalogue
    generator: ResponseGenerator
    report: Report
    ledger: Ledger
    talk: Recent = NO_HISTORY
    live: Live | None = None
    asks_models: bool = True

    def handler(self) -> WorkHandler:
        return WorkHandler(
            name="response",
            producer="response",
            takes=(
                Takes("execution", "ExecutionOutput"),
                Takes("cognitive", "CognitiveOutput"),
                Takes("cognitive", "FlowAdvanced"),
                Takes("planning", "PlanRejected"),
                Takes("timers", "DecisionExpired"),
            ),
            handle=self.handle,
            give_up=self.give_up,
            concerns=_concerns,
            effectless=never if self.asks_models else always,
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
        session_id = message.session_id
        match event:
            case ExecutionOutput() | PlanRejected(final=True):
                return await self._ended(message, run_id, event)
            case CognitiveOutput():
                return await self._understood(session_id, run_id, event)
            case FlowAdvanced():
                return await self._advanced(message, run_id, event)
            case DecisionExpired(kind=DecisionKind.CLARIFY | DecisionKind.PLAN, default=None):
                return await self._expired(session_id, run_id)
            case _:
                return NOTHING

    async def _ended(self, message: Message, run_id: UUID, event: Event) -> Outcome:
        """The end of the work. Of it and a dialogue of the same run, what was recorded last answers for both."""
        recorded = await self.ledger.find(message.session_id, _OF_A_RUN, run_id)
        said = _said_before(message, recorded)
        if said.has_both and said.moved is None:
            return NOTHING
        done = await self._done(message, run_id, event, recorded)
        return together(done, said.moved) if said.has_both and said.moved else done

    async def _advanced(self, message: Message, run_id: UUID, event: FlowAdvanced) -> Outcome:
        recorded = await self.ledger.find(message.session_id, _OF_A_RUN, run_id)
        said = _said_before(message, recorded)
        if not said.has_both:
            return await self._flow(message.session_id, run_id, event)
        if said.work is None:
            return NOTHING
        return together(await self._done(said.work, run_id, said.work.event, recorded), event)

    async def _done(self, message: Message, run_id: UUID, event: Event, recorded: Sequence[Message]) -> Outcome:
        if isinstance(event, ExecutionOutput):
            return await self._results(message, event, recorded)
        return await self._rejected(message.session_id, run_id, event) if isinstance(event, PlanRejected) else NOTHING

    async def _understood(self, session_id: UUID, run_id: UUID, event: CognitiveOutput) -> Outcome:
        if await self._has_ended(session_id, run_id):
            return NOTHING  # cancelled while it was thought about
        if event.error is not None:
            return self._failed(event.error, await self._language(session_id, run_id, event.language), event.unread)
        answer = self._with_unread(_spoken(event.answer or "", event.language), event.unread)
        return emit(await self._asking_again(answer, event, session_id, run_id), RunCompleted())

    async def _flow(self, session_id: UUID, run_id: UUID, event: FlowAdvanced) -> Outcome:
        if await self._has_ended(session_id, run_id):
            return NOTHING
        found = await self.ledger.find(session_id, frozenset({"CognitiveOutput"}), run_id)
        understood = found[-1].event if found else None
        answer = flows.answer(event)
        said = self._left_out(understood) if isinstance(understood, CognitiveOutput) else ()
        if flows.is_over(event):
            now: Sequence[str] = event.beside
        else:  # what the flow does not keep, for it was busy or has enough, is not said to come back
            now = [one for one in said if one not in event.beside]
            answer = self._naming(answer, "answer.left_for_later", [one for one in said if one in event.beside])
        answer = self._naming(answer, "answer.left_over", now)
        unread = understood.unread if isinstance(understood, CognitiveOutput) else 0
        return emit(flows.offered(self._with_unread(answer, unread), now), flows.end(event))

    def _with_left_out(self, answer: ResponseOutput, understood: CognitiveOutput) -> ResponseOutput:
        """Nothing that was said is dropped in silence."""
        left = self._left_out(understood)
        answer = self._naming(answer, "answer.left_over", left)
        return flows.offered(self._with_unread(answer, understood.unread), left)

    async def _asking_again(
        self, answer: ResponseOutput, understood: CognitiveOutput, session_id: UUID, run_id: UUID
    ) -> ResponseOutput:
        """What a flow waits for is put again behind the answer to another question; not if it has moved meanwhile.
        Before it what became of a plan, unless the question about this run's own plan has said it."""
        if understood.left_plan and not await self._asked_about_a_plan(session_id, run_id):
            answer = answer.model_copy(update={"text": f"{answer.text}\n{understood.left_plan}".strip()})
        if not understood.still_asked:
            return answer
        heard = await self.ledger.find(session_id, frozenset({"CognitiveOutput"}), run_id)
        moved = await self.ledger.latest(session_id, frozenset({"FlowAdvanced"}), 1)
        if moved and heard and moved[0].version > heard[-1].version:
            return answer
        return answer.model_copy(update={"text": f"{answer.text}\n{understood.still_asked}".strip()})

    async def _asked_about_a_plan(self, session_id: UUID, run_id: UUID) -> bool:
        asked = await self.ledger.find(session_id, frozenset({"DecisionRequested"}), run_id)
        return any(isinstance(one.event, DecisionRequested) and one.event.kind is DecisionKind.PLAN for one in asked)

    def _with_unread(self, answer: ResponseOutput, unread: int) -> ResponseOutput:
        """Nor is anything of a long message."""
        if not unread:
            return answer
        line = self.catalogue.say(answer.language, "answer.unread", count=unread)
        return answer.model_copy(update={"text": f"{answer.text}\n{line}".strip()})

    def _left_out(self, understood: CognitiveOutput) -> Sequence[str]:
        packs = [pack for pack in self.catalogue.packs.values() if pack.flows]
        return flows.left_out(understood, {spec.intent for pack in packs for spec in pack.intents if spec.flow})

    def _naming(self, answer: ResponseOutput, key: str, left: Sequence[str]) -> ResponseOutput:
        lines = [self.catalogue.say(answer.language, key, said=said) for said in left]
        return answer.model_copy(update={"text": "\n".join((answer.text, *lines))})

    async def _rejected(self, session_id: UUID, run_id: UUID, event: PlanRejected) -> Outcome:
        if await self._has_ended(session_id, run_id):
            return NOTHING  # cancelled while it was planned
        language = await self._language(session_id, run_id)
        if event.error is not None:
            return self._failed(event.error, language)
        return emit(RunCancelled(reason="rejected", message=self.catalogue.say(language, "run.rejected")))

    async def _expired(self, session_id: UUID, run_id: UUID) -> Outcome:
        if await self._has_ended(session_id, run_id):
            return NOTHING  # the question outlived its run
        sentence = self.catalogue.say(await self._language(session_id, run_id), "run.expired")
        return emit(RunCancelled(reason="expired", message=sentence))

    async def _has_ended(self, session_id: UUID, run_id: UUID) -> bool:
        return bool(await self.ledger.find(session_id, RUN_ENDS, run_id))

    def _failed(self, error: ErrorInfo, language: str, unread: int = 0) -> Outcome:
        told = self._told(error, language)
        return emit(self._with_unread(_spoken(told.message, language), unread), RunFailed(error=told))

    def _told(self, error: ErrorInfo, language: str) -> ErrorInfo:
        """What a layer says to the person stands; what broke inside or outside is said by its code."""
        if error.code.category < Category.LLM:
            return error
        try:
            sentence = self.catalogue.say(language, f"error.{int(error.code)}")
        except KeyError:
            sentence = self.catalogue.say(language, "answer.internal_error", code=int(error.code))
        detail = {**error.detail, "technical": error.message}
        return error.model_copy(update={"message": sentence, "detail": detail})

    async def _results(self, message: Message, execution: ExecutionOutput, recorded: Sequence[Message]) -> Outcome:
        given = _input(execution, recorded)
        if given is not None and given.cognitive.route is Route.FLOW:
            return NOTHING  # the flow says what came of it, and what is next
        if given is None or given.plan is None:
            error = ErrorInfo(code=Code.INTERNAL, message="the run has results but no plan")
            return self._failed(error, _language(recorded))
        language = given.cognitive.language
        match execution.status:
            case ExecutionStatus.SUCCEEDED | ExecutionStatus.PARTIAL:
                partial = execution.status is ExecutionStatus.PARTIAL
                return emit(*await self._generate(message, given, given.plan, execution), RunCompleted(partial=partial))
            case ExecutionStatus.FAILED:
                sentence = self.catalogue.say(language, "answer.failed")
                failed = execution.error or ErrorInfo(code=Code.EXECUTION_FAILED, message=sentence)
                return emit(*await self._generate(message, given, given.plan, execution), RunFailed(error=failed))
            case ExecutionStatus.CANCELLED:
                sentence = self.catalogue.say(language, "run.cancelled")
                return emit(RunCancelled(reason="requested", message=sentence))

    async def _generate(
        self, message: Message, given: ResponseInput, plan: Plan, execution: ExecutionOutput
    ) -> Sequence[Event]:
        """The answer, after the record of the model's call if one has told it."""
        straight = execution.status is ExecutionStatus.FAILED or given.cognitive.plan_hint.command is not None
        if straight:
            told = self._with_left_out(self.generator.generate(given, aggregate(plan, execution)), given.cognitive)
            return (await self._again(told, given, message),)
        on_chunk = None
        if self.live is not None and message.run_id is not None:
            on_chunk = self.live.listener(message.session_id, message.run_id, ModelRole.REPORTER)
        output, called = await self.report.respond(given, await self.talk.before(message), on_chunk)
        output = await self._again(self._with_left_out(output, given.cognitive), given, message)
        return (called, output) if called is not None else (output,)

    async def _again(self, answer: ResponseOutput, given: ResponseInput, message: Message) -> ResponseOutput:
        run_id = message.run_id
        return await self._asking_again(answer, given.cognitive, message.session_id, run_id) if run_id else answer

    async def _language(self, session_id: UUID, run_id: UUID, fallback: str = "en") -> str:
        return _language(await self.ledger.find(session_id, _CONTEXT, run_id), fallback)

    def give_up(self, message: Message, event: Event, error: ErrorInfo) -> Outcome:
        if message.run_id is None:
            return NOTHING
        language = event.language if isinstance(event, CognitiveOutput) else "en"
        return emit(RunFailed(error=self._told(error, language)))


def _concerns(message: Message, event: Event) -> bool:
    """What is understood goes on to planning or to a flow, unless it is answered at once; flows may move in silence."""
    if isinstance(event, CognitiveOutput):
        return event.error is not None or (event.route is Route.ANSWER and not event.requires_clarification)
    return not isinstance(event, FlowAdvanced) or bool(event.message)


def _said_before(message: Message, recorded: Sequence[Message]) -> SaidInRun:
    """What was recorded of the run before a message."""
    return said_in([one for one in recorded if one.version < message.version])


def _input(execution: ExecutionOutput, recorded: Sequence[Message]) -> ResponseInput | None:
    """What was understood last, and the plan that was executed."""
    cognitive, plan = None, None
    for event in (message.event for message in recorded if message.type in {"CognitiveOutput", "PlanningOutput"}):
        if isinstance(event, CognitiveOutput):
            cognitive = event
        elif isinstance(event, PlanningOutput) and event.plan.version == execution.plan_version:
            plan = event.plan
    return ResponseInput(cognitive=cognitive, plan=plan, execution=execution) if cognitive else None


def _language(recorded: Sequence[Message], fallback: str = "en") -> str:
    """That of what was understood or planned last; of the message; else the fallback."""
    language = fallback
    for message in recorded:
        event = message.event
        if isinstance(event, CognitiveOutput) and event.error is not None:
            continue  # given up: its language is a guess
        if isinstance(event, CognitiveOutput | PlanningOutput | MessageReceived):
            language = event.language or language
    return language


def _spoken(text: str, language: str) -> ResponseOutput:
    return ResponseOutput(format=OutputFormat.TEXT, text=text, language=language)


def response_desk_handler(catalogue: Catalogue) -> DecisionHandler[EarlyRuns]:
    """Ends a run that is cancelled before its plan is approved; under the stream's lock, so that it is one or other."""

    def evolve(state: EarlyRuns, recorded: Recorded) -> EarlyRuns:
        return beside.evolve(state, recorded.event, recorded.run_id) if recorded.run_id else state

    def decide(state: EarlyRuns, recorded: Recorded) -> Outcome:
        run = beside.to_cancel(state, recorded.event, recorded.run_id) if recorded.run_id else None
        if run is None:
            return NOTHING
        language = run.language or detect_language(run.text).language
        return emit(RunCancelled(reason="requested", message=catalogue.say(language, "run.cancelled")))

    return DecisionHandler(
        name="response-desk",
        producer="response",
        takes=(Takes("gateway", "RunControlRequested"),),
        folds=beside.FOLDS,
        initial=EarlyRuns,
        evolve=evolve,
        decide=decide,
        of_open_runs=True,
    )
