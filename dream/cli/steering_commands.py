"""The commands that control a run that goes on: dream pause, resume, interrupt, cancel, edit."""

from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer

from dream.cli.options import HELP, HERE, DataDir, Url, work
from dream.texts import chosen

app = typer.Typer()

RunId = Annotated[str, typer.Argument(help=HELP("help.run_id"))]
Session = Annotated[UUID | None, typer.Option("--session", "-s", help=HELP("help.session_of_run"))]
Reason = Annotated[str, typer.Option("--reason", help=HELP("help.reason"))]


def _control(control: str, run: str, session: UUID | None, reason: str, url: str | None, data_dir: Path) -> None:
    from dream.client import run_selector

    which = run_selector.Which(run, str(session) if session else None, url, data_dir)
    work(lambda texts: run_selector.control(which, control, reason, texts))


@app.command(help=HELP("help.pause"))
def pause(run: RunId, session: Session = None, reason: Reason = "", url: Url = None, data_dir: DataDir = HERE) -> None:
    _control("pause", run, session, reason, url, data_dir)


@app.command(help=HELP("help.resume"))
def resume(run: RunId, session: Session = None, reason: Reason = "", url: Url = None, data_dir: DataDir = HERE) -> None:
    _control("resume", run, session, reason, url, data_dir)


@app.command(help=HELP("help.interrupt"))
def interrupt(
    run: RunId, session: Session = None, reason: Reason = "", url: Url = None, data_dir: DataDir = HERE
) -> None:
    _control("interrupt", run, session, reason, url, data_dir)


@app.command(help=HELP("help.cancel"))
def cancel(run: RunId, session: Session = None, reason: Reason = "", url: Url = None, data_dir: DataDir = HERE) -> None:
    _control("cancel", run, session, reason, url, data_dir)


@app.command(help=HELP("help.edit"))
def edit(  # noqa: PLR0913, PLR0917  # its options
    run: RunId,
    remove: Annotated[list[str] | None, typer.Option("--remove", help=HELP("help.remove"))] = None,
    assign: Annotated[list[str] | None, typer.Option("--set", help=HELP("help.set"))] = None,
    add: Annotated[list[str] | None, typer.Option("--add", help=HELP("help.add"))] = None,
    move: Annotated[list[str] | None, typer.Option("--move", help=HELP("help.move"))] = None,
    patch: Annotated[
        Path | None, typer.Option("--patch", exists=True, dir_okay=False, readable=True, help=HELP("help.patch"))
    ] = None,
    session: Session = None,
    url: Url = None,
    data_dir: DataDir = HERE,
) -> None:
    from dream.client import run_selector

    if not (remove or assign or add or move or patch):
        raise typer.BadParameter(chosen()("edit.nothing"))
    changes = run_selector.Changes(tuple(remove or ()), tuple(assign or ()), patch, tuple(add or ()), tuple(move or ()))
    which = run_selector.Which(run, str(session) if session else None, url, data_dir)
    work(lambda texts: run_selector.edit(which, changes, texts))
