"""Archived sessions: their events as JSON lines, compressed, in the artifact store, named by what they hold.

The first line says whose end it is: the hash covers every line after it, so an archive proves itself."""

import gzip
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable
from uuid import UUID

from dream.failures import CommandFailed
from dream.texts import Texts

if TYPE_CHECKING:
    from backbone.artifacts.port import ArtifactStore
    from backbone.ledger.retention import Ended, Retention

FORMAT = 1
MEDIA_TYPE = "application/gzip"


@runtime_checkable
class Removes(Protocol):
    """A store that can let go of a file."""

    async def remove(self, artifact_id: str) -> None:
        """The file and its type; nothing happens when it is not there."""


async def keep(store: "ArtifactStore", ledger: "Retention", ended: "Ended") -> str:
    """Writes a session's history into the store, and answers its name there."""
    with tempfile.TemporaryDirectory(prefix="dream-archive-") as folder:
        place = Path(folder) / "session"
        # without a time in its header: the same history is the same file
        with place.open("wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as file:
            head = {"dream_session": FORMAT, "session_id": str(ended.session_id), "version": ended.version}
            file.write(json.dumps(head | {"hash": ended.hash.hex()}).encode() + b"\n")
            async for row in ledger.rows(ended):
                file.write(row.encode() + b"\n")
        digest, _ = await store.put(place, MEDIA_TYPE)
    return digest


async def rows(store: "ArtifactStore", name: str, session: UUID, texts: Texts) -> list[str]:
    """The events of an archive, oldest first; raises CommandFailed when it is not the session's."""
    path = await store.path(name)
    try:
        head, *events = _lines(path)
        told = json.loads(head)
        if told["dream_session"] != FORMAT or told["session_id"] != str(session) or told["version"] != len(events):
            raise ValueError(head[:200])  # noqa: TRY301  # told as any other
    except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
        raise CommandFailed(texts("admin.no_archive", name=name, session=session, why=error)) from None
    return events


def _lines(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        for line in file:
            yield line.rstrip("\n")
