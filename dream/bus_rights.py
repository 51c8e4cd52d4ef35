"""The rights of the services on NATS, from the services as they are composed: for nats-server and for manifests."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import typer

from backbone.bus import rights
from backbone.bus.rights import ADMIN, EXECUTION, ROUTE, Station, rights_by_user
from contracts import subjects
from dream.failures import Exit
from dream.options import HELP

if TYPE_CHECKING:
    from backbone.bus.admin import BusAdmin

T = TypeVar("T")

app = typer.Typer(help=HELP("help.bus"), no_args_is_help=True)


def composed() -> list[Station]:
    """Every service with all that is installed, connected to nothing. What each executor route has is written once."""
    from backbone.artifacts.local import LocalArtifacts
    from backbone.ledger.tables import PackTables
    from backbone.service import Backbone
    from backbone.settings import Settings
    from dream.stack import GATEWAY, SERVICES

    with TemporaryDirectory() as folder:
        settings = Settings(artifacts_url=Path(folder).as_uri(), data_dir=Path(folder), executors=(), mcp_servers={})
        nowhere: Any = None  # they are composed, and never started
        backbone = Backbone(settings, nowhere, LocalArtifacts(Path(folder)), nowhere, nowhere, PackTables(""))
        found = []
        for name in SERVICES:
            service = import_module(f"services.{name}.app").service(backbone)
            found.append((service.shell if name == GATEWAY else service).station)
    return [_by_route(station) if station.service == EXECUTION else station for station in found]


def _by_route(station: Station) -> Station:
    own: dict[str, tuple[str, ...]] = {}
    for name, filters in station.durables.items():
        route = name.removeprefix(f"{EXECUTION}-")
        if filters == (subjects.pattern(EXECUTION, "TodoDispatched", route),):
            own[f"{EXECUTION}-{ROUTE}"] = (subjects.pattern(EXECUTION, "TodoDispatched", ROUTE),)
        else:
            own[name] = filters
    return replace(station, durables=own)


def table() -> str:
    """The rights of every service as Markdown, for the protocol's page."""
    rows = ["| user | publish | subscribe |", "| --- | --- | --- |"]
    for user, one in rights_by_user(("<route>",)).items():
        said, heard = ("<br>".join(f"`{subject}`" for subject in some) for some in (one.publish, one.subscribe))
        rows.append(f"| {user} | {said} | {heard} |")
    return "\n".join(rows)


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

    users = rights_by_user(packs.load(Settings().packs).executors, split=split)
    known = keys.public_keys(seeds, (*users, ADMIN)) if seeds is not None else {}
    if format_ == "json":
        typer.echo(rights.as_json(users, known), nl=False)
        return
    if not known:
        raise typer.BadParameter("--format conf: --keys <folder>")
    typer.echo(rights.as_conf(users, known), nl=False)


@app.command("make-room", help=HELP("help.bus_room"))
def make_room(url: Annotated[str | None, typer.Option("--url", help=HELP("help.bus_url"))] = None) -> None:
    """Once; for a CronJob, or an operator whose stream is full."""
    dropped = asyncio.run(_as_admin(url, lambda admin: admin.make_room()))
    typer.echo(HELP("bus.room", count=dropped))


@app.command("keep", help=HELP("help.bus_keep"))
def keep(url: Annotated[str | None, typer.Option("--url", help=HELP("help.bus_url"))] = None) -> None:
    """Until it is stopped; what `dream up` does beside its services."""
    asyncio.run(_as_admin(url, lambda admin: admin.run()))


async def _as_admin(url: str | None, work: "Callable[[BusAdmin], Awaitable[T]]") -> "T":
    from backbone.bus.admin import BusAdmin
    from backbone.bus.port import BusUnavailable
    from backbone.settings import Settings

    settings = Settings()
    limits = settings.bus_max_bytes, settings.bus_max_age_hours * 3600
    try:
        admin = await BusAdmin.connect(url or settings.nats_url, (), *limits, seed=settings.nats_nkey_file)
        try:
            return await work(admin)
        finally:
            await admin.close()
    except BusUnavailable as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(Exit.FAILED) from None
