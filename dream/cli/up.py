"""`dream up`: everything on this machine, until it is told to stop."""

import asyncio
import errno
import os
import socket
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

import psutil

from backbone.configuration import unknown
from backbone.sealing import seal
from dream.cli.running import Interrupted, Interrupts
from dream.failures import CommandFailed, DataDirInUse, Exit
from dream.local import logfile
from dream.local.data_dir import DataDir
from dream.local.orphans import end_orphans
from dream.local.restarts import Restart
from dream.texts import Texts

if TYPE_CHECKING:
    from dream.local.processes import ProcessStack
    from dream.local.stack import LocalStack


@dataclass(frozen=True, slots=True)
class Options:
    """Of the command line."""

    data_dir: Path
    host: str
    port: int
    processes: bool
    verbose: bool


async def up(options: Options, texts: Texts, interrupts: Interrupts) -> int:
    """Starts everything, says so in one line on standard output, and waits for a signal."""
    seal()
    check_settings()
    for said in unheeded(options.data_dir, texts):
        print(said, file=sys.stderr, flush=True)
    place = DataDir(options.data_dir)
    if running := place.running():
        raise CommandFailed(texts("up.in_use", folder=options.data_dir, url=running.url), Exit.USAGE)
    end_orphans(place)
    check_port(options.host, options.port, texts)
    if options.verbose:
        logfile.to_terminal()
    else:
        logfile.to_file(place)
    try:
        await interrupts.guard(_serve(options, place, texts, interrupts))
    except Interrupted:
        print(texts("up.stopped"), file=sys.stderr)
    except DataDirInUse as error:
        url = error.url or texts("up.starting")
        raise CommandFailed(texts("up.in_use", folder=options.data_dir, url=url), Exit.USAGE) from None
    return Exit.DONE


async def _serve(options: Options, place: DataDir, texts: Texts, interrupts: Interrupts) -> None:
    def tell(restart: Restart) -> None:
        print(restart.told(texts), file=sys.stderr, flush=True)

    with ExitStack() as files:
        context: LocalStack | ProcessStack
        if options.processes:
            from dream.local import processes

            output: IO[bytes] | None = None
            if not options.verbose:
                # appended whole lines at a time: five processes write into the one file
                output = files.enter_context(place.log_file.open("ab"))
            context = processes.ProcessStack(
                options.data_dir, options.port, host=options.host, tell=tell, output=output
            )
        else:
            from dream.local import stack

            context = stack.LocalStack(options.data_dir, options.port, options.host, tell)
        interrupts.hurry = context.kill_now
        async with context:
            await context.warmed()
            if not options.processes:
                from backbone.process import spare_garbage

                spare_garbage()
            tell_left_out(context.servers.left_out, texts)
            print(texts("up.ready", url=context.url), flush=True)
            print(console(context.url, texts), file=sys.stderr, flush=True)
            print(texts("up.time", seconds=f"{age():.1f}", log=place.log_file), file=sys.stderr, flush=True)
            try:
                await asyncio.Event().wait()
            finally:
                print(texts("up.stopping"), file=sys.stderr, flush=True)


def console(url: str, texts: Texts) -> str:
    """Where a browser finds the web console, or what to do where it has not been built."""
    from services.gateway import CONSOLE

    there = (CONSOLE / "index.html").is_file()
    return texts("up.console", url=f"{url}/console/") if there else texts("up.no_console")


def tell_left_out(packs: Mapping[str, str], texts: Texts) -> None:
    """On standard error, a line for each pack that the product goes without."""
    for name, reason in packs.items():
        print(texts("up.pack_left_out", name=name, why=reason), file=sys.stderr, flush=True)


def age() -> float:
    """Seconds since this process began: what the person has waited, the interpreter's start included."""
    return time.time() - psutil.Process().create_time()


def check_settings() -> None:
    """Raises what a service would end with, before anything is started: processes of their own would only be started
    again and again."""
    from backbone.model.prompts import PromptBook
    from backbone.model.provider import provider_of
    from backbone.settings import Settings

    provider_of(Settings(), {}, PromptBook({}))


def unheeded(folder: Path, texts: Texts) -> Iterator[str]:
    """A sentence for each variable that changes nothing here."""
    for said in unknown():
        yield texts("up.unheeded", said=said)
    if "DREAM_ARTIFACTS_URL" in os.environ:
        yield texts("up.own_files", folder=folder / "artifacts")


def check_port(host: str, port: int, texts: Texts) -> None:
    """Ends the command when the port is taken, before anything is started."""
    if not port:
        return
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            key = "up.port_taken" if error.errno == errno.EADDRINUSE else "up.port_refused"
            raise CommandFailed(texts(key, host=host, port=port, error=error), Exit.USAGE) from None
