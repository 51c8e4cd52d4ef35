"""A standing pull request on a durable consumer: renewed at half, watched by heartbeats, bound again when it breaks.

nats-py's own loops swallow a lost consumer and spin (STACK.md, nats-py 2); this one says so, backs off, and re-binds."""

import asyncio
import json
import logging
import random
from collections import deque
from collections.abc import Mapping
from contextlib import suppress

import nats.errors
import nats.js.errors
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription as NatsSubscription
from nats.js import JetStreamContext

from backbone.bus import declare
from backbone.bus.port import BusUnavailable, ConsumerSpec
from contracts import subjects

log = logging.getLogger(__name__)

HEARTBEAT = 5.0
EXPIRES = 60.0
_UNBOUND = (nats.errors.Error, nats.js.errors.Error, BusUnavailable, OSError, asyncio.TimeoutError)


class NatsDelivery:
    """See backbone.bus.port.Delivery."""

    __slots__ = ("_client", "_msg")

    def __init__(self, client: Client, msg: Msg) -> None:
        self._client = client
        self._msg = msg

    @property
    def subject(self) -> str:
        return self._msg.subject

    @property
    def headers(self) -> Mapping[str, str]:
        return self._msg.headers or {}

    @property
    def body(self) -> bytes:
        return self._msg.data

    @property
    def attempt(self) -> int:
        # $JS.ACK.<stream>.<consumer>.<delivered>.… or, with a domain and account, two tokens more
        tokens = self._msg.reply.split(".")
        return int(tokens[4] if len(tokens) < 12 else tokens[6])

    async def ack(self) -> None:
        await self._settle(b"+ACK")

    async def retry(self, delay: float) -> None:
        await self._settle(b"-NAK " + json.dumps({"delay": int(delay * 1e9)}).encode())

    async def extend(self) -> None:
        await self._settle(b"+WPI")

    async def _settle(self, verdict: bytes) -> None:
        # A lost settlement is a redelivery, and the inbox knows the message: nothing to do about it here.
        with suppress(nats.errors.Error):
            await self._client.publish(self._msg.reply, verdict)


class PullSubscription:
    """See backbone.bus.port.Subscription."""

    def __init__(
        self, client: Client, js: JetStreamContext, spec: ConsumerSpec, prefetch: int, bind: "Binder"
    ) -> None:
        self._client = client
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

    @property
    def last_contact(self) -> float:
        return self._last_contact

    async def start(self) -> None:
        self._watch = asyncio.create_task(self._keep_bound(), name=f"pull:{self._spec.name}")

    async def close(self) -> None:
        if self._watch:
            self._watch.cancel()
            with suppress(asyncio.CancelledError):
                await self._watch
        await self._drop_inbox()

    async def drain(self, limit: int) -> list[NatsDelivery]:
        while not self._ready:
            self._arrived.clear()
            await self._arrived.wait()
        taken = [self._ready.popleft() for _ in range(min(limit, len(self._ready)))]
        await self._top_up()
        return taken

    def rebind(self) -> None:
        """Something happened to the connection or the store: look again instead of waiting for silence."""
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
        self._last_contact = asyncio.get_running_loop().time()
        headers = msg.headers
        if headers and not msg.data and "Status" in headers:
            await self._on_status(headers)
            return
        self._outstanding = max(0, self._outstanding - 1)
        self._ready.append(NatsDelivery(self._client, msg))
        self._arrived.set()

    async def _on_status(self, headers: Mapping[str, str]) -> None:
        status, description = headers.get("Status"), headers.get("Description", "")
        if status == "100":
            return
        pending = headers.get("Nats-Pending-Messages")
        self._outstanding = max(0, self._outstanding - int(pending)) if pending else 0
        if status == "408" or (status == "409" and "exceeded" in description.lower()):
            await self._top_up()  # the request ran out of time or of room; ask again
        else:
            log.warning("consumer %s answers %s %s", self._spec.name, status, description)
            self._broken.set()

    async def _keep_bound(self) -> None:
        loop = asyncio.get_running_loop()
        delay = 0.05
        while True:
            try:
                await self._bind(self._spec)
                await self._drop_inbox()
                self._sub = await self._client.subscribe(self._client.new_inbox(), cb=self._on_message, pending_msgs_limit=-1)
                self._broken.clear()
                self._last_contact = loop.time()
                await self._top_up()
                delay = 0.05
                await self._until_silent(loop)
            except _UNBOUND as error:
                log.warning("consumer %s is not bound: %r; again in %.2f s", self._spec.name, error, delay)
                await asyncio.sleep(delay * random.uniform(0.5, 1.0))  # noqa: S311  # jitter, not a secret
                delay = min(delay * 2, 5.0)

    async def _until_silent(self, loop: asyncio.AbstractEventLoop) -> None:
        while not self._broken.is_set():
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._broken.wait(), HEARTBEAT)
            if loop.time() - self._last_contact > 2 * HEARTBEAT:
                log.warning("consumer %s is silent; binding again", self._spec.name)
                return

    async def _drop_inbox(self) -> None:
        sub, self._sub = self._sub, None
        self._outstanding = 0
        if sub is not None:
            with suppress(nats.errors.Error):
                await sub.unsubscribe()


class Binder:
    """Makes sure that stream and consumer exist before a pull begins."""

    def __init__(self, js: JetStreamContext, config: "declare.StreamConfig", *, may_create: bool) -> None:
        self._js = js
        self._config = config
        self._may_create = may_create

    async def __call__(self, spec: ConsumerSpec) -> None:
        await declare.stream(self._js, self._config, may_create=self._may_create)
        await declare.consumer(self._js, spec, may_create=self._may_create)

    async def epoch(self) -> str:
        """When the stream was created, to the microsecond: the identity of its present life."""
        info = await declare.stream(self._js, self._config, may_create=self._may_create)
        if info.created is None:
            raise BusUnavailable("nats-server does not say when the stream was created")
        return info.created.isoformat()
