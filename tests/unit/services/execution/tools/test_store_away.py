"""Files of tools while the artifact store is away, or refuses: before the call nothing has happened, after it everything."""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from backbone.artifacts.port import UNTYPED, ArtifactDamaged, ArtifactStoreRefused, ArtifactStoreUnavailable
from contracts.errors import Code
from contracts.tools import Effects
from services.execution.tools.faults import ToolFault
from services.execution.tools.toolpool import ToolPool
from tests.fakes.artifacts import MemoryArtifacts
from tests.unit.services.execution.tool_caller import ToolCaller

AWAY = ArtifactStoreUnavailable("the artifact store s3://bucket cannot be read: no answer")
REFUSES = ArtifactStoreRefused("the artifact store s3://bucket may not be written")


class Failing(MemoryArtifacts):
    """Raises what it is told to, and says who holds a file."""

    def __init__(self) -> None:
        super().__init__()
        self.error: Exception | None = None
        self.holds = 0

    async def put(self, data: bytes | Path, media_type: str = UNTYPED) -> tuple[str, int]:
        if self.error:
            raise self.error
        return await super().put(data, media_type)

    @asynccontextmanager
    async def held(self, artifact_ids: Sequence[str]) -> AsyncIterator[list[Path]]:
        if self.error:
            raise self.error
        self.holds += 1
        try:
            yield [await self.path(artifact_id) for artifact_id in artifact_ids]
        finally:
            self.holds -= 1


@pytest.fixture
def store() -> Iterator[Failing]:
    store = Failing()
    yield store
    store.close()


@pytest.fixture
def caller(store: Failing) -> ToolCaller:
    return ToolCaller(ToolPool(1), store)


async def fault_of(caller: ToolCaller, function: str, spec_fields: dict[str, Any] | None = None, **fields) -> ToolFault:
    with pytest.raises(ToolFault) as caught:
        await caller.run(function, spec_fields, **fields)
    return caught.value


@pytest.mark.parametrize(
    ("error", "again"), [(AWAY, True), (REFUSES, False), (ArtifactDamaged("it came in part"), True)]
)
async def test_inputs_that_cannot_be_had_fail_the_call_before_it_begins(caller, store, error, again) -> None:
    brought = [await caller.bring("하나", "reviews.raw")]
    store.error = error
    fault = await fault_of(caller, "async_echo", params={}, inputs=brought)
    assert (fault.code, fault.retryable, fault.message) == (Code.ARTIFACT_STORE_UNAVAILABLE, again, str(error))


@pytest.mark.parametrize(("error", "again"), [(AWAY, True), (REFUSES, False)])
async def test_what_a_tool_made_and_nobody_could_store_may_be_made_again(caller, store, error, again) -> None:
    store.error = error
    fault = await fault_of(caller, "async_saves", params={})
    assert (fault.code, fault.retryable) == (Code.ARTIFACT_STORE_UNAVAILABLE, again)


async def test_a_tool_with_effects_outside_has_had_them_although_nothing_could_be_stored(caller, store) -> None:
    """To call it again would be to pay twice."""
    store.error = AWAY
    external = {"effects": Effects.EXTERNAL}
    assert (await fault_of(caller, "async_saves", external, params={})).code is Code.TOOL_OUTCOME_UNKNOWN
    store.error = None
    brought = [await caller.bring("하나", "reviews.raw")]
    store.error = AWAY
    before = await fault_of(caller, "async_echo", external, params={}, inputs=brought)
    assert before.code is Code.ARTIFACT_STORE_UNAVAILABLE


async def test_inputs_are_held_until_the_tool_has_ended(caller, store) -> None:
    brought = [await caller.bring("하나", "reviews.raw")]
    seen: list[int] = []
    progress = caller.progress

    async def heard(fraction: float, message: str) -> None:
        seen.append(store.holds)
        await progress(fraction, message)

    caller.progress = heard
    await caller.run("async_reports", params={}, inputs=brought)
    assert set(seen) == {1}
    assert store.holds == 0
    await fault_of(caller, "async_raises", inputs=brought)
    assert store.holds == 0
