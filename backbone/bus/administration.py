"""What an administrator does with the stream and its consumers: declare them, compare them with the code, begin anew.

Services never need these rights: they bind what is there."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import nats
import nats.errors
import nats.js.errors
from nats.aio.client import Client
from nats.js import JetStreamContext
from nats.js.api import StreamConfig

from backbone.bus import declare
from backbone.bus.port import BusUnavailable, ConsumerSpec
from contracts import subjects

SECONDS = 10.0
_AWAY = (TimeoutError, nats.errors.Error, nats.js.errors.Error, OSError)
_OF_STREAM = ("subjects", "retention", "discard", "storage", "max_bytes", "max_age", "duplicate_window", "allow_direct")


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

    async def declare(self, *, remove_unknown: bool = False) -> list[Difference]:
        """Makes what is missing and mends what differs; answers what that was. A consumer that the code does not know
        stays, as another version may have it, unless told."""
        found = await self.differences()
        stream = [one for one in found if not one.consumer]
        if any(one.what == "stream" for one in stream):
            await self.js.add_stream(self.config)
        elif stream:
            await self.js.update_stream(self.config)
        for spec in self.consumers:
            await declare.consumer(self.js, spec, may_create=True)
        if remove_unknown:
            for one in found:
                if one.wanted is None:
                    await self.js.delete_consumer(subjects.STREAM, one.consumer)
        return found

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

    async def _infos(self) -> list[Any]:
        found: list[Any] = []
        while True:  # the server answers in pages
            page = await self.js.consumers_info(subjects.STREAM, offset=len(found))
            found += page
            if len(page) < 256:
                return found


def _of_consumer(spec: ConsumerSpec, there: Any) -> list[Difference]:
    if there is None:
        return [Difference(spec.name, "consumer", spec.name, None)]
    pairs = {
        "subjects": (sorted(spec.subjects), sorted(declare._filters(there))),  # noqa: SLF001  # of the same room
        "ack_wait": (spec.ack_wait, there.ack_wait),
        "max_ack_pending": (spec.max_ack_pending, there.max_ack_pending),
    }
    return [Difference(spec.name, what, wanted, is_) for what, (wanted, is_) in pairs.items() if wanted != is_]


def _plain(value: Any) -> Any:
    """As JSON has it: an enum's value, the rest as it is."""
    return getattr(value, "value", value)


@asynccontextmanager
async def administer(
    url: str, consumers: Sequence[ConsumerSpec], *, max_bytes: int, max_age_seconds: float
) -> AsyncIterator[Administration]:
    """Connects as whoever the URL names. Raises BusUnavailable when there is no JetStream, or it refuses."""
    said: list[Exception] = []

    async def heard(error: Exception) -> None:
        said.append(error)

    try:
        async with asyncio.timeout(SECONDS):  # its own would try for two minutes, whatever it is told
            client: Client = await nats.connect(url, name="dream-admin", allow_reconnect=False, error_cb=heard)
    except _AWAY as error:
        raise BusUnavailable(f"no NATS: {said[-1] if said else error!r}") from error
    try:
        js = client.jetstream(timeout=SECONDS)
        yield Administration(js, declare.stream_config(max_bytes, max_age_seconds), consumers)
    except _AWAY as error:
        raise BusUnavailable(f"JetStream refuses: {said[-1] if said else error!r}") from error
    finally:
        await client.close()
