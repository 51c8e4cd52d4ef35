"""A conversation read back from its events: turn by turn, each what the person said and what was answered. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

from contracts.cognitive import FlowAdvanced, FlowStage, SessionSummarized, Turn
from contracts.decisions import DecisionAnswered, DecisionKind, DecisionRequested
from contracts.gateway import MessageReceived
from contracts.response import ResponseOutput, RunCancelled, RunFailed
from contracts.shape import Event, JsonObject

TYPES = frozenset({
    "MessageReceived", "DecisionRequested", "DecisionAnswered", "ResponseOutput", "RunFailed", "RunCancelled",
    "SessionSummarized", "FlowAdvanced",
})  # fmt: skip
VERBATIM = 4
"""Turns that every prompt quotes as they were said (source design 002 section 6)."""
SUMMARY_ABOVE = 8
"""A session of more turns than this has a summary; until then all of its turns are quoted."""
LONGEST = 4000
"""Characters of one side of a turn; a prompt must not grow with the length of an answer either."""


class Said(NamedTuple):
    """An event of a conversation, and where it stands in it."""

    version: int
    run_id: UUID | None
    event: Event


@dataclass(slots=True)
class ConversationTurn:
    """A turn of the conversation: a run, from what was asked to what was answered. `ended_at` is None while it goes
    on; `waits` is the question that it waits with; `executed` are the tasks of flows that it carried out."""

    run_id: UUID | None
    asked_at: int
    said: str
    turns: list[Turn]
    answer: str = ""
    ended_at: int | None = None
    waits: str = ""
    executed: list[FlowAdvanced] = field(default_factory=list)

    def lines(self) -> list[Turn]:
        """Both sides, in order; the person's alone when nothing was answered."""
        answer = self.answer or self.waits
        return [*self.turns, _turn("assistant", answer)] if answer else self.turns

    def is_after(self, version: int) -> bool:
        """Whether a summary up to that version cannot know its answer."""
        return (self.ended_at or self.asked_at) > version


class ConversationHistory(NamedTuple):
    """The end of a session as far as it was read: the newest summary, and its turns, oldest first."""

    summary: SessionSummarized | None
    exchanges: Sequence[ConversationTurn]
    read: int
    """Events that were read."""

    @property
    def is_due(self) -> bool:
        """Whether it is time for a summary: more than eight turns, and four that the last one does not know."""
        since = len(self.since())
        return since >= VERBATIM and self.turns > SUMMARY_ABOVE

    @property
    def turns(self) -> int:
        """Of the session, as far as they are known."""
        return (self.summary.turns if self.summary else 0) + len(self.since())

    @property
    def summarized_to(self) -> int:
        return self.summary.up_to if self.summary else 0

    def since(self) -> list[ConversationTurn]:
        """The turns that are over and that the summary does not know."""
        return [one for one in self.exchanges if one.ended_at and one.is_after(self.summarized_to)]

    def recent(self) -> list[ConversationTurn]:
        """The turns to quote: the last ones, and before them those that no summary knows yet."""
        unknown = sum(one.is_after(self.summarized_to) for one in self.exchanges)
        return list(self.exchanges[-min(max(unknown, VERBATIM), SUMMARY_ABOVE) :])


def read_back(events: Sequence[Said]) -> ConversationHistory:
    """Folds events in their order; answers to questions that stand before the first of them are left out."""
    summary: SessionSummarized | None = None
    exchanges: dict[UUID | None, ConversationTurn] = {}
    for version, run_id, event in events:
        if isinstance(event, SessionSummarized):
            # two may have been made at once: the one that knows more counts
            summary = event if summary is None or event.up_to >= summary.up_to else summary
        elif isinstance(event, MessageReceived):
            exchanges[run_id] = ConversationTurn(run_id, version, event.text, [_turn("user", event.text)])
        elif run_id in exchanges:
            _go_on(exchanges[run_id], version, event)
    return ConversationHistory(summary, list(exchanges.values()), len(events))


def _words(answer: JsonObject) -> tuple[str, ...]:
    """What an answer to a clarifying question says: the option that was chosen, the sentence; a file says nothing."""
    said = (answer.get("choice"), answer.get("text"))
    return tuple(one for one in said if isinstance(one, str) and one)


def _go_on(exchange: ConversationTurn, version: int, event: Event) -> None:
    match event:
        case DecisionRequested(kind=DecisionKind.CLARIFY, question=question):
            exchange.turns.append(_turn("assistant", question))
        case DecisionRequested(question=question):
            exchange.waits = question
        case DecisionAnswered(kind=DecisionKind.CLARIFY, answer=answer):
            if words := _words(answer):
                exchange.turns.append(_turn("user", " ".join(words)))
        case DecisionAnswered():
            exchange.waits = ""
        case FlowAdvanced(stage=FlowStage.EXECUTED):
            exchange.executed.append(event)
        case ResponseOutput(text=text):
            exchange.answer, exchange.ended_at = text, version
        case RunFailed(error=error):
            exchange.answer, exchange.ended_at = exchange.answer or error.message, exchange.ended_at or version
        case RunCancelled(message=message):
            exchange.answer, exchange.ended_at = exchange.answer or message, exchange.ended_at or version
        case _:
            pass


def _turn(role: str, text: str) -> Turn:
    return Turn(role=role, text=text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…")
