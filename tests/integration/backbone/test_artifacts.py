"""The artifact store's promises, kept in memory, in a folder and in a bucket."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from backbone.artifacts.local import LocalArtifacts
from backbone.artifacts.port import ArtifactStore, ArtifactTooLarge
from tests.conformance.artifact_conformance import ArtifactConformance, chunked
from tests.fakes.artifacts import MemoryArtifacts
from tests.support.s3 import S3Server, cached, store_at


class TestMemoryArtifacts(ArtifactConformance):
    @pytest.fixture
    def store(self) -> Iterator[ArtifactStore]:
        store = MemoryArtifacts()
        yield store
        store.close()


class TestLocalArtifacts(ArtifactConformance):
    @pytest.fixture
    def store(self, tmp_path: Path) -> ArtifactStore:
        return LocalArtifacts(tmp_path / "artifacts")

    async def test_no_half_written_file_stays_behind(self, store: ArtifactStore, tmp_path: Path) -> None:
        with pytest.raises(ArtifactTooLarge):
            await store.put_stream(chunked(b"x" * 100, 10), 50)
        with pytest.raises(FileNotFoundError):
            await store.put(tmp_path / "no such file")
        assert list((tmp_path / "artifacts").iterdir()) == []


class TestObjectArtifacts(ArtifactConformance):
    @pytest.fixture
    def store(self, s3: S3Server, scratch: Path) -> ArtifactStore:
        return store_at(s3)

    async def test_no_half_written_file_stays_behind(self, store: ArtifactStore, scratch: Path) -> None:
        with pytest.raises(ArtifactTooLarge):
            await store.put_stream(chunked(b"x" * 100, 10), 50)
        with pytest.raises(FileNotFoundError):
            await store.put(scratch / "no such file")
        assert cached(scratch) == set()
