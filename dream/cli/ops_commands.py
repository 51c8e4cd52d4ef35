"""`dream runs` and `dream dead`: options of the commands for whoever keeps the product running."""

# ruff: noqa: FBT002  # typer reads options from parameters as they are

from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer

from dream.cli.options import HELP, HERE, AsJson, DataDir, Url, with_server

app = typer.Typer()
dead = typer.Typer(help=HELP("help.dead"), no_args_is_help=True)

Letter = Annotated[UUID, typer.Argument(help=HELP("help.letter"))]


@app.command(help=HELP("help.runs"))
def runs(
    stuck: Annotated[bool, typer.Option("--stuck", help=HELP("help.stuck"))] = False,
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = HERE,
) -> None:
    from dream.ops import open_runs

    with_server(
        url, data_dir, lambda server, texts: open_runs.runs(server, only_stuck=stuck, as_json=as_json, texts=texts)
    )


@dead.command("list", help=HELP("help.dead_list"))
def list_letters(
    everything: Annotated[bool, typer.Option("--all", help=HELP("help.dead_all"))] = False,
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = HERE,
) -> None:
    from dream.ops import dead_letters

    with_server(
        url,
        data_dir,
        lambda server, texts: dead_letters.listed(server, everything=everything, as_json=as_json, texts=texts),
    )


@dead.command(help=HELP("help.dead_show"))
def show(letter: Letter, as_json: AsJson = False, url: Url = None, data_dir: DataDir = HERE) -> None:
    from dream.ops import dead_letters

    with_server(url, data_dir, lambda server, texts: dead_letters.shown(server, letter, as_json=as_json, texts=texts))


@dead.command(help=HELP("help.dead_retry"))
def retry(letter: Letter, as_json: AsJson = False, url: Url = None, data_dir: DataDir = HERE) -> None:
    _settle("retry", letter, as_json, url, data_dir)


@dead.command(help=HELP("help.dead_discard"))
def discard(letter: Letter, as_json: AsJson = False, url: Url = None, data_dir: DataDir = HERE) -> None:
    _settle("discard", letter, as_json, url, data_dir)


def _settle(verb: str, letter: UUID, as_json: bool, url: str | None, data_dir: Path) -> None:  # noqa: FBT001  # an option
    from dream.ops import dead_letters

    with_server(
        url, data_dir, lambda server, texts: dead_letters.settled(server, letter, verb, as_json=as_json, texts=texts)
    )
