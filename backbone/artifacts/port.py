"""What services ask of the artifact store. Adapters inherit tests.conformance.artifact_conformance."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol

UNTYPED = "application/octet-stream"
_DIGITS = frozenset("0123456789abcdef")


class ArtifactUnknown(Exception):
    """No artifact has this id."""


class ArtifactTooLarge(Exception):
    """The stream grew over the limit; nothing was kept."""


class ArtifactDamaged(Exception):
    """What the store has under this id are not the bytes that were stored, or not all of them."""


class ArtifactStoreUnavailable(Exception):
    """The store does not answer, or not now: the same call may succeed later. The message is one sentence, without
    anything secret."""


class ArtifactStoreRefused(ArtifactStoreUnavailable):
    """The store answers and refuses: rights, credentials, no such bucket. It goes on refusing until an operator has
    mended what the message names."""


class ArtifactStore(Protocol):
    """Content-addressed files: putting the same bytes twice is one file, and nothing is ever changed. All methods raise
    ArtifactStoreUnavailable where the store is on another machine."""

    async def put(self, data: bytes | Path, media_type: str = UNTYPED) -> tuple[str, int]:
        """Stores bytes or a file; returns (SHA-256 in hexadecimal, size in bytes). The type is that of the first who
        stored them."""

    async def put_stream(self, chunks: AsyncIterator[bytes], limit: int, media_type: str = UNTYPED) -> tuple[str, int]:
        """Stores a stream without holding it in memory. Raises ArtifactTooLarge above `limit` bytes."""

    async def media_type(self, artifact_id: str) -> str:
        """As it was stored; UNTYPED for what was stored before types were kept. Raises ArtifactUnknown."""

    async def open(self, artifact_id: str) -> AsyncIterator[bytes]:
        """The bytes, in chunks. Raises ArtifactUnknown before the first one; ArtifactDamaged, at the latest after the
        last one, where the store is on another machine."""

    async def path(self, artifact_id: str) -> Path:
        """A local read-only file with the bytes. Whoever works with it holds it (`held`): it may be a copy that has to
        make room. Raises ArtifactUnknown, ArtifactDamaged."""

    def held(self, artifact_ids: Sequence[str]) -> AbstractAsyncContextManager[list[Path]]:
        """Local read-only files, for tools, in the order of the ids: there until the context ends. Raises as `path`."""

    async def size(self, artifact_id: str) -> int:
        """Size in bytes. Raises ArtifactUnknown."""

    async def problem(self) -> str:
        """Why files cannot be stored and read back, tried just now, in one sentence; empty when they can."""


def check_id(artifact_id: str) -> None:
    """Raises ArtifactUnknown for what cannot be the id of an artifact: it becomes part of a path."""
    if len(artifact_id) != 64 or not set(artifact_id) <= _DIGITS:
        raise ArtifactUnknown(f"{artifact_id[:80]!r} is not a SHA-256")
