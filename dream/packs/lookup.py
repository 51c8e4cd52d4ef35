"""A pack by its name or its folder, and the packs that it lives among."""

import importlib
from importlib.metadata import entry_points
from pathlib import Path

from backbone import packs
from backbone.packs import MANIFEST, Pack, PackInvalid
from dream.failures import CommandFailed, Exit
from dream.texts import Texts


def find(told: str, texts: Texts) -> Path:
    """The folder of a pack, absolute. Raises CommandFailed when there is none."""
    path = Path(told)
    if (path / MANIFEST).is_file():
        return path.resolve()
    for folder in packs.folders():
        if told.isidentifier() and (folder / told / MANIFEST).is_file():
            return folder / told
    for point in entry_points(group="dream.packs"):
        if point.name == told:
            return Path(next(iter(importlib.import_module(point.value).__path__)))
    raise CommandFailed(texts("pack.unknown", what=told), Exit.USAGE)


def importable(folder: Path) -> None:
    """Lets the code of a pack be imported as packs.<name>, as DREAM_PACK_PATH does for the product."""
    if folder.parent not in packs.folders():
        importlib.import_module("packs").__path__.append(str(folder.parent))


def whole(folder: Path, texts: Texts) -> Pack:
    """The pack in the folder, its code importable. Raises CommandFailed when a file of it cannot be read."""
    importable(folder)
    try:
        pack = packs.read(folder)
        _ = pack.tools, pack.texts, pack.flows, pack.agents, pack.intents, pack.topics
    except PackInvalid as error:
        raise CommandFailed(texts("pack.broken", why=error, folder=folder), Exit.USAGE) from None
    return pack


def others(folder: Path, name: str, known: dict[Path, Pack] | None = None) -> dict[str, Pack]:
    """The packs that the product loads here, but for this one. Their files are read when they are needed, and once for
    all calls that share `known`."""
    from backbone.settings import Settings

    loaded = packs.load(Settings().packs, but=(name, folder.name)).packs
    read = {} if known is None else known
    return {
        key: read.setdefault(one.folder.resolve(), one)
        for key, one in loaded.items()
        if key != name and one.folder.resolve() != folder
    }
