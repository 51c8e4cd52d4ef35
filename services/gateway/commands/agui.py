"""What an AG-UI client says, as commands of ours: its thread is a session, its message begins a run, its answers to
interrupts are answers to decisions. A repetition finds what the first one did."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import NamedTuple, Self
from uuid import UUID, uuid5

import orjson

from backbone.ledger.port import Ledger
from contracts.access import Principal
from contracts.errors import Code
from contracts.gateway import RunControl
from contracts.shape import JsonObject
from services.gateway.commands import yes_words
from services.gateway.commands.decisions import DecisionCommands
from services.gateway.commands.run_control import RunControlCommands
from services.gateway.commands.runs import Runs
from services.gateway.commands.sessions import ANONYMOUS, Opening, SessionRequest
from services.gateway.domain.access import EVERYBODY, user_of
from services.gateway.domain.answers import check
from services.gateway.domain.refusal import Refused, short
from services.gateway.domain.session import AskedDecision, DecisionState, Session
from services.gateway.domain.typed import SEEN_AFTER, answered_by_files, answering
from services.gateway.views.agui import GivenMessage, ResumeEntry, RunAgentInput, Wishes, as_uuid
from services.gateway.views.history import History
from services.gateway.views.protocol import Say
from services.gateway.views.run_control import ControlRequest

_THREADS = UUID("5b3f6f3c-6a0e-5d0b-9a4e-0b8f5b0c4c1e")
"""Ids of sessions that began as somebody's thread follow from it."""
_CLOSED = frozenset({Code.DECISION_UNKNOWN, Code.DECISION_CLOSED})
Read = Callable[[GivenMessage, Wishes], Awaitable[Say]]
"""What a message says, its files being stored. Raises Refused."""


@dataclass(frozen=True, slots=True)
class Following:
    """What a request is about: these runs of a session, told of from behind version `after` on, and `reach` at least.
    Whoever folds begins behind `since`. `loads`: the client has nothing of the conversation yet."""

    session_id: UUID
    runs: frozenset[UUID] = frozenset()
    since: int = 0
    after: int = 0
    reach: int = 0
    loads: bool = False
    late: frozenset[UUID] = frozenset()
    """Questions that were open no more when their answer came."""

    def and_(self, other: Self) -> Self:
        """Both."""
        return replace(
            self,
            runs=self.runs | other.runs,
            since=min(self.since, other.since),
            after=min(self.after, other.after),
            reach=max(self.reach, other.reach),
            late=self.late | other.late,
        )


class _Said(NamedTuple):
    """Who says something, where and how."""

    who: Principal
    session_id: UUID
    read: Read
    wishes: Wishes
    traceparent: str | None


