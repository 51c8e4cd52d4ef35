"""The way of an event, over real servers: into the ledger as services log in, out of it by its producer's relay, over
JetStream through the filters of each handler, and past its intake."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from uuid import UUID

import nats
from nats.aio.client import Client
from nats.js.errors import NotFoundError

from backbone.bus.jetstream import JetStreamBus
from backbone.ledger.postgres import PostgresLedger
from backbone.relay import Relay
from backbone.runner.handlers import AnyHandler, consumer_spec
from backbone.runner.intake import DeadLetterWriter, Intake, ReceivedMessage
from backbone.witness import Witness
from contracts import subjects
from contracts.envelope import Message, from_headers
from tests.conformance.harness import running
from tests.contract.servers import Servers

APPEND = "select * from ledger.append($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18)"
SECONDS = 60.0


@dataclass(slots=True)
class Carried:
    """What became of the messages. `ledger` has them; `taken` is what each handler took; `followed` what the gateway saw."""

    ledger: PostgresLedger
    client: Client
    messages: list[Message]
    taken: dict[str, list[ReceivedMessage]] = field(default_factory=dict)
    followed: list[Message] = field(default_factory=list)

    def for_(self, handler: AnyHandler) -> set[UUID]:
        """Ids of the messages that a handler says it takes."""
        takes = {(one.producer, one.type, one.route) for one in handler.takes}
        return {one.event_id for one in self.messages if (one.producer, one.type, one.route) in takes}

    async def left_over(self, handler: AnyHandler) -> int:
        """How many more messages its consumer would have got."""
        info = await self.client.jetstream().consumer_info(subjects.STREAM, handler.name)
        return (
            (info.num_pending or 0)
            + (info.delivered.consumer_seq if info.delivered else 0)
            - len(self.taken[handler.name])
        )


@asynccontextmanager
async def carried(
    servers: Servers, messages: Sequence[Message], handlers: Mapping[str, AnyHandler]
) -> AsyncIterator[Carried]:
    """Sends all of them on their way, and waits until every handler has what it says it takes."""
    database = await servers.database()
    ledger = await PostgresLedger.connect(database.services)
    client = await fresh_bus(servers)
    bus = JetStreamBus(client, may_create=True, max_bytes=64 * 1024**2, max_age_seconds=3600)
    try:
        for message in messages:
            await record(ledger, message)
        found = Carried(ledger, client, await _all(ledger, messages))

        async def follow(subject: str, headers: Mapping[str, str], body: bytes) -> None:
            found.followed.append(from_headers(headers, subject, body))

        await bus.epoch()
        await bus.follow(follow)
        relays = [Relay(ledger, bus, producer) for producer in sorted({one.producer for one in messages})]
        async with running(*(relay.run() for relay in relays)), asyncio.timeout(SECONDS):
            for handler in handlers.values():
                found.taken[handler.name] = await _taken(handler, found, bus)
            while len(found.followed) < len(messages):
                await asyncio.sleep(0.01)
        yield found
    finally:
        await bus.close()
        await client.close()
        await ledger.close()


async def fresh_bus(servers: Servers) -> Client:
    """A connection to a bus that knows of nothing."""
    client = await nats.connect(servers.nats_url)
    with suppress(NotFoundError):
        await client.jetstream().delete_stream(subjects.STREAM)
    return client


async def record(ledger: PostgresLedger, message: Message) -> None:
    """As its producer does it, in the words of the version that wrote it: a Fact would have today's."""
    row = (
        1, message.event_id, message.type, message.schema_version, message.route or None, message.run_id,
        message.correlation_id, message.causation_id, message.traceparent, message.data.decode(),
    )  # fmt: skip
    columns = [[value] for value in row]
    consumer, causes = f"contract:{message.producer}", [message.event_id]
    await ledger.pool.fetch(
        APPEND, message.producer, consumer, [message.session_id], causes, None, *columns, None, None, None
    )


async def _all(ledger: PostgresLedger, messages: Iterable[Message]) -> list[Message]:
    sessions = {one.session_id: None for one in messages}
    return [one for session in sessions for one in await ledger.read(session)]


async def _taken(handler: AnyHandler, found: Carried, bus: JetStreamBus) -> list[ReceivedMessage]:
    """All that it takes, in the order in which it came; what is no message of ours is in the dead letters."""
    subscription = await bus.subscribe(consumer_spec(handler, 30.0), 512)
    intake = Intake(
        DeadLetterWriter(found.ledger, handler.name), Witness(found.ledger), consumer_spec(handler, 30.0).subjects
    )
    taken: list[ReceivedMessage] = []
    came, wanted = 0, len(found.for_(handler))
    try:
        while came < wanted:
            deliveries = await subscription.drain(512)
            came += len(deliveries)
            taken += await intake.take(deliveries)
            for delivery in deliveries:
                await delivery.ack()
    finally:
        await subscription.close()
    return taken
