"""`dream migrate`, and which database the commands mean that speak to it themselves."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from backbone.secret_files import SecretUnusable, read, value_of
from dream.failures import CommandFailed, Exit
from dream.local.data_dir import DataDir
from dream.ops.database import database_errors
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
    from dream.local.embedded import EmbeddedPostgres

    if told:
        return told
    if owner := value_of("DREAM_DATABASE_OWNER_URL", os.environ):
        return owner
    url = database_url(None, data_dir, texts)
    return url if value_of("DREAM_DATABASE_URL", os.environ) else EmbeddedPostgres(data_dir / "postgres").owner_url


def artifacts_url(data_dir: Path) -> str:
    """DREAM_ARTIFACTS_URL, else the store of the data directory."""
    return os.environ.get("DREAM_ARTIFACTS_URL") or (data_dir.resolve() / "artifacts").as_uri()


def passwords(environment: Mapping[str, str]) -> dict[str, Any]:
    """What migrations set passwords from, beside DREAM_DATABASE_URL: a file for each login in DREAM_DATABASE_LOGINS,
    and DREAM_DATABASE_PACKS_SECRET. Raises SecretUnusable."""
    name = "DREAM_DATABASE_LOGINS"
    folder = environment.get(name)
    try:
        # a folder that Kubernetes mounts has links with two dots as well
        files = sorted(file for file in Path(folder).iterdir() if not file.name.startswith(".")) if folder else []
    except OSError as error:
        raise SecretUnusable(f"{name} is {folder!r}, which cannot be read: {error.strerror}") from None
    logins = [read(name, file) for file in files]
    return {"logins": logins, "packs_secret": value_of("DREAM_DATABASE_PACKS_SECRET", environment)}


async def migrate_here(told: str | None, data_dir: Path, texts: Texts) -> int:
    """`migrate` as --url, as DREAM_DATABASE_URL, or as the owner of the database that runs in the data directory."""
    from dream.local.embedded import EmbeddedPostgres

    url, owner = database_url(told, data_dir, texts), owner_url(told, data_dir, texts)
    names = ("DREAM_DATABASE_OWNER_URL", "DREAM_DATABASE_URL")
    elsewhere = told or any(value_of(name, os.environ) for name in names)
    # those that its services log in with: other passwords would shut its packs out
    told_by = passwords(os.environ) if elsewhere else EmbeddedPostgres(data_dir / "postgres").passwords()
    return await migrate(owner, texts, "" if url == owner else url, told_by)


async def migrate(url: str, texts: Texts, services_url: str = "", told_by: Mapping[str, Any] | None = None) -> int:
    """Applies what is missing, and says what that was. `services_url` is DREAM_DATABASE_URL if it is not told;
    `told_by` the `passwords`, which the environment has if they are not. Raises PacksUnmigrated, when it has said what
    was applied."""
    from backbone.ledger.migrate import PacksUnmigrated
    from backbone.ledger.migrate import migrate as apply

    wrong: PacksUnmigrated | None = None
    services_url = services_url or value_of("DREAM_DATABASE_URL", os.environ)
    try:
        with database_errors():
            applied = await apply(url, services_url=services_url, **(told_by or passwords(os.environ)))
    except PacksUnmigrated as error:
        applied, wrong = error.applied, error
    for name in applied:
        print(texts("migrate.applied", name=name))
    if wrong:
        raise wrong
    if not applied:
        print(texts("migrate.nothing"))
    return Exit.DONE
