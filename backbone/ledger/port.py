"""What services ask of the ledger. Two adapters, one conformance suite (tests.conformance.ledger_conformance)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol
from uuid import UUID

from backbone.ledger.relaying import START as START  # noqa: PLC0414  # of this port
from backbone.ledger.relaying import Position as Position  # noqa: PLC0414  # the same
from backbone.ledger.relaying import RelayTail as RelayTail  # noqa: PLC0414  # the same
from backbone.ledger.relaying import ResendAsked
from backbone.ledger.snapshots import Snapshot
from contracts.envelope import Message, Outline
from contracts.errors import Code
from contracts.shape import Event, JsonObject

GENESIS = bytes(32)
LAST_VERSION = 2**31 - 1
"""That a stream can have."""
SECRET_BYTES = 32
EVENT_BYTES = 900_000
"""The largest event as JSON, wherever its data lie: who folds a session holds its events in memory."""
DIALOGUE = frozenset({
    "ArtifactUploaded", "DecisionAnswered", "DecisionRequested", "FlowAdvanced", "MessageReceived", "ResponseOutput",
    "RunCancelled", "RunFailed", "SessionOpened", "SessionSummarized",
})  # fmt: skip
"""Events that are few beside those of todos, and looked for from the end: they have an index of their own (0005)."""
REMINDERS = frozenset({"ReminderDue", "ReminderSeen"})
"""Events that are looked for whenever a session is opened; they have one too (0027)."""


class VersionConflict(Exception):
    """The stream is not at the version the writer expected; the message carries both numbers."""


class LedgerUnavailable(Exception):
    """Postgres cannot be reached, is restarting or out of space; the same call may succeed later."""


class NotRecordable(Exception):
    """The data cannot be stored, for a NUL character or its size, say; repeating does not help."""


class FenceLost(Exception):
    """The lease under which the work was done is no longer held: somebody else may be at it."""


class NotInLedger(Exception):
    """The ledger does not have the message that an append was said to follow from."""


class Evidence(NamedTuple):
    """What the bus has brought as the cause of an append: its version in the session, and the SHA-256 of all that it
    says (backbone.witness)."""

    version: int
    digest: bytes


class Fact(NamedTuple):
    """An event about to be recorded, with its place in the causal chain."""

    event: Event
    event_id: UUID
    run_id: UUID | None
    correlation_id: UUID
    causation_id: UUID | None
    traceparent: str | None = None
    route: str = ""
    apart: bool = False
    """Whoever takes it may be long at it: it does not share a message of the bus with others."""


@dataclass(frozen=True, slots=True)
class Timer:
    """A durable timer: `event` (a timers event) is put into the stream at `due_at`, unless cancelled before."""

    timer_id: UUID
    run_id: UUID | None
    due_at: datetime
    event: Event
    traceparent: str | None = None


@dataclass(frozen=True, slots=True)
class Fence:
    """The lease (backbone.toolbox) under which something was done."""

    lease_id: UUID
    fencing_token: int


class Append(NamedTuple):
    """All that one handled message makes happen in one stream: facts, timers cancelled, then timers set.

    (consumer, cause) is the inbox key: a second append with the same key changes nothing. `expected_version` refuses
    the append unless the stream stands exactly there before the transaction (0 = it must not exist). `fence` refuses it
    unless that lease is held, and ends the lease with it; a repetition needs no lease any more.

    Without facts nothing would show that the message was handled: then the cause has to be an event of that stream, or
    it is refused with NotRecordable. The gateway's causes are keys of requests, and free.

    With `evidence` the append is refused with NotInLedger unless the stream has the cause just so; not with a fence."""

    session_id: UUID
    cause: UUID
    facts: tuple[Fact, ...] = ()
    timers: tuple[Timer, ...] = ()
    cancel_timers: tuple[UUID, ...] = ()
    expected_version: int | None = None
    fence: Fence | None = None
    evidence: Evidence | None = None

    @property
    def is_empty(self) -> bool:
        """Nothing happens: there is nothing to record, and handling the message again would change nothing either."""
        return not (self.facts or self.timers or self.cancel_timers or self.fence)


@dataclass(frozen=True, slots=True)
class Appended:
    """What became of an Append. `fresh` is False when it had been handled before; `last_version` is that of its
    last event, None without events."""

    fresh: bool
    last_version: int | None


@dataclass(frozen=True, slots=True)
class Tail:
    """A stream after a known version, read under its lock: its head version and the events asked for.

    `at` is when events appended now will say that they were recorded."""

    head: int
    messages: tuple[Message, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class Belief:
    """What a decision in advance rests on: of each stream no event of `types` came after this version, and what is
    appended will say that it was recorded `at` this time."""

    after: Mapping[UUID, int]
    types: frozenset[str]
    at: datetime


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A message that cannot be handled, kept whole with the reason."""

    dead_letter_id: UUID
    consumer: str
    subject: str
    event_id: UUID | None
    headers: Mapping[str, str]
    body: bytes
    code: Code
    reason: str
    deliveries: int


@dataclass(frozen=True, slots=True)
class KeptLetter:
    """A dead letter and what became of it: `dead`, `retried` or `discarded`."""

    letter: DeadLetter
    state: str
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class RunPlace:
    """Where a run is: its stream, the version and time of its first event, and the version of its stream's last one."""

    run_id: UUID
    session_id: UUID
    version: int
    since: datetime
    head: int


@dataclass(frozen=True, slots=True)
class DueTimer:
    """A timer whose time has come."""

    timer_id: UUID
    session_id: UUID
    run_id: UUID | None
    type: str
    data: str
    traceparent: str | None