@dataclass(frozen=True, slots=True)
class AguiCommands:
    """The door for AG-UI."""

    ledger: Ledger
    history: History
    opening: Opening
    runs: Runs
    decisions: DecisionCommands
    run_control: RunControlCommands

    async def receive(self, who: Principal, given: RunAgentInput, read: Read, traceparent: str | None) -> Following:
        """Records what is new in a request. Raises Refused and LedgerUnavailable; may be repeated."""
        session_id, key = await self._session_of(who, given.thread_id, given.wishes.user)
        there = await self._is_there(session_id)
        said = _Said(who, session_id, read, given.wishes, traceparent)
        if given.resume and there:
            return await self._answered(said, given.resume, given.said)
        if given.resume or given.said is None:
            return await self._loaded(session_id) if there else Following(session_id, loads=True)
        if not there:
            wishes = given.wishes
            request = SessionRequest(
                user=user_of(who, wishes.user) or ANONYMOUS, language=wishes.language, timezone=wishes.timezone
            )
            await self.opening.open(request, key, traceparent)
        return await self._say(said, given.said)

    async def _session_of(self, who: Principal, thread_id: str, user: str | None) -> tuple[UUID, UUID]:
        """The session of a thread, and the key under which it is opened. A session's own id is that session, where it
        is the person's; any other name is a thread of theirs alone. `user`: who it is, where nobody asks."""
        key = uuid5(_THREADS, f"{user_of(who, user) or ''}\0{thread_id}")
        if named := as_uuid(thread_id):
            try:
                owner = await self.history.owner(named)
            except Refused:
                owner = None
            if owner is not None and (who is EVERYBODY or owner == who.user):
                return named, key
        return uuid5(key, "session"), key

    async def _is_there(self, session_id: UUID) -> bool:
        try:
            await self.history.require(session_id)
        except Refused:
            return False
        return True

    async def _say(self, said: _Said, message: GivenMessage) -> Following:
        if place := await self._run_of(said.session_id, as_uuid(message.id)):
            return place  # a message as `messages` gave it, with the run's own id
        say = await said.read(message, said.wishes)
        key = _key(said.session_id, message)
        start = await self.runs.prepare(said.who, say, said.session_id, key, said.traceparent)
        begun = await self.runs.begin(start)
        own = begun.run_id == start.run_id
        since = begun.version - 1 if own else await self._before(begun.run_id)
        return Following(said.session_id, frozenset({begun.run_id}), since, begun.version - 1, begun.version)

    async def _was_said(self, session_id: UUID, message: GivenMessage) -> bool:
        """It began a run before, or was the answer that somebody typed."""
        key = _key(session_id, message)
        if await self._run_of(session_id, as_uuid(message.id)) or await self._run_of(session_id, uuid5(key, "run")):
            return True
        session = await self.history.fold(session_id)
        return any(asked.answer_id == uuid5(key, "answer") for asked in session.asked.values())

    async def _run_of(self, session_id: UUID, run_id: UUID | None) -> Following | None:
        place = await self.ledger.run(run_id) if run_id else None
        if run_id is None or place is None or place.session_id != session_id:
            return None
        return Following(session_id, frozenset({run_id}), place.version - 1, place.version - 1, place.version)

    async def _before(self, run_id: UUID) -> int:
        place = await self.ledger.run(run_id)
        return place.version - 1 if place else 0

    async def _answered(self, said: _Said, resume: tuple[ResumeEntry, ...], message: GivenMessage | None) -> Following:
        """All answers that fit are recorded, each once, and then a message that came with them. An answer to a question
        that is open no more changes nothing, and the client is shown how things stand."""
        session = await self.history.fold(said.session_id)
        head = session.version
        found = Following(said.session_id, since=head, after=head, reach=head)
        entries = [
            (asked, entry)
            for entry in resume
            if (name := as_uuid(entry.interrupt_id)) and (asked := session.asked.get(name))
        ]
        for asked, entry in entries:  # before any of them is recorded
            if asked.standing is DecisionState.OPEN and entry.status == "resolved":
                _checked(asked, entry, said.wishes)
        spoken = {str(entry.payload) for _, entry in entries if isinstance(entry.payload, str)}
        told: set[str] = set()
        for asked, entry in entries:
            answered = await self._answer(said, asked, entry, told)
            found = found.and_(answered)
        words_of_it = message is not None and message.content in spoken  # the answer, as the person sees it
        if message is None or words_of_it or await self._was_said(said.session_id, message):
            return found
        return found.and_(await self._say(said, message))

    async def _answer(self, said: _Said, asked: AskedDecision, entry: ResumeEntry, spoken: set[str]) -> Following:
        """From the answer on; from the question's end on, where it came to one otherwise. `spoken`: words that were
        said already, which is done once."""
        decision_id = asked.request.decision_id
        version, answer = 0, None
        if entry.status == "cancelled":
            if asked.run_id is not None and asked.standing is DecisionState.OPEN:
                version = await self._cancel(said.session_id, UUID(str(asked.run_id)), decision_id)
        elif asked.standing is DecisionState.OPEN or asked.answer_id:
            answer = _answer_in(asked, entry, said.wishes)
            if answer is not None:
                version = await self._record(said, decision_id, answer)
            elif str(entry.payload) not in spoken:  # no answer to it: words are said as words are
                spoken.add(str(entry.payload))
                name = str(uuid5(decision_id, str(entry.payload)))
                return await self._say(said, GivenMessage(id=name, role="user", content=entry.payload))
        done = entry.status == "cancelled" or answer is not None
        missed = asked.standing is not DecisionState.OPEN or (done and not version)
        same = answer is not None and answer == asked.answer
        late = frozenset({decision_id} if missed and not same else ())
        version = version or asked.answer_version or asked.version
        runs = frozenset({UUID(str(asked.run_id))} if asked.run_id else ())  # the ledger's own type is no JSON
        since = min([await self._before(run_id) for run_id in runs], default=version - 1)
        return Following(said.session_id, runs, since, version - 1, version, late=late)

    async def _record(self, said: _Said, decision_id: UUID, answer: JsonObject) -> int:
        """The version of the answer; 0 for a question that is open no more."""
        key = uuid5(decision_id, f"agui:{orjson.dumps(answer, option=orjson.OPT_SORT_KEYS).decode()}")
        try:
            return await self.decisions.answer(said.session_id, decision_id, answer, key, who=said.who)
        except Refused as refused:
            if refused.code in _CLOSED:
                return 0
            raise

    async def _cancel(self, session_id: UUID, run_id: UUID, decision_id: UUID) -> int:
        request = ControlRequest(control=RunControl.CANCEL)
        try:
            key = uuid5(decision_id, "agui:cancelled")
            return (await self.run_control.control(session_id, run_id, request, key)).version
        except Refused as refused:
            if refused.code is Code.RUN_ALREADY_ENDED:
                return 0
            raise

    async def _loaded(self, session_id: UUID) -> Following:
        """How things stand, and what becomes of the runs that are at work."""
        session = await self.history.fold(session_id)
        head = session.version
        open_ = frozenset(UUID(str(run.run_id)) for run in session.runs.values() if not run.ended)
        since = [await self._before(run_id) for run_id in open_]
        return Following(session_id, open_, min(since, default=head), head, head, loads=True)

    async def stands(self, following: Following) -> Session:
        """The session as it stands; an empty one where there is none yet."""
        return (
            await self.history.fold(following.session_id) if await self._is_there(following.session_id) else Session()
        )


