"""Artifacts in a bucket: <prefix>/<first two digits>/<digest>, the media type as its Content-Type.

Whatever comes in is written to the local cache first: only at its end is its name known, and what a tool made is often
read by the next one. Whatever comes out is compared with its name."""

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

from backbone.artifacts.bucket import Bucket
from backbone.artifacts.cache import CacheUnusable, FileCache, Part
from backbone.artifacts.port import (
    UNTYPED,
    ArtifactDamaged,
    ArtifactStoreUnavailable,
    ArtifactTooLarge,
    ArtifactUnknown,
    check_id,
)

CHUNK = 1024 * 1024
PROBE = "probe"
"""An object of ours beside the artifacts: written again and again, to see whether that is allowed."""
PROBE_SECONDS = 15.0
DOWNLOADS = 2
"""A download that is not what its name says is tried again once: a connection may have been cut."""


class ObjectArtifacts:
    """See backbone.artifacts.port.ArtifactStore."""

    def __init__(self, bucket: Bucket, cache: FileCache) -> None:
        self._bucket = bucket
        self._cache = cache

    async def put(self, data: bytes | Path, media_type: str = UNTYPED) -> tuple[str, int]:
        if isinstance(data, bytes):
            digest = hashlib.sha256(data).hexdigest()
            await self._upload(digest, data, media_type)
            return digest, len(data)
        part = await self._begin()
        try:
            digest, size = await asyncio.to_thread(_copied, data, part)
            await self._upload(digest, part.path, media_type)
        except BaseException:
            part.drop()
            raise
        await self._keep(part, digest)
        return digest, size

    async def put_stream(self, chunks: AsyncIterator[bytes], limit: int, media_type: str = UNTYPED) -> tuple[str, int]:
        part = await self._begin()
        digest, size = hashlib.sha256(), 0
        try:
            async for chunk in chunks:
                size += len(chunk)
                if size > limit:
                    raise ArtifactTooLarge(f"more than {limit} bytes")  # noqa: TRY301  # handled as any other break
                digest.update(chunk)
                await asyncio.to_thread(part.write, chunk)
            await self._upload(digest.hexdigest(), part.path, media_type)
        except BaseException:
            part.drop()
            raise
        await self._keep(part, digest.hexdigest())
        return digest.hexdigest(), size

    async def _upload(self, digest: str, data: bytes | Path, media_type: str) -> None:
        try:
            await self._bucket.head(_key(digest))
        except ArtifactUnknown:
            await self._bucket.put(_key(digest), data, media_type)

    async def open(self, artifact_id: str) -> AsyncIterator[bytes]:
        check_id(artifact_id)
        return _compared(await self._get(artifact_id), artifact_id)

    async def _get(self, artifact_id: str) -> AsyncIterator[bytes]:
        try:
            return await self._bucket.get(_key(artifact_id))
        except ArtifactUnknown:
            raise ArtifactUnknown(f"no artifact {artifact_id}") from None

    async def _head(self, artifact_id: str) -> tuple[int, str]:
        check_id(artifact_id)
        try:
            return await self._bucket.head(_key(artifact_id))
        except ArtifactUnknown:
            raise ArtifactUnknown(f"no artifact {artifact_id}") from None

    async def path(self, artifact_id: str) -> Path:
        os.close(await self._hold(artifact_id))
        return self._cache.place(artifact_id)

    @asynccontextmanager
    async def held(self, artifact_ids: Sequence[str]) -> AsyncIterator[list[Path]]:
        async with AsyncExitStack() as holds:
            for artifact_id in artifact_ids:
                holds.callback(os.close, await self._hold(artifact_id))
            yield [self._cache.place(artifact_id) for artifact_id in artifact_ids]

    async def _hold(self, artifact_id: str) -> int:
        check_id(artifact_id)
        try:
            held = await asyncio.to_thread(self._cache.hold, artifact_id)
        except CacheUnusable as error:
            raise ArtifactStoreUnavailable(str(error)) from None
        return await self._download(artifact_id) if held is None else held

    async def _download(self, artifact_id: str) -> int:
        for _ in range(DOWNLOADS):
            part = await self._begin()
            try:
                async for chunk in _compared(await self._get(artifact_id), artifact_id):
                    await asyncio.to_thread(part.write, chunk)
            except ArtifactDamaged:
                part.drop()
                continue
            except BaseException:
                part.drop()
                raise
            return await asyncio.to_thread(self._cache.keep, part, artifact_id)
        raise ArtifactDamaged(f"artifact {artifact_id} in {self._bucket.name} is not what was stored")

    async def media_type(self, artifact_id: str) -> str:
        return (await self._head(artifact_id))[1]

    async def size(self, artifact_id: str) -> int:
        return (await self._head(artifact_id))[0]

    async def problem(self) -> str:
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                await self._bucket.put(PROBE, b"", UNTYPED, create=False)
                async for _ in await self._bucket.get(PROBE):
                    pass
                # what is missing has to be told from what is forbidden: S3 does so for who has s3:ListBucket alone
                with suppress(ArtifactUnknown):
                    await self._bucket.head(_key("0" * 64))
        except ArtifactStoreUnavailable as error:
            return str(error)
        except ArtifactUnknown:
            return f"the artifact store {self._bucket.name} does not give back what it took"
        except TimeoutError:
            return f"the artifact store {self._bucket.name} does not answer"
        return ""

    async def _begin(self) -> Part:
        try:
            return await asyncio.to_thread(self._cache.begin)
        except CacheUnusable as error:
            raise ArtifactStoreUnavailable(str(error)) from None

    async def _keep(self, part: Part, digest: str) -> None:
        os.close(await asyncio.to_thread(self._cache.keep, part, digest))


def _key(digest: str) -> str:
    return f"{digest[:2]}/{digest}"


def _copied(source: Path, part: Part) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    with source.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
            size += len(chunk)
            part.write(chunk)
    return digest.hexdigest(), size


async def _compared(chunks: AsyncIterator[bytes], artifact_id: str) -> AsyncIterator[bytes]:
    """The same chunks. Raises ArtifactDamaged after the last one."""
    digest = hashlib.sha256()
    async for chunk in chunks:
        digest.update(chunk)
        yield chunk
    if digest.hexdigest() != artifact_id:
        raise ArtifactDamaged(f"artifact {artifact_id} is not what was stored, or came in part")
