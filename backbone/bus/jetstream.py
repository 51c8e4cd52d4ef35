"""The bus on NATS JetStream, over the connection of a FastStream broker. Events that nobody has to act upon go to no
stream: whoever shows a session is told that the ledger has them (docs/adr/0076)."""

import asyncio
import logging
import re
import ssl
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TypeAlias
from uuid import UUID, uuid4

import nats.js.errors
from nats.aio.client import Client
from nats.aio.msg import Msg

from backbone.bus import declare
from backbone.bus.bundles import BundleError, bundled, parts, rendered
from backbone.bus.direct import Direct, parse_headers
from backbone.bus.port import AskHandler, BusUnavailable, ConsumerSpec, LiveHandler, SignalHandler
from backbone.bus.pull import Binder, PullSubscription
from backbone.telemetry import metrics
from contracts import subjects
from contracts.envelope import Message
from contracts.live import Recorded

log = logging.getLogger(__name__)
PUBLISH_TIMEOUT = 10.0
EPOCH_SECONDS = 2.0
"""For so long the stream is taken for the one that was there: relays ask again and again, busy or idle."""
BREATH = 32
"""Messages rendered without a pause, about a millisecond: the loop serves transactions that hold locks."""
_REPEATED = re.compile(rb'"duplicate"\s*:\s*true')
FULL = "maximum bytes exceeded"
"""nats-server's words for a stream that discards new messages."""
_FULL_SENTENCE = (
    f"the stream {subjects.STREAM} is full and takes nothing: make room (dream admin bus make-room), see which consumer"
    " lags, or raise its max_bytes (DREAM_BUS_MAX_BYTES)"
)
FOLLOW_BYTES = 32 * 1024**2
"""What may wait for those who listen; beyond it messages are dropped, and whoever follows reads them in the ledger."""

Connection: TypeAlias = Client
ConnectionLost = (nats.errors.Error, OSError)
"""What FastStream lets through when the server is away."""


class _Batch:
    """Counts the acknowledgements of one pipelined publish."""

    __slots__ = ("done", "left", "repeated", "size")

    def __init__(self, size: int) -> None:
        self.size = self.left = size
        self.repeated: list[int] = []
        """Which of them the store takes for repetitions of what it has."""
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def settle(self, number: int, answer: bytes) -> None:
        if self.done.done():
            return
        if number < self.size and _REPEATED.search(answer) is not None:
            self.repeated.append(number)
        if b'"error"' in answer:
            self.done.set_exception(BusUnavailable(f"JetStream refuses to store: {answer.decode(errors='replace')}"))
        elif not answer:
            self.done.set_exception(BusUnavailable("no JetStream stream takes the subject (503)"))
        else:
            self.left -= 1
            if self.left == 0:
                self.done.set_result(None)

    def lose(self) -> None:
        if not self.done.done():
            self.done.set_exception(BusUnavailable("the connection was lost before everything was acknowledged"))


