"""`dream migrate`, and which database the commands mean that speak to it themselves."""

import os
from pathlib import Path

from backbone.secret_files import value_of
from dream.database import database_errors
from dream.failures import CommandFailed, Exit
from dream.place import DataDir
from dream.texts import Texts


def database_url(told: str | None, data_dir: Path, texts: Texts) -> str:
    """--url, else DREAM_DATABASE_URL, else that of the running server of the data directory."""
    if url := told or value_of("DREAM_DATABASE_URL", os.environ):
        return url
    if running := DataDir(data_dir).running():
        return running.database_url
    raise CommandFailed(texts("database.none", folder=data_dir), Exit.USAGE)


def owner_url(told: str | None, data_dir: Path, texts: Texts) -> str:
    """The same for who owns the ledger: --url, else DREAM_DATABASE_OWNER_URL, else what services have; on one machine
    the owner is another login."""
    from dream.embedded import EmbeddedPostgres

    if told:
        return told
    if owner := value_of("DREAM_DATABASE_OWNER_URL", os.environ):
        return owner
    url = database_url(None, data_dir, texts)
    return url if value_of("DREAM_DATABASE_URL", os.environ) else EmbeddedPostgres(data_dir / "postgres").owner_url


def artifacts_url(data_dir: Path) -> str:
    """DREAM_ARTIFACTS_URL, else the store of the data directory."""
    return os.environ.get("DREAM_ARTIFACTS_URL") or (data_dir.resolve() / "artifacts").as_uri()


async def migrate_here(told: str | None, data_dir: Path, texts: Texts) -> int:
    """`migrate` as --url, as DREAM_DATABASE_URL, or as the owner of the database that runs in the data directory."""
    url, owner = database_url(told, data_dir, texts), owner_url(told, data_dir, texts)
    return await migrate(owner, texts, "" if url == owner else url)


async def migrate(url: str, texts: Texts, services_url: str = "") -> int:
    """Applies what is missing, and says what that was. The logins of packs follow from that of services, which is
    DREAM_DATABASE_URL if it is not told."""
    from backbone.ledger.migrate import migrate as apply

    with database_errors():
        applied = await apply(url, services_url=services_url or value_of("DREAM_DATABASE_URL", os.environ))
    for name in applied:
        print(texts("migrate.applied", name=name))
    if not applied:
        print(texts("migrate.nothing"))
    return Exit.DONE
