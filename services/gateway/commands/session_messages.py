"""Taking a message of a session that is there: one that answers the question put last is that answer, and any other
begins a run and closes the menus before it. Decided under the stream's lock."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from uuid import UUID, uuid5

from backbone.ledger.port import Append, Appended, Fact, Ledger, Tail
from contracts.decisions import DecisionAnswered
from contracts.gateway import MessageReceived, RunControl, RunControlRequested
from services.gateway.commands.yes_words import said, words
from services.gateway.domain.session import ASKING, AskedDecision, Session
from services.gateway.domain.typed import Answering, answering, left_behind
from services.gateway.views.history import fold_in, told

NAME = "gateway"
"""Our producer, and the consumer under which our commands are handled."""
BY_TYPING = "anonymous"
LOOKED_AT = 8
"""The newest questions of a session, of which one may be open."""
_ASKED = frozenset({"DecisionRequested"})
_FOLDED = ASKING | {"ResponseOutput", "MessageReceived"}


@dataclass(frozen=True, slots=True)
class Start:
    """A run about to begin. With an Idempotency-Key every id follows from it, so a repetition is the same run."""

    session_id: UUID
    run_id: UUID
    said: MessageReceived
    append: Append
    new_session: bool
    traceparent: str
    by: str = ""
    """Who says it, where anybody knows."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A run in the ledger. `version` is that of its MessageReceived, or of the answer that the message was; `fresh` is
    False for a repetition."""

    session_id: UUID
    run_id: UUID
    version: int
    fresh: bool
    traceparent: str | None


@dataclass(frozen=True, slots=True)
class Noted:
    """What became of a message: recorded as one of its own, or (`begun`) as an answer in the run that had asked."""

    appended: Appended
    begun: Begun | None = None


class SessionMessages:
    """The door for messages of sessions that are there."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def say(self, start: Start) -> Noted:
        """Records the message. Raises NotRecordable."""
        newest = await self._ledger.latest(start.session_id, _ASKED, LOOKED_AT)
        if not newest:
            (appended,) = await self._ledger.append(NAME, NAME, [start.append])
            return Noted(appended)
        cause = start.append.cause
        answer_id = uuid5(cause, "answer")
        found: Answering | None = None
        earlier: AskedDecision | None = None

        def decision(tails: Mapping[UUID, Tail], handled: AbstractSet[UUID]) -> Sequence[Append]:
            nonlocal found, earlier
            session = told(tails, start.session_id, Session(), fold_in)
            if cause in handled:
                earlier = next((one for one in session.asked.values() if one.answer_id == answer_id), None)
                return ()
            typed, now = said(start.said.text), tails[start.session_id].at
            if not start.said.attachments:
                found = answering(session, typed, words(), now)
            closed = () if found else left_behind(session, typed, words(), now)
            return (_answer(start, answer_id, found) if found else _message(start, closed),)

        after = {start.session_id: newest[-1].version - 1}
        appends = await self._ledger.decide(NAME, NAME, after, _FOLDED, [cause], decision)
        appended = appends[0] if appends else Appended(fresh=False, last_version=None)
        if answered := (found.asked if found else earlier):
            return Noted(appended, _begun(start, answered, appended))
        return Noted(appended)


def _begun(start: Start, asked: AskedDecision, appended: Appended) -> Begun:
    version = appended.last_version or asked.answer_version
    run_id = UUID(str(asked.run_id)) if asked.run_id else start.run_id  # the ledger's own type is no JSON
    return Begun(start.session_id, run_id, version, fresh=appended.fresh, traceparent=asked.traceparent)


def _answer(start: Start, answer_id: UUID, found: Answering) -> Append:
    asked = found.asked
    decision_id = asked.request.decision_id
    event = DecisionAnswered(
        decision_id=decision_id, kind=asked.request.kind, answer=found.answer, answered_by=start.by or BY_TYPING
    )
    correlation = asked.run_id or asked.event_id
    fact = Fact(event, answer_id, asked.run_id, correlation, asked.event_id, asked.traceparent)
    # the deadline's timer has the decision's id: answered is not expired
    return Append(start.session_id, start.append.cause, (fact,), cancel_timers=(decision_id,))


def _message(start: Start, menus: Sequence[AskedDecision]) -> Append:
    """The message, and before it the end of the runs whose menus it leaves behind."""
    closed = RunControlRequested(control=RunControl.CANCEL, reason="")
    facts = [
        Fact(
            closed, uuid5(start.append.cause, f"close:{one.request.decision_id}"), one.run_id,
            one.run_id or one.event_id, one.event_id, one.traceparent,
        )
        for one in menus
    ]  # fmt: skip
    return Append(start.session_id, start.append.cause, (*facts, *start.append.facts))
