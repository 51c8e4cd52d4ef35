"""A standing pull request on a durable consumer: renewed at half, watched by heartbeats, bound again when it breaks.

nats-py's own loops swallow a lost consumer and spin (docs/adr/0003); this one says so, backs off, re-binds."""

import asyncio
import json
import logging
import random
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import nats.errors
import nats.js.errors
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription as NatsSubscription
from nats.js import JetStreamContext
from nats.js.api import StreamConfig, StreamState

from backbone.bus import declare
from backbone.bus.bundles import BundleError, parts
from backbone.bus.direct import Direct
from backbone.bus.port import GIVE_BACK, Backlog, BusUnavailable, ConsumerSpec, Delivery
from backbone.gathering import gathered
from contracts import subjects

log = logging.getLogger(__name__)

SOON = 0.05
HEARTBEAT = 5.0
EXPIRES = 60.0
_UNBOUND = (nats.errors.Error, nats.js.errors.Error, BusUnavailable, OSError, asyncio.TimeoutError)


class _Received:
    """A message of the bus that has come, and how many of its events are not settled yet. The bus hears of it when all
    are: when one is to come again the others come with it, and the inbox knows them."""

    __slots__ = ("_delay", "_left", "_life", "_pull", "reply", "subject")

    def __init__(self, pull: "PullSubscription", subject: str, reply: str, events: int) -> None:
        self.subject = subject
        self.reply = reply
        self._pull = pull
        self._life = pull.life
        self._left = events
        self._delay = -1.0

    async def settle(self, delay: float = -1.0) -> None:
        """One event is settled; with a delay, seconds, it is to come again."""
        self._left -= 1
        self._delay = max(self._delay, delay)
        if self._left == 0:
            again = json.dumps({"delay": int(self._delay * 1e9)}).encode()
            await self.say(b"+ACK" if self._delay < 0 else b"-NAK " + again)

    async def say(self, verdict: bytes) -> None:
        await self._pull.settle(self._life, self.reply, verdict)


class NatsDelivery:
    """See backbone.bus.port.Delivery."""

    __slots__ = ("_received", "body", "headers")

    known = None

    def __init__(self, received: _Received, headers: Mapping[str, str], body: bytes) -> None:
        self._received = received
        self.headers = headers
        self.body = body

    @property
    def subject(self) -> str:
        return self._received.subject

    @property
    def attempt(self) -> int:
        # $JS.ACK.<stream>.<consumer>.<delivered>.… has 9 tokens; with domain and account two or three more
        tokens = self._received.reply.split(".")
        try:
            return int(tokens[4] if len(tokens) < 11 else tokens[6])
        except (IndexError, ValueError):
            return 1  # nobody delivered it: it was sent to our inbox

    async def ack(self) -> None:
        await self._received.settle()

    async def retry(self, delay: float) -> None:
        await self._received.settle(delay)

    async def extend(self) -> None:
        await self._received.say(b"+WPI")


