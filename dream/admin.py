"""`dream admin`: what whoever keeps the product running does with its ledger and its bus. Options here, work in the
modules of the commands' names."""

import os
from pathlib import Path
from typing import Annotated

import typer

from dream import admin_bus
from dream.options import HELP, HERE, AsJson, DataDir, end
from dream.texts import chosen

app = typer.Typer(help=HELP("help.admin"), no_args_is_help=True)
app.add_typer(admin_bus.app, name="bus")

Key = Annotated[Path | None, typer.Option("--key", help=HELP("help.audit_key"))]
OwnerUrl = Annotated[str | None, typer.Option("--url", help=HELP("help.owner_url"))]


@app.command(help=HELP("help.backup"))
def backup(
    folder: Annotated[Path, typer.Argument(help=HELP("help.backup_folder"))],
    key: Key = None,
    url: OwnerUrl = None,
    as_json: AsJson = False,  # noqa: FBT002  # typer reads options from parameters as they are
    data_dir: DataDir = HERE,
) -> None:
    from dream import admin_backup, maintain

    texts = chosen()

    async def work() -> int:
        owner, artifacts = maintain.owner_url(url, data_dir, texts), maintain.artifacts_url(data_dir)
        key_file = key or data_dir / "audit.key"
        return await admin_backup.backup(owner, artifacts, folder, key_file, texts, as_json=as_json)

    end(texts, lambda interrupts: interrupts.guard(work()))


@app.command(help=HELP("help.restore"))
def restore(
    folder: Annotated[Path, typer.Argument(exists=True, file_okay=False, help=HELP("help.backup_made"))],
    key: Key = None,
    url: OwnerUrl = None,
    data_dir: DataDir = HERE,
) -> None:
    from dream import admin_restore, maintain

    texts = chosen()

    async def work() -> int:
        key_file = key or data_dir / "audit.key"
        if owner := url or os.environ.get("DREAM_DATABASE_URL"):
            services = os.environ.get("DREAM_DATABASE_URL", "")
            target = admin_restore.Target(owner, services, maintain.artifacts_url(data_dir))
            code = await admin_restore.restore(folder, target, key_file, texts)
            print(texts("admin.now_rebuild"))
            return code
        async with admin_restore.embedded(data_dir) as target:
            return await admin_restore.restore(folder, target, key_file, texts)

    end(texts, lambda interrupts: interrupts.guard(work()))
