"""`dream files`: what the product knows of files."""

# ruff: noqa: FBT002  # typer reads options from parameters as they are

from typing import Annotated

import typer

from dream.cli.options import HELP, HERE, AsJson, DataDir, Url, end
from dream.cli.running import Interrupts
from dream.client import target
from dream.failures import Exit
from dream.texts import chosen

files = typer.Typer(help=HELP("help.files"), no_args_is_help=True)

File = Annotated[str, typer.Argument(help=HELP("help.file_or_id"))]


@files.callback()
def only() -> None:
    """One command so far, and called by its name all the same."""


@files.command(help=HELP("help.files_show"))
def show(file: File, as_json: AsJson = False, url: Url = None, data_dir: DataDir = HERE) -> None:
    from dream.client import file_profile

    texts = chosen()

    async def found() -> int:
        server = await target.required(url, data_dir, texts)
        await file_profile.shown(server, file, as_json=as_json, texts=texts)
        return Exit.DONE

    async def run(interrupts: Interrupts) -> int:
        return await interrupts.guard(found())

    end(texts, run)
