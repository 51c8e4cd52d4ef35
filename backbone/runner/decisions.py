"""Runs pure decisions: everything that waits is decided in one transaction, over states cached after their versions.
What a decider has folded of a long session, kept beside the ledger: a process that has just started, or has
forgotten the session, folds what came after it (docs/adr/0058)."""

import hashlib
import logging
import time
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import UUID

from pydantic import TypeAdapter, ValidationError

from backbone import crash
from backbone.bus.port import Delivery, Subscribes, Subscription
from backbone.errors import Poison, Rejected, Retryable
from backbone.ledger.port import Append, Appended, Ledger, LedgerUnavailable, Tail
from backbone.ledger.snapshots import Snapshot
from backbone.runner import intake
from backbone.runner.consequences import AT_ONCE_SECONDS, Consequences, decided
from backbone.runner.handlers import DecisionHandler, Recorded, always, consumer_spec
from backbone.runner.intake import MAX_DELIVERIES, DeadLetterWriter, Intake, ReceivedMessage
from backbone.telemetry import metrics, tracing
from backbone.witness import Witness
from contracts.envelope import Message
from contracts.errors import Code

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


log = logging.getLogger(__name__)

BATCH = 256
CACHED_SESSIONS = 4096


@dataclass(slots=True)
class _Cached:
    version: int
    state: Any
    kept: int = 0
    """Version of the newest snapshot of it."""


