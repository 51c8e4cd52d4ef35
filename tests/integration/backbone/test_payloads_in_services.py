"""Events whose data lie in the artifact store, through the loops of services and over the bus."""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from pydantic import SecretStr

from backbone.runner.handlers import DecisionHandler, Outcome, Recorded, Takes, WorkHandler, emit
from backbone.service import Backbone, Service
from backbone.settings import Settings
from contracts.gateway import FeedbackGiven
from contracts.response import RunCompleted, RunFailed
from tests.conformance.facts import PRODUCER, append, fact, note
from tests.conformance.harness import until


@pytest.fixture
async def backbone(nats_url: str, postgres_url: str, tmp_path: Path) -> AsyncIterator[Backbone]:
    backbone = await Backbone.connect(
        Settings(
            nats_url=nats_url,
            database_url=SecretStr(postgres_url),
            artifacts_url=f"file://{tmp_path}/artifacts",
            ack_wait_seconds=2.0,
            bus_max_bytes=64 * 1024**2,
        )
    )
    try:
        yield backbone
    finally:
        await backbone.close()


async def test_deciders_and_workers_get_whole_events_and_the_bus_carries_references(backbone: Backbone) -> None:
    """A decider folds what is large and answers with as much; a worker reads that."""
    sizes: list[int] = []

    def decide(state: str, message: Recorded) -> Outcome:
        assert isinstance(message.event, FeedbackGiven)
        return emit(note(f"{state}{message.event.comment[:5]}" + "나" * 50_000))

    def evolve(state: str, seen: Recorded) -> str:
        return state + seen.event.comment[:3] if isinstance(seen.event, FeedbackGiven) else state

    async def handle(message, event, record) -> Outcome:
        return emit(RunCompleted() if event.comment.endswith("나나") else RunFailed.model_validate(RunFailed.example))

    decider: DecisionHandler[str] = DecisionHandler(
        "planning",
        "planning",
        (Takes(PRODUCER, "FeedbackGiven"),),
        frozenset({"FeedbackGiven"}),
        lambda: "",
        evolve,
        decide,
    )
    worker = WorkHandler(
        "response",
        "response",
        (Takes("planning", "FeedbackGiven"),),
        handle,
        lambda m, e, error: emit(RunFailed(error=error)),
    )
    service = Service("planning", backbone, [decider, worker], relays=[PRODUCER, "planning", "response"])
    await service.start()
    try:

        async def seen(subject: str, headers: Mapping[str, str], body: bytes) -> None:
            sizes.append(len(body))
            assert ("ce-dataref" in headers) == (b"dataref" in body)

        await service.bus.follow(seen)
        session = uuid4()
        for number in range(2):
            await backbone.ledger.append(PRODUCER, "test", [append(session, fact(note(f"{number} " + "가" * 90_000)))])

            async def answered(count: int = 2 * number + 2) -> bool:
                found = await backbone.ledger.read(session)
                return len(found) == 3 * count // 2 and [m.type for m in found].count("RunCompleted") == count // 2

            await until(answered)
        texts = [m.event.comment.rstrip("나") for m in await backbone.ledger.read(session) if m.producer == "planning"]  # type: ignore[attr-defined]
        # folded once, however often it was decided
        assert texts == ["0 가" + "0 가가가", "0 가" + "0 가" + "1 가" + "1 가가가"]
        await until_all(sizes, 6)
        assert max(sizes) < 1000
        assert await backbone.ledger.dead_letters() == []
        assert await backbone.ledger.verify() == {}
    finally:
        await service.stop()


async def test_a_decision_that_is_asked_again_begins_where_it_began(backbone: Backbone) -> None:
    """What it makes is too large for a row, so that is stored first, and it is made anew: a state that was changed in
    place meanwhile must not hide what there is to decide."""

    def evolve(state: list[str], seen: Recorded) -> list[str]:
        assert isinstance(seen.event, FeedbackGiven)
        match seen.event.comment[:5]:
            case "begin":
                state.append("open")
            case "ended":
                state.clear()
        return state

    def decide(state: list[str], message: Recorded) -> Outcome:
        assert isinstance(message.event, FeedbackGiven)
        return emit(note("ended" + "나" * 50_000)) if state and message.event.comment == "end" else Outcome()

    decider: DecisionHandler[list[str]] = DecisionHandler(
        "planning", "planning", (Takes(PRODUCER, "FeedbackGiven"),), frozenset({"FeedbackGiven"}), list, evolve, decide
    )
    service = Service("planning", backbone, [decider], relays=[PRODUCER, "planning"])
    await service.start()
    try:
        session = uuid4()
        for text, head in (("begin", 1), ("end", 3), ("begin", 4), ("end", 6)):
            await backbone.ledger.append(PRODUCER, "test", [append(session, fact(note(text)))])
            await until(lambda head=head: _ends_at(backbone, session, head))
    finally:
        await service.stop()


async def _ends_at(backbone: Backbone, session: UUID, head: int) -> bool:
    return await backbone.ledger.head(session) == head


async def test_an_event_whose_data_are_lost_becomes_a_dead_letter_and_others_go_on(
    backbone: Backbone, tmp_path: Path
) -> None:
    handled: list[str] = []

    async def handle(message, event, record) -> Outcome:
        handled.append(event.comment[:4])
        return emit(RunCompleted())

    worker = WorkHandler(
        "response",
        "response",
        (Takes(PRODUCER, "FeedbackGiven"),),
        handle,
        lambda m, e, error: emit(RunFailed(error=error)),
    )
    lost, after = uuid4(), uuid4()
    await backbone.ledger.append(PRODUCER, "test", [append(lost, fact(note("lost" * 40_000)))])
    for file in (tmp_path / "artifacts").glob("??/*"):
        file.unlink()
    backbone.ledger._payloads._known.clear()  # type: ignore[attr-defined]  # as another process, which has read nothing yet
    await backbone.ledger.append(PRODUCER, "test", [append(after, fact(note("well" * 40_000)))])
    service = Service("response", backbone, [worker], relays=[PRODUCER, "response"])
    await service.start()
    try:

        async def buried() -> bool:
            return bool(await backbone.ledger.dead_letters()) and handled == ["well"]

        await until(buried)
        (letter,) = await backbone.ledger.dead_letters()
        assert letter["code"] == 9011
        assert str(lost) in str(letter["reason"])
    finally:
        await service.stop()


async def until_all(found: list[int], count: int) -> None:
    async def all_there() -> bool:
        return len(found) >= count

    await until(all_there)
