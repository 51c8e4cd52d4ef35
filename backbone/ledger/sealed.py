"""Sealed sessions: nothing has happened in them for long, and their events are one compressed value in the place of as
many rows (docs/adr/0085). A line of it is an event, as an array of JSON in the order of `LINES`."""

import asyncio
import hashlib
import json
import logging
import lzma
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

import asyncpg

from backbone.ledger.pool import Pool, guarded
from backbone.ledger.port import GENESIS, LedgerUnavailable, NotRecordable
from backbone.ledger.rows import message_from_row
from contracts.envelope import Message

log = logging.getLogger(__name__)

MOST = 20_000
"""Events of a session that is sealed: whoever opens it again waits until all of them are rows."""
PRESET = 6
"""Of LZMA: 500 events, 379 kB of rows as text, become 32 kB in 51 ms (1: 42 kB in 11 ms; zlib's 6: 52 kB in 4 ms). They
are read in 2 ms, whatever they took."""
LINES = """select json_build_array(version, event_id, type, schema_version, producer, route, run_id, correlation_id,
    causation_id, traceparent, (extract(epoch from recorded_at) * 1000000)::bigint, data::text, meta::text)::text
    as line from ledger.events where stream_id = $1 and version <= $2 order by version"""
_COLUMNS = ("version", "event_id", "type", "schema_version", "producer", "route", "run_id", "correlation_id",
            "causation_id", "traceparent", "recorded_at", "data", "meta")  # fmt: skip
_IDS = frozenset({"event_id", "run_id", "correlation_id", "causation_id"})
_HISTORY = """select sealed, (select s.history from ledger.sealed s where s.stream_id = $1) as history,
    coalesce(unsealed_at > now() - interval '1 minute', false) as lately from ledger.streams where stream_id = $1"""
_OF_RUN = "select stream_id from ledger.sealed where runs @> array[$1::uuid]"
_OF_TRACE = (
    "select stream_id from ledger.sealed where traces @> array[$1::text] and traces <> '{}'"  # as its index says
)
_PAGE = """select s.stream_id, h.version, h.hash, s.history from ledger.sealed s
    join ledger.streams h on h.stream_id = s.stream_id
    where s.stream_id > $1 and ($2::uuid is null or s.stream_id = $2) order by s.stream_id limit 1"""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
ATTEMPTS = 5
"""At what finds a session sealed: each opens one."""
SEALED = "DR423"
_NOT_ITS_HISTORY = "DR422"
T = TypeVar("T")
Row = Sequence[Any]
"""An event, in the order of the columns."""


class Damaged(Exception):
    """What is sealed cannot be read."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """A sealed session: where it ends, and its history."""

    session_id: UUID
    version: int
    hash: bytes
    history: bytes

    def first_bad(self) -> int | None:
        """The first version that is not as it was; None: the history leads to its head."""
        try:
            events = rows(self.history)
        except Damaged:
            return 1
        for version, row in enumerate(events, 1):
            if row[0] != version:
                return version
        if len(events) != self.version:
            return min(len(events), self.version) + 1
        return None if hashes(events)[-1] == self.hash else self.version

    def hash_at(self, version: int) -> bytes | None:
        """What the chain comes to at a version; None where there is no such version any more."""
        try:
            found = hashes(rows(self.history))
        except Damaged:
            return None
        return found[version - 1] if version <= len(found) else None

    def messages(self) -> list[Message]:
        """Its events. Raises Damaged."""
        return [message_from_row(_as_columns(self.session_id, row)) for row in rows(self.history)]


def sealed(lines: Iterable[str]) -> bytes:
    """The lines of a session's events, as they are kept."""
    return lzma.compress("\n".join(lines).encode(), preset=PRESET)


def rows(history: bytes) -> list[Row]:
    """Its events. Raises Damaged."""
    try:
        found = json.loads(_array(history))
    except (lzma.LZMAError, ValueError) as error:
        raise Damaged(str(error)) from None
    if not all(isinstance(one, list) and len(one) == len(_COLUMNS) for one in found):
        raise Damaged("a line of it is no event")
    return list(found)


def _array(history: bytes) -> str:
    return "[" + lzma.decompress(history).decode().replace("\n", ",") + "]"


def hashes(events: Iterable[Row]) -> list[bytes]:
    """The chain of events, as ledger.verify makes it."""
    link, chain = GENESIS, []
    for row in events:
        said = "\x1f".join("" if value is None else str(value) for value in row)
        link = hashlib.sha256(link + said.encode()).digest()
        chain.append(link)
    return chain


def _as_columns(session_id: UUID, row: Row) -> dict[str, Any]:
    told: dict[str, Any] = {
        name: UUID(one) if name in _IDS and one else one for name, one in zip(_COLUMNS, row, strict=True)
    }
    return told | {"stream_id": session_id, "recorded_at": _EPOCH + timedelta(microseconds=told["recorded_at"])}


async def sealed_sessions(pool: Pool, session_id: UUID | None = None) -> AsyncIterator[Sealed]:
    """All of them, one by one, or one."""
    after = UUID(int=0)
    while row := await guarded(partial(pool.fetchrow, _PAGE, after, session_id)):
        yield Sealed(row["stream_id"], row["version"], bytes(row["hash"]), bytes(row["history"]))
        after = row["stream_id"]


class SealedSessions:
    """Puts the events of sealed sessions back, for whoever asks for one of them."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def opened(self, session_id: UUID) -> bool:
        """Whether the session was sealed, now or a moment ago; it is not any more. Raises LedgerUnavailable, and
        NotRecordable where its history is not what it was."""
        row = await guarded(partial(self._pool.fetchrow, _HISTORY, session_id))
        if row is None or not row["sealed"]:
            return bool(row and row["lately"])  # somebody else may have been faster
        if row["history"] is None:
            raise _damaged(session_id, LookupError("there is none"))
        try:
            events = await asyncio.to_thread(_array, bytes(row["history"]))
            await guarded(partial(self._pool.fetchval, "select ledger.unseal($1, $2)", session_id, events))
        except (lzma.LZMAError, ValueError) as error:
            raise _damaged(session_id, error) from None
        except asyncpg.PostgresError as error:
            if error.sqlstate == _NOT_ITS_HISTORY or isinstance(error, asyncpg.IntegrityConstraintViolationError):
                raise _damaged(session_id, error) from None
            raise
        return True

    async def open_run(self, run_id: UUID) -> None:
        """Opens the session in which a run began, if it is sealed."""
        await self._open(_OF_RUN, run_id)

    async def open_trace(self, trace_id: UUID) -> None:
        """The same of sessions with runs of a trace."""
        await self._open(_OF_RUN, trace_id)
        await self._open(_OF_TRACE, trace_id.hex)

    async def _open(self, sql: str, value: UUID | str) -> None:
        for row in await guarded(partial(self._pool.fetch, sql, value)):
            await self.opened(row["stream_id"])

    async def attempted(self, call: Callable[[], Awaitable[T]]) -> T:
        """What `call` answers; where it meets a sealed session, that is opened, and it is called again."""
        for _ in range(ATTEMPTS):
            try:
                return await guarded(call)
            except asyncpg.PostgresError as error:
                if error.sqlstate != SEALED:
                    raise
                session = str(getattr(error, "detail", ""))
            await self.opened(UUID(session))
        raise LedgerUnavailable("a session is sealed again each time it is opened")


def _damaged(session_id: UUID, error: Exception) -> NotRecordable:
    log.critical("session %s is sealed, and its history is not what it was: %s", session_id, error)
    return NotRecordable(f"the history of session {session_id} is damaged: dream audit verify says where")
