"""A context with a folder of its own."""

from pathlib import Path

import pytest

from tests.unit.packs.devices.context import FakeContext


@pytest.fixture
def context(tmp_path: Path) -> FakeContext:
    return FakeContext(tmp_path)