class Decision(Protocol):
    """Appends decided under the lock: called with the tails of the streams and those of the causes that the consumer
    has handled already, returns what to append."""

    def __call__(self, tails: Mapping[UUID, Tail], handled: AbstractSet[UUID]) -> Sequence[Append]: ...


AppendListener = Callable[[str, int, Sequence[Message]], None]
"""Called after a commit with the producer, the transaction id, and the events as they are published: all of that
producer in that transaction."""


class Ledger(ResendAsked, Protocol):
    """An append-only event store. All methods raise LedgerUnavailable when the database cannot be reached."""

    def on_append(self, listener: AppendListener) -> None:
        """Registers a listener; it must not block or raise."""

    async def append(self, producer: str, consumer: str, appends: Sequence[Append]) -> list[Appended]:
        """One transaction for all appends. Raises VersionConflict, FenceLost, NotInLedger or NotRecordable, and then
        nothing has changed."""

    async def append_believed(
        self, producer: str, consumer: str, appends: Sequence[Append], belief: Belief
    ) -> list[Appended] | None:
        """As `append`, for what was decided without a look under the lock. None if something is not as it was believed,
        or was handled before, and then nothing has changed. Neither fences nor evidence."""

    def time(self) -> datetime | None:
        """The ledger's own time, within a second; None while it is not known here."""

    async def decide(
        self,
        producer: str,
        consumer: str,
        after: Mapping[UUID, int],
        types: frozenset[str],
        causes: Sequence[UUID],
        decision: Decision,
    ) -> list[Appended]:
        """Locks the streams, reads their tails after the given versions (only `types`), appends what is decided."""

    async def snapshots(self, consumer: str, made_by: str, session_ids: Sequence[UUID]) -> dict[UUID, Snapshot]:
        """The newest state that was kept of each; of those that the same code has made. Others are left out."""

    async def keep_snapshot(self, consumer: str, made_by: str, session_id: UUID, snapshot: Snapshot) -> None:
        """In the place of an older one. It goes with its session; without the session nothing is kept."""

    async def handled(self, consumer: str, causes: Sequence[UUID]) -> set[UUID]:
        """Those of the causes that the consumer has handled."""

    async def read(self, session_id: UUID, after: int = 0, limit: int = 1000) -> list[Message]:
        """Events of a stream with version > after, in order."""

    async def at(self, places: Collection[tuple[UUID, int]]) -> list[Message]:
        """The events at these places (session, version) as they are published, in any order; others are left out."""

    async def whole(self, messages: Sequence[Message]) -> list[Message]:
        """With the data that lie elsewhere, as all but `at` and relays' tails answer; those that are lost stay away."""

    def claimed(self, key: str) -> AbstractAsyncContextManager[None]:
        """Waits until nobody else, in any process, holds the claim, then holds it. It ends with the process that holds
        it, and soon after one that is frozen or cut off: so what was done under it may have to be looked up."""

    async def find(self, session_id: UUID, types: frozenset[str], run_id: UUID | None = None) -> list[Message]:
        """Events of some types in a stream, of one run if given, in order."""

    async def latest(
        self, session_id: UUID, types: frozenset[str], limit: int, before: int | None = None
    ) -> list[Message]:
        """The newest events of some types in a stream, newest first, with version < before if given. What people and
        their dialogue made (DIALOGUE) is found at the same cost in a stream of any length."""

    async def brought(self, session_id: UUID, limit: int) -> list[Message]:
        """The newest events that brought files into a stream, newest first; its length does not matter."""

    async def head(self, session_id: UUID) -> int:
        """The version of the last event; 0 when there is no such stream."""

    async def heads(self, session_ids: Sequence[UUID]) -> dict[UUID, int]:
        """The versions of the last events of many streams, in one question; without those that do not exist."""

    async def secret(self, name: str) -> bytes:
        """32 random bytes, made when they are first asked for: the same for every process, and after any restart."""

    async def verify(self, session_id: UUID | None = None) -> dict[UUID, int]:
        """Streams whose hash chain or versions are broken -> the first bad version; empty when all is well."""

    def lead(self, producer: str) -> AbstractAsyncContextManager[RelayTail | None]:
        """Tries to become the producer's relay leader; None when another process is."""

    async def fire_due(self, now: datetime, limit: int, build: Callable[[DueTimer], Event]) -> int:
        """Moves due timers into the ledger, one transaction each; returns how many. One that cannot: a dead letter."""

    async def keep_dead_letter(self, letter: DeadLetter) -> None:
        """Keeps a dead letter; the same id twice is one."""

    async def dead_letters(self, limit: int = 100, state: str | None = None) -> list[JsonObject]:
        """The newest dead letters, of one state if given, without headers and bodies."""

    async def dead_letter(self, letter_id: UUID) -> KeptLetter | None:
        """One of them, whole."""

    async def settle_letter(self, letter_id: UUID, state: str) -> bool:
        """From `dead` to `retried` or `discarded`; False when it was not dead (any more), and nothing changes then."""

    async def open_runs(self, limit: int = 1000, before: RunPlace | None = None) -> list[RunPlace]:
        """The newest runs that have begun and not ended; the page after `before`."""

    async def open_since(self, session_ids: Sequence[UUID]) -> dict[UUID, int]:
        """The version at which the oldest open run of each session began; sessions without one are left out."""

    async def run(self, run_id: UUID) -> RunPlace | None:
        """A run, open or not."""

    async def of_trace(self, trace_id: UUID, limit: int) -> list[RunPlace]:
        """The runs of a trace, open or not; of a caller's trace, which may have many, the newest."""

    async def of_runs(
        self, after: Mapping[UUID, tuple[UUID, int]], types: frozenset[str], outline: Outline | None = None
    ) -> list[Message]:
        """Events of many runs: run -> (its session, the version after which). Ordered within each session."""

    async def close(self) -> None:
        """Gives connections back."""
