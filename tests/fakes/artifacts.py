"""Artifacts in memory, for unit tests. Only `path` writes a file, into a temporary folder of its own."""

import asyncio
import hashlib
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from backbone.artifacts.port import UNTYPED, ArtifactTooLarge, ArtifactUnknown

CHUNK = 64 * 1024


class MemoryArtifacts:
    """See backbone.artifacts.port.ArtifactStore."""

    def __init__(self) -> None:
        self._files: dict[str, bytes] = {}
        self._types: dict[str, str] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    async def put(self, data: bytes | Path, media_type: str = UNTYPED) -> tuple[str, int]:
        return self._keep(data if isinstance(data, bytes) else await asyncio.to_thread(data.read_bytes), media_type)

    async def put_stream(self, chunks: AsyncIterator[bytes], limit: int, media_type: str = UNTYPED) -> tuple[str, int]:
        data = b""
        async for chunk in chunks:
            data += chunk
            if len(data) > limit:
                raise ArtifactTooLarge(f"more than {limit} bytes")
        return self._keep(data, media_type)

    def _keep(self, data: bytes, media_type: str) -> tuple[str, int]:
        digest = hashlib.sha256(data).hexdigest()
        self._files[digest] = data
        self._types.setdefault(digest, media_type)
        return digest, len(data)

    async def open(self, artifact_id: str) -> AsyncIterator[bytes]:
        return _chunks(self._data(artifact_id))

    async def path(self, artifact_id: str) -> Path:
        data = self._data(artifact_id)
        self._folder = self._folder or tempfile.TemporaryDirectory(prefix="dream-artifacts-")
        place = Path(self._folder.name) / artifact_id
        if not place.exists():
            place.write_bytes(data)
            place.chmod(0o440)
        return place

    @asynccontextmanager
    async def held(self, artifact_ids: Sequence[str]) -> AsyncIterator[list[Path]]:
        yield [await self.path(artifact_id) for artifact_id in artifact_ids]

    async def problem(self) -> str:
        return ""

    async def size(self, artifact_id: str) -> int:
        return len(self._data(artifact_id))

    async def media_type(self, artifact_id: str) -> str:
        self._data(artifact_id)
        return self._types[artifact_id]

    def _data(self, artifact_id: str) -> bytes:
        if artifact_id not in self._files:
            raise ArtifactUnknown(f"no artifact {artifact_id[:80]!r}")
        return self._files[artifact_id]

    def close(self) -> None:
        """Removes the temporary folder."""
        if self._folder:
            self._folder.cleanup()
            self._folder = None


async def _chunks(data: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(data), CHUNK):
        yield data[start : start + CHUNK]
