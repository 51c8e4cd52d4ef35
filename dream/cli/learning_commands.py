"""The commands around what people think of answers: dream feedback, dream export learning, dream learn apply."""

# ruff: noqa: FBT002  # typer reads options from parameters as they are

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer

from dream.cli.options import HELP, HERE, DatabaseUrl, DataDir, Url, work
from dream.texts import Texts, chosen

app = typer.Typer()
export = typer.Typer(help=HELP("help.export"), no_args_is_help=True)
learn = typer.Typer(help=HELP("help.learn"), no_args_is_help=True)


@app.command(help=HELP("help.feedback"))
def feedback(  # noqa: PLR0913, PLR0917  # its options
    run: Annotated[str, typer.Argument(help=HELP("help.run_id"))],
    rating: Annotated[int | None, typer.Option("--rating", min=1, max=5, help=HELP("help.rating"))] = None,
    comment: Annotated[str, typer.Option("--comment", help=HELP("help.comment"))] = "",
    intent: Annotated[str | None, typer.Option("--intent", help=HELP("help.right_intent"))] = None,
    slot: Annotated[list[str] | None, typer.Option("--slot", help=HELP("help.right_slot"))] = None,
    plan: Annotated[list[str] | None, typer.Option("--plan", help=HELP("help.right_plan"))] = None,
    answer: Annotated[str | None, typer.Option("--answer", help=HELP("help.right_answer"))] = None,
    session: Annotated[UUID | None, typer.Option("--session", "-s", help=HELP("help.session_of_run"))] = None,
    url: Url = None,
    data_dir: DataDir = HERE,
) -> None:
    if rating is None and not (intent or slot or plan or answer):
        raise typer.BadParameter(chosen()("feedback.nothing"))

    async def given(texts: Texts) -> int:
        from dream.client import feedback as giving
        from dream.client import run_selector

        which = run_selector.Which(run, str(session) if session else None, url, data_dir)
        right = giving.correction(intent, slot or (), plan or (), answer, texts)
        body = {"rating": rating, "comment": comment, "correction": right}
        return await giving.give(which, body, texts)

    work(given)


@export.command("learning", help=HELP("help.export_learning"))
def export_learning(  # its options
    out: Annotated[Path | None, typer.Option("--out", "-o", dir_okay=False, help=HELP("help.export_out"))] = None,
    since: Annotated[datetime | None, typer.Option("--since", help=HELP("help.since"))] = None,
    user: Annotated[str | None, typer.Option("--user", "-u", help=HELP("help.export_user"))] = None,
    corrections: Annotated[bool, typer.Option("--eval", help=HELP("help.export_eval"))] = False,
    url: DatabaseUrl = None,
    data_dir: DataDir = HERE,
) -> None:
    async def written(texts: Texts) -> int:
        from dream.cli import database_commands
        from dream.learning import export

        moment = since.replace(tzinfo=since.tzinfo or UTC) if since else None
        wanted = export.Wanted(moment, user, corrections)
        database = database_commands.database_url(url, data_dir, texts)
        return await export.export(database, wanted, out, texts, database_commands.artifacts_url(data_dir))

    work(written)


@learn.command("apply", help=HELP("help.learn_apply"))
def apply(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, readable=True, help=HELP("help.learn_file"))],
    pack: Annotated[str, typer.Option("--pack", help=HELP("help.pack_which"))],
    agreed: Annotated[bool, typer.Option("--yes", "-y", help=HELP("help.learn_yes"))] = False,
) -> None:
    async def applied(texts: Texts) -> int:
        from dream.learning import apply as learning

        return learning.apply(file, pack, texts, agreed=agreed)

    work(applied)
