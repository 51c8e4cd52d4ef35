"""Decides about sessions, over states cached after their versions: everything that waits is one transaction. What a
decider has folded of a long session is kept beside the ledger: a process that has just started, or has forgotten the
session, folds what came after it (docs/adr/0058)."""

import asyncio
import hashlib
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

from pydantic import TypeAdapter, ValidationError

from backbone import crash
from backbone.ledger.port import Append, Appended, Belief, Ledger, LedgerUnavailable, Tail
from backbone.ledger.snapshots import Snapshot
from backbone.runner.consequences import AT_ONCE_SECONDS, Consequences, decided
from backbone.runner.handlers import DecisionHandler, Recorded
from backbone.runner.intake import ReceivedMessage
from contracts.envelope import Message
from contracts.shape import Event

log = logging.getLogger(__name__)

EVERY = 256
"""Events of a session from one snapshot to the next; a session that is shorter than this has none."""


class Snapshots:
    """Those of one handler."""

    def __init__(self, handler: DecisionHandler[Any], ledger: Ledger) -> None:
        self._handler = handler
        self._ledger = ledger

    async def of(self, reached: Mapping[UUID, tuple[int, int]]) -> dict[UUID, tuple[int, Any]]:
        """(version, state) from which on sessions are folded, of those that are not from the beginning. `reached` has
        the oldest and the newest version of the messages that are to be decided. Raises LedgerUnavailable."""
        long = {session: versions for session, versions in reached.items() if versions[1] >= EVERY}
        if not long:
            return {}
        if self._handler.of_open_runs:
            since = await self._ledger.open_since(list(long))
            first = {session: min(oldest, since.get(session, oldest)) for session, (oldest, _) in long.items()}
            return {session: (version - 1, self._handler.initial()) for session, version in first.items()}
        return await self._read(list(long)) if self._handler.is_settled else {}

    async def _read(self, sessions: Sequence[UUID]) -> dict[UUID, tuple[int, Any]]:
        found = {}
        for session, snapshot in (await self._ledger.snapshots(self._handler.name, self._made_by, sessions)).items():
            try:
                found[session] = (snapshot.version, self._adapter.validate_json(snapshot.state))
            except ValidationError as error:
                log.warning(
                    "a snapshot cannot be read: the session is folded from its beginning",
                    extra={"session_id": str(session), "consumer": self._handler.name, "error": str(error)},
                )
        return found

    async def keep(self, session: UUID, version: int, state: Any, *, after: int) -> bool:
        """Now and then, while the state is small. `after`: the version of the newest one, 0 for none. Whether it was
        kept."""
        settled = self._handler.is_settled
        if settled is None or version - after < EVERY or not settled(state):
            return False
        snapshot = Snapshot(version, self._adapter.dump_json(state).decode())
        try:
            await self._ledger.keep_snapshot(self._handler.name, self._made_by, session, snapshot)
        except LedgerUnavailable as error:
            log.info("no snapshot was kept", extra={"session_id": str(session), "error": str(error)})
            return False
        return True

    @property
    def _adapter(self) -> TypeAdapter[Any]:
        return adapter_of(self._handler)

    @property
    def _made_by(self) -> str:
        return _hash_of(".".join(self._handler.evolve.__module__.split(".")[:2]))


@cache
def adapter_of(handler: DecisionHandler[Any]) -> TypeAdapter[Any]:
    """Writes and reads the states of a handler: dataclasses of what JSON has, and of contracts."""
    return TypeAdapter(type(handler.initial()))


@cache
def _hash_of(package: str) -> str:
    """Of all that may have a part in folding: the handler's package and the contracts."""
    digest = hashlib.sha256()
    for name in (package, "contracts"):
        spec = find_spec(name)
        folders = (spec.submodule_search_locations if spec else None) or ()
        for path in sorted(path for folder in folders for path in Path(folder).rglob("*.py")):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


CACHED_SESSIONS = 4096
LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(slots=True)
class _Cached:
    version: int
    state: Any
    kept: int = 0
    """Version of the newest snapshot of it."""
    at: datetime = LONG_AGO
    """The time of what was folded last."""


class _Asked(NamedTuple):
    """A recorded message, and what is to be recorded because of it, once its session is folded so far."""

    message: Message
    event: Event
    follows: Callable[[Consequences], Append]


