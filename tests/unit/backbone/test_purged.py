"""A stream from which all is gone that was there, though it is the same stream: somebody has purged it."""

import asyncio
from uuid import uuid4

import pytest
from nats.js.api import StreamState

from backbone.bus.jetstream import JetStreamBus
from backbone.bus.port import ConsumerSpec
from backbone.bus.pull import Store
from contracts import subjects
from tests.conformance.deliveries import drained
from tests.conformance.facts import PRODUCER, run_begins
from tests.conformance.harness import Rig, running, until
from tests.unit.backbone.test_relay import started

CREATED = "2026-11-29T00:00:00+00:00"


def _state(first: int, last: int) -> StreamState:
    return StreamState(messages=max(last - first + 1, 0), bytes=0, first_seq=first, last_seq=last, consumer_count=1)


@pytest.mark.parametrize(
    ("looks", "epoch"),
    [
        ([(1, 5), (1, 9), (4, 9)], CREATED),  # what is old ages away
        ([(1, 0), (1, 5)], CREATED),  # new
        ([(1, 5), (6, 5)], f"{CREATED}#5"),  # purged
        ([(1, 5), (6, 8)], f"{CREATED}#5"),  # and more has come since
        ([(1, 5), (6, 5), (6, 5), (6, 7)], f"{CREATED}#5"),
        ([(1, 5), (6, 5), (6, 7), (8, 7)], f"{CREATED}#7"),  # again
    ],
)
def test_it_has_begun_anew_when_all_is_gone_that_was_there(looks: list[tuple[int, int]], epoch: str) -> None:
    store = Store()
    for look in looks:
        store = store.looked_at(CREATED, _state(*look))
    assert store.epoch == epoch


def test_a_stream_that_was_made_anew_was_never_emptied() -> None:
    store = Store().looked_at(CREATED, _state(1, 5)).looked_at(CREATED, _state(6, 5))
    assert store.looked_at("later", _state(1, 0)).epoch == "later"


@pytest.mark.parametrize("rig", ["real"], indirect=True)
async def test_what_somebody_waits_for_is_published_again_within_seconds(rig: Rig) -> None:
    assert isinstance(rig.bus, JetStreamBus)
    session, watch = uuid4(), await rig.bus.subscribe(ConsumerSpec("watch", ("evt.>",), ack_wait=30), 64)
    async with running((await started(rig)).run()):
        await rig.ledger.append(PRODUCER, "test", [run_begins(session, uuid4())])
        (before,) = await drained(watch, 1)
        await before.ack()
        await asyncio.sleep(2.2)  # the relay has looked at the stream meanwhile
        epoch = await rig.bus.epoch()
        await rig.bus._js.purge_stream(subjects.STREAM)
        (again,) = await drained(watch, 1, timeout=10)
        assert again.headers["ce-id"] == before.headers["ce-id"]
        await until(lambda: rig.bus._last_epoch != epoch)
