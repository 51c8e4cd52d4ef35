"""What every artifact store promises. Inherit and give the fixture `store`."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from backbone.artifacts.port import ArtifactStore, ArtifactTooLarge, ArtifactUnknown

DATA = b"dream " * 400_000
DIGEST = hashlib.sha256(DATA).hexdigest()


async def chunked(data: bytes, size: int = 300_000) -> AsyncIterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


async def broken(data: bytes) -> AsyncIterator[bytes]:
    yield data
    raise ConnectionResetError


async def bytes_of(store: ArtifactStore, artifact_id: str) -> bytes:
    return b"".join([chunk async for chunk in await store.open(artifact_id)])


class ArtifactConformance:
    """Content-addressed, never changed."""

    @pytest.fixture
    def store(self) -> ArtifactStore:
        raise NotImplementedError("the adapter under test")

    async def test_bytes_come_back_under_their_digest(self, store: ArtifactStore) -> None:
        assert await store.put(DATA) == (DIGEST, len(DATA))
        assert await bytes_of(store, DIGEST) == DATA
        assert await store.size(DIGEST) == len(DATA)

    async def test_nothing_is_an_artifact_too(self, store: ArtifactStore) -> None:
        digest, size = await store.put(b"")
        assert size == 0
        assert await bytes_of(store, digest) == b""

    async def test_a_file_is_copied(self, store: ArtifactStore, tmp_path: Path) -> None:
        source = tmp_path / "source"
        source.write_bytes(DATA)
        assert await store.put(source) == (DIGEST, len(DATA))
        source.write_bytes(b"something else")
        assert await bytes_of(store, DIGEST) == DATA

    async def test_a_stream_is_stored_as_its_bytes(self, store: ArtifactStore) -> None:
        assert await store.put_stream(chunked(DATA), len(DATA)) == (DIGEST, len(DATA))
        assert await bytes_of(store, DIGEST) == DATA

    async def test_a_stream_over_its_limit_leaves_nothing(self, store: ArtifactStore) -> None:
        with pytest.raises(ArtifactTooLarge):
            await store.put_stream(chunked(DATA), len(DATA) - 1)
        with pytest.raises(ArtifactUnknown):
            await store.size(DIGEST)

    async def test_a_stream_that_breaks_leaves_nothing(self, store: ArtifactStore) -> None:
        with pytest.raises(ConnectionResetError):
            await store.put_stream(broken(DATA), len(DATA))
        with pytest.raises(ArtifactUnknown):
            await store.open(DIGEST)

    async def test_the_same_bytes_twice_are_one_artifact(self, store: ArtifactStore) -> None:
        answers = await asyncio.gather(*(store.put(DATA) for _ in range(5)), store.put_stream(chunked(DATA), len(DATA)))
        assert set(answers) == {(DIGEST, len(DATA))}
        assert await bytes_of(store, DIGEST) == DATA

    async def test_a_tool_gets_a_file_that_it_cannot_mistake_for_its_own(self, store: ArtifactStore) -> None:
        await store.put(DATA)
        place = await store.path(DIGEST)
        assert place.read_bytes() == DATA
        assert not place.stat().st_mode & 0o222

    async def test_the_type_is_that_of_the_first_who_stored_it(self, store: ArtifactStore) -> None:
        await store.put_stream(chunked(DATA), len(DATA), "text/csv")
        await store.put(DATA, "text/html")
        await store.put(b"", "image/png")
        assert await store.media_type(DIGEST) == "text/csv"
        assert await store.media_type(hashlib.sha256(b"").hexdigest()) == "image/png"

    @pytest.mark.parametrize("artifact_id", ["0" * 64, "", "../../etc/passwd", "0" * 63 + "G", "a/b", "0" * 10_000])
    async def test_what_is_not_there_is_unknown(self, store: ArtifactStore, artifact_id: str) -> None:
        for question in (store.open, store.path, store.size, store.media_type):
            with pytest.raises(ArtifactUnknown):
                await question(artifact_id)
