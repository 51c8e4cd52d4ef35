"""After each answer: what was said and done goes into the person's memory, and a long session gets a new summary."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from uuid import UUID, uuid5

from backbone.ledger.port import Ledger
from backbone.memories.port import Embedding, MemoryStore
from backbone.model.offline import OfflineRole
from backbone.model.port import ModelProvider
from backbone.model.recent import LOOK, talk_of
from backbone.model.turns import ConversationHistory, ConversationTurn
from backbone.packs import Catalogue
from backbone.runner.handlers import NOTHING, Outcome, Record, Takes, WorkHandler, emit
from contracts.cognitive import FlowAdvanced, SessionSummarized, Turn
from contracts.envelope import Message
from contracts.errors import ErrorInfo
from contracts.gateway import MessageReceived, SessionOpened
from contracts.memory import MemoryItem, MemoryKind
from contracts.response import ResponseOutput
from contracts.shape import Event, JsonValue
from services.cognitive.domain.summary import condense
from services.cognitive.meanings import gist
from services.cognitive.roles import Summary, SummaryQuestion, summarize

SUMMARIZER = "turn-lines-1"
LONGEST = 2000
"""Characters of an item that are remembered for searching; the ledger has the whole."""
SIDE = 1000
"""Of each side of a turn: a page that was pasted must leave room for what was answered."""
SHORTEST = 3
"""A side of fewer characters, a bare yes, says nothing outside its conversation."""
DEEP = 400
"""Events read for a first summary, where a few turns are many events."""
SESSIONS = 2048
_SUMMARY = frozenset({"SessionSummarized"})


def offline_summarizer(catalogue: Catalogue) -> tuple[str, OfflineRole]:
    """The role that keeps the running summary without a model."""

    def write(question: SummaryQuestion) -> Summary:
        def line(asked: str, answered: str) -> str:
            return catalogue.say(question.language, "summary.turn", asked=asked, answered=answered)

        return Summary(summary=condense(question.turns, question.summary, line) or "-")

    return SUMMARIZER, write


class _Ended(NamedTuple):
    """A run that was answered: the event, and when it was recorded."""

    session_id: UUID
    run_id: UUID
    event_id: UUID
    at: datetime


@dataclass(frozen=True, slots=True)
class Remembering:
    """Ids of what is remembered follow from the answer's event: handling it twice keeps everything once."""

    ledger: Ledger
    store: MemoryStore
    provider: ModelProvider
    catalogue: Catalogue
    encode: Callable[[Sequence[str]], Awaitable[Sequence[Embedding]]]
    """A meaning for each text; none at all when nobody can make them now."""
    _owners: dict[UUID, str] = field(init=False, default_factory=dict)

    def handler(self) -> WorkHandler:
        return WorkHandler(
            name="cognitive-memory",
            producer="cognitive",
            takes=(Takes("response", "ResponseOutput"),),
            handle=self.handle,
            give_up=_give_up,
        )

    async def handle(self, message: Message, event: Event, record: Record) -> Outcome:
        if message.run_id is None or not isinstance(event, ResponseOutput):
            return NOTHING
        talk = await talk_of(self.ledger, message.session_id, message.version + 1)
        exchange = next((one for one in talk.exchanges if one.run_id == message.run_id), None)
        exchange = exchange or await self._begun_long_ago(message.session_id, message.run_id, event)
        if exchange and not exchange.said.startswith("/"):  # a command is no conversation
            ended = _Ended(message.session_id, message.run_id, message.event_id, message.recorded_at)
            await self._remember(ended, exchange, event.language)
        return await self._summarize(message, talk, event.language)

    async def _begun_long_ago(self, session_id: UUID, run_id: UUID, event: ResponseOutput) -> ConversationTurn | None:
        """A run that took longer than eight others: only its two ends."""
        place = await self.ledger.run(run_id)
        if place is None:
            return None
        (begun,) = await self.ledger.read(session_id, place.version - 1, 1)
        said = begun.event.text if isinstance(begun.event, MessageReceived) else ""
        return ConversationTurn(run_id, place.version, said, [], answer=event.text)

    async def _remember(self, ended: _Ended, exchange: ConversationTurn, language: str) -> None:
        told = [(MemoryKind.FACT, self._fact(one)) for one in exchange.executed]
        told.append((MemoryKind.TURN, both_sides((*_said(exchange), exchange.answer))))
        owner = await self._owner(ended.session_id)
        items = [
            MemoryItem(
                item_id=uuid5(ended.event_id, f"memory:{number}"),
                user=owner,
                kind=kind,
                text=text.strip()[:LONGEST],
                language=language,
                session_id=ended.session_id,
                run_id=ended.run_id,
                recorded_at=ended.at,
            )
            for number, (kind, text) in enumerate(told)
            if len(text.strip()) >= SHORTEST
        ]
        await self.store.keep(items, await self.encode([gist(item) for item in items]) if items else ())

    def _fact(self, done: FlowAdvanced) -> str:
        """What was done, in the words of the tool that did it, or by the slots that it was done with."""
        said = done.result.get("summary")
        if isinstance(said, list) and said:
            return " ".join(str(sentence) for sentence in said)
        found = self.catalogue.flows.get(done.flow)
        title = self.catalogue.title(found[1].tool, done.language) if found else done.flow
        return f"{title}: {', '.join(_written(value) for value in done.slots.values() if value is not None)}"

    async def _owner(self, session_id: UUID) -> str:
        """Who the session belongs to; it never changes."""
        if session_id not in self._owners:
            if len(self._owners) >= SESSIONS:
                self._owners.clear()
            opened = [one.event for one in await self.ledger.read(session_id, 0, 1)]
            self._owners[session_id] = next((e.user for e in opened if isinstance(e, SessionOpened)), "anonymous")
        return self._owners[session_id]

    async def _summarize(self, message: Message, talk: ConversationHistory, language: str) -> Outcome:
        if talk.summary is None and talk.read >= LOOK:
            talk = await talk_of(self.ledger, message.session_id, message.version + 1, DEEP)
        talk = await self._with_newest(talk, message.session_id) if talk.is_due else talk
        if not talk.is_due:
            return NOTHING
        turns = tuple(turn for one in talk.since() for turn in self._lines(one))
        before = talk.summary.summary if talk.summary else ""
        summary, called = await summarize(self.provider, turns, before, language)
        made = SessionSummarized(summary=summary, up_to=message.version, turns=talk.turns, language=language)
        return emit(called, made)

    async def _with_newest(self, talk: ConversationHistory, session_id: UUID) -> ConversationHistory:
        """Answers that come at once are handled at once: somebody may have been faster. If both are, both summaries
        stand, and the one that covers more counts."""
        newest = [one.event for one in await self.ledger.latest(session_id, _SUMMARY, 1)]
        found = next((one for one in newest if isinstance(one, SessionSummarized)), None)
        return talk._replace(summary=found) if found and found.up_to > talk.summarized_to else talk

    def _lines(self, exchange: ConversationTurn) -> Sequence[Turn]:
        """Both sides; what was done comes with the answer, which often says only that it was."""
        if not exchange.executed:
            return exchange.lines()
        facts = " ".join(self._fact(one) for one in exchange.executed)
        return [*exchange.turns, Turn(role="assistant", text=facts)]


def both_sides(said_and_answered: Sequence[str]) -> str:
    """A turn as it is remembered, in one: whoever looks for what was said wants the answer, and the other way round
    (docs/adr/0086)."""
    sides = (side.strip()[:SIDE] for side in said_and_answered)
    return "\n".join(side for side in sides if len(side) >= SHORTEST)


def _said(exchange: ConversationTurn) -> Iterator[str]:
    return (turn.text for turn in exchange.turns if turn.role == "user") if exchange.turns else iter((exchange.said,))


def _written(value: JsonValue) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _give_up(message: Message, event: Event, error: ErrorInfo) -> Outcome:
    """The run has been answered; without a summary later prompts know less of it, and that is all."""
    return NOTHING
