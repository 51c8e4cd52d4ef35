"""`dream admin`: what whoever keeps the product running does with its ledger and its bus. Options here, work in the
modules of the commands' names."""

import os
from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer

from backbone.secret_files import value_of
from dream.cli.options import HELP, HERE, AsJson, AuditKey, DataDir, OwnerUrl, work
from dream.ops import access, bus, bus_rights, keys
from dream.texts import Texts

app = typer.Typer(help=HELP("help.admin"), no_args_is_help=True)
bus.app.add_typer(bus_rights.app)  # without a name: its commands are those of `bus`
app.add_typer(bus.app, name="bus")
app.add_typer(access.app, name="access")
app.add_typer(keys.app, name="keys")


@app.command(help=HELP("help.backup"))
def backup(
    folder: Annotated[Path, typer.Argument(help=HELP("help.backup_folder"))],
    key: AuditKey = None,
    url: OwnerUrl = None,
    as_json: AsJson = False,  # noqa: FBT002  # typer reads options from parameters as they are
    data_dir: DataDir = HERE,
) -> None:
    from dream.cli import database_commands
    from dream.ops import backup

    async def done(texts: Texts) -> int:
        owner, artifacts = database_commands.owner_url(url, data_dir, texts), database_commands.artifacts_url(data_dir)
        key_file = key or data_dir / "audit.key"
        return await backup.backup(owner, artifacts, folder, key_file, texts, as_json=as_json)

    work(done)


@app.command(help=HELP("help.restore"))
def restore(
    folder: Annotated[Path, typer.Argument(exists=True, file_okay=False, help=HELP("help.backup_made"))],
    key: AuditKey = None,
    url: OwnerUrl = None,
    data_dir: DataDir = HERE,
) -> None:
    from dream.cli import database_commands
    from dream.ops import restore

    async def done(texts: Texts) -> int:
        key_file = key or data_dir / "audit.key"
        services = value_of("DREAM_DATABASE_URL", os.environ)
        if owner := url or value_of("DREAM_DATABASE_OWNER_URL", os.environ) or services:
            target = restore.RestoreTarget(owner, services, database_commands.artifacts_url(data_dir))
            code = await restore.restore(folder, target, key_file, texts)
            print(texts("admin.now_rebuild"))
            return code
        async with restore.embedded(data_dir) as target:
            return await restore.restore(folder, target, key_file, texts)

    work(done)


@app.command(help=HELP("help.prune"))
def prune(  # noqa: PLR0913, PLR0917  # its options
    inbox: Annotated[str, typer.Option("--inbox-older-than", help=HELP("help.inbox_older"))] = "30d",
    letters: Annotated[str, typer.Option("--letters-older-than", help=HELP("help.letters_older"))] = "90d",
    seal: Annotated[str, typer.Option("--seal-older-than", help=HELP("help.seal_older"))] = "7d",
    sessions: Annotated[str | None, typer.Option("--sessions-older-than", help=HELP("help.sessions_older"))] = None,
    archive: Annotated[str | None, typer.Option("--archive", help=HELP("help.archive"))] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help=HELP("help.dry_run"))] = False,  # noqa: FBT002
    as_json: AsJson = False,  # noqa: FBT002
    url: OwnerUrl = None,
    data_dir: DataDir = HERE,
) -> None:
    from dream.cli import database_commands
    from dream.ops import prune

    async def done(texts: Texts) -> int:
        ages = [prune.duration(text, texts) for text in (inbox, letters)]
        archived = prune.duration(sessions, texts) if sessions else None
        limits = prune.Limits(ages[0], ages[1], archived, prune.duration(seal, texts), dry_run)
        owner = database_commands.owner_url(url, data_dir, texts)
        store = archive or database_commands.artifacts_url(data_dir)
        return await prune.prune(owner, store, limits, texts, as_json=as_json)

    work(done)


@app.command("restore-session", help=HELP("help.restore_session"))
def restore_session(
    session: Annotated[UUID, typer.Argument(help=HELP("help.session_id"))],
    archive: Annotated[str | None, typer.Option("--archive", help=HELP("help.archive"))] = None,
    url: OwnerUrl = None,
    data_dir: DataDir = HERE,
) -> None:
    from dream.cli import database_commands
    from dream.ops import prune

    async def done(texts: Texts) -> int:
        store = archive or database_commands.artifacts_url(data_dir)
        return await prune.restore_session(database_commands.owner_url(url, data_dir, texts), store, session, texts)

    work(done)


@app.command(help=HELP("help.erase"))
def erase(
    user: Annotated[str, typer.Argument(help=HELP("help.erased_user"))],
    nats: bus.NatsUrl = None,
    as_json: AsJson = False,  # noqa: FBT002
    url: OwnerUrl = None,
    data_dir: DataDir = HERE,
) -> None:
    from backbone.settings import Settings
    from dream.cli import database_commands
    from dream.ops import erase

    async def done(texts: Texts) -> int:
        owner, store = database_commands.owner_url(url, data_dir, texts), database_commands.artifacts_url(data_dir)
        place = erase.Place(owner, store, bus.login(nats, data_dir, texts, Settings()))
        return await erase.erase(place, user, texts, as_json=as_json)

    work(done)