class Decider:
    """The sessions of one DecisionHandler in this process, and the decisions about them, one transaction at a time."""

    def __init__(self, handler: DecisionHandler[Any], ledger: Ledger) -> None:
        self.handler = handler
        self._ledger = ledger
        self._snapshots = Snapshots(handler, ledger)
        self._states: OrderedDict[UUID, _Cached] = OrderedDict()
        self._contested: OrderedDict[UUID, None] = OrderedDict()
        """Sessions to which others have added what is folded here, behind our back."""
        self._turn = asyncio.Lock()

    async def decide(self, taken: Sequence[ReceivedMessage]) -> list[Append]:
        """Records what follows from messages, and returns it. Raises as Ledger.append, or whatever the handler does."""
        # the same message twice in one drain is one message; what only has its id is another
        by_session: dict[UUID, dict[Message, ReceivedMessage]] = {}
        for one in taken:
            by_session.setdefault(one.message.session_id, {})[one.message] = one
        async with self._turn:
            await self._recall([one.message for one in taken])
            asked = {
                session: [_Asked(one.message, one.event, _decision(one)) for one in members.values()]
                for session, members in by_session.items()
                if not self._is_decided(session, members.values())
            }
            return await self._record(self.handler.name, asked)

    async def record(self, consumer: str, answers: Sequence[tuple[Message, Event, Append]]) -> None:
        """Records answers of work, which `consumer` gives to messages, each with what is decided about it
        (docs/adr/0084). Raises as Ledger.append, or whatever the handler does: nothing is recorded then."""
        asked: dict[UUID, list[_Asked]] = {}
        for message, event, answer in answers:
            asked.setdefault(message.session_id, []).append(_Asked(message, event, _answer(message, answer)))
        messages = [message for message, _, _ in answers]
        plain = not any(append.fence or append.evidence for _, _, append in answers)
        async with self._turn:
            await self._recall(messages)
            if not plain or not await self._record_believed(consumer, asked):
                await self._recall(messages)
                await self._record(consumer, asked)
        await self.keep(asked)

    def forget(self, session: UUID) -> None:
        """It is folded again when it is next needed."""
        self._states.pop(session, None)

    async def keep(self, sessions: Collection[UUID]) -> None:
        """Snapshots of those whose time it is."""
        for session in sessions:
            cached = self._states.get(session)
            if cached is None:
                continue
            version = cached.version
            if await self._snapshots.keep(session, version, cached.state, after=cached.kept):
                cached.kept = version

    async def _record_believed(self, consumer: str, asked: Mapping[UUID, Sequence[_Asked]]) -> bool:
        """What follows while nobody else adds to these sessions, in one statement (docs/adr/0089). Whether that was so;
        if not, nothing is recorded, and what was believed is forgotten."""
        at = self._believed_at(asked)
        if at is None:
            return False
        belief = Belief({session: self._version(session) for session in asked}, self.handler.folds, at)
        until = time.thread_time() + AT_ONCE_SECONDS
        with self._or_forgotten(asked):
            appends = [
                append
                for session, members in asked.items()
                for append in self._follows(session, Tail(belief.after[session], (), at), members, until)
            ]
            crash.point(self.handler.producer, "decided")
            appended = await self._ledger.append_believed(self.handler.producer, consumer, appends, belief)
        if appended is not None:
            self._remember(asked, appends, appended)
            return True
        for session in asked:
            self.forget(session)
            self._contested[session] = None
        while len(self._contested) > CACHED_SESSIONS:
            self._contested.popitem(last=False)
        return False

    def _believed_at(self, asked: Mapping[UUID, Sequence[_Asked]]) -> datetime | None:
        """When answers will have been recorded, if these sessions are known up to the messages that they answer."""
        at = self._ledger.time()
        for session, members in asked.items():
            cached = self._states.get(session)
            if at is None or cached is None or session in self._contested:
                return None
            messages = [one.message for one in members]
            if any(one.version > cached.version and one.type in self.handler.folds for one in messages):
                return None
            at = max(at, cached.at)
        return at

    @contextmanager
    def _or_forgotten(self, sessions: Collection[UUID]) -> Iterator[None]:
        """What fails has left states that run ahead of the ledger."""
        try:
            yield
        except LedgerUnavailable:
            self._states.clear()
            raise
        except BaseException:
            for session in sessions:
                self.forget(session)
            raise

    async def _record(self, consumer: str, asked: Mapping[UUID, Sequence[_Asked]]) -> list[Append]:
        if not asked:
            return []
        after = {session: self._version(session) for session in asked}
        causes = [one.message.event_id for members in asked.values() for one in members]
        appends: list[Append] = []

        def decision(tails: Mapping[UUID, Tail], handled: AbstractSet[UUID]) -> Sequence[Append]:
            if not any(after.values()):
                for session in asked:
                    self.forget(session)
            appends.clear()
            until = time.thread_time() + AT_ONCE_SECONDS
            for session, members in asked.items():
                # What was handled is not decided again: its results would count twice in the state of the others.
                fresh = [one for one in members if one.message.event_id not in handled]
                appends.extend(one for one in self._follows(session, tails[session], fresh, until) if not one.is_empty)
            # asked again, when data lie elsewhere: the states have moved on, so they are folded from the beginning
            after.update(dict.fromkeys(after, 0))
            crash.point(self.handler.producer, "decided")
            return appends

        with self._or_forgotten(asked):
            appended = await self._ledger.decide(
                self.handler.producer, consumer, after, self.handler.folds, causes, decision
            )
        self._remember(asked, appends, appended)
        return appends

    def _is_decided(self, session: UUID, members: Collection[ReceivedMessage]) -> bool:
        """Whether the state that we have includes these messages already, and nothing follows from them: then the
        stream need be neither locked nor read. So it is with those that came while others were decided."""
        cached = self._states.get(session)
        if cached is None or any(one.message.version > cached.version for one in members):
            return False
        return all(decided(self.handler, cached.state, one.message, one.event).is_empty for one in members)

    async def _recall(self, messages: Sequence[Message]) -> None:
        """Sessions that are not in the cache begin where they were kept."""
        reached: dict[UUID, tuple[int, int]] = {}
        for message in messages:
            if message.session_id not in self._states:
                oldest, newest = reached.get(message.session_id, (message.version, message.version))
                reached[message.session_id] = (min(oldest, message.version), max(newest, message.version))
        for session, (version, state) in (await self._snapshots.of(reached)).items():
            self._states[session] = _Cached(version, state, version)

    def _version(self, session: UUID) -> int:
        cached = self._states.get(session)
        return cached.version if cached else 0

    def _follows(self, session: UUID, tail: Tail, members: Sequence[_Asked], until: float) -> list[Append]:
        handler = self.handler
        cached = self._states.get(session)
        state = cached.state if cached else handler.initial()
        parsed = {one.message.event_id: one for one in members}
        for message in tail.messages:
            asked = parsed.get(message.event_id)
            # not of one that only says so
            event = asked.event if asked and asked.message.data == message.data else message.event
            state = handler.evolve(state, Recorded(event, message.event_id, message.run_id, message.recorded_at))
        appends = []
        for one in sorted(members, key=lambda asked: asked.message.version):
            consequences = Consequences(handler, state, tail.at, until)
            appends.append(one.follows(consequences))
            state = consequences.state
        self._states[session] = _Cached(tail.head, state, cached.kept if cached else 0, tail.at)
        return appends

    def _remember(self, sessions: Collection[UUID], appends: Sequence[Append], appended: Sequence[Appended]) -> None:
        for append, result in zip(appends, appended, strict=True):
            session = append.session_id
            cached = self._states.get(session)
            if cached is None:
                continue
            if not result.fresh:
                # what was decided for it was not recorded, so the state has run ahead: fold again next time
                del self._states[session]
            elif result.last_version is not None:
                cached.version = max(cached.version, result.last_version)
        for session in sessions:
            if session in self._states:
                self._states.move_to_end(session)
        while len(self._states) > CACHED_SESSIONS:
            self._states.popitem(last=False)


def _decision(one: ReceivedMessage) -> Callable[[Consequences], Append]:
    return lambda consequences: consequences.of(one.message, one.event)._replace(evidence=one.evidence)


def _answer(message: Message, append: Append) -> Callable[[Consequences], Append]:
    return lambda consequences: consequences.after(message, append)
