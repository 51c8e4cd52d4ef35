"""`dream admin restore`: a backup into an empty database, or into a data folder of this machine that has none.

What is restored is compared with what the backup has seen, before anybody works on it."""

import asyncio
import hashlib
import json
import os
import shutil
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dream.cli import database_commands
from dream.failures import CommandFailed, Exit
from dream.local import postgres_tools
from dream.local.data_dir import DataDir
from dream.ops import audit, backup
from dream.ops.backup import ARTIFACTS, DUMP, HEADS, LIST
from dream.ops.database import database_errors
from dream.texts import Texts


@dataclass(frozen=True, slots=True)
class RestoreTarget:
    """Where a backup goes: the owner's URL, the one services have, the artifact store's."""

    owner_url: str
    services_url: str
    artifacts_url: str
    passwords: Mapping[str, Any] | None = None
    """What migrations set passwords from; None: the environment says it."""


@asynccontextmanager
async def embedded(data_dir: Path) -> AsyncIterator[RestoreTarget]:
    """The Postgres of a data folder, running for as long as this takes. The stream of that folder goes: it knows
    another ledger."""
    from backbone.ledger.migrate import PacksUnmigrated
    from dream.local.embedded import EmbeddedNats, EmbeddedPostgres

    place = DataDir(data_dir)
    place.lock()
    data, files = place.folder / "postgres", place.folder / "artifacts"
    made = [folder for folder in (data, files) if not folder.exists() or not any(folder.iterdir())]
    server = EmbeddedPostgres(data)
    whole = False
    try:
        await asyncio.to_thread(server.start)
        try:
            yield RestoreTarget(server.owner_url, server.url, files.as_uri(), server.passwords())
        except PacksUnmigrated:
            whole = True  # all that was backed up is there
            raise
        whole = True
    finally:
        await asyncio.to_thread(server.stop)
        # half of a ledger would start like a whole one
        for folder in [EmbeddedNats(place.folder / "nats").store] if whole else made:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        place.unlock()


async def restore(folder: Path, target: RestoreTarget, key: Path, texts: Texts) -> int:
    """Exit 3 when what was restored is not what the backup has seen."""
    from backbone.ledger.backups import LedgerThere, restoring, unknown_migrations
    from backbone.ledger.migrate import PacksUnmigrated, migrate

    unmigrated: PacksUnmigrated | None = None
    manifest = backup.read(folder, texts)
    if newer := unknown_migrations(manifest["migrations"]):
        raise CommandFailed(texts("admin.backup_newer", names=", ".join(newer)), Exit.USAGE)
    # before anything is written: who has to look for the key, or for another backup, begins anew with an empty place
    audit.look_at(folder / HEADS, key, texts)
    await asyncio.to_thread(_look_at_files, folder, manifest["artifacts"]["files"], texts)
    try:
        with database_errors():
            async with restoring(target.owner_url) as database:
                await database.prepare(manifest["roles"], manifest["extensions"])
                await _section("pre-data", folder, target, texts)
                await database.rewrite_ids(manifest["schemas"])
                await _section("data", folder, target, texts)
                await database.rows_are_there()
                await _section("post-data", folder, target, texts)
                counts = await database.counts()
            told_by = target.passwords or database_commands.passwords(os.environ)
            try:
                await migrate(target.owner_url, services_url=target.services_url, **told_by)
            except PacksUnmigrated as error:  # what was backed up is there: this is told in the end
                unmigrated = error
    except LedgerThere:
        raise CommandFailed(texts("admin.ledger_there"), Exit.USAGE) from None
    files = await _put_back(folder, target.artifacts_url)
    if counts != manifest["counts"]:
        raise CommandFailed(texts("admin.counts_differ", wanted=manifest["counts"], there=counts))
    sound = await audit.verify(target.owner_url, None, folder / HEADS, key, texts, target.artifacts_url)
    print(texts("admin.restored", **counts, files=files))
    if unmigrated:
        raise unmigrated
    return sound


async def _section(name: str, folder: Path, target: RestoreTarget, texts: Texts) -> None:
    options = ["--exit-on-error", "--no-owner", "--no-comments", f"--section={name}", str(folder / DUMP)]
    await postgres_tools.run("pg_restore", target.owner_url, options, texts)


def _listed(folder: Path) -> Iterator[dict[str, Any]]:
    for line in (folder / LIST).read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def _look_at_files(folder: Path, wanted: int, texts: Texts) -> None:
    """Looks at each again: its name is what its bytes give. Blocks. Raises CommandFailed with those that are not."""
    damaged, files = [], 0
    for known in _listed(folder):
        files += 1
        try:
            with (folder / ARTIFACTS / known["id"]).open("rb") as file:
                sound = hashlib.file_digest(file, "sha256").hexdigest() == known["id"]
        except FileNotFoundError:
            sound = False
        damaged += [] if sound else [known["id"]]
    if damaged or files != wanted:
        names = ", ".join(damaged) or f"{files}/{wanted}"
        raise CommandFailed(texts("admin.backup_damaged", folder=folder, files=names))


async def _put_back(folder: Path, url: str) -> int:
    """Files into the store."""
    from backbone.artifacts.addresses import artifacts_at

    store = artifacts_at(url)
    files = 0
    for files, known in enumerate(_listed(folder), 1):  # noqa: B007  # how many there were
        await store.put(folder / ARTIFACTS / known["id"], known["media_type"])
    return files
