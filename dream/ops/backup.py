"""`dream admin backup`: the ledger's database and its files, as they were at one moment, in a folder of their own.

The files come after the database: whatever an event names was stored before it was recorded, and nothing is ever taken
away but by `dream admin prune` and `erase`."""

import json
import os
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import redirect_stdout
from datetime import UTC, datetime
from hashlib import file_digest
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dream.failures import CommandFailed, Exit
from dream.local import postgres_tools
from dream.ops import audit
from dream.ops.database import DatabaseFailed, database_errors
from dream.texts import Texts

if TYPE_CHECKING:
    from backbone.artifacts.port import ArtifactStore

FORMAT = 1
NO_TABLE = "42P01"
DUMP, HEADS, ARTIFACTS, LIST, MANIFEST = "ledger.dump", "heads.anchor", "artifacts", "artifacts.jsonl", "manifest.json"


async def backup(url: str, artifacts: str, folder: Path, key: Path, texts: Texts, *, as_json: bool) -> int:
    """`url` is the owner's, `artifacts` the store's. The folder must not be there; it appears when it is whole."""
    from backbone.artifacts.addresses import artifacts_at
    from backbone.ledger.backups import snapshot

    unfinished = folder.with_name(folder.name + ".unfinished")
    if there := next((place for place in (folder, unfinished) if place.exists()), None):  # at once
        raise CommandFailed(texts("admin.backup_there", folder=there), Exit.USAGE)
    unfinished.mkdir(mode=0o700, parents=True)
    try:
        with redirect_stdout(sys.stderr):
            # before the snapshot: the dump then has whatever the anchor has seen
            await audit.anchor(url, unfinished / HEADS, key, texts)
        with database_errors():
            async with snapshot(url) as moment:
                inventory = moment.inventory
                options = ["--format=custom", "--no-comments", f"--snapshot={inventory.snapshot}"]
                options += [f"--schema={name}" for name in inventory.schemas] + ["--file", str(unfinished / DUMP)]
                await postgres_tools.run("pg_dump", url, options, texts)
                files = await _copy(artifacts_at(artifacts), moment.digests(), unfinished)
        manifest = {
            "dream_backup": FORMAT,
            "made_at": datetime.now(UTC).isoformat(),
            "version": version("dream-agent"),
            **inventory.as_json(),
            "artifacts": files,
            "sha256": {name: _digest(unfinished / name) for name in (DUMP, HEADS, LIST)},
        }
        _write(unfinished / MANIFEST, manifest)
    except BaseException as error:
        shutil.rmtree(unfinished, ignore_errors=True)
        if isinstance(error, DatabaseFailed) and error.sqlstate == NO_TABLE:
            raise CommandFailed(texts("admin.no_ledger"), Exit.USAGE) from None
        raise
    unfinished.rename(folder)
    told = {**inventory.counts, **files, "folder": folder}
    print(json.dumps(manifest) if as_json else texts("admin.backed_up", **told))
    return Exit.DONE


async def _copy(store: "ArtifactStore", digests: AsyncIterator[list[str]], folder: Path) -> dict[str, int]:
    """Every file that an event names, by its digest; what the store does not know is no file."""
    from backbone.artifacts.port import ArtifactUnknown

    place = folder / ARTIFACTS
    place.mkdir(mode=0o700)
    files = size = 0
    with (folder / LIST).open("w", encoding="utf-8") as known:
        async for page in digests:
            for digest in page:
                try:
                    chunks = await store.open(digest)
                except ArtifactUnknown:
                    continue
                with (place / digest).open("wb") as file:
                    async for chunk in chunks:
                        file.write(chunk)
                files, size = files + 1, size + (place / digest).stat().st_size
                known.write(json.dumps({"id": digest, "media_type": await store.media_type(digest)}) + "\n")
    return {"files": files, "bytes": size}


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _write(path: Path, manifest: dict[str, Any]) -> None:
    with path.open("w", encoding="utf-8") as file:
        json.dump(manifest, file, indent=2, sort_keys=True)
        file.flush()
        os.fsync(file.fileno())


def read(folder: Path, texts: Texts) -> dict[str, Any]:
    """The manifest of a backup, whose files are as it says; raises CommandFailed for anything else."""
    try:
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if manifest["dream_backup"] != FORMAT:
            raise ValueError(f"format {manifest['dream_backup']!r}")  # noqa: TRY301  # told as any other
        changed = [name for name, digest in manifest["sha256"].items() if _digest(folder / name) != digest]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CommandFailed(texts("admin.no_backup", folder=folder, why=error), Exit.USAGE) from None
    if changed:
        raise CommandFailed(texts("admin.backup_damaged", folder=folder, files=", ".join(changed)))
    return manifest
