"""I/O around understanding: gathers what layer 1 may look at, and records what it understood."""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid5

from backbone.ledger.port import Ledger, Timer
from backbone.model.offline.addresses import find_addresses
from backbone.packs import Catalogue
from backbone.runner.handlers import NOTHING, Emit, Outcome, Record, Takes, WorkHandler, emit
from contracts.artifacts import Attachment
from contracts.cognitive import CognitiveInput, CognitiveOutput, Intent, Route
from contracts.decisions import DecisionAnswered, DecisionExpired, DecisionKind, DecisionRequested
from contracts.envelope import Message
from contracts.errors import Code, ErrorInfo
from contracts.gateway import ArtifactUploaded, MessageReceived
from contracts.packs import CommandSpec
from contracts.shape import Event, JsonObject
from services.cognitive.clarifier import Question, asked_in
from services.cognitive.commands import read_command
from services.cognitive.domain.answers import read_answer
from services.cognitive.graph import CognitiveGraph

_RUN = frozenset({"MessageReceived", "DecisionRequested", "DecisionAnswered"})
_BRING = frozenset({"ArtifactUploaded", "MessageReceived", "DecisionAnswered"})
UNKNOWN = Intent(domain="UNKNOWN", confidence=0.0)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A run so far: its message, the subjects of the questions asked, and the answers."""

    received: MessageReceived
    subjects: tuple[JsonObject, ...] = ()
    answers: tuple[str, ...] = ()
    files: tuple[Attachment | str, ...] = ()


@dataclass(frozen=True, slots=True)
class Understanding:
    """Layer 1. The graph is awaited: its weights load while the service already takes commands.

    None: no pack has intents, and only commands are understood."""

    graph: Awaitable[CognitiveGraph] | None
    commands: Mapping[str, CommandSpec]
    catalogue: Catalogue
    ledger: Ledger
    deadline_seconds: float

    def handler(self) -> WorkHandler:
        return WorkHandler(
            name="cognitive",
            producer="cognitive",
            takes=(Takes("gateway", "MessageReceived"), Takes("gateway", "DecisionAnswered")),
            handle=self.handle,
            give_up=self.give_up,
        )

    async def handle(self, message: Message, event: Event, record: Record) -> Outcome:
        if message.run_id is None:
            return NOTHING
        if isinstance(event, MessageReceived):
            if command := read_command(event, self.commands, self.catalogue.say):
                return emit(command)
            return await self._understand(message, message.run_id, _Asked(event))
        if isinstance(event, DecisionAnswered) and event.kind is DecisionKind.CLARIFY:
            asked = await self._so_far(message.session_id, message.run_id)
            return await self._understand(message, message.run_id, asked) if asked else NOTHING
        return NOTHING

    async def _understand(self, message: Message, run_id: UUID, asked: _Asked) -> Outcome:
        if self.graph is None:
            return emit(self._unable(asked.received))
        graph = await self.graph
        given = CognitiveInput(
            text=asked.received.text,
            language=asked.received.language,
            attachments=await self._attachments(message, asked),
            answers=asked.answers,
        )
        output, question, called = await graph.understand(given, message.recorded_at, asked_in(asked.subjects))
        output = output.model_copy(update={"auto_approve": asked.received.auto_approve})
        if question is None:
            return emit(called, output)
        requested, timer = self._question(message, run_id, output, question)
        return Outcome((Emit(called), Emit(output), Emit(requested)), (timer,))

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

    async def _so_far(self, session_id: UUID, run_id: UUID) -> _Asked | None:
        received: MessageReceived | None = None
        subjects: list[JsonObject] = []
        answers: list[str] = []
        files: list[Attachment | str] = []
        for message in await self.ledger.find(session_id, _RUN, run_id):
            match message.event:
                case MessageReceived() as first:
                    received = first
                case DecisionRequested(kind=DecisionKind.CLARIFY, subject=subject):
                    subjects.append(subject)
                case DecisionAnswered(kind=DecisionKind.CLARIFY, answer=answer):
                    words, brought = read_answer(answer)
                    answers += words or ("",)  # empty for files alone: rounds are counted by answers
                    files += brought
                case _:
                    pass
        return _Asked(received, tuple(subjects), tuple(answers), tuple(files)) if received else None

    async def _attachments(self, message: Message, asked: _Asked) -> tuple[Attachment, ...]:
        """The message's files, those of the answers, else the newest that the session has of each kind."""
        own = {attachment.artifact_id: attachment for attachment in asked.received.attachments}
        own |= {one.artifact_id: one for one in asked.files if isinstance(one, Attachment)}
        ids = [one for one in asked.files if isinstance(one, str)]
        if not ids and (own or message.version <= 2 or find_addresses(asked.received.text)):
            # the first message of a session has nothing before it; who names a web address means that one
            return tuple(own.values())
        found = await self._session_files(message.session_id)
        own |= {one: found[one] for one in ids if one in found}
        return tuple(own.values()) or _newest_of_each_type(list(found.values()))

    async def _session_files(self, session_id: UUID) -> dict[str, Attachment]:
        """All files that were ever brought into the session, the newest last."""
        files: dict[str, Attachment] = {}
        for message in await self.ledger.find(session_id, _BRING):
            for attachment in _brought(message.event):
                files.pop(attachment.artifact_id, None)
                files[attachment.artifact_id] = attachment
        return files

    def _unable(self, received: MessageReceived) -> CognitiveOutput:
        language = received.language or "en"
        error = ErrorInfo(code=Code.INTENT_UNSUPPORTED, message=self.catalogue.say(language, "answer.no_packs"))
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


def _brought(event: Event) -> Sequence[Attachment]:
    match event:
        case ArtifactUploaded():
            return (event.attachment,)
        case MessageReceived():
            return event.attachments
        case DecisionAnswered(kind=DecisionKind.CLARIFY):
            return [one for one in read_answer(event.answer).files if isinstance(one, Attachment)]
        case _:
            return ()


def _newest_of_each_type(files: Sequence[Attachment]) -> tuple[Attachment, ...]:
    return tuple({attachment.type: attachment for attachment in files}.values())
