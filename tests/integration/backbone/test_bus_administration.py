"""The administrator's side of the bus: declared, compared with the code, begun anew; on a real nats-server."""

from collections.abc import AsyncIterator
from uuid import uuid4

import nats
import nats.js.errors
import pytest

from backbone.bus.administration import Administration, Difference, Login, administer
from backbone.bus.declare import consumer, stream_config
from backbone.bus.jetstream import JetStreamBus
from backbone.bus.keeper import Keeper
from backbone.bus.port import BusUnavailable, ConsumerSpec
from backbone.bus.rights import ADMIN
from backbone.relay import Relay
from contracts import subjects
from dream.local.embedded import EmbeddedNats
from tests.conformance.facts import CONSUMER, PRODUCER, run_begins
from tests.conformance.harness import running, until
from tests.fakes.ledger import MemoryLedger

SPECS = (ConsumerSpec("reader", ("evt.*.*.gateway.FeedbackGiven",)), ConsumerSpec("desk", ("evt.*.*.planning.>",)))
SIZE, AGE = 32 * 1024**2, 3600.0


@pytest.fixture
async def bus(nats_server: EmbeddedNats) -> AsyncIterator[Administration]:
    async with administer(Login(nats_server.url), SPECS, stream_config(SIZE, AGE)) as bus:
        yield bus


async def test_what_is_missing_is_told_and_made_once(bus: Administration) -> None:
    assert await bus.differences() == [Difference("", "stream", subjects.STREAM, None)]
    assert await bus.declare()
    assert await bus.differences() == []
    assert await bus.declare() == []


async def test_every_kind_of_difference_is_told_and_mended(bus: Administration, nats_server: EmbeddedNats) -> None:
    await bus.declare()
    fewer = ConsumerSpec("desk", ("evt.*.*.planning.PlanApproved",), ack_wait=7, max_ack_pending=12)
    await consumer(bus.js, fewer, may_create=True)
    await consumer(bus.js, ConsumerSpec("of-another", ("evt.*.*.timers.>",)), may_create=True)
    await bus.js.delete_consumer(subjects.STREAM, "reader")
    async with administer(Login(nats_server.url), SPECS, stream_config(SIZE * 2, AGE)) as other:
        found = {(one.consumer, one.what): (one.wanted, one.there) for one in await other.differences()}
        assert found == {
            ("", "max_bytes"): (SIZE * 2, SIZE),
            ("reader", "consumer"): ("reader", None),
            ("desk", "subjects"): (["evt.*.*.planning.>"], ["evt.*.*.planning.PlanApproved"]),
            ("desk", "ack_wait"): (30.0, 7.0),
            ("desk", "max_ack_pending"): (4096, 12),
            ("of-another", "consumer"): (None, "of-another"),
        }
        await other.declare()
        assert await other.differences() == [Difference("of-another", "consumer", None, "of-another")], "it may be used"
        await other.declare(remove_unknown=True)
        assert await other.differences() == []


async def test_what_lets_more_through_than_is_wanted_is_accepted_and_left_as_it_is(
    bus: Administration,
) -> None:
    await bus.declare()
    of_next_version = ConsumerSpec("reader", ("evt.*.*.gateway.>", "evt.*.*.timers.>"))
    await consumer(bus.js, of_next_version, may_create=True)
    assert await bus.differences() == []
    await bus.declare()
    info = await bus.js.consumer_info(subjects.STREAM, "reader")
    assert sorted(info.config.filter_subjects) == sorted(of_next_version.subjects)


async def test_a_keeper_makes_what_is_missing_and_mends_nothing(bus: Administration, nats_server: EmbeddedNats) -> None:
    await bus.declare()
    narrow = ConsumerSpec("desk", ("evt.*.*.planning.PlanApproved",), ack_wait=9)
    await consumer(bus.js, narrow, may_create=True)
    await consumer(bus.js, ConsumerSpec("of-another", ("evt.*.*.timers.>",)), may_create=True)

    async def names() -> set[str]:
        return {info.name for info in await bus.js.consumers_info(subjects.STREAM)}

    async with (
        administer(Login(nats_server.url), SPECS, stream_config(SIZE * 2, AGE), lasting=True) as kept,
        running(Keeper(kept).run()),
    ):
        await bus.js.delete_consumer(subjects.STREAM, "reader")

        async def there_again() -> bool:
            return await names() == {"reader", "desk", "of-another"}

        await until(there_again)
        assert (await bus.js.consumer_info(subjects.STREAM, "desk")).config.ack_wait == 9
        assert (await bus.js.stream_info(subjects.STREAM)).config.max_bytes == SIZE
        await bus.js.delete_stream(subjects.STREAM)

        async def anew() -> bool:
            try:
                return await names() == {"reader", "desk"}
            except nats.js.errors.NotFoundError:
                return False

        await until(anew)


class _Raced(Administration):
    """As many consumers as it makes are deleted in that moment: their number is what it was before."""

    async def declare(
        self, *, remove_unknown: bool = False, mend: bool = True, alone: bool = False
    ) -> list[Difference]:
        found = await super().declare(remove_unknown=remove_unknown, mend=mend, alone=alone)
        if [one.consumer for one in found] == ["reader"]:
            await self.js.delete_consumer(subjects.STREAM, "desk")
        return found


async def test_a_keeper_is_not_deceived_by_a_number_of_consumers_that_is_the_same(bus: Administration) -> None:
    await bus.declare()
    await bus.js.delete_consumer(subjects.STREAM, "reader")
    async with running(Keeper(_Raced(bus.client, bus.js, bus.config, bus.consumers)).run()):

        async def both() -> bool:
            return {info.name for info in await bus.js.consumers_info(subjects.STREAM)} == {"reader", "desk"}

        await until(both)


async def test_a_stream_that_was_rebuilt_is_filled_again_with_what_somebody_waits_for(
    bus: Administration, nats_server: EmbeddedNats
) -> None:
    await bus.declare()
    client = await nats.connect(nats_server.url)
    ledger, run = MemoryLedger(), uuid4()
    live = JetStreamBus(client, may_create=False, max_bytes=SIZE, max_age_seconds=AGE)
    relay = Relay(ledger, live, PRODUCER)

    async def messages() -> int:
        return int((await bus.js.stream_info(subjects.STREAM)).state.messages)

    try:
        await relay.start()
        async with running(relay.run()):
            await ledger.append(PRODUCER, CONSUMER, [run_begins(uuid4(), run)])
            await until(messages)
            assert await bus.rebuild() == 1
            assert await bus.differences() == []
            await until(messages, timeout=20)
    finally:
        await live.close()
        await client.close()


async def test_a_stream_that_finds_no_room_is_told_with_its_size_and_what_to_set(nats_server: EmbeddedNats) -> None:
    told = r"\(code 10047\): a stream of 1,125,899,906,842,624 bytes .*DREAM_BUS_MAX_BYTES"
    with pytest.raises(BusUnavailable, match=told):
        async with administer(Login(nats_server.url), SPECS, stream_config(1 << 50, AGE)) as bus:
            await bus.declare()


async def test_a_bus_that_refuses_is_told_without_its_password(nats_server: EmbeddedNats) -> None:
    wrong = nats_server.url.replace(f"{ADMIN}:", f"{ADMIN}:not-")
    with pytest.raises(BusUnavailable) as told:
        async with administer(Login(wrong), SPECS, stream_config(SIZE, AGE)):
            raise AssertionError
    assert nats_server.url.split(":")[2].split("@")[0] not in str(told.value)
