"""Vectors for memories: made in the background, told to who asks, from one encoder."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import cast
from uuid import uuid4

import numpy as np
import pytest

from backbone.memories.port import DIMENSIONS
from backbone.service import Service
from contracts.memory import MeaningFound, MeaningWanted, MemoryItem, MemoryKind
from services.cognitive.meanings import BATCH, Meanings
from tests.fakes.bus import MemoryBus
from tests.fakes.memories import MemoryMemories


class Encoder:
    """Texts of one length mean the same."""

    name = "lengths"
    unsure_below = 0.2

    def __init__(self, dimensions: int = DIMENSIONS) -> None:
        self.dimensions = dimensions
        self.read: list[str] = []

    async def encode(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        self.read += texts
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row, len(text) % self.dimensions] = 1.0
        return cast("Sequence[Sequence[float]]", vectors.tolist())


def item(text: str) -> MemoryItem:
    return MemoryItem(
        item_id=uuid4(), user="mina", kind=MemoryKind.NOTE, text=text, language="ko", recorded_at=datetime.now(UTC)
    )


async def test_items_get_their_vectors_a_batch_at_a_time():
    store, encoder = MemoryMemories(), Encoder()
    await store.keep([item("가" * (number + 1)) for number in range(BATCH + 3)])
    meanings = Meanings(encoder, store)
    assert [await meanings.catch_up() for _ in range(3)] == [True, False, False]
    assert {meaning.encoder for meaning in store.meanings.values()} == {"lengths"}
    assert len(store.meanings) == BATCH + 3


async def test_an_encoder_whose_vectors_do_not_fit_leaves_items_to_their_letters():
    store, encoder = MemoryMemories(), Encoder(dimensions=3)
    await store.keep([item("치과")])
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await Meanings(encoder, store).catch_up()
    assert store.meanings == {}
    assert encoder.read == ["치과"]


async def test_vectors_of_another_encoder_are_made_anew_a_batch_at_a_time_and_once():
    store, old, new = MemoryMemories(), Encoder(), Encoder()
    new.name = "better lengths"
    await store.keep([item("가" * (number + 1)) for number in range(BATCH + 3)])
    before = Meanings(old, store)
    while await before.catch_up():
        pass
    assert not await before.renew()
    after = Meanings(new, store)
    assert await after.renew()
    assert len(new.read) == BATCH
    assert not await after.renew()
    assert {meaning.encoder for meaning in store.meanings.values()} == {"better lengths"}
    # the one before is still there, and must not undo it
    old.read.clear()
    assert not await before.renew()
    assert not await after.renew()
    assert (old.read, len(new.read)) == ([], BATCH + 3)


async def test_a_service_with_a_new_encoder_makes_the_vectors_of_the_old_one_anew():
    store, old, new = MemoryMemories(), Encoder(), Encoder()
    new.name = "better lengths"
    await store.keep([item("치과"), item("은행 계좌")])
    await Meanings(old, store).catch_up()
    service = cast("Service", SimpleNamespace(bus=MemoryBus()))
    running = asyncio.create_task(Meanings(new, store).run(service))
    async with asyncio.timeout(30):
        while {meaning.encoder for meaning in store.meanings.values()} != {"better lengths"}:
            await asyncio.sleep(0.01)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_a_question_is_answered_with_the_encoder_that_made_the_vector():
    meanings = Meanings(Encoder(), MemoryMemories())
    found = MeaningFound.model_validate_json(await meanings.answer(MeaningWanted(text="네").model_dump_json().encode()))
    assert found.encoder == "lengths"
    assert found.vector[1] == 1.0
    assert len(found.vector) == DIMENSIONS


async def test_a_question_that_cannot_be_read_is_answered_with_nothing():
    answer = await Meanings(Encoder(), MemoryMemories()).answer(b"?")
    assert MeaningFound.model_validate_json(answer) == MeaningFound()


async def test_several_texts_have_a_vector_each():
    meanings = Meanings(Encoder(), MemoryMemories())
    wanted = MeaningWanted(text="", texts=("네", "아니요")).model_dump_json().encode()
    found = MeaningFound.model_validate_json(await meanings.answer(wanted))
    assert [vector.index(1.0) for vector in found.vectors] == [1, 3]
    assert (found.encoder, found.vector) == ("lengths", ())


async def test_what_cannot_be_encoded_in_time_gets_its_vector_later(monkeypatch: pytest.MonkeyPatch):
    class Loading(Encoder):
        async def encode(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
            await asyncio.Event().wait()
            return []

    class Broken(Encoder):
        async def encode(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
            raise RuntimeError("encode failed")

    monkeypatch.setattr("services.cognitive.meanings.PATIENCE", 0.01)
    for encoder in (Loading(), Broken()):
        assert await Meanings(encoder, MemoryMemories()).at_once(["치과"]) == ()
    (meaning,) = await Meanings(Encoder(), MemoryMemories()).at_once(["치과"])
    assert meaning.encoder == "lengths"