class DecisionRunner:
    """The consume loop of one DecisionHandler."""

    def __init__(
        self,
        handler: DecisionHandler[Any],
        ledger: Ledger,
        bus: Subscribes,
        ack_wait: float,
        witness: Witness | None = None,
    ) -> None:
        self._handler = handler
        self._ledger = ledger
        self._bus = bus
        self._ack_wait = ack_wait
        self._dead_letters = DeadLetterWriter(ledger, handler.name)
        filters = consumer_spec(handler, ack_wait).subjects
        self._intake = Intake(self._dead_letters, witness or Witness(ledger), filters, asks_late=always)
        self._snapshots = Snapshots(handler, ledger)
        self._states: OrderedDict[UUID, _Cached] = OrderedDict()
        self.subscription: Subscription | None = None

    async def run(self) -> None:
        """Until cancelled; then everything that is not settled is given back."""
        self.subscription = await self._bus.subscribe(consumer_spec(self._handler, self._ack_wait), 2 * BATCH)
        try:
            while True:
                deliveries = await self.subscription.drain(BATCH)
                crash.point(self._handler.producer, "received")
                await self._settle(deliveries)
        finally:
            await self.subscription.close()

    async def _settle(self, deliveries: list[Delivery]) -> None:
        since = time.monotonic()

        async def attempt() -> None:
            await self._handle(await self._intake.take(deliveries), since)

        await intake.hold(deliveries, self._ack_wait, attempt)

    async def _handle(self, taken: list[ReceivedMessage], since: float) -> None:
        if not taken:
            return
        try:
            taken = await self._known(taken, await self._transact(taken))
        except LedgerUnavailable:
            self._states.clear()
            raise
        except Exception as error:  # noqa: BLE001  # the one place where a failed decision becomes a settlement
            for one in taken:
                self._states.pop(one.message.session_id, None)
            if len(taken) > 1:
                for one in taken:
                    await self._handle([one], since)
            else:
                await self._failed(taken[0], error)
            return
        crash.point(self._handler.producer, "appended")
        if not taken:
            return
        for one in taken:
            await one.delivery.ack()
        metrics.HANDLED.labels(self._handler.name, "done").inc(len(taken))
        metrics.BATCH_SIZE.labels(self._handler.name).observe(len(taken))
        lasted = time.monotonic() - since
        metrics.HANDLE_SECONDS.labels(self._handler.name).observe(lasted, tracing.exemplar(taken[0].message))
        if tracing.outbox():
            self._tell(taken, lasted)
        crash.point(self._handler.producer, "settled")
        for session in {one.message.session_id for one in taken}:
            cached = self._states.get(session)
            if cached and await self._snapshots.keep(session, cached.version, cached.state, after=cached.kept):
                cached.kept = cached.version

    async def _known(self, taken: list[ReceivedMessage], recorded: Sequence[Append]) -> list[ReceivedMessage]:
        """Those that the ledger has. About the causes of what was recorded it has been asked already."""
        proven = {(append.cause, append.evidence) for append in recorded}
        silent = [one for one in taken if one.evidence and (one.message.event_id, one.evidence) not in proven]
        if not silent:
            return taken
        known = {one.message for one in await self._intake.known(silent)}
        strangers = {one.message for one in silent} - known
        for message in strangers:
            # a version that it made up may have decided where the folding began
            self._states.pop(message.session_id, None)
        return [one for one in taken if one.message not in strangers]

    def _tell(self, taken: list[ReceivedMessage], lasted: float) -> None:
        until = time.time_ns()
        since, of = until - int(lasted * 1e9), (self._handler.name, self._handler.producer)
        tracing.handled(
            (one.message, tracing.Handled(*of, since, until, one.delivery.attempt, len(taken))) for one in taken
        )

    async def _transact(self, taken: list[ReceivedMessage]) -> list[Append]:
        """Returns what was recorded."""
        # the same message twice in one drain is one message; what only has its id is another
        by_session: dict[UUID, dict[Message, ReceivedMessage]] = {}
        for one in taken:
            by_session.setdefault(one.message.session_id, {})[one.message] = one
        await self._recall(by_session)
        for session in [one for one, members in by_session.items() if self._is_decided(one, members.values())]:
            del by_session[session]
        if not by_session:
            return []
        after = {session: self._version(session) for session in by_session}
        causes = [message.event_id for members in by_session.values() for message in members]
        appends: list[Append] = []
        before = {session: self._states.get(session) for session in by_session}

        def decision(tails: Mapping[UUID, Tail], handled: AbstractSet[UUID]) -> Sequence[Append]:
            # asked again, when data lie elsewhere: from where it began
            appends.clear()
            for session, cached in before.items():
                if cached is None:
                    self._states.pop(session, None)
                else:
                    self._states[session] = cached
            until = time.thread_time() + AT_ONCE_SECONDS
            for session, members in by_session.items():
                # What was handled is not decided again: its results would count twice in the state of the others.
                fresh = [one for message, one in members.items() if message.event_id not in handled]
                appends.extend(one for one in self._decide(session, tails[session], fresh, until) if not one.is_empty)
            crash.point(self._handler.producer, "decided")
            return appends

        appended = await self._ledger.decide(
            self._handler.producer, self._handler.name, after, self._handler.folds, causes, decision
        )
        self._remember(by_session, appends, appended)
        return appends

    def _is_decided(self, session: UUID, members: Collection[ReceivedMessage]) -> bool:
        """Whether the state that we have includes these messages already, and nothing follows from them: then the
        stream need be neither locked nor read. So it is with those that came while others were decided."""
        cached = self._states.get(session)
        if cached is None or any(one.message.version > cached.version for one in members):
            return False
        return all(self._outcome(cached.state, one).is_empty for one in members)

    def _outcome(self, state: Any, one: ReceivedMessage) -> Append:
        return decided(self._handler, state, one.message, one.event)

    async def _recall(self, by_session: Mapping[UUID, Mapping[Message, ReceivedMessage]]) -> None:
        """Sessions that are not in the cache begin where they were kept."""
        reached = {}
        for session, members in by_session.items():
            if session not in self._states:
                versions = [one.message.version for one in members.values()]
                reached[session] = (min(versions), max(versions))
        for session, (version, state) in (await self._snapshots.of(reached)).items():
            self._states[session] = _Cached(version, state, version)

    def _version(self, session: UUID) -> int:
        cached = self._states.get(session)
        return cached.version if cached else 0

    def _decide(self, session: UUID, tail: Tail, members: list[ReceivedMessage], until: float) -> list[Append]:
        handler = self._handler
        cached = self._states.get(session)
        state = cached.state if cached else handler.initial()
        parsed = {one.message.event_id: one for one in members}
        for message in tail.messages:
            received = parsed.get(message.event_id)
            # not of one that only says so
            event = received.event if received and received.message.data == message.data else message.event
            state = handler.evolve(state, Recorded(event, message.event_id, message.run_id, message.recorded_at))
        appends = []
        for one in sorted(members, key=lambda taken: taken.message.version):
            followed = Consequences(handler, state, tail.at, until)
            appends.append(followed.of(one.message, one.event)._replace(evidence=one.evidence))
            state = followed.state
        self._states[session] = _Cached(tail.head, state, cached.kept if cached else 0)
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

    async def _failed(self, taken: ReceivedMessage, error: Exception) -> None:
        if taken.evidence and not await self._intake.known([taken]):
            return
        attempt = taken.delivery.attempt
        if isinstance(error, Poison):
            await self._dead_letters.dead_letter(taken.delivery, error.code, error.message)
        elif isinstance(error, Rejected):
            metrics.HANDLED.labels(self._handler.name, "rejected").inc()
            await taken.delivery.ack()
        elif attempt < MAX_DELIVERIES:
            if not isinstance(error, Retryable):
                log.error("%s failed on %s", self._handler.name, taken.message.type, exc_info=error)
            metrics.HANDLED.labels(self._handler.name, "retried").inc()
            await taken.delivery.retry(error.delay if isinstance(error, Retryable) else intake.retry_delay(attempt))
        else:
            await self._dead_letters.dead_letter(
                taken.delivery, Code.DELIVERIES_EXHAUSTED, f"after {attempt} deliveries: {error!r}"
            )
