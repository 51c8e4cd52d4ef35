"""What an administrator does with the stream and its consumers: declare them, compare them with the code, make room,
begin anew.

Services never have these rights: they bind what is there (docs/adr/0030)."""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import nats.errors
import nats.js.errors
from nats.aio.client import Client
from nats.js import JetStreamContext
from nats.js.api import ConsumerInfo, StreamConfig
from nats.js.errors import APIError

from backbone.bus import declare, keys
from backbone.bus.port import BusUnavailable, ConsumerSpec
from backbone.bus.rights import ADMIN, inbox_of
from contracts import subjects

log = logging.getLogger(__name__)

SECONDS = 10.0
NO_ROOM = 10047
"""JetStream's code for insufficient storage."""
_AWAY = (TimeoutError, nats.errors.Error, nats.js.errors.Error, OSError)
_OF_STREAM = (
    "subjects", "retention", "discard", "storage", "max_bytes", "max_age", "duplicate_window", "allow_direct",
    "num_replicas",
)  # fmt: skip


class Login(NamedTuple):
    """Where NATS is, and who comes: whom the URL names, or whose key is in the file `seed`. `authorities` are
    certificates that vouch for the server; none = the system's."""

    url: str
    seed: Path | None = None
    authorities: Path | None = None


class Difference(NamedTuple):
    """Of the stream (`consumer` is empty) or of a consumer: what the code declares, and what is there. None of the one:
    the code does not know it; None of the other: it is missing."""

    consumer: str
    what: str
    wanted: Any
    there: Any


@dataclass(frozen=True, slots=True)
class Administration:
    """The stream as one configuration declares it, and its consumers."""

    client: Client
    js: JetStreamContext
    config: StreamConfig
    consumers: Sequence[ConsumerSpec]

    async def differences(self) -> list[Difference]:
        """Nothing when all is as the code declares it."""
        try:
            there = (await self.js.stream_info(subjects.STREAM)).config
        except nats.js.errors.NotFoundError:
            return [Difference("", "stream", subjects.STREAM, None)]
        found = [
            Difference("", name, _plain(wanted), _plain(getattr(there, name)))
            for name in _OF_STREAM
            if (wanted := getattr(self.config, name)) != getattr(there, name)
        ]
        here = {info.name: info.config for info in await self._infos()}
        for spec in self.consumers:
            found += _of_consumer(spec, here.pop(spec.name, None))
        return found + [Difference(name, "consumer", None, name) for name in sorted(here)]

    async def declare(
        self, *, remove_unknown: bool = False, mend: bool = True, alone: bool = False
    ) -> list[Difference]:
        """Makes what is missing and mends what differs, unless told not to; answers what that was. A consumer that the
        code does not know stays, as another version may have it, unless told. `alone`: there are no processes of an
        earlier version, to which bundles would mean nothing; so it is for who has unknown consumers removed."""
        found = await self.differences()
        stream = [one for one in found if not one.consumer]
        anew = any(one.what == "stream" for one in stream)
        if anew:
            await self.js.add_stream(self.config)
        elif (stream and mend) or alone or remove_unknown:
            await self._mend(bundles=alone or remove_unknown)
        wanting = {one.consumer for one in found if mend or one.there is None}
        for spec in self.consumers:
            if anew or spec.name in wanting:
                await declare.consumer(self.js, spec, may_create=True)
        if remove_unknown:
            for one in found:
                if one.wanted is None:
                    await self.js.delete_consumer(subjects.STREAM, one.consumer)
        return found

    async def _mend(self, *, bundles: bool) -> None:
        """The stream as it is wanted; whether it takes bundles stays as it is, unless told."""
        there = (await self.js.stream_info(subjects.STREAM)).config
        bundles = bundles or declare.takes_bundles(there)
        await self.js.update_stream(self.config.evolve(metadata=declare.BUNDLES if bundles else {}))

    async def make_room(self) -> int:
        """Drops what every consumer has settled: the ledger keeps it. Answers how many messages that were."""
        state = (await self.js.stream_info(subjects.STREAM)).state
        settled = min((_settled(one, state.last_seq) for one in await self._infos()), default=0)
        if not state.messages or settled < state.first_seq:
            return 0
        await self.js.purge_stream(subjects.STREAM, seq=settled + 1)
        dropped = settled + 1 - state.first_seq
        log.info("everything settled, up to %d, is dropped from the stream: %d messages", settled, dropped)
        return dropped

    async def rebuild(self) -> int:
        """Deletes the stream with all its consumers, and declares both. Relays see another life of the store, and
        publish what somebody waits for in the ledger. Answers how many messages the old one had."""
        messages = 0
        try:
            messages = (await self.js.stream_info(subjects.STREAM)).state.messages
            await self.js.delete_stream(subjects.STREAM)
        except nats.js.errors.NotFoundError:
            pass
        await self.declare()
        return messages

    async def forget(self, pattern: str) -> None:
        """Removes what the stream still holds on a subject or pattern."""
        try:
            await self.js.purge_stream(subjects.STREAM, subject=pattern)
        except nats.js.errors.NotFoundError:
            return

    async def _infos(self) -> list[ConsumerInfo]:
        found: list[ConsumerInfo] = []
        while True:  # the server answers in pages
            page = await self.js.consumers_info(subjects.STREAM, offset=len(found))
            found += page
            if len(page) < 256:
                return found


