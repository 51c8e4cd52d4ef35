"""`dream pack new`: a pack that works at once, from the template packs/minimal."""

import re
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from backbone import packs
from dream.failures import CommandFailed, Exit
from dream.texts import Texts

TEMPLATE = "minimal"
FLOW = "flow_template"
"""The folder of what a dialogue adds to the template."""
ADDED = ".add"
"""At the end of the name of a file whose lines come behind those of the template."""
NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
MARK = "# template: "
"""A line with it is for the template alone."""


def new(name: str, path: Path | None, texts: Texts, *, flow: bool = False) -> int:
    """Writes the pack, with a dialogue if `flow`, and says what can be done with it. Raises CommandFailed, and then
    nothing was written."""
    folder = path or Path("packs") / name
    _check(name, folder, texts)
    made = dict(_rendered(name, files("packs") / TEMPLATE, Path()))
    for target, text in _rendered(name, files("dream.packs") / FLOW, Path()) if flow else ():
        own = target.with_name(target.name.removesuffix(ADDED))
        made[own] = made.get(own, "") + text
    for target, text in made.items():
        (folder / target).parent.mkdir(parents=True, exist_ok=True)
        (folder / target).write_text(text, encoding="utf-8")
    print(texts("pack.made", name=name, folder=folder))
    if folder.parent.resolve() not in {Path("packs").resolve(), *packs.folders()}:
        print(texts("pack.made_elsewhere", parent=folder.parent.resolve()))
    return Exit.DONE


def _check(name: str, folder: Path, texts: Texts) -> None:
    if not NAME.fullmatch(name):
        raise CommandFailed(texts("pack.name_odd", name=name), Exit.USAGE)
    if folder.name != name:
        raise CommandFailed(texts("pack.folder_odd", name=name, folder=folder), Exit.USAGE)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CommandFailed(texts("pack.folder_taken", folder=folder), Exit.USAGE)
    if name == TEMPLATE or name in packs.known_names():
        raise CommandFailed(texts("pack.name_taken", name=name), Exit.USAGE)


def _rendered(name: str, source: Traversable, at: Path) -> list[tuple[Path, str]]:
    found: list[tuple[Path, str]] = []
    for entry in sorted(source.iterdir(), key=lambda one: one.name):
        if entry.is_dir():
            found += _rendered(name, entry, at / entry.name) if entry.name != "__pycache__" else []
        else:
            lines = entry.read_text(encoding="utf-8").splitlines(keepends=True)
            text = "".join(line for line in lines if MARK not in line)
            for form in (str, str.upper, str.capitalize):
                text = text.replace(form(TEMPLATE), form(name))
            found.append((at / entry.name, text))
    return found
