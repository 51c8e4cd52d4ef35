"""I/O around understanding: gathers what layer 1 may look at, and records what it understood."""

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID, uuid5

from backbone.ledger.port import Ledger, Timer
from backbone.model.recent import NO_HISTORY, Recent, conversation_of
from backbone.packs import Catalogue
from backbone.runner.handlers import NOTHING, Emit, Outcome, Record, Takes, WorkHandler, emit
from contracts.cognitive import CognitiveInput, CognitiveOutput, FlowAct, Intent, Route, beside
from contracts.context import Requested
from contracts.decisions import DecisionAnswered, DecisionExpired, DecisionKind, DecisionRequested
from contracts.envelope import Message
from contracts.errors import Code, ErrorInfo
from contracts.gateway import MessageReceived
from contracts.model import ModelCalled
from contracts.packs import CommandSpec, IntentSpec
from contracts.shape import Event
from services.cognitive import markers, undoing
from services.cognitive.asked import Asked, so_far
from services.cognitive.beyond import understood
from services.cognitive.clarifier import Question, asked_in
from services.cognitive.columns import Columns
from services.cognitive.commands import named_in, read_command
from services.cognitive.context import Surroundings, last_of
from services.cognitive.domain.ambiguity import QuestionKind
from services.cognitive.domain.beside import (
    is_about_something,
    is_beside_work,
    is_other_work,
    taken_back_first,
    work_beside,
)
from services.cognitive.flow_turns import GENERAL, FlowTurns, Read
from services.cognitive.graph import CognitiveGraph
from services.cognitive.left_plans import left_by
from services.cognitive.person import Speaking, who_speaks
from services.cognitive.reads import Tangled
from services.cognitive.turn_reading import expecting
from services.cognitive.waiting_plans import waiting_before
from services.cognitive.work_before import taken_back_beside, work_named
from understanding.port import detect_language

UNKNOWN = Intent(domain="UNKNOWN", confidence=0.0)
LONG_ORDER = 16
"""Letters from which on an order to an open dialogue may have something else beside it."""
_WHAT_IS_MEANT = frozenset({QuestionKind.WHAT, QuestionKind.SUBJECT, QuestionKind.LANGUAGE})