def _of_consumer(spec: ConsumerSpec, there: Any) -> list[Difference]:
    if there is None:
        return [Difference(spec.name, "consumer", spec.name, None)]
    filters = sorted(declare.filters_of(there))
    wanted_filters = sorted(spec.subjects) if declare.lacking(spec, there) else filters
    pairs = {
        "subjects": (wanted_filters, filters),
        "ack_wait": (spec.ack_wait, there.ack_wait),
        "max_ack_pending": (spec.max_ack_pending, there.max_ack_pending),
    }
    return [Difference(spec.name, what, wanted, is_) for what, (wanted, is_) in pairs.items() if wanted != is_]


def _settled(consumer: ConsumerInfo, last: int) -> int:
    """Up to which place of the stream a consumer needs nothing more. One that is idle has settled everything."""
    if not consumer.num_pending and not consumer.num_ack_pending:
        return last
    return consumer.ack_floor.stream_seq if consumer.ack_floor else 0


def _plain(value: Any) -> Any:
    """As JSON has it: an enum's value, the rest as it is."""
    return getattr(value, "value", value)


@asynccontextmanager
async def administer(
    login: Login, consumers: Sequence[ConsumerSpec], config: StreamConfig, *, lasting: bool = False
) -> AsyncIterator[Administration]:
    """Connects; `lasting`, and again whenever the connection is lost. Raises BusUnavailable when there is no JetStream,
    or it refuses."""
    said: deque[Exception] = deque(maxlen=1)

    async def heard(error: Exception) -> None:
        said.append(error)

    try:
        if login.seed is not None:
            keys.public_key(login.seed)  # what is wrong with it, in a sentence
        trusted = keys.trusting(login.authorities)
    except OSError as error:
        raise BusUnavailable(f"no NATS: {error}") from None
    client = Client()
    try:
        async with asyncio.timeout(SECONDS):  # its own would try for two minutes, whatever it is told
            await client.connect(
                login.url, name="dream-admin", inbox_prefix=inbox_of(ADMIN), error_cb=heard,
                nkeys_seed=str(login.seed) if login.seed else None, tls=trusted,
                allow_reconnect=lasting, max_reconnect_attempts=-1, ping_interval=10,
                reconnect_time_wait=0.25,  # type: ignore[arg-type]  # seconds, which nats-py gives to asyncio.sleep
            )  # fmt: skip
    except _AWAY as error:
        await client.close()  # what was refused is open
        raise BusUnavailable(f"no NATS: {said[-1] if said else error!r}") from error
    try:
        yield Administration(client, client.jetstream(timeout=SECONDS), config, consumers)
    except _AWAY as error:
        raise BusUnavailable(f"JetStream refuses: {said[-1] if said else _told(error, config)}") from error
    finally:
        await client.close()


def _told(error: BaseException, config: StreamConfig) -> str:
    """What JetStream says, and what helps where its disk has no room for the stream."""
    if not isinstance(error, APIError):
        return repr(error)
    said = f"{error.description} (code {error.err_code})"
    if error.err_code != NO_ROOM:
        return said
    return f"{said}: a stream of {config.max_bytes:,} bytes finds no room. Make some, or set DREAM_BUS_MAX_BYTES lower"
