"""The `dream` command: options in, exit code out. What the commands do is in the module of their name."""

import dream.cli.interrupts  # noqa: F401, I001  # first: see there

import os
from enum import StrEnum
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer

from dream.cli import (
    admin_commands,
    audit_commands,
    file_commands,
    learning_commands,
    ops_commands,
    pack_commands,
    steering_commands,
)
from dream.client.prompt import BudgetUnclear, budget_of
from dream.cli.options import HELP, HERE, AsJson, DatabaseUrl, DataDir, Url, known_zone, with_server, work
from dream.cli.options import end as _end
from dream.texts import Texts, chosen


class SpokenLanguage(StrEnum):
    """--language"""

    KO = "ko"
    EN = "en"
    JA = "ja"


class DemoLanguage(StrEnum):
    """--language of the demo"""

    KO = "ko"
    EN = "en"
    BOTH = "both"


app = typer.Typer(help=HELP("help.dream"), no_args_is_help=True, rich_markup_mode="rich", add_completion=False)
app.add_typer(admin_commands.app, name="admin")
app.add_typer(audit_commands.app, name="audit")
app.add_typer(ops_commands.dead, name="dead")
app.add_typer(pack_commands.app, name="pack")
app.add_typer(file_commands.files, name="files")
app.add_typer(learning_commands.export, name="export")
app.add_typer(learning_commands.learn, name="learn")
app.registered_commands += steering_commands.app.registered_commands + ops_commands.app.registered_commands
app.registered_commands += learning_commands.app.registered_commands

Session = Annotated[UUID | None, typer.Option("--session", "-s", help=HELP("help.session"))]
Approve = Annotated[bool, typer.Option("--approve", "-y", help=HELP("help.approve"))]
Out = Annotated[Path | None, typer.Option("--out", "-o", file_okay=False, help=HELP("help.out"))]
LogLines = Annotated[bool, typer.Option("--verbose", "-v", help=HELP("help.log_lines"))]
Language = Annotated[SpokenLanguage | None, typer.Option("--language", "-l", help=HELP("help.language"))]
User = Annotated[str | None, typer.Option("--user", "-u", help=HELP("help.user"))]
Zone = Annotated[str | None, typer.Option("--timezone", help=HELP("help.timezone"))]


def main() -> None:
    """Entry point. What it makes is for the person who runs it: people's texts, and files made of them."""
    os.umask(0o077)
    app()


@app.command(help=HELP("help.up"))
def up(
    processes: Annotated[bool, typer.Option("--processes", help=HELP("help.processes"))] = False,
    host: Annotated[str, typer.Option(envvar="DREAM_HOST", help=HELP("help.host"))] = "127.0.0.1",
    port: Annotated[int, typer.Option(envvar="DREAM_PORT", min=0, max=65535, help=HELP("help.port"))] = 8765,
    data_dir: DataDir = HERE,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help=HELP("help.verbose"))] = False,
) -> None:
    from dream.cli import up as product

    texts = chosen()
    options = product.Options(data_dir, host, port, processes, verbose)
    _end(texts, lambda interrupts: product.up(options, texts, interrupts))


@app.command(help=HELP("help.ask"))
def ask(  # noqa: PLR0913, PLR0917  # its options
    text: Annotated[str, typer.Argument(help=HELP("help.text"))],
    file: Annotated[
        list[Path] | None,
        typer.Option("--file", "-f", exists=True, dir_okay=False, readable=True, help=HELP("help.file")),
    ] = None,
    session: Session = None,
    approve: Approve = False,
    budget: Annotated[str | None, typer.Option("--budget", help=HELP("help.budget"))] = None,
    out: Out = None,
    verbose: LogLines = False,
    as_json: AsJson = False,
    language: Language = None,
    user: User = None,
    timezone: Zone = None,
    url: Url = None,
    data_dir: DataDir = HERE,
    brand: Annotated[Path | None, typer.Option("--brand", exists=True, dir_okay=False, help=HELP("help.brand"))] = None,
) -> None:
    from dream.client.ask import Request
    from dream.client.ask import ask as run
    from dream.client.brand import BrandUnreadable, packed

    texts = chosen(language)
    if not text.strip():
        raise typer.BadParameter(texts("ask.empty"))
    try:
        limits = budget_of(budget) if budget else None
    except BudgetUnclear as error:
        raise typer.BadParameter(texts("budget.unclear", what=error)) from None
    try:
        own = packed(brand) if brand else None
    except BrandUnreadable as error:
        raise typer.BadParameter(texts("brand.unreadable", why=error)) from None
    _known_person(texts, session, user, timezone)
    request = Request(
        text,
        data_dir,
        tuple(file or ()),
        str(session) if session else None,
        language,
        approve,
        limits,
        out,
        as_json,
        url,
        verbose,
        user,
        timezone,
        own,
    )
    _end(texts, lambda interrupts: run(request, texts, interrupts))


