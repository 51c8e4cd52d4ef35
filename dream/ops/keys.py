"""`dream admin keys`: what is secret here, since when, and a new one in its place. No value is ever shown."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from dream.cli.options import HELP, HERE, AsJson, DataDir, OwnerUrl, work
from dream.failures import CommandFailed, Exit
from dream.texts import Texts

app = typer.Typer(help=HELP("help.keys"), no_args_is_help=True)

FILES = {"bus": "nats/password", "logins": "postgres.secret", "audit": "audit.key"}
"""Of a data folder: what `dream up` makes anew when it is missing, and the key of anchors, which nobody replaces."""


@app.command("list", help=HELP("help.keys_list"))
def list_keys(as_json: AsJson = False, url: OwnerUrl = None, data_dir: DataDir = HERE) -> None:  # noqa: FBT002
    work(lambda texts: listed(url, data_dir, texts, as_json=as_json))


@app.command(help=HELP("help.keys_rotate"))
def rotate(
    name: Annotated[str, typer.Argument(help=HELP("help.key_name"))], url: OwnerUrl = None, data_dir: DataDir = HERE
) -> None:
    work(lambda texts: rotated(name, url, data_dir, texts))


async def listed(url: str | None, data_dir: Path, texts: Texts, *, as_json: bool) -> int:
    """Of the database and of the data folder."""
    from backbone.ledger.keys import keys
    from dream.cli import database_commands
    from dream.ops.database import database_errors

    with database_errors():
        found = [key._asdict() for key in await keys(database_commands.owner_url(url, data_dir, texts))]
    for name, place in FILES.items():
        if (file := data_dir / place).exists():
            since = datetime.fromtimestamp(file.stat().st_mtime, UTC).isoformat(timespec="seconds")
            found.append({"kind": "file", "name": name, "since": since})
    if as_json:
        print(json.dumps(found))
    else:
        for one in found:
            print(texts("admin.key", **(one | {"since": one["since"] or "–"})))
    return Exit.DONE


async def rotated(name: str, url: str | None, data_dir: Path, texts: Texts) -> int:
    """A secret of the ledger at once; those of a data folder while nobody uses it: the next start makes new ones."""
    from backbone.ledger.keys import renew_secret
    from dream.cli import database_commands
    from dream.local.data_dir import DataDir as Place
    from dream.ops.database import database_errors

    if name in {"bus", "logins"}:
        place = Place(data_dir)
        place.lock()
        try:
            gone = [data_dir / FILES[name], *((data_dir / "nats/keys").glob("*.seed") if name == "bus" else ())]
            for file in gone:
                file.unlink(missing_ok=True)
        finally:
            place.unlock()
        print(texts("admin.key_at_next_start", name=name))
        return Exit.DONE
    with database_errors():
        if not await renew_secret(database_commands.owner_url(url, data_dir, texts), name):
            raise CommandFailed(texts("admin.no_key", name=name), Exit.USAGE)
    print(texts("admin.key_renewed", name=name))
    return Exit.DONE
