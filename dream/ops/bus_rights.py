"""`dream admin bus rights | make-room | keep`: who may do what on NATS, worked out from the services, and what its
admin does while they run."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal

import typer

from backbone.bus import rights
from backbone.bus.rights import ADMIN, rights_by_user
from dream.cli.options import HELP, HERE, DataDir, end, work
from dream.cli.running import Interrupted, Interrupts
from dream.failures import Exit
from dream.ops.bus import NatsUrl, administration
from dream.texts import Texts, chosen

app = typer.Typer()


@app.command("rights", help=HELP("help.bus_rights"))
def show(
    *,
    format_: Annotated[Literal["conf", "json"], typer.Option("--format", help=HELP("help.bus_format"))] = "conf",
    seeds: Annotated[Path | None, typer.Option("--keys", help=HELP("help.bus_keys"))] = None,
    split: Annotated[bool, typer.Option("--split", help=HELP("help.bus_split"))] = False,
) -> None:
    """Prints rights_by_user of the packs that are configured, as nats-server or as a program reads it."""
    from backbone import packs
    from backbone.bus import keys
    from backbone.settings import Settings
    from dream.ops.consumers import routes

    settings = Settings()
    users = rights_by_user(routes(settings, packs.load(settings.packs)), split=split)
    known = keys.public_keys(seeds, (*users, ADMIN)) if seeds is not None else {}
    if format_ == "json":
        typer.echo(rights.as_json(users, known), nl=False)
        return
    if not known:
        raise typer.BadParameter("--format conf: --keys <folder>")
    typer.echo(rights.as_conf(users, known), nl=False)


@app.command("make-room", help=HELP("help.bus_room"))
def make_room(nats: NatsUrl = None, data_dir: DataDir = HERE) -> None:
    work(lambda texts: roomy(nats, data_dir, texts))


@app.command("keep", help=HELP("help.bus_keep"))
def keep(nats: NatsUrl = None, data_dir: DataDir = HERE) -> None:
    texts = chosen()

    async def until_stopped(interrupts: Interrupts) -> int:
        with suppress(Interrupted):  # that is how it ends
            await interrupts.guard(kept(nats, data_dir, texts))
        return Exit.DONE

    end(texts, until_stopped)


async def roomy(told: str | None, data_dir: Path, texts: Texts) -> int:
    """Once: for a CronJob, or an operator whose stream is full."""
    async with administration(told, data_dir, texts) as bus:
        print(texts("bus.room", count=await bus.make_room()))
    return Exit.DONE


async def kept(told: str | None, data_dir: Path, texts: Texts) -> int:
    """Until it is stopped: what `dream up` does beside its services."""
    from backbone.bus.keeper import Keeper

    async with administration(told, data_dir, texts, lasting=True) as bus:
        await Keeper(bus).run()
    return Exit.DONE
