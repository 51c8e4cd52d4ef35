"""Taking a message of a session that is there: one that answers the question put last is that answer, one that is made
of words that control the only run at work is that control, and any other begins a run and closes the menus before it.
Decided under the stream's lock."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from uuid import UUID, uuid5

from backbone.ledger.port import Append, Appended, Fact, Ledger, Tail
from contracts.decisions import DecisionAnswered
from contracts.gateway import MessageReceived, RunControl, RunControlRequested
from contracts.pause import PAUSING
from services.gateway.commands.control_words import control_words
from services.gateway.commands.yes_words import said, words
from services.gateway.domain import at_work
from services.gateway.domain.at_work import AtWork, Controlling, control_in, controlled, controlling
from services.gateway.domain.refusal import Repeated
from services.gateway.domain.session import ASKING, AskedDecision, Session
from services.gateway.domain.typed import Answering, answered_by_files, answering, left_behind
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
    """A run in the ledger. `version` is that of its MessageReceived, or of the answer or the control that the message
    was; `fresh` is False for a repetition, and `held` says that the run goes on by a later word only."""

    session_id: UUID
    run_id: UUID
    version: int
    fresh: bool
    traceparent: str | None
    held: bool = False


@dataclass(frozen=True, slots=True)
class Noted:
    """What became of a message: recorded as one of its own, or (`begun`) as an answer in the run that had asked, or as
    a control of the run that is at work."""

    appended: Appended
    begun: Begun | None = None


class SessionMessages:
    """The door for messages of sessions that are there."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def say(self, start: Start) -> Noted:
        """Records the message. Raises NotRecordable."""
        newest = await self._ledger.latest(start.session_id, _ASKED, LOOKED_AT)
        wanted = control_in(said(start.said.text), control_words()) if not start.said.attachments else None
        if not newest and wanted is None:
            (appended,) = await self._ledger.append(NAME, NAME, [start.append])
            return Noted(appended)
        cause = start.append.cause
        answer_id, control_id = uuid5(cause, "answer"), uuid5(cause, "control")
        found: Answering | None = None
        earlier: AskedDecision | None = None
        held: Controlling | None = None

        def decision(tails: Mapping[UUID, Tail], handled: AbstractSet[UUID]) -> Sequence[Append]:
            nonlocal found, earlier, held
            session = told(tails, start.session_id, Session(), fold_in)
            work = told(tails, start.session_id, AtWork(), at_work.evolve) if wanted else AtWork()
            if cause in handled:
                earlier = next((one for one in session.asked.values() if one.answer_id == answer_id), None)
                held = controlled(work, control_id)
                return ()
            typed, now = said(start.said.text), tails[start.session_id].at
            if files := start.said.attachments:
                found = answered_by_files(session, typed, words(), files, now)
            else:
                found = answering(session, typed, words(), now)
            if wanted and not found and (held := controlling(work, wanted, control_id)):
                return (_control(start, control_id, held),)
            closed = () if found else left_behind(session, typed, words(), now)
            return (_answer(start, answer_id, found) if found else _message(start, closed),)

        # what runs are at work is told by the whole stream
        after = {start.session_id: 0 if wanted else newest[-1].version - 1}
        types = _FOLDED | at_work.FOLDS if wanted else _FOLDED
        appends = await self._ledger.decide(NAME, NAME, after, types, [cause], decision)
        appended = appends[0] if appends else Appended(fresh=False, last_version=None)
        if held:
            return Noted(appended, _steered(start, held, appended))
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


def _control(start: Start, control_id: UUID, held: Controlling) -> Append:
    """The control; nothing where it has its effect already, and the key is taken all the same."""
    if isinstance(held.run, Repeated):
        return Append(start.session_id, start.append.cause)
    event = RunControlRequested(control=held.control)
    run_id = held.run_id
    fact = Fact(event, control_id, run_id, run_id, held.run.cause, held.run.traceparent)
    return Append(start.session_id, start.append.cause, (fact,))


def _steered(start: Start, held: Controlling, appended: Appended) -> Begun:
    earlier = held.run.version if isinstance(held.run, Repeated) else 0
    fresh = appended.fresh and not earlier
    run_id = UUID(str(held.run_id))  # the ledger's own type is no JSON
    version = earlier or appended.last_version or 0
    return Begun(start.session_id, run_id, version, fresh, held.traceparent, held=held.control in PAUSING)


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
