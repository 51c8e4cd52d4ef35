"""A courier who may not be believed: sees every message, delivers it again at will, and puts others beside it."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import nats
import nats.errors
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js.errors import Error as JetStreamError

from backbone.bus.bundles import parts
from contracts import subjects


@dataclass(frozen=True, slots=True)
class Seen:
    """A message as it was published."""

    subject: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def type(self) -> str:
        return self.subject.split(".")[4]

    @property
    def session(self) -> str:
        return self.subject.split(".")[2]

    @property
    def events(self) -> list[dict[str, Any]]:
        """Their data: it may be a bundle."""
        return [json.loads(body) for _, body in parts(self.headers, self.body)]

    @property
    def data(self) -> dict[str, Any]:
        (only,) = self.events
        return only


Meddle = Callable[["Courier", Seen], None]


@dataclass(slots=True)
class Courier:
    """Everything that was published, in order; what is put in is not counted."""

    client: Client
    seen: list[Seen] = field(default_factory=list)
    again: int = 0
    meddle: Meddle | None = None
    _ids: set[str] = field(default_factory=set)
    _tasks: set["asyncio.Task[None]"] = field(default_factory=set)

    async def on_message(self, msg: Msg) -> None:
        headers = dict(msg.headers or {})
        if headers.get("ce-id", "") in self._ids:
            return
        self._ids.add(headers.get("ce-id", ""))
        message = Seen(msg.subject, headers, msg.data)
        self.seen.append(message)
        if self.meddle is not None:
            self.meddle(self, message)

    def of(self, session: str, type_: str) -> list[Seen]:
        return [message for message in self.seen if message.session == session and message.type == type_]

    def deliver(self, message: Seen, after: float = 0.0) -> None:
        """Delivers it again, past the store's memory, after some seconds."""
        task = asyncio.create_task(self._deliver(message, after))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _deliver(self, message: Seen, after: float) -> None:
        await asyncio.sleep(after)
        with suppress(JetStreamError, nats.errors.Error, OSError, TimeoutError):  # the stream is gone just now
            await self.put(message.subject, message.headers, message.body)
            self.again += 1

    async def put(self, subject: str, headers: Mapping[str, str], body: bytes) -> None:
        """Publishes anything."""
        head = {**headers, "Nats-Msg-Id": str(uuid4())}
        await self.client.jetstream(timeout=10).publish(subject, body, headers=head)

    async def at_rest(self) -> None:
        """Waits until everything that was to be delivered again is."""
        while self._tasks:
            await asyncio.wait(set(self._tasks))

    async def delete_consumers(self) -> None:
        js = self.client.jetstream(timeout=10)
        for info in await js.consumers_info(subjects.STREAM):
            await js.delete_consumer(subjects.STREAM, info.name)

    async def delete_stream(self) -> None:
        await self.client.jetstream(timeout=10).delete_stream(subjects.STREAM)


def everything(courier: Courier, message: Seen) -> None:
    """Each message comes twice more, out of order; a dispatch also in the moment of its start and of its success."""
    for _ in range(2):
        courier.deliver(message, random.uniform(0.0, 0.8))  # not a secret
    if message.type in ("TodoStarted", "TodoSucceeded"):
        todo_ids = {event["todo_id"] for event in message.events}
        for dispatched in courier.of(message.session, "TodoDispatched"):
            if any(event["todo"]["id"] in todo_ids for event in dispatched.events):
                for after in (0.0, 0.005, 0.05):
                    courier.deliver(dispatched, after)


@asynccontextmanager
async def courier(url: str, meddle: Meddle | None = None) -> AsyncIterator[Courier]:
    """Sees what is published from now on."""
    client = await nats.connect(url, max_reconnect_attempts=-1, reconnect_time_wait=0.1)
    one = Courier(client, meddle=meddle)
    try:
        await client.subscribe(subjects.EVENTS, cb=one.on_message)
        await client.flush()
        yield one
        one.meddle = None
        await one.at_rest()
    finally:
        await client.close()
