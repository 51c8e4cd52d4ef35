"""`dream admin access`: keys for those who may ask the gateway, where DREAM_AUTH is `keys`."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dream.cli.options import HELP, HERE, AsJson, DataDir, OwnerUrl, work
from dream.failures import CommandFailed, Exit
from dream.texts import Texts

if TYPE_CHECKING:
    from backbone.ledger.access_keys import KeyRow

app = typer.Typer(help=HELP("help.access"), no_args_is_help=True)
_NAME = re.compile(r"\S(.*\S)?")
LONGEST_NAME = 200


@app.command(help=HELP("help.access_create"))
def create(  # noqa: PLR0913, PLR0917  # its options
    user: Annotated[str, typer.Argument(help=HELP("help.access_user"))],
    operator: Annotated[bool, typer.Option("--operator", help=HELP("help.access_operator"))] = False,  # noqa: FBT002
    expires: Annotated[str | None, typer.Option("--expires-in", help=HELP("help.access_expires"))] = None,
    label: Annotated[str, typer.Option("--label", help=HELP("help.access_label"))] = "",
    as_json: AsJson = False,  # noqa: FBT002
    url: OwnerUrl = None,
    data_dir: DataDir = HERE,
) -> None:
    async def done(texts: Texts) -> int:
        from backbone.ledger import access_keys
        from contracts.access import Role
        from dream.cli import database_commands
        from dream.ops.database import database_errors
        from dream.ops.prune import duration

        if not _NAME.fullmatch(user) or len(user) > LONGEST_NAME:
            raise CommandFailed(texts("access.no_user", user=user), Exit.USAGE)
        until = datetime.now(UTC) + duration(expires, texts) if expires else None
        role = Role.OPERATOR if operator else Role.PERSON
        owner = database_commands.owner_url(url, data_dir, texts)
        with database_errors():
            key = await access_keys.create(owner, user, role, label, until)
        if as_json:
            print(json.dumps({"key": key, "user": user, "role": role, "expires_at": until and until.isoformat()}))
        else:
            print(key)
            typer.echo(texts("access.created", user=user, role=role), err=True)
        return Exit.DONE

    work(done)


@app.command("list", help=HELP("help.access_list"))
def list_keys(
    user: Annotated[str, typer.Option("--user", help=HELP("help.access_user"))] = "",
    as_json: AsJson = False,  # noqa: FBT002
    url: OwnerUrl = None,
    data_dir: DataDir = HERE,
) -> None:
    async def done(texts: Texts) -> int:
        from backbone.ledger import access_keys
        from dream.cli import database_commands
        from dream.ops.database import database_errors

        with database_errors():
            found = await access_keys.listed(database_commands.owner_url(url, data_dir, texts), user)
        if as_json:
            print(json.dumps([row._asdict() for row in found], default=lambda when: when.isoformat()))
        else:
            for row in found:
                print(_line(row, texts))
            if not found:
                print(texts("access.none"))
        return Exit.DONE

    work(done)


@app.command(help=HELP("help.access_revoke"))
def revoke(
    key_id: Annotated[str, typer.Argument(help=HELP("help.access_id"))], url: OwnerUrl = None, data_dir: DataDir = HERE
) -> None:
    work(lambda texts: revoked(key_id, url, data_dir, texts))


async def revoked(key_id: str, url: str | None, data_dir: Path, texts: Texts) -> int:
    """By its id, or by the whole key, which its holder may have lost to somebody."""
    from backbone.access.keys import ApiKey
    from backbone.ledger import access_keys
    from dream.cli import database_commands
    from dream.ops.database import database_errors

    key = ApiKey.read(key_id)
    with database_errors():
        owner = database_commands.owner_url(url, data_dir, texts)
        if not await access_keys.revoke(owner, key.key_id if key else key_id):
            raise CommandFailed(texts("access.unknown", id=key_id[:20]), Exit.USAGE)
    print(texts("access.revoked", id=key.key_id if key else key_id))
    return Exit.DONE


def _line(row: "KeyRow", texts: Texts) -> str:
    now = datetime.now(UTC)
    if row.revoked_at:
        state = texts("access.is_revoked", when=f"{row.revoked_at:%Y-%m-%d}")
    elif row.expires_at and row.expires_at <= now:
        state = texts("access.is_expired", when=f"{row.expires_at:%Y-%m-%d}")
    else:
        state = texts("access.is_valid", until=f"{row.expires_at:%Y-%m-%d}" if row.expires_at else "–")
    return "  ".join(filter(None, (row.key_id, row.user_id, row.role, state, row.label)))