@app.command(help=HELP("help.chat"))
def chat(  # noqa: PLR0913, PLR0917  # its options
    session: Session = None,
    approve: Approve = False,
    out: Out = None,
    verbose: LogLines = False,
    language: Language = None,
    user: User = None,
    timezone: Zone = None,
    url: Url = None,
    data_dir: DataDir = HERE,
) -> None:
    from dream.client.ask import Request
    from dream.client.chat import chat as run

    texts = chosen(language)
    _known_person(texts, session, user, timezone)
    request = Request(
        "",
        data_dir,
        session=str(session) if session else None,
        language=language,
        approve=approve,
        out=out,
        url=url,
        verbose=verbose,
        user=user,
        timezone=timezone,
    )
    _end(texts, lambda interrupts: run(request, texts, interrupts))


def _known_person(texts: Texts, session: UUID | None, user: str | None, timezone: str | None) -> None:
    if session and (user or timezone):
        raise typer.BadParameter(texts("ask.person_fixed"))
    if timezone and not known_zone(timezone):
        raise typer.BadParameter(texts("ask.timezone_unknown", timezone=timezone))


@app.command(help=HELP("help.events"))
def events(
    session: Annotated[UUID, typer.Argument(help=HELP("help.session_id"))],
    after: Annotated[int, typer.Option(min=0, help=HELP("help.after"))] = 0,
    follow: Annotated[bool, typer.Option("--follow", help=HELP("help.follow"))] = False,
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = HERE,
) -> None:
    from dream.client.events import events as show

    with_server(
        url,
        data_dir,
        lambda server, texts: show(server, str(session), after, follow=follow, as_json=as_json, texts=texts),
    )


@app.command(help=HELP("help.demo"))
def demo(
    language: Annotated[
        DemoLanguage, typer.Option("--language", "-l", help=HELP("help.demo_language"))
    ] = DemoLanguage.BOTH,
    out: Annotated[Path, typer.Option("--out", "-o", file_okay=False, help=HELP("help.out"))] = Path("out"),
    url: Url = None,
    data_dir: DataDir = HERE,
) -> None:
    from dream.cli import demo as product

    texts = chosen(None if language is DemoLanguage.BOTH else language)
    languages = product.BOTH if language is DemoLanguage.BOTH else (str(language),)
    _end(texts, lambda interrupts: product.demo(languages, out, data_dir, url, texts, interrupts))


@app.command(help=HELP("help.doctor"))
def doctor(
    data_dir: DataDir = HERE,
    port: Annotated[int, typer.Option(envvar="DREAM_PORT", min=0, max=65535, help=HELP("help.port"))] = 8765,
) -> None:
    from rich.console import Console

    from dream.ops.checks import all_checks
    from dream.ops.doctor import report

    texts = chosen()
    findings = [check() for check in all_checks(data_dir, port, texts)]
    raise typer.Exit(int(report(findings, texts, Console())))


@admin_commands.app.command(help=HELP("help.migrate"))
@app.command(help=HELP("help.migrate"))
def migrate(url: DatabaseUrl = None, data_dir: DataDir = HERE) -> None:
    from dream.cli import database_commands

    work(lambda texts: database_commands.migrate_here(url, data_dir, texts))


def _print_version(wanted: bool = True) -> None:
    if wanted:
        print(f"dream-agent {version_of('dream-agent')}")
        raise typer.Exit


@app.command(help=HELP("help.version"))
def version() -> None:
    _print_version()


@app.callback()
def options(
    _: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help=HELP("help.version"))
    ] = False,
) -> None:
    """Options of `dream` itself."""
