"""The rights of the services on NATS, from the services as they are composed: for nats-server and for manifests."""

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

import typer

from backbone.bus import keys, rights
from backbone.bus.rights import ADMIN, EXECUTION, ROUTE, Station, rights_by_user
from contracts import subjects
from dream.stack import GATEWAY, SERVICES

app = typer.Typer(no_args_is_help=True)


def composed() -> list[Station]:
    """Every service with all that is installed, connected to nothing. What each executor route has is written once."""
    from backbone.artifacts.local import LocalArtifacts
    from backbone.ledger.tables import PackTables
    from backbone.service import Backbone
    from backbone.settings import Settings

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


@app.command("rights")
def show(
    *,
    format_: Annotated[
        Literal["conf", "json"], typer.Option("--format", help="conf for nats-server, or json")
    ] = "conf",
    seeds: Annotated[
        Path | None, typer.Option("--keys", help="folder with a seed per user, <user>.seed; those missing are made")
    ] = None,
    split: Annotated[
        bool, typer.Option("--split", help="a user for each executor route, as in Kubernetes; else one for all")
    ] = False,
) -> None:
    """Prints the NATS users of the services with their rights: an `authorization` block to include, or JSON."""
    from backbone import packs
    from backbone.settings import Settings

    users = rights_by_user(packs.load(Settings().packs).executors, split=split)
    known = keys.public_keys(seeds, (*users, ADMIN)) if seeds is not None else {}
    if format_ == "json":
        typer.echo(rights.as_json(users, known), nl=False)
        return
    if not known:
        raise typer.BadParameter("a nats-server knows users by their keys: --keys <folder>")
    typer.echo(rights.as_conf(users, known), nl=False)
