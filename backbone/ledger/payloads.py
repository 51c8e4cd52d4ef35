"""Data of events that are too large for a row: put into the artifact store before the transaction that refers to them,
and read back where somebody needs the event itself (docs/adr/0028)."""

import asyncio
import hashlib
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar
from uuid import UUID

from backbone.artifacts.port import ArtifactDamaged, ArtifactStore, ArtifactStoreUnavailable, ArtifactUnknown
from backbone.ledger.port import LedgerUnavailable, Tail
from backbone.ledger.rows import PayloadsMissing
from contracts.dataref import MEDIA_TYPE, Dataref, dataref
from contracts.envelope import Message

log = logging.getLogger(__name__)

T = TypeVar("T")
ATTEMPTS = 5
"""One that finds what is to be read, one that finds what is to be written, and the last. A decision is a pure function;
one of several in a drain may follow from the clock, and is repeated by itself."""
CACHE_BYTES = 16 * 1024**2
AT_ONCE = 8


class Payloads:
    """The artifact store as the ledger uses it. Raises LedgerUnavailable while the store cannot be used: the same call
    may succeed later, and nothing was lost."""

    def __init__(self, store: ArtifactStore) -> None:
        self._store = store
        self._known: OrderedDict[str, bytes] = OrderedDict()
        self._left = CACHE_BYTES
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def keep(self, data: Mapping[str, bytes]) -> None:
        """Stores them, unless they are there. Nobody may ever refer to them: that harms nothing."""
        for digest, payload in data.items():
            try:
                await self._store.put(payload, MEDIA_TYPE)
            except (ArtifactStoreUnavailable, OSError) as error:
                raise LedgerUnavailable(f"an event's data cannot be stored: {_why(error)}") from error
            self._remember(digest, payload)

    async def read(self, refs: Collection[Dataref]) -> dict[str, bytes]:
        """The data by their SHA-256, compared with it; without those that are lost, which is logged."""
        found = await asyncio.gather(*(self._read(ref) for ref in set(refs)))
        return {digest: payload for digest, payload in found if payload}

    async def _read(self, ref: Dataref) -> tuple[str, bytes]:
        if ref.digest in self._known:
            self._known.move_to_end(ref.digest)
            return ref.digest, self._known[ref.digest]
        try:
            async with self._turns:
                payload = await self._fetched(ref)
        except _Lost as lost:
            log.critical("the data of an event are lost: %s", lost)
            return ref.digest, b""
        self._remember(ref.digest, payload)
        return ref.digest, payload

    async def lost(self, reference: bytes) -> bool:
        """Whether the data that these bytes refer to are not there any more, or not what they were; looked at anew."""
        ref = dataref(reference)
        try:
            if ref is not None:
                await self._fetched(ref)
        except _Lost:
            return True
        return False

    async def _fetched(self, ref: Dataref) -> bytes:
        payload = bytearray()
        try:
            async for chunk in await self._store.open(ref.digest):
                payload += chunk
                if len(payload) > ref.size:
                    break
        except (ArtifactUnknown, ArtifactDamaged) as error:
            raise _Lost(str(error)) from None
        except (ArtifactStoreUnavailable, OSError) as error:
            raise LedgerUnavailable(f"an event's data cannot be read: {_why(error)}") from error
        if len(payload) != ref.size or hashlib.sha256(payload).hexdigest() != ref.digest:
            raise _Lost(f"artifact {ref.digest} is not what was stored")
        return bytes(payload)

    def _remember(self, digest: str, payload: bytes) -> None:
        self._forget(digest)
        self._known[digest] = payload
        self._left -= len(payload)
        while self._left < 0 and len(self._known) > 1:
            self._forget(next(iter(self._known)))

    def _forget(self, digest: str) -> None:
        self._left += len(self._known.pop(digest, b""))


class _Lost(Exception):
    """The store answers, and does not have the data as they were."""


class PayloadsUnread(Exception):
    """Messages are needed whole, in the middle of a transaction: outside it their data have to be read first."""

    def __init__(self, refs: Collection[Dataref]) -> None:
        super().__init__(f"{len(refs)} payloads are not read yet")
        self.refs = refs


@dataclass(slots=True)
class Known:
    """Of data that lie elsewhere: SHA-256 of those that are stored (None: nothing ever is), and those that were read,
    empty where they are lost."""

    stored: set[str] | None
    read: dict[str, bytes] = field(default_factory=dict)

    def whole(self, tails: dict[UUID, Tail]) -> dict[UUID, Tail]:
        """Raises PayloadsUnread."""
        refs = [ref for tail in tails.values() for ref in elsewhere(tail.messages)]
        if not refs or self.stored is None:
            return tails
        if unread := [ref for ref in refs if ref.digest not in self.read]:
            raise PayloadsUnread(unread)
        return {
            stream: replace(tail, messages=tuple(filled(tail.messages, self.read))) for stream, tail in tails.items()
        }


async def recorded(
    payloads: Payloads | None,
    guard: Callable[[Callable[[], Awaitable[T]]], Awaitable[T]],
    record: Callable[[Known], Awaitable[T]],
) -> T:
    """What `record` answers, a transaction. What lies elsewhere is written and read between its attempts: while a
    transaction is open, the relays of the whole server wait for it."""
    if payloads is None:
        return await guard(partial(record, Known(None)))
    stored: set[str] = set()
    known = Known(stored)
    for _ in range(ATTEMPTS):
        try:
            return await guard(partial(record, known))
        except PayloadsMissing as missing:
            await payloads.keep(missing.data)
            stored.update(missing.data)
        except PayloadsUnread as unread:
            found = await payloads.read(unread.refs)
            known.read.update({ref.digest: found.get(ref.digest, b"") for ref in unread.refs})
    raise RuntimeError(f"after {ATTEMPTS} attempts something else is decided each time")


def elsewhere(messages: Sequence[Message]) -> list[Dataref]:
    """Where the data are of those that are not whole."""
    return [ref for message in messages if message.reference and (ref := message.elsewhere)]


def filled(messages: Sequence[Message], payloads: Mapping[str, bytes]) -> list[Message]:
    """The same messages with their data, as far as these are among `payloads`."""
    return [
        replace(message, data=payloads[ref.digest])
        if message.reference and (ref := message.elsewhere) and ref.digest in payloads
        else message
        for message in messages
    ]


def _why(error: Exception) -> str:
    return str(error) if isinstance(error, ArtifactStoreUnavailable) else type(error).__name__
