"""What commands have in common: their options, and how each of them ends."""

import os
import sys
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import typer

from dream.failures import Exit
from dream.texts import Texts, chosen

if TYPE_CHECKING:
    from dream.cli.running import Interrupts

HELP = chosen()
"""Help is read before any option, so only the locale can choose its language."""

DataDir = Annotated[Path, typer.Option("--data-dir", envvar="DREAM_DATA_DIR", help=HELP("help.data_dir"))]
Url = Annotated[str | None, typer.Option("--url", help=HELP("help.url"))]
DatabaseUrl = Annotated[str | None, typer.Option("--url", help=HELP("help.database_url"))]
OwnerUrl = Annotated[str | None, typer.Option("--url", help=HELP("help.owner_url"))]
AuditKey = Annotated[Path | None, typer.Option("--key", help=HELP("help.audit_key"))]
AsJson = Annotated[bool, typer.Option("--json", help=HELP("help.json"))]
HERE = Path(".dream")
UNREAD = 141
"""What a shell says of a program that SIGPIPE has ended."""


def known_zone(name: str) -> bool:
    """Whether it is an IANA name of a time zone."""
    try:
        return bool(ZoneInfo(name))
    except (ValueError, OSError, ZoneInfoNotFoundError):
        return False


def end(texts: Texts, command: "Callable[[Interrupts], Awaitable[int]]") -> None:
    """Runs a command and ends the process with its exit code; errors become one sentence."""
    from dream.cli import running
    from dream.cli.error_messages import error_message

    try:
        code = running.run(command)
        sys.stdout.flush()
    except running.Interrupted:
        code = Exit.INTERRUPTED
    except BrokenPipeError:  # who read has enough (`| head`): what is left to be written goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = UNREAD
    except Exception as error:
        known = error_message(error, texts)
        if known is None:
            raise
        print(known.message, file=sys.stderr)
        code = known.exit_code
    raise typer.Exit(int(code))


def work(done: Callable[[Texts], Coroutine[Any, Any, int]]) -> None:
    """A command in the person's language, which a signal cancels."""
    texts = chosen()
    end(texts, lambda interrupts: interrupts.guard(done(texts)))


def with_server(url: str | None, data_dir: Path, asked: Callable[[str, Texts], Awaitable[None]]) -> None:
    """Runs a command that asks a gateway, by its address."""
    from dream.client import target

    async def done(texts: Texts) -> int:
        await asked(await target.required(url, data_dir, texts), texts)
        return Exit.DONE

    work(done)
