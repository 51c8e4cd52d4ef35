"""`dream audit`: whether history is as it was. Options here, work in dream.ops.audit."""

from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer

from dream.cli.options import HELP, HERE, AuditKey, DatabaseUrl, DataDir, work

app = typer.Typer(help=HELP("help.audit"), no_args_is_help=True)


@app.command(help=HELP("help.verify"))
def verify(
    session: Annotated[UUID | None, typer.Argument(help=HELP("help.session_id"))] = None,
    against: Annotated[Path | None, typer.Option(help=HELP("help.against"))] = None,
    key: AuditKey = None,
    url: DatabaseUrl = None,
    data_dir: DataDir = HERE,
) -> None:
    from dream.cli import database_commands
    from dream.ops import audit

    work(
        lambda texts: audit.verify(
            database_commands.database_url(url, data_dir, texts),
            session,
            against,
            key or data_dir / "audit.key",
            texts,
            database_commands.artifacts_url(data_dir),
        )
    )


@app.command(help=HELP("help.anchor"))
def anchor(
    file: Annotated[Path, typer.Argument(help=HELP("help.anchor_file"))],
    key: AuditKey = None,
    url: DatabaseUrl = None,
    data_dir: DataDir = HERE,
) -> None:
    from dream.cli import database_commands
    from dream.ops import audit

    key_file = key or data_dir / "audit.key"
    work(lambda texts: audit.anchor(database_commands.database_url(url, data_dir, texts), file, key_file, texts))