class JetStreamBus:
    """See backbone.bus.port.Bus."""

    def __init__(
        self, client: Client, *, may_create: bool, max_bytes: int, max_age_seconds: float, replicas: int = 1
    ) -> None:
        self._client = client
        # nats-py's own parser takes 21 us for our headers, this one 4, and every event is parsed several times
        client._parse_header_lines = parse_headers  # type: ignore[method-assign]  # noqa: SLF001  # no door for it
        self._direct = Direct(client)
        # publish acks are ours (below); the context serves declarations only
        self._js = client.jetstream(timeout=2)
        config = declare.stream_config(max_bytes, max_age_seconds, replicas)
        self._binder = Binder(self._js, config, may_create=may_create, seen=self._seen)
        self._pulls: list[PullSubscription] = []
        self._reconnected: list[Callable[[], None]] = []
        self._inbox = ""
        self._batches: dict[str, _Batch] = {}
        self._following: set[asyncio.Future[None]] = set()
        self._epoch: str | None = None
        self._last_epoch = ""
        self._epoch_until = 0.0
        self._number = 0

    async def epoch(self) -> str:
        if self._epoch is None or asyncio.get_running_loop().time() > self._epoch_until:
            if not self._client.is_connected:
                raise BusUnavailable("there is no connection to NATS")
            try:
                return await self._binder.epoch()
            except (TimeoutError, nats.errors.Error, nats.js.errors.Error, OSError) as error:
                self._epoch = None
                # an error of JetStream says why in its text alone, the others in their type
                said = str(error) if isinstance(error, nats.js.errors.APIError) else repr(error)
                raise BusUnavailable(f"JetStream does not answer: {said}") from error
        return self._epoch

    def _seen(self, epoch: str) -> None:
        """The stream was looked at. Nothing else tells when somebody has deleted it and made it anew: the connection
        holds, and publishing goes on into the new one."""
        before, self._last_epoch = self._last_epoch, epoch
        self._epoch = epoch
        self._epoch_until = asyncio.get_running_loop().time() + EPOCH_SECONDS
        if before in ("", epoch):
            return
        log.warning("the stream was made anew or emptied: it is that of %s, before it was that of %s", epoch, before)
        created = epoch.partition("#")[0]
        for pull in self._pulls:
            if pull.life and not pull.life.startswith(created):
                pull.rebind()
        for callback in self._reconnected:
            callback()

    async def publish(self, messages: Sequence[Message], *, first: bool = False) -> None:
        if not messages:
            return
        if not self._client.is_connected:
            # it would be buffered, and land in whatever store there is after the reconnect
            raise BusUnavailable("there is no connection to NATS")
        stored, settled = divided(messages)
        for session_id, version in settled.items():
            await self.signal(subjects.live(session_id), told(version))
        if not stored:
            return
        bundles = bundled(stored) if self._binder.takes_bundles else [[message] for message in stored]
        repeated = await self._store(bundles)
        if first and repeated:
            # ids can be worked out, and whoever may publish anything can have said something under them before us
            log.info("the store had something under the ids of %d messages: they are sent once more", len(repeated))
            await self._store([bundles[number] for number in repeated], anew=True)

    async def _store(self, bundles: Sequence[Sequence[Message]], *, anew: bool = False) -> list[int]:
        """Returns which of them the store takes for repetitions; `anew`, of none."""
        self._number += 1
        token = str(self._number)
        batch = self._batches[token] = _Batch(len(bundles))
        try:
            reply = f"{await self._acks()}.{token}"
            for number, bundle in enumerate(bundles):
                if number % BREATH == BREATH - 1:
                    await asyncio.sleep(0)  # others wait for their answers meanwhile
                key = f"{uuid4()}" if anew else ""
                await self._client._send_command(rendered(bundle, f"{reply}.{number}", key))  # noqa: SLF001  # see rendered
            await self._client._flush_pending()  # noqa: SLF001
            async with asyncio.timeout(PUBLISH_TIMEOUT):
                await batch.done
        except BusUnavailable as error:
            self._epoch = None  # the store may have begun anew without our connection breaking
            if FULL in str(error):
                metrics.BUS_FULL.inc()
                raise BusUnavailable(_FULL_SENTENCE) from error
            raise
        except (TimeoutError, nats.errors.Error, OSError) as error:
            self._epoch = None
            raise BusUnavailable(f"{batch.left} of {len(bundles)} messages are not acknowledged: {error!r}") from error
        finally:
            del self._batches[token]
            if not batch.done.cancel() and not batch.done.cancelled():
                batch.done.exception()  # looked at, even when another error came first
        return batch.repeated

    async def resend(self, subject: str, headers: Mapping[str, str], body: bytes, key: UUID | None = None) -> None:
        # what starts with Nats- tells the server what to do, and is not part of the message
        kept = {name: value for name, value in headers.items() if not name.lower().startswith("nats-")}
        if not self._client.is_connected:
            raise BusUnavailable("there is no connection to NATS")
        try:
            await self._js.publish(subject, body, PUBLISH_TIMEOUT, headers={**kept, "Nats-Msg-Id": str(key or uuid4())})
        except (TimeoutError, ValueError, nats.errors.Error, nats.js.errors.Error, OSError) as error:
            raise BusUnavailable(f"{subject} cannot be published again: {error!r}") from error

    async def _acks(self) -> str:
        if not self._inbox:
            inbox = self._client.new_inbox()
            subscription = await self._client.subscribe(f"{inbox}.*.*", cb=self._on_ack, pending_msgs_limit=-1)
            self._direct.to(subscription, self._acknowledged)
            self._inbox = inbox
        return self._inbox

    async def _on_ack(self, msg: Msg) -> None:
        """What the server itself says: that nobody is there, for instance."""
        self._acknowledged(msg.subject, "", {}, msg.data)

    def _acknowledged(self, subject: str, reply: str, headers: Mapping[str, str], data: bytes) -> None:
        del reply, headers
        _, token, number = subject.rsplit(".", 2)
        batch = self._batches.get(token)
        if batch is not None and number.isdecimal():
            batch.settle(int(number), data)

    async def subscribe(self, spec: ConsumerSpec, prefetch: int) -> PullSubscription:
        pull = PullSubscription(self._client, self._js, spec, prefetch, self._binder, self._direct)
        self._pulls.append(pull)
        await pull.start()
        return pull

    async def follow(self, handler: LiveHandler, subject: str = subjects.EVENTS) -> None:
        def take(subject: str, reply: str, headers: Mapping[str, str], body: bytes) -> None:
            del reply
            if subject.startswith(subjects.PROBES):
                return
            try:
                events = parts(headers, body)
            except BundleError:
                events = [(headers, body)]  # whoever reads it says what is wrong with it
            for event in events:
                if (waits := handler(subject, *event)) is not None:
                    task = asyncio.ensure_future(waits)
                    self._following.add(task)
                    task.add_done_callback(self._following.discard)

        async def on_message(msg: Msg) -> None:
            take(msg.subject, msg.reply, msg.headers or {}, msg.data)

        subscription = await self._client.subscribe(
            subject, cb=on_message, pending_msgs_limit=-1, pending_bytes_limit=FOLLOW_BYTES
        )
        self._direct.to(subscription, take)

    async def signal(self, subject: str, payload: bytes = b"") -> None:
        try:
            await self._client.publish(subject, payload)
        except nats.errors.Error as error:
            log.debug("signal %s is lost: %r", subject, error)  # the poll behind every signal makes up for it

    async def on_signal(self, subject: str, handler: SignalHandler) -> None:
        async def on_message(msg: Msg) -> None:
            if msg.reply:  # somebody of ours asks whether he may answer questions (backbone.bus.access)
                await self._client.publish(msg.reply)
            else:
                await handler(msg.subject, msg.data)

        await self._client.subscribe(subject, cb=on_message, pending_bytes_limit=FOLLOW_BYTES)

    async def ask(self, subject: str, payload: bytes, timeout: float) -> bytes | None:  # noqa: ASYNC109  # of the question
        try:
            return (await self._client.request(subject, payload, timeout=timeout)).data
        except (TimeoutError, nats.errors.Error, OSError) as error:
            log.debug("nobody answers on %s: %r", subject, error)
            return None

    async def on_ask(self, subject: str, handler: AskHandler) -> None:
        async def on_message(msg: Msg) -> None:
            if msg.reply:
                await self._client.publish(msg.reply, await handler(msg.data))

        await self._client.subscribe(subject, queue=subject, cb=on_message)

    def certificate_ends(self) -> float | None:
        writer = getattr(self._client._transport, "_io_writer", None)  # noqa: SLF001  # no door to its connection
        tls: ssl.SSLObject | None = writer.get_extra_info("ssl_object") if writer else None
        ends = (tls.getpeercert() or {}).get("notAfter") if tls else None
        return float(ssl.cert_time_to_seconds(ends)) if isinstance(ends, str) else None

    def on_reconnect(self, callback: Callable[[], None]) -> None:
        self._reconnected.append(callback)

    def granted(self) -> None:
        """A right was missing, and is there: whatever waited for it is tried at once."""
        self._epoch = None
        for pull in self._pulls:
            pull.rebind()
        for callback in self._reconnected:
            callback()

    def disconnected(self) -> None:
        """The connection is gone: no acknowledgement will come, and nothing may be said about what was delivered."""
        self._epoch = None
        for batch in self._batches.values():
            batch.lose()
        for pull in self._pulls:
            pull.life = ""

    async def reconnected(self) -> None:
        """The connection is back: the store may be another one, so ask for everything again."""
        self.disconnected()
        for pull in self._pulls:
            pull.rebind()
        for callback in self._reconnected:
            callback()

    async def close(self) -> None:
        for pull in self._pulls:
            await pull.close()
        if self._client.is_connected:
            # what was given back must arrive before the connection goes
            with suppress(nats.errors.Error):
                await self._client.flush(2)
        else:
            # a client that tries to reconnect refuses to be drained; uvloop has a RuntimeError for what nats-py then
            # still writes into the broken connection
            with suppress(nats.errors.Error, OSError, RuntimeError):
                await self._client.close()


def connection_name(service: str) -> str:
    """Unique per process, so that operators can tell connections apart."""
    return f"dream-{service}-{uuid4().hex[:8]}"


def divided(messages: Sequence[Message]) -> tuple[Sequence[Message], dict[UUID, int]]:
    """Those that are to be stored, and of each session that has others the last version among these."""
    stored: list[Message] = []
    settled: dict[UUID, int] = {}
    for message in messages:
        if subjects.is_settled(message.route):
            settled[message.session_id] = max(message.version, settled.get(message.session_id, 0))
        else:
            stored.append(message)
    return stored, settled


def told(version: int) -> bytes:
    """The word for it, as it travels."""
    return Recorded(version=version).model_dump_json().encode()
