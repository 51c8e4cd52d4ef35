"""The S3 server that the tests here share, and where its local copies go."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.s3 import S3Server, s3_server


@pytest.fixture(scope="session")
def s3() -> Iterator[S3Server]:
    with s3_server("artifacts") as server:
        yield server


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder of the test's own: what local copies are in."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path
