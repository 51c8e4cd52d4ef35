"""The commands for those who make packs: dream pack new, check, eval."""

# ruff: noqa: FBT002  # typer reads options from parameters as they are

from pathlib import Path
from typing import Annotated

import typer

from dream.cli.options import HELP, HERE, AsJson, DataDir, Url, work
from dream.texts import Texts

app = typer.Typer(help=HELP("help.pack"), no_args_is_help=True)


@app.command(help=HELP("help.pack_new"))
def new(
    name: Annotated[str, typer.Argument(help=HELP("help.pack_name"))],
    path: Annotated[Path | None, typer.Option("--path", file_okay=True, help=HELP("help.pack_path"))] = None,
    flow: Annotated[bool, typer.Option("--flow", help=HELP("help.pack_flow"))] = False,
) -> None:
    from dream.packs import template

    async def made(texts: Texts) -> int:
        return template.new(name, path, texts, flow=flow)

    work(made)


@app.command(help=HELP("help.pack_check"))
def check(paths: Annotated[list[Path], typer.Argument(help=HELP("help.pack_folder"))], as_json: AsJson = False) -> None:
    from dream.packs import check

    async def checked(texts: Texts) -> int:
        return check.check(paths, texts, as_json=as_json)

    work(checked)


@app.command("eval", help=HELP("help.pack_eval"))
def evaluate(
    pack: Annotated[str, typer.Argument(help=HELP("help.pack_which"))],
    live: Annotated[bool, typer.Option("--live", help=HELP("help.live"))] = False,
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = HERE,
) -> None:
    async def judged(texts: Texts) -> int:
        from dream.client import target
        from dream.packs import evaluation
        from dream.packs import live as on_a_server

        if not live:
            return evaluation.evaluate(pack, texts, as_json=as_json)
        server = await target.required(url, data_dir, texts)
        return await on_a_server.evaluate(server, pack, texts, as_json=as_json)

    work(judged)
