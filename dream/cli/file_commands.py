"""`dream files`: what the product knows of files."""

# ruff: noqa: FBT002  # typer reads options from parameters as they are

from typing import Annotated

import typer

from dream.cli.options import HELP, HERE, AsJson, DataDir, Url, with_server

files = typer.Typer(help=HELP("help.files"), no_args_is_help=True)

File = Annotated[str, typer.Argument(help=HELP("help.file_or_id"))]


@files.callback()
def only() -> None:
    """One command so far, and called by its name all the same."""


@files.command(help=HELP("help.files_show"))
def show(file: File, as_json: AsJson = False, url: Url = None, data_dir: DataDir = HERE) -> None:
    from dream.client import file_profile

    with_server(url, data_dir, lambda server, texts: file_profile.shown(server, file, as_json=as_json, texts=texts))
