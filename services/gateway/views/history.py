"""Reading sessions back from the ledger: pages, folds, and whether a session exists. How far sessions are, asked by
many at once: who hears nothing of a session asks now and then whether it missed something, and a thousand who ask
one by one keep the ledger busy with nothing."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from typing import TypeVar
from uuid import UUID

from pydantic import ValidationError

from backbone.ledger.port import Ledger, LedgerUnavailable, Tail
from contracts.envelope import Message
from contracts.errors import Code
from contracts.gateway import SessionOpened
from contracts.registry import UnknownEvent
from services.gateway.domain import reminders
from services.gateway.domain.refusal import Refused
from services.gateway.domain.session import Session, evolve

TOGETHER = 0.5
"""Seconds for which askers are gathered: then they are one question."""
Told = Callable[[int], None]


class StreamHeads:
    """Answers by a call, so that whoever asks goes on listening meanwhile."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._asked: dict[UUID, list[Told]] = {}
        self._asking: asyncio.Task[None] | None = None

    def ask(self, session_id: UUID, told: Told) -> None:
        """`told` hears the version of the session's last event soon; not at all while the ledger is away."""
        self._asked.setdefault(session_id, []).append(told)
        if self._asking is None:
            self._asking = asyncio.create_task(self._answer(), name="gateway:heads")

    async def _answer(self) -> None:
        await asyncio.sleep(TOGETHER)
        asked, self._asked, self._asking = self._asked, {}, None
        try:
            heads = await self._ledger.heads(list(asked))
        except LedgerUnavailable as error:
            log.warning("how far %d sessions are: %s", len(asked), error)
            return
        for session_id, head in heads.items():
            for told in asked[session_id]:
                told(head)


log = logging.getLogger(__name__)

S = TypeVar("S")
PAGE = 500
LONG, RECENT, SHOWN = 2000, 100, 1000
"""A session of more than `LONG` events is shown by its newest runs: `RECENT` at most, begun in its last `SHOWN`."""
READERS = 3
"""Reads at once: a thousand sockets that come back together must leave connections to those who append."""
KNOWN = 20_000


class History:
    """The gateway's way to read streams."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._turn = asyncio.Semaphore(READERS)
        self._known: dict[UUID, None] = {}
        self._owners: dict[UUID, str] = {}
        self.heads = StreamHeads(ledger)

    async def page(self, session_id: UUID, after: int, limit: int) -> list[Message]:
        """Events with version > after, in order."""
        async with self._turn:
            return await self._ledger.read(session_id, after, limit)

    async def pages(self, session_id: UUID, after: int = 0) -> AsyncIterator[list[Message]]:
        """All events after a version, page by page."""
        while True:
            messages = await self.page(session_id, after, PAGE)
            if messages:
                yield messages
                after = messages[-1].version
            if len(messages) < PAGE:
                return

    async def fold(self, session_id: UUID) -> Session:
        """The session as it stands; of a long one, its newest runs and whatever is open. Raises Refused when there is
        none."""
        head = await self.head(session_id)
        return await self.fold_on(session_id, await self._before(session_id, head) if head > LONG else Session())

    async def _before(self, session_id: UUID, head: int) -> Session:
        """What of a long session is still open where its newest runs begin: reminders that nobody has seen."""
        async with self._turn:
            newest = await self._ledger.latest(session_id, frozenset({"MessageReceived"}), RECENT)
            since = await self._ledger.open_since([session_id])
            reminded = await self._ledger.find(session_id, reminders.FOLDS)
        begun = [one.version for one in newest]
        shown = [version for version in begun if version > head - SHOWN] or begun[:1]
        first = min([*shown, *since.values()], default=1)
        session = Session()
        for message in reminded:
            if message.version < first:
                fold_in(session, message)
        session.version = first - 1
        return session

    async def fold_on(self, session_id: UUID, session: Session) -> Session:
        """Brings a folded session up to date, in place."""
        async for messages in self.pages(session_id, session.version):
            for message in messages:
                fold_in(session, message)
        return session

    async def head(self, session_id: UUID) -> int:
        """The version of the last event. Raises Refused when there is no such session."""
        async with self._turn:
            version = await self._ledger.head(session_id)
        if not version:
            raise unknown(session_id)
        return version

    async def owner(self, session_id: UUID) -> str:
        """Whose session it is, as its first event says. Raises Refused when there is none."""
        if session_id not in self._owners:
            first = await self.page(session_id, 0, 1)
            if not first or not isinstance(first[0].event, SessionOpened):
                raise unknown(session_id)
            self._owners[session_id] = first[0].event.user
            if len(self._owners) > KNOWN:
                del self._owners[next(iter(self._owners))]
        return self._owners[session_id]

    async def require(self, session_id: UUID) -> None:
        """Raises Refused unless the session exists. One that was archived since then takes nothing that is appended."""
        if session_id not in self._known:
            await self.head(session_id)
            self.remember(session_id)

    def remember(self, session_id: UUID) -> None:
        """The session exists: it was just written to."""
        self._known[session_id] = None
        if len(self._known) > KNOWN:
            del self._known[next(iter(self._known))]


def fold_in(session: Session, message: Message) -> None:
    """evolve, but an event of a newer kind than ours is left out instead of hiding the whole session."""
    try:
        evolve(session, message)
    except (UnknownEvent, ValidationError) as error:
        log.warning("left out of a fold: %s version %s: %s", message.type, message.version, error)


def told(tails: Mapping[UUID, Tail], session_id: UUID, state: S, take_in: Callable[[S, Message], object]) -> S:
    """What is recorded of a session, folded into a state. Raises Refused when there is no such session."""
    tail = tails[session_id]
    if not tail.head:
        raise unknown(session_id)
    for message in tail.messages:
        take_in(state, message)
    return state


def unknown(session_id: UUID) -> Refused:
    """There is no such session."""
    return Refused(
        Code.SESSION_UNKNOWN,
        f"session {session_id} does not exist: without a session a new one is opened",
    )
