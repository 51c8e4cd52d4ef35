"""What services ask of the artifact store. Adapters inherit backbone.testing.artifact_conformance."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol

UNTYPED = "application/octet-stream"


class ArtifactUnknown(Exception):
    """No artifact has this id."""


class ArtifactTooLarge(Exception):
    """The stream grew over the limit; nothing was kept."""


class ArtifactStore(Protocol):
    """Content-addressed files: putting the same bytes twice is one file, and nothing is ever changed."""

    async def put(self, data: bytes | Path, media_type: str = UNTYPED) -> tuple[str, int]:
        """Stores bytes or a file; returns (SHA-256 in hexadecimal, size in bytes). The type is that of the first who
        stored them."""

    async def put_stream(self, chunks: AsyncIterator[bytes], limit: int, media_type: str = UNTYPED) -> tuple[str, int]:
        """Stores a stream without holding it in memory. Raises ArtifactTooLarge above `limit` bytes."""

    async def media_type(self, artifact_id: str) -> str:
        """As it was stored; UNTYPED for what was stored before types were kept. Raises ArtifactUnknown."""

    async def open(self, artifact_id: str) -> AsyncIterator[bytes]:
        """The bytes, in chunks. Raises ArtifactUnknown before the first one."""

    async def path(self, artifact_id: str) -> Path:
        """A local read-only file with the bytes, for tools. Raises ArtifactUnknown."""

    async def size(self, artifact_id: str) -> int:
        """Size in bytes. Raises ArtifactUnknown."""
