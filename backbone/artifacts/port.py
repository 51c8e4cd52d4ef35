"""What services ask of the artifact store. Adapters inherit backbone.testing.artifact_conformance."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol


class ArtifactUnknown(Exception):
    """No artifact has this id."""


class ArtifactTooLarge(Exception):
    """The stream grew over the limit; nothing was kept."""


class ArtifactStore(Protocol):
    """Content-addressed files: putting the same bytes twice is one file, and nothing is ever changed."""

    async def put(self, data: bytes | Path) -> tuple[str, int]:
        """Stores bytes or a file; returns (SHA-256 in hexadecimal, size in bytes)."""

    async def put_stream(self, chunks: AsyncIterator[bytes], limit: int) -> tuple[str, int]:
        """Stores a stream without holding it in memory. Raises ArtifactTooLarge above `limit` bytes."""

    async def open(self, artifact_id: str) -> AsyncIterator[bytes]:
        """The bytes, in chunks. Raises ArtifactUnknown before the first one."""

    async def path(self, artifact_id: str) -> Path:
        """A local read-only file with the bytes, for tools. Raises ArtifactUnknown."""

    async def size(self, artifact_id: str) -> int:
        """Size in bytes. Raises ArtifactUnknown."""
