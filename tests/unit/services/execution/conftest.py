"""An artifact store that takes its folder with it."""

from collections.abc import Iterator

import pytest

from tests.fakes.artifacts import MemoryArtifacts


@pytest.fixture
def artifacts() -> Iterator[MemoryArtifacts]:
    store = MemoryArtifacts()
    yield store
    store.close()
