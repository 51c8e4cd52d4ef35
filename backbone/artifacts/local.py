"""Artifacts in a local folder: <root>/<first two digits>/<digest>, written aside and moved into place; its media type
is in <digest>.type beside it."""

import asyncio
import hashlib
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from backbone.artifacts.port import UNTYPED, ArtifactTooLarge, ArtifactUnknown, check_id

CHUNK = 1024 * 1024


class LocalArtifacts:
    """See backbone.artifacts.port.ArtifactStore."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._root.mkdir(parents=True, exist_ok=True)

    async def put(self, data: bytes | Path, media_type: str = UNTYPED) -> tuple[str, int]:
        return await asyncio.to_thread(self._put, data, media_type)

    def _put(self, data: bytes | Path, media_type: str) -> tuple[str, int]:
        if isinstance(data, Path) and data.stat().st_size <= CHUNK:
            data = data.read_bytes()
        if isinstance(data, bytes):
            digest = hashlib.sha256(data).hexdigest()
            if not self._place(digest).exists():
                with tempfile.NamedTemporaryFile(dir=self._root, delete=False) as aside:
                    aside.write(data)
                self._keep(Path(aside.name), digest, media_type)
            return digest, len(data)
        with data.open("rb") as source:
            digest = hashlib.file_digest(source, "sha256").hexdigest()
        if not self._place(digest).exists():
            with tempfile.NamedTemporaryFile(dir=self._root, delete=False) as aside, data.open("rb") as source:
                shutil.copyfileobj(source, aside, CHUNK)
            self._keep(Path(aside.name), digest, media_type)
        return digest, data.stat().st_size

    async def put_stream(self, chunks: AsyncIterator[bytes], limit: int, media_type: str = UNTYPED) -> tuple[str, int]:
        digest, size = hashlib.sha256(), 0
        with tempfile.NamedTemporaryFile(dir=self._root, delete=False) as aside:
            try:
                async for chunk in chunks:
                    size += len(chunk)
                    if size > limit:
                        raise ArtifactTooLarge(f"more than {limit} bytes")  # noqa: TRY301  # handled as any other break
                    digest.update(chunk)
                    await asyncio.to_thread(aside.write, chunk)
            except BaseException:
                await asyncio.to_thread(os.unlink, aside.name)
                raise
        await asyncio.to_thread(self._keep, Path(aside.name), digest.hexdigest(), media_type)
        return digest.hexdigest(), size

    def _keep(self, aside: Path, digest: str, media_type: str) -> None:
        with aside.open("rb") as handle:
            os.fsync(handle.fileno())
        aside.chmod(0o440)
        place = self._place(digest)
        place.parent.mkdir(exist_ok=True)
        self._keep_type(place, media_type)
        aside.replace(place)
        if os.name == "posix":
            # the ledger will say that the file is there: after a power failure too
            folder = os.open(place.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def _keep_type(self, place: Path, media_type: str) -> None:
        """Before the file itself: whoever finds the file finds its type. The first one stays."""
        with suppress(FileExistsError), _type_of(place).open("x") as file:
            file.write(media_type)

    def _place(self, digest: str) -> Path:
        return self._root / digest[:2] / digest

    async def open(self, artifact_id: str) -> AsyncIterator[bytes]:
        return _chunks(await self.path(artifact_id))

    async def path(self, artifact_id: str) -> Path:
        check_id(artifact_id)
        place = self._place(artifact_id)
        if not place.exists():
            raise ArtifactUnknown(f"no artifact {artifact_id}")
        return place

    @asynccontextmanager
    async def held(self, artifact_ids: Sequence[str]) -> AsyncIterator[list[Path]]:
        yield [await self.path(artifact_id) for artifact_id in artifact_ids]

    async def problem(self) -> str:
        return await asyncio.to_thread(self._problem)

    def _problem(self) -> str:
        try:
            with tempfile.NamedTemporaryFile(dir=self._root) as probe:
                probe.write(b"probe")
        except OSError as error:
            return f"the artifact store {self._root} takes no file: {error.strerror}"
        return ""

    async def media_type(self, artifact_id: str) -> str:
        place = await self.path(artifact_id)
        try:
            return _type_of(place).read_text() or UNTYPED
        except FileNotFoundError:
            return UNTYPED

    async def size(self, artifact_id: str) -> int:
        return (await self.path(artifact_id)).stat().st_size

    async def remove(self, artifact_id: str) -> None:
        """For an administrator who erases a person: no service takes a file away."""
        with suppress(ArtifactUnknown):
            place = await self.path(artifact_id)
            place.unlink(missing_ok=True)
            _type_of(place).unlink(missing_ok=True)


def _type_of(place: Path) -> Path:
    return place.with_name(f"{place.name}.type")


async def _chunks(path: Path) -> AsyncIterator[bytes]:
    with path.open("rb") as source:
        while chunk := await asyncio.to_thread(source.read, CHUNK):
            yield chunk
