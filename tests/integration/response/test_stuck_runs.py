"""Stuck runs on real servers: what the watch brings back, and what it ends with its reason."""

from collections.abc import AsyncIterator, Coroutine, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from pydantic import SecretStr

from backbone import packs
from backbone.errors import Poison
from backbone.ledger.port import Append, Fact
from backbone.liveness.turns import Margins
from backbone.runner.handlers import DecisionHandler, Outcome, Recorded, Takes, emit
from backbone.service import Backbone, Service
from backbone.settings import Settings
from backbone.telemetry import metrics
from contracts.errors import Code
from contracts.gateway import RunControl
from contracts.response import RunFailed
from contracts.shape import Event
from services.response.watch import Watch
from tests.conformance.harness import running, until
from tests.unit.backbone.runs_told import APPROVED, OUTPUT, SAID, STARTED, UNDERSTOOD, control, dispatched, planned

SOON = Margins(service=0.3, executor=0.1, timer=0.3)
PATIENT, SHORT = (60.0,), (0.2, 0.2, 0.2)
"""Waits of a watch: nothing is given up meanwhile, however long a busy machine takes to do it; and nearly at once."""


def dispatcher(broken: list[int]) -> DecisionHandler[None]:
    """Its first version has a bug."""

    def decide(_: None, message: Recorded) -> Outcome:
        if broken:
            broken.clear()
            raise Poison(Code.INTERNAL, "a bug")
        return emit(OUTPUT)

    return DecisionHandler(
        "execution-dispatcher", "execution", (Takes("planning", "PlanApproved"),), frozenset(), lambda: None,
        lambda s, _: s, decide,
    )  # fmt: skip


@pytest.fixture
async def behind(nats_url: str, postgres_url: str, tmp_path: Path) -> AsyncIterator[Service]:
    """Relays of all layers and a dispatcher that buries its first message."""
    settings = Settings(
        nats_url=nats_url,
        database_url=SecretStr(postgres_url),
        artifacts_url=f"file://{tmp_path}/artifacts",
        bus_max_bytes=64 * 1024**2,
    )
    backbone = await Backbone.connect(settings)
    relays = ("gateway", "planning", "execution", "response")
    service = Service("behind", backbone, (dispatcher([1]),), relays=relays)
    await service.start()
    try:
        yield service
    finally:
        await service.stop()
        await backbone.close()


async def tell(service: Service, session: UUID, run: UUID, producer: str, *events: Event, route: str = "") -> None:
    facts = tuple(Fact(event, uuid4(), run, run, None, route=route) for event in events)
    await service.backbone.ledger.append(producer, f"test:{producer}", [Append(session, uuid4(), facts)])


def counted(outcome: str) -> float:
    return float(metrics.RUNS_HEALED.labels(outcome)._value.get())


async def test_a_buried_decision_is_healed_an_unserved_route_is_parked_and_a_paused_run_is_left_alone(
    behind: Service,
) -> None:
    ledger = behind.backbone.ledger
    healed, unserved, paused = ((uuid4(), uuid4()) for _ in range(3))
    at_work = (SAID, UNDERSTOOD, planned(), STARTED)
    soon = dispatched().model_copy(update={"todo": dispatched().todo.model_copy(update={"timeout_seconds": 0.1})})
    for session, run in (unserved, paused):
        await tell(behind, session, run, "gateway", *at_work)
        await tell(behind, session, run, "execution", soon, route="video")
    await tell(behind, *paused, "gateway", control(RunControl.PAUSE))
    await tell(behind, *healed, "gateway", SAID, UNDERSTOOD, planned())
    await tell(behind, *healed, "planning", APPROVED)
    await until(ledger.dead_letters)

    resent, moved = counted("resent"), counted("moved")

    def watches(waits: tuple[float, ...]) -> Iterator[Coroutine[Any, Any, None]]:
        return (Watch(ledger, packs.load(("bench",)), 0.1, SOON, waits).run() for _ in range(2))

    async with running(*watches(PATIENT)):
        await until(lambda: ledger.find(healed[0], frozenset({"ExecutionOutput"})))
        await until(lambda: counted("moved") > moved)
    async with running(*watches(SHORT)):
        await until(lambda: ledger.find(unserved[0], frozenset({"RunFailed"})))
    (message,) = await ledger.find(unserved[0], frozenset({"RunFailed"}))
    failed = message.event
    assert isinstance(failed, RunFailed)
    assert failed.error.code is Code.RUN_STUCK
    assert (failed.error.detail["route"], failed.error.detail["setting"]) == ("video", "DREAM_EXECUTORS")
    assert "‘video’" in failed.error.message  # in the language of the run
    assert counted("resent") > resent
    assert len(await ledger.find(healed[0], frozenset({"ExecutionOutput"}))) == 1
    assert await ledger.find(paused[0], frozenset({"RunFailed"})) == []
    assert paused[1] in {place.run_id for place in await ledger.open_runs()}
    assert await ledger.verify() == {}