class PullSubscription:
    """See backbone.bus.port.Subscription."""

    def __init__(  # a connection, and what is pulled over it
        self,
        client: Client,
        js: JetStreamContext,
        spec: ConsumerSpec,
        prefetch: int,
        bind: "Binder",
        direct: Direct,
    ) -> None:
        self._client = client
        self._direct = direct
        self._js = js
        self._spec = spec
        self._prefetch = prefetch
        self._bind = bind
        self._ready: deque[NatsDelivery] = deque()
        self._arrived = asyncio.Event()
        self._outstanding = 0
        self._broken = asyncio.Event()
        self._sub: NatsSubscription | None = None
        self._watch: asyncio.Task[None] | None = None
        self._last_contact = 0.0
        self.life = ""
        """Which stream and consumer we are bound to; empty while we do not know."""
        self._refused = "it is not bound yet"

    @property
    def last_contact(self) -> float:
        return self._last_contact

    @property
    def unbound(self) -> str:
        if self.life:
            return ""
        return self._refused if self._client.is_connected else "there is no connection to NATS"

    async def backlog(self) -> Backlog | None:
        if not self.life:
            return None
        try:
            info = await self._js.consumer_info(subjects.STREAM, self._spec.name)
        except _UNBOUND:
            return None
        return Backlog(info.num_pending or 0, info.num_ack_pending or 0)

    async def start(self) -> None:
        self._watch = asyncio.create_task(self._keep_bound(), name=f"pull:{self._spec.name}")

    async def close(self) -> None:
        await _ended(self._watch)
        await self._drop_inbox()
        while self._ready:
            await self._ready.popleft().retry(GIVE_BACK)

    async def settle(self, life: str, reply: str, verdict: bytes) -> None:
        """Sends a verdict on a delivery of a past or present life. A reply subject holds nothing but numbers, and they
        begin anew with the store: an answer to a message of the old store would settle another one of the new store."""
        if life != self.life or not life or not self._client.is_connected:
            return
        # A lost settlement is a redelivery, and the inbox knows the message: nothing to do about it here.
        with suppress(nats.errors.Error):
            await self._client.publish(reply, verdict)

    async def ready(self) -> None:
        while not self._ready:
            self._arrived.clear()
            await self._arrived.wait()

    def waiting(self) -> int:
        return len(self._ready)

    async def drain(self, limit: int) -> list[Delivery]:
        await self.ready()
        await gathered(self.waiting, limit)
        return await self.take(limit)

    async def take(self, limit: int) -> list[Delivery]:
        taken: list[Delivery] = [self._ready.popleft() for _ in range(min(limit, len(self._ready)))]
        if taken:
            await self._top_up()
        return taken

    def rebind(self) -> None:
        """Something happened to the connection or the store: look again instead of waiting for silence."""
        self.life = ""
        self._broken.set()

    async def _top_up(self) -> None:
        room = self._prefetch - self._outstanding - len(self._ready)
        if self._sub is None or room * 2 < self._prefetch:
            return
        request = {"batch": room, "expires": int(EXPIRES * 1e9), "idle_heartbeat": int(HEARTBEAT * 1e9)}
        subject = f"$JS.API.CONSUMER.MSG.NEXT.{subjects.STREAM}.{self._spec.name}"
        self._outstanding += room
        with suppress(nats.errors.Error):
            await self._client.publish(subject, json.dumps(request).encode(), reply=self._sub.subject)

    async def _on_message(self, msg: Msg) -> None:
        """What the server itself says, and what came before we took messages directly."""
        headers = msg.headers
        if headers and not msg.data and "Status" in headers:
            self._last_contact = asyncio.get_running_loop().time()
            await self._on_status(headers)
        else:
            self._delivered(msg.subject, msg.reply, headers or {}, msg.data)

    def _delivered(self, subject: str, reply: str, headers: Mapping[str, str], data: bytes) -> None:
        self._last_contact = asyncio.get_running_loop().time()
        self._outstanding = max(0, self._outstanding - 1)
        try:
            events = parts(headers, data)
        except BundleError:
            events = [(headers, data)]  # whoever reads it says what is wrong with it
        received = _Received(self, subject, reply, len(events))
        self._ready.extend(NatsDelivery(received, *event) for event in events)
        self._arrived.set()

    async def _on_status(self, headers: Mapping[str, str]) -> None:
        status, description = headers.get("Status"), headers.get("Description", "")
        if status == "100":
            return
        pending = headers.get("Nats-Pending-Messages")
        self._outstanding = max(0, self._outstanding - int(pending)) if pending else 0
        if status == "408":
            await self._top_up()  # the request ran out of time; ask again
        else:
            # 409 consumer deleted, server shutdown, too many requests; 503 nobody there. Asking at once would spin.
            log.warning("consumer %s answers %s %s", self._spec.name, status, description.strip())
            self._broken.set()

    async def _keep_bound(self) -> None:
        loop = asyncio.get_running_loop()
        delay = SOON
        while True:
            self._broken.clear()
            since = loop.time()
            try:
                life = await self._bound()
                await self._drop_inbox()
                self._sub = await self._client.subscribe(
                    self._client.new_inbox(), cb=self._on_message, pending_msgs_limit=-1
                )
                self._direct.to(self._sub, self._delivered)
                self._last_contact = since = loop.time()
                if not self._broken.is_set():
                    self.life = life
                await self._top_up()
                await self._until_broken(loop)
            except _UNBOUND as error:
                self._refused = str(error) or repr(error)
                log.warning("consumer %s is not bound: %r; again in %.2f s", self._spec.name, error, delay)
                await self._pause(delay)
                delay = min(delay * 2, 5.0)
                continue
            # bound and lost at once is no better than not bound
            delay = SOON if loop.time() - since > 1 else min(delay * 2, 5.0)
            if delay > SOON:
                await self._pause(delay)

    async def _bound(self) -> str:
        """Binds, but does not wait for answers to questions that went down with their connection."""
        bind = asyncio.ensure_future(self._bind(self._spec))
        news = asyncio.ensure_future(self._broken.wait())
        try:
            await asyncio.wait({bind, news}, return_when=asyncio.FIRST_COMPLETED)
            if not bind.done():
                raise BusUnavailable("the connection changed while binding")
            return bind.result()
        finally:
            await _ended(bind)
            await _ended(news)

    async def _pause(self, delay: float) -> None:
        """Waits, but not when there is news of the connection."""
        self._broken.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(delay * random.uniform(0.5, 1.0)):  # noqa: S311  # jitter, not a secret
                await self._broken.wait()

    async def _until_broken(self, loop: asyncio.AbstractEventLoop) -> None:
        oldest: NatsDelivery | None = None
        while not self._broken.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(min(HEARTBEAT, self._spec.ack_wait / 3)):
                    await self._broken.wait()
            if not self._outstanding:
                self._last_contact = loop.time()  # we are full and asked for nothing: silence is no sign
            elif loop.time() - self._last_contact > 2 * HEARTBEAT:
                log.warning("consumer %s is silent; binding again", self._spec.name)
                return
            # The runner is busy: without this its prefetched messages would be delivered twice.
            if self._ready and self._ready[0] is oldest:
                for delivery in list(self._ready):
                    await delivery.extend()
            oldest = self._ready[0] if self._ready else None

    async def _drop_inbox(self) -> None:
        sub, self._sub = self._sub, None
        self._outstanding = 0
        if sub is not None:
            self._direct.over(sub)
            with suppress(nats.errors.Error):
                await sub.unsubscribe()


