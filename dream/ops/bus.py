"""`dream admin bus`: the stream and its consumers are made, compared and begun anew by an administrator."""

# ruff: noqa: FBT002  # typer reads options from parameters as they are

import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backbone.secret_files import value_of
from dream.cli.options import HELP, HERE, AsJson, DataDir, work
from dream.failures import CommandFailed, Exit
from dream.local.data_dir import DataDir as Place
from dream.texts import Texts

if TYPE_CHECKING:
    from backbone.bus.administration import Administration, Difference, Login
    from backbone.settings import Settings

app = typer.Typer(help=HELP("help.admin_bus"), no_args_is_help=True)

NatsUrl = Annotated[str | None, typer.Option("--nats", envvar="DREAM_NATS_URL", help=HELP("help.nats_url"))]
RemoveUnknown = Annotated[bool, typer.Option("--remove-unknown", help=HELP("help.remove_unknown"))]


@app.command(help=HELP("help.bus_declare"))
def declare(
    remove_unknown: RemoveUnknown = False, as_json: AsJson = False, nats: NatsUrl = None, data_dir: DataDir = HERE
) -> None:
    work(lambda texts: declared(nats, data_dir, texts, remove_unknown=remove_unknown, as_json=as_json))


@app.command(help=HELP("help.bus_diff"))
def diff(as_json: AsJson = False, nats: NatsUrl = None, data_dir: DataDir = HERE) -> None:
    work(lambda texts: compared(nats, data_dir, texts, as_json=as_json))


@app.command(help=HELP("help.bus_rebuild"))
def rebuild(as_json: AsJson = False, nats: NatsUrl = None, data_dir: DataDir = HERE) -> None:
    work(lambda texts: rebuilt(nats, data_dir, texts, as_json=as_json))


def nats_url(told: str | None, data_dir: Path, texts: Texts) -> str:
    """--nats, DREAM_NATS_URL or its file, or that of what runs in the data directory."""
    if url := told or value_of("DREAM_NATS_URL", os.environ):
        return url
    if running := Place(data_dir).running():
        return running.nats_url
    raise CommandFailed(texts("admin.no_bus", folder=data_dir), Exit.USAGE)


def login(told: str | None, data_dir: Path, texts: Texts, settings: "Settings") -> "Login":
    """The bus that is meant, and the key of its admin where the URL names nobody."""
    from backbone.bus.administration import Login
    from backbone.ledger.logins import login_of

    url = nats_url(told, data_dir, texts)
    return Login(url, None if any(login_of(url)) else settings.nats_nkey_file, settings.nats_ca_file)


@asynccontextmanager
async def administration(
    told: str | None, data_dir: Path, texts: Texts, *, lasting: bool = False
) -> "AsyncIterator[Administration]":
    """The bus that is meant, with what this version declares on it."""
    from backbone import packs
    from backbone.bus.administration import administer
    from backbone.bus.declare import stream_config
    from backbone.settings import Settings
    from dream.ops.consumers import consumers

    settings = Settings()
    config = stream_config(settings.bus_max_bytes, settings.bus_max_age_hours * 3600, settings.bus_replicas)
    specs = consumers(settings, packs.load(settings.packs))
    async with administer(login(told, data_dir, texts, settings), specs, config, lasting=lasting) as bus:
        yield bus


async def declared(told: str | None, data_dir: Path, texts: Texts, *, remove_unknown: bool, as_json: bool) -> int:
    """Declares; says what it made or mended."""
    async with administration(told, data_dir, texts) as bus:
        found = await bus.declare(remove_unknown=remove_unknown)
    _tell(found, texts, as_json=as_json)
    if not as_json:
        print(texts("admin.declared", consumers=len(bus.consumers)))
    return Exit.DONE


async def compared(told: str | None, data_dir: Path, texts: Texts, *, as_json: bool) -> int:
    """Exit 1 when something differs."""
    async with administration(told, data_dir, texts) as bus:
        found = await bus.differences()
    _tell(found, texts, as_json=as_json)
    if not found and not as_json:
        print(texts("admin.same"))
    return Exit.BROKEN if found else Exit.DONE


async def rebuilt(told: str | None, data_dir: Path, texts: Texts, *, as_json: bool) -> int:
    """The stream begins anew."""
    async with administration(told, data_dir, texts) as bus:
        messages = await bus.rebuild()
    print(json.dumps({"messages": messages}) if as_json else texts("admin.rebuilt", messages=messages))
    return Exit.DONE


def _tell(found: "list[Difference]", texts: Texts, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps([one._asdict() for one in found], default=str))
        return
    for one in found:
        key = "admin.missing" if one.there is None else "admin.unknown" if one.wanted is None else "admin.differs"
        name = one.consumer or "stream"
        print(texts(key, name=name, what=one.what, wanted=one.wanted, there=one.there))
