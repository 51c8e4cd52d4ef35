"""`dream admin restore`: a backup into an empty database, or into a data folder of this machine that has none.

What is restored is compared with what the backup has seen, before anybody works on it."""

import json
import os
import shutil
from collections.abc import AsyncIterator
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


@asynccontextmanager
async def embedded(data_dir: Path) -> AsyncIterator[RestoreTarget]:
    """The Postgres of a data folder, running for as long as this takes. The stream of that folder goes: it knows
    another ledger."""
    import asyncio

    from dream.local.embedded import EmbeddedNats, EmbeddedPostgres

    place = DataDir(data_dir)
    place.lock()
    server = EmbeddedPostgres(place.folder / "postgres")
    try:
        await asyncio.to_thread(server.start)
        yield RestoreTarget(server.owner_url, server.url, (place.folder / "artifacts").as_uri())
        shutil.rmtree(EmbeddedNats(place.folder / "nats").store, ignore_errors=True)
    finally:
        await asyncio.to_thread(server.stop)
        place.unlock()


async def restore(folder: Path, target: RestoreTarget, key: Path, texts: Texts) -> int:
    """Exit 3 when what was restored is not what the backup has seen."""
    from backbone.ledger.backups import LedgerThere, restoring, unknown_migrations
    from backbone.ledger.migrate import PacksUnmigrated, migrate

    unmigrated: PacksUnmigrated | None = None
    manifest = backup.read(folder, texts)
    if newer := unknown_migrations(manifest["migrations"]):
        raise CommandFailed(texts("admin.backup_newer", names=", ".join(newer)), Exit.USAGE)
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
            passwords = database_commands.passwords(os.environ)
            try:
                await migrate(target.owner_url, services_url=target.services_url, **passwords)
            except PacksUnmigrated as error:  # what was backed up is there: this is told in the end
                unmigrated = error
    except LedgerThere:
        raise CommandFailed(texts("admin.ledger_there"), Exit.USAGE) from None
    files = await _put_back(folder, target.artifacts_url, manifest["artifacts"]["files"], texts)
    if counts != manifest["counts"]:
        raise CommandFailed(texts("admin.counts_differ", wanted=manifest["counts"], there=counts))
    sound = await audit.verify(target.owner_url, None, folder / HEADS, key, texts)
    print(texts("admin.restored", **counts, files=files))
    if unmigrated:
        raise unmigrated
    return sound


async def _section(name: str, folder: Path, target: RestoreTarget, texts: Texts) -> None:
    options = ["--exit-on-error", "--no-owner", "--no-comments", f"--section={name}", str(folder / DUMP)]
    await postgres_tools.run("pg_restore", target.owner_url, options, texts)


async def _put_back(folder: Path, url: str, wanted: int, texts: Texts) -> int:
    """Files into the store, each looked at again: its name is what its bytes give."""
    from backbone.artifacts.addresses import artifacts_at

    store = artifacts_at(url)
    damaged: list[str] = []
    files = 0
    for line in (folder / LIST).read_text(encoding="utf-8").splitlines():
        known: dict[str, Any] = json.loads(line)
        digest, _ = await store.put(folder / ARTIFACTS / known["id"], known["media_type"])
        damaged += [known["id"]] if digest != known["id"] else []
        files += 1
    if damaged or files != wanted:
        raise CommandFailed(
            texts("admin.backup_damaged", folder=folder, files=", ".join(damaged) or f"{files}/{wanted}")
        )
    return files