async def _ended(task: "asyncio.Future[Any] | None") -> None:
    """Cancels, more than once if need be: nats-py waits with wait_for, which on 3.11 can swallow a cancellation."""
    while task and not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=0.5)
    if task and not task.cancelled():
        task.exception()


@dataclass(frozen=True, slots=True)
class Store:
    """What was seen of the stream at the last look. One from which all is gone that was there has begun anew, although
    it is the same stream: somebody has purged it, and nobody will deliver what was in it."""

    created: str = ""
    last: int = 0
    emptied: int = 0
    """The number of its last message when all before was found gone; 0: never."""

    @property
    def epoch(self) -> str:
        return f"{self.created}#{self.emptied}" if self.emptied else self.created

    def looked_at(self, created: str, state: StreamState) -> "Store":
        """As it is now. What ages away, or is dropped because all have settled it, may look so too, and then next to
        nothing is owed to anybody."""
        if created != self.created:
            return Store(created, state.last_seq if state.messages else 0)
        gone = 0 < self.last < state.first_seq
        left = state.last_seq if state.messages else 0 if gone else self.last
        return Store(created, left, self.last if gone else self.emptied)


class Binder:
    """Makes sure that stream and consumer exist before a pull begins."""

    def __init__(
        self, js: JetStreamContext, config: StreamConfig, *, may_create: bool, seen: Callable[[str], None]
    ) -> None:
        self._js = js
        self._seen = seen
        self._config = config
        self._may_create = may_create
        self._store = Store()

    async def __call__(self, spec: ConsumerSpec) -> str:
        """Returns the identity of what is bound: when stream and consumer were created."""
        await self.epoch()
        consumer = await declare.consumer(self._js, spec, may_create=self._may_create)
        return f"{self._store.created} {consumer.created}"

    takes_bundles = False
    """Whether events may be published together, as it was when the stream was last looked at."""

    async def epoch(self) -> str:
        """When the stream was created, to the microsecond, and how far it had come when it was emptied since: the
        identity of its present life. Whoever makes it anew, or finds it anew, tells the bus."""
        info = await declare.stream(self._js, self._config, may_create=self._may_create)
        if info.created is None:
            raise BusUnavailable("nats-server does not say when the stream was created")
        self._store = self._store.looked_at(info.created.isoformat(), info.state)
        epoch = self._store.epoch
        self.takes_bundles = declare.takes_bundles(info.config)
        self._seen(epoch)
        return epoch