@dataclass(frozen=True, slots=True)
class Understanding:
    """Layer 1. The graph is awaited: its weights load while the service already takes commands.

    None: no pack has intents, and only commands are understood."""

    graph: Awaitable[CognitiveGraph] | None
    commands: Mapping[str, CommandSpec]
    catalogue: Catalogue
    ledger: Ledger
    deadline_seconds: float
    timezone: str = "UTC"
    """That of people who have not said theirs."""
    turns: FlowTurns | None = None
    """None: no pack has a flow."""
    talk: Recent = NO_HISTORY
    """What was said before in the session."""
    columns: Columns | None = None
    """None: nobody looks at tables."""
    asks_models: bool = True

    def handler(self) -> WorkHandler:
        return WorkHandler(
            name="cognitive",
            producer="cognitive",
            takes=(Takes("gateway", "MessageReceived"), Takes("gateway", "DecisionAnswered")),
            handle=self.handle,
            give_up=self.give_up,
            effectless=self._is_effectless,
        )

    def _is_effectless(self, message: Message, event: Event) -> bool:
        """Of a message without files nothing is asked outside: executors look at those that come with one."""
        del message
        return not self.asks_models and isinstance(event, MessageReceived) and not event.attachments

    async def handle(self, message: Message, event: Event, record: Record) -> Outcome:
        if message.run_id is None:
            return NOTHING
        try:
            return await self._handled(message, message.run_id, event)
        except Tangled:
            return await self._tangled(message, message.run_id)

    async def _handled(self, message: Message, run_id: UUID, event: Event) -> Outcome:
        if isinstance(event, MessageReceived):
            if command := await self._command(message, event):
                return emit(command)
            return await self._heard(message, run_id, event)
        if isinstance(event, DecisionAnswered) and event.kind is DecisionKind.CLARIFY:
            asked = await so_far(self.ledger, message.session_id, run_id)
            return await self._understand(message, run_id, asked, await self._who(message)) if asked else NOTHING
        return NOTHING

    async def _tangled(self, message: Message, run_id: UUID) -> Outcome:
        """What could not be read in time is refused; the run ends, and a flow waits as before."""
        asked = await so_far(self.ledger, message.session_id, run_id)
        if asked is None:
            return NOTHING
        received = asked.received
        language = received.language or detect_language(received.text).language
        sentence = self.catalogue.say(language, "answer.tangled")
        error = ErrorInfo(code=Code.TEXT_TANGLED, message=sentence)
        return emit(self._refused(received.model_copy(update={"language": language}), error))

    async def _command(self, message: Message, received: MessageReceived) -> CognitiveOutput | None:
        name = named_in(received.text)
        if not name:
            return None
        if received.language is None:
            language = await self._language(message, received.text.partition(" ")[2])
            received = received.model_copy(update={"language": language})
        await self.catalogue.expect(name)
        if server := self.catalogue.is_away(name):
            sentence = self.catalogue.say(received.language or "en", "mcp.away", server=server)
            return self._refused(received, ErrorInfo(code=Code.PLAN_TOOL_UNKNOWN, message=sentence))
        return read_command(received, self.commands, self.catalogue.say)

    async def _language(self, message: Message, said: str) -> str:
        """Of a command: that of the person, of what they have said before, or of what follows it."""
        who = await self._who(message)
        if who.profile.language:
            return who.profile.language
        before = await conversation_of(self.ledger, message.session_id, message.version, message.run_id)
        sentences = [turn.text for turn in before.history if turn.role == "user" and not named_in(turn.text)]
        return detect_language(next(reversed(sentences), said), "en").language

    async def _who(self, message: Message) -> Speaking:
        return await who_speaks(self.ledger, message, self.timezone, with_flows=self.turns is not None)

    async def _heard(self, message: Message, run_id: UUID, received: MessageReceived) -> Outcome:
        """First the words and slots that code knows, for a flow that has been led; then whatever else it may mean."""
        who = await self._who(message)
        if self.turns and self.graph is not None and (both := await self._dropped(message, received, who)):
            return both
        if self.turns and self.graph is not None and (both := await self._undone_beside(message, received, who)):
            return both
        if self.turns and who.flow is None and (waits := await self._what_waits(message, received, self.turns)):
            return emit(waits.model_copy(update={"profile": who.profile}))
        read = (await self.turns.word(received, who) if self.turns else None) or Read(None)
        if read.output is None and self.turns and who.flow and self.graph is not None:
            await self.graph
            read = await self.turns.slots(received, who, await self.talk.before(message))
        if beside := await self._of_work_before(message, received, who, read.output):
            return beside
        if read.output is not None and not (read.doubtful or self._is_an_order(read.output)):
            return emit(*read.called, read.output)
        outcome = await self._understand(message, run_id, Asked(received), who, read)
        return outcome._replace(emits=(*map(Emit, read.called), *outcome.emits))

    async def _of_work_before(
        self, message: Message, received: MessageReceived, who: Speaking, said: CognitiveOutput | None
    ) -> Outcome | None:
        """What a turn takes back of work that was done beside the open dialogue: which stays as it is."""
        work = await taken_back_beside(self.ledger, message, said, who.flow, self._led)
        if work is None or self.turns is None:
            return None
        given = await self._given(message, Asked(received), replace(who, moves=()))
        output, called = await self._taken_back(work, given, who)
        if output is None:
            return None
        aside = self.turns.still_asked(who, output.language)
        known = {"auto_approve": received.auto_approve, "profile": who.profile, "still_asked": aside}
        return emit(*called, output.model_copy(update=known))

    async def _taken_back(
        self, work: Requested | None, given: CognitiveInput, who: Speaking
    ) -> tuple[CognitiveOutput | None, tuple[ModelCalled, ...]]:
        """What a sentence means of work before it that it names, if it takes that back."""
        if work is None or self.graph is None:
            return None, ()
        context = given.context.model_copy(update={"last": work})
        asked = given.model_copy(update={"context": context})
        output, question, called = await (await self.graph).understand(asked, who.now, ())
        meant, spec = last_of(output), self._specs.get(work.intent)
        takes_back = meant is not None and spec is not None and meant.slots.get("action") in spec.asks
        return (output if question is None and takes_back else None), tuple(called)

    async def _what_waits(
        self, message: Message, received: MessageReceived, turns: FlowTurns
    ) -> CognitiveOutput | None:
        """The answer to a word of yes or no that no dialogue waits for, while something else does: what that is."""
        if not await turns.is_bare_word(received):
            return None
        said, is_a_plan = await waiting_before(self.ledger, message)
        if not said:
            return None
        language = received.language or detect_language(received.text).language
        quoted = (self.catalogue.say(language, "plan.quoted", said=one) for one in said)
        key = "plan.which_waits" if is_a_plan else "plan.which_wait"
        answer = self.catalogue.say(language, key, said=", ".join(quoted), count=len(said))
        return CognitiveOutput(
            text=received.text, language=language, intent=GENERAL, route=Route.ANSWER, answer=answer,
            auto_approve=received.auto_approve,
        )  # fmt: skip

    async def _understand(
        self, message: Message, run_id: UUID, asked: Asked, who: Speaking, read: Read | None = None
    ) -> Outcome:
        """`read`: what an open flow has made of the message, which counts unless it is clearly about another thing;
        where that was not in doubt, unless it is an order beside other work, and then each has its part."""
        if self.graph is None:
            return emit(self._unable(asked.received))
        given = await self._given(message, asked, who)
        subjects, declined = asked_in(asked.subjects), {name for name, one in self._specs.items() if one.declines}
        (output, question, called), beyond = await understood(await self.graph, given, who.now, subjects, declined)
        if not _is_sure(output, question) and not asked.answers:
            work = await work_named(self.ledger, message, asked.received.text, self._led)
            meant, more = await self._taken_back(work, given, who)
            output, question, called = (meant, None, (*called, *more)) if meant else (output, question, called)
        sure, otherwise = _is_sure(output, question), read.output if read else None
        sure = sure and (who.flow is None or not output.tasks or is_about_something(output))
        led = output.route is Route.FLOW
        other = not led if read and read.doubtful else led and is_beside_work(output, self._led)
        if otherwise is not None and not (sure and other):
            return emit(*called, otherwise)
        if self.turns and who.flow and not asked.answers and not sure:
            nothing = await self.turns.nothing(asked.received, who)
            if nothing.output is not None:
                return emit(*called, nothing.output)
        aside = self.turns.still_asked(who, output.language) if self.turns and output.route is not Route.FLOW else ""
        left = await self._left_plan(message, output.language)
        if beyond:
            left = f"{self.catalogue.say(output.language, 'answer.beyond', said=beyond)}\n{left}".strip()
        known = {"auto_approve": asked.received.auto_approve, "profile": who.profile}
        output = output.model_copy(update={**known, "still_asked": aside, "left_plan": left})
        if question is not None and left:
            question = replace(question, text=f"{question.text}\n{left}")
        if question is None:
            return emit(*called, *self._with_work_beside(output, await self._for_flow(output, who, given)))
        requested, timer = self._question(message, run_id, output, question)
        return Outcome((*map(Emit, called), Emit(output), Emit(requested)), (timer,))

    async def _left_plan(self, message: Message, language: str) -> str:
        """What became of the plan that was shown last, for a message that is no answer to it."""
        left = await left_by(self.ledger, message) if isinstance(message.event, MessageReceived) else None
        return self.catalogue.say(language, left[0], said=left[1]) if left else ""

    async def _given(self, message: Message, asked: Asked, who: Speaking) -> CognitiveInput:
        talk = await self.talk.before(message)
        files, context = await Surroundings(self.ledger, self.columns).context(message, asked.received, asked.files)
        return CognitiveInput(
            text=asked.received.text,
            language=asked.received.language,
            attachments=files,
            context=context,
            history=talk.history,
            summary=talk.summary,
            answers=asked.answers,
            profile=who.profile,
            flow=who.flow.flow if who.flow else None,
            expecting=expecting(who.flow) if who.flow else (),
        )

    def _question(
        self, message: Message, run_id: UUID, output: CognitiveOutput, question: Question
    ) -> tuple[DecisionRequested, Timer]:
        decision_id = uuid5(message.event_id, "clarify")
        deadline: datetime = message.recorded_at + timedelta(seconds=self.deadline_seconds)
        requested = DecisionRequested(
            decision_id=decision_id,
            kind=DecisionKind.CLARIFY,
            question=question.text,
            language=output.language,
            options=question.options,
            answer_schema=question.answer_schema,
            deadline=deadline,
            subject=question.subject,
        )
        expired = DecisionExpired(decision_id=decision_id, kind=DecisionKind.CLARIFY)
        return requested, Timer(decision_id, run_id, deadline, expired)

    async def _for_flow(self, output: CognitiveOutput, who: Speaking, given: CognitiveInput) -> CognitiveOutput:
        if output.route is not Route.FLOW or output.error is not None:
            return output
        told = given.history[-1].text if given.history and given.history[-1].role == "assistant" else ""
        opened = await self.turns.opened(output, who, _said_before(given), told) if self.turns else None
        if opened is not None:
            return opened
        # its flow is not loaded: the run must not wait for somebody who will never come (invariant I7)
        sentence = self.catalogue.say(output.language, "answer.unsupported")
        return output.model_copy(update={"error": ErrorInfo(code=Code.INTENT_UNSUPPORTED, message=sentence)})

    def _with_work_beside(self, output: CognitiveOutput, said: CognitiveOutput) -> tuple[CognitiveOutput, ...]:
        """What is said to a flow, and what is done at once beside it: then it is not kept for later."""
        if said.flow is None or said.error is not None:
            return (said,)
        work = work_beside(output, self._specs, self._led)
        if work is None:
            return (said,)
        return said.model_copy(update={"flow": said.flow.model_copy(update={"beside": ()})}), work

    @property
    def _specs(self) -> Mapping[str, IntentSpec]:
        return {spec.intent: spec for pack in self.catalogue.packs.values() for spec in pack.intents}

    def _is_an_order(self, said: CognitiveOutput) -> bool:
        """Whether a turn to an open dialogue is a whole order by itself: of several words that may be about other
        things, too, what is no value was read as if it were one."""
        reading = said.flow
        flow = self.turns.flows.get(reading.flow) if self.turns and reading is not None else None
        if flow is None or reading is None or reading.act is not FlowAct.FILL or flow.spec.undoes:
            return False
        plain = not (reading.denied or reading.which or reading.erases or reading.corrects or reading.every)
        whole = any(not flow.rules.missing(task) for task in reading.tasks)
        return plain and whole and len(said.text) >= LONG_ORDER

    @property
    def _led(self) -> frozenset[str]:
        return frozenset(flow.intent for flow in self.turns.flows.values()) if self.turns else frozenset()

    async def _dropped(self, message: Message, received: MessageReceived, who: Speaking) -> Outcome | None:
        """A turn that takes back what is open and goes on with other work ("forget it, play Yesterday"): both are done.
        Whatever may be meant for the dialogue is left to it."""
        if who.flow is None or self.turns is None or self.graph is None:
            return None
        if markers.forbids(received.text, received.language or detect_language(received.text).language):
            return None  # all of it is one refusal
        talk = await self.talk.before(message)
        for drop, rest in taken_back_first(received.text):
            said, other = (received.model_copy(update={"text": text}) for text in (drop, rest))
            if (output := await self.turns.takes_back(said, other, who, talk)) is None:
                continue
            given = await self._given(message, Asked(other), replace(who, moves=()))
            work, question, called = await (await self.graph).understand(given, who.now, ())
            if question is None and is_other_work(work):
                update = {"auto_approve": received.auto_approve, "profile": who.profile}
                both = (output.model_copy(update={"text": received.text}), work.model_copy(update=update))
                return emit(*called, *both)
        return None

    async def _undone_beside(self, message: Message, received: MessageReceived, who: Speaking) -> Outcome | None:
        """A turn that wants undone what was carried out, and other work ("cancel the booked one and tell me my
        balance"): both are done, or the other is kept for later."""
        if self.turns is None or self.graph is None or received.attachments or not undoing.may_undo(received.text):
            return None
        for said, other in undoing.two_requests(received):
            if (undone := (await self.turns.undone(said, who) or Read(None)).output) is None:
                continue
            if undoing.may_undo(other.text) and await self.turns.undone(other, who):
                continue  # both are for the same flow
            given = await self._given(message, Asked(other), replace(who, moves=()))
            work, question, called = await (await self.graph).understand(given, who.now, ())
            if not is_other_work(work):
                continue
            known = {"auto_approve": received.auto_approve, "profile": who.profile}
            work = work.model_copy(update=known)
            if undone.flow is None:  # there is nothing to undo
                if question is not None:
                    continue
                return emit(*called, work.model_copy(update={"still_asked": undone.answer or ""}))
            reading = undone.flow.model_copy(update={"beside": beside(work.tasks, self._led)})
            both = undone.model_copy(update={**known, "text": received.text, "flow": reading})
            return emit(*called, *((both,) if question else self._with_work_beside(work, both)))
        return None

    def _unable(self, received: MessageReceived) -> CognitiveOutput:
        sentence = self.catalogue.say(received.language or "en", "answer.no_packs")
        return self._refused(received, ErrorInfo(code=Code.INTENT_UNSUPPORTED, message=sentence))

    @staticmethod
    def _refused(received: MessageReceived, error: ErrorInfo) -> CognitiveOutput:
        language = received.language or "en"
        return CognitiveOutput(text=received.text, language=language, intent=UNKNOWN, route=Route.ANSWER, error=error)

    def give_up(self, message: Message, event: Event, error: ErrorInfo) -> Outcome:
        """The run ends with the reason, whether its message or an answer to a question could not be understood."""
        match event:
            case MessageReceived():
                text, language = event.text, event.language or "en"
            case DecisionAnswered(kind=DecisionKind.CLARIFY):
                text, language = "", "en"  # response knows the run's language
            case _:
                return NOTHING
        if message.run_id is None:
            return NOTHING
        return emit(CognitiveOutput(text=text, language=language, intent=UNKNOWN, route=Route.ANSWER, error=error))


def _said_before(given: CognitiveInput) -> str:
    """What the last request was about, in its own words; of a question, all that was said."""
    slots = given.context.last.slots if given.context.last else {}
    about = " ".join(value for value in slots.values() if isinstance(value, str))
    return about or next((turn.text for turn in reversed(given.history) if turn.role == "user"), "")


def _is_sure(output: CognitiveOutput, question: Question | None) -> bool:
    """Whether it is clear what the person wants, though something may be missing for it."""
    return output.error is None and (question is None or question.kind not in _WHAT_IS_MEANT)
