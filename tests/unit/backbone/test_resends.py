"""Events that are published once more, on request: by the relay of their producer, and by nobody else."""

from uuid import uuid4

import pytest

from backbone import crash
from backbone.ledger.port import LedgerUnavailable
from tests.conformance.deliveries import drained, text
from tests.conformance.facts import PRODUCER, append, fact, note
from tests.conformance.harness import Rig, running, until
from tests.unit.backbone.test_relay import WATCH, note_down, on_both, started


@on_both
async def test_what_somebody_asks_for_is_published_again_by_its_producers_relay_alone(rig: Rig) -> None:
    session, letter, key = uuid4(), uuid4(), uuid4()
    await rig.ledger.append(PRODUCER, "test", [append(session, fact(note("first")), fact(note("second")))])
    watch = await rig.bus.subscribe(WATCH, 64)
    async with running((await started(rig)).run(), (await started(rig, "another")).run()):
        assert [text(d) for d in await drained(watch, 2)] == ["first", "second"]
        assert await rig.ledger.ask_resend(key, session, 2, letter)
        (again,) = await drained(watch, 1)
        assert (text(again), again.headers["dream-retryof"]) == ("second", str(letter))
        await note_down(rig, "third")
        assert [text(d) for d in await drained(watch, 1)] == ["third"], "it was published once"


@on_both
async def test_a_relay_that_dies_before_it_notes_down_a_resend_repeats_it_and_the_bus_knows_the_key(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = uuid4()
    deaths: list[str] = []

    def dies(producer: str, point: str) -> None:
        if point == "resent" and not deaths:
            deaths.append(producer)
            raise LedgerUnavailable("killed between the bus and the ledger")

    monkeypatch.setattr(crash, "point", dies)
    await rig.ledger.append(PRODUCER, "test", [append(session, fact(note("once")))])
    watch = await rig.bus.subscribe(WATCH, 64)
    async with running((await started(rig)).run()):
        await drained(watch, 1)
        assert await rig.ledger.ask_resend(uuid4(), session, 1)
        await drained(watch, 1)

        async def done() -> bool:
            await rig.ledger.ask_resend(marker, session, 1)
            return len(deaths) == 1

        marker = uuid4()
        await until(done)
        assert [text(d) for d in await drained(watch, 1)] == ["once"], "the marker, after the repetition that was none"
        await note_down(rig, "after")
        assert [text(d) for d in await drained(watch, 1)] == ["after"]
