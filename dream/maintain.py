"""`dream migrate`, and which database the commands mean that speak to it themselves."""

import os
from pathlib import Path

from dream.database import database_errors
from dream.failures import CommandFailed, Exit
from dream.place import DataDir
from dream.texts import Texts


def database_url(told: str | None, data_dir: Path, texts: Texts) -> str:
    """--url, else DREAM_DATABASE_URL, else that of the running server of the data directory."""
    if url := told or os.environ.get("DREAM_DATABASE_URL"):
        return url
    if running := DataDir(data_dir).running():
        return running.database_url
    raise CommandFailed(texts("database.none", folder=data_dir), Exit.USAGE)


def artifacts_url(data_dir: Path) -> str | None:
    """DREAM_ARTIFACTS_URL, else the folder of the data directory; None where there is neither."""
    folder = data_dir.absolute() / "artifacts"
    return os.environ.get("DREAM_ARTIFACTS_URL") or (folder.as_uri() if folder.is_dir() else None)


async def migrate_here(told: str | None, data_dir: Path, texts: Texts) -> int:
    """`migrate` as --url, as DREAM_DATABASE_URL, or as the owner of the database that runs in the data directory."""
    from dream.embedded import EmbeddedPostgres

    url = database_url(told, data_dir, texts)
    if told or os.environ.get("DREAM_DATABASE_URL"):
        return await migrate(url, texts)
    return await migrate(EmbeddedPostgres(data_dir / "postgres").owner_url, texts, url)


async def migrate(url: str, texts: Texts, services_url: str = "") -> int:
    """Applies what is missing, and says what that was. The logins of packs follow from that of services, which is
    DREAM_DATABASE_URL if it is not told."""
    from backbone.ledger.migrate import migrate as apply

    with database_errors():
        applied = await apply(url, services_url=services_url or os.environ.get("DREAM_DATABASE_URL", ""))
    for name in applied:
        print(texts("migrate.applied", name=name))
    if not applied:
        print(texts("migrate.nothing"))
    return Exit.DONE