def _key(session_id: UUID, message: GivenMessage) -> UUID:
    """Under which a message is said: once, however often it is sent."""
    return uuid5(session_id, f"agui:{message.id}")


def _checked(asked: AskedDecision, entry: ResumeEntry, wishes: Wishes) -> None:
    """Raises Refused for an answer that does not fit."""
    answer = _answer_in(asked, entry, wishes)
    if answer is not None:
        check(asked.request.answer_schema, answer, asked.request.decision_id)


def _answer_in(asked: AskedDecision, entry: ResumeEntry, wishes: Wishes) -> JsonObject | None:
    """What is answered to a question: an object, or words as a person types them under it, with files where it takes
    them; None for words that are no answer to it. Raises Refused."""
    if isinstance(entry.payload, dict):
        return entry.payload
    if not isinstance(entry.payload, str):
        raise Refused(
            Code.DECISION_ANSWER_INVALID,
            f"the payload of interrupt {entry.interrupt_id} is {short(entry.payload)}: send an object that fits its"
            " responseSchema, or the words of a person",
        )
    decision_id = asked.request.decision_id
    alone = Session(version=asked.version, asked={decision_id: asked}, open={decision_id: asked})
    typed, words = yes_words.said(entry.payload), yes_words.words()
    now = asked.at + SEEN_AFTER  # whoever answers this very question has seen it
    if wishes.attachments:
        found = answered_by_files(alone, typed, words, wishes.attachments, now)
    else:
        found = answering(alone, typed, words, now)
    return found.answer if found else None
