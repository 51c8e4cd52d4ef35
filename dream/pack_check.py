"""`dream pack check`: everything that is wrong with a pack, with file, value and what to do."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console

from backbone.packs import MANIFEST, Pack
from dream import pack_folder
from dream.failures import CommandFailed, Exit
from dream.pack_among import among, nearer_elsewhere
from dream.pack_files import Files, Finding, read_files
from dream.pack_probe import failures
from dream.pack_wording import wording
from dream.texts import Texts

UNLOADABLE = frozenset({"schema", "unreadable", "name", "tool_key", "import"})


def check(paths: Sequence[Path], texts: Texts, *, as_json: bool) -> int:
    """Prints the findings; exit 1 when there are any. Raises CommandFailed for a path that is no folder of a pack."""
    for path in paths:
        if not (path / MANIFEST).is_file():
            raise CommandFailed(texts("pack.unknown", what=path), Exit.USAGE)
    found = [finding for path in paths for finding in findings(path.resolve(), texts)]
    if as_json:
        print(json.dumps({"findings": [_as_json(one, texts) for one in found]}, ensure_ascii=False))
    else:
        _show(found, paths, texts)
    return Exit.BROKEN if found else Exit.DONE


def findings(folder: Path, texts: Texts) -> list[Finding]:
    """All of one pack. How its sentences are understood is only told of a pack that can be loaded."""
    files = read_files(folder)
    others = pack_folder.others(folder, files.name)
    found = [*in_files(files, others), *_imports(files)]
    if files.intents and not UNLOADABLE & {one.kind for one in found}:
        found += nearer_elsewhere(pack_folder.whole(folder, texts), others)
    return found


def in_files(files: Files, others: Mapping[str, Pack]) -> list[Finding]:
    """What can be said without running anything of the pack."""
    return [*files.findings, *wording(files), *among(files, others)]


def _imports(files: Files) -> list[Finding]:
    named = [(files.folder / MANIFEST, f"packs.{files.folder.name}"), *files.entries]
    wrong = failures([entry for _, entry in named], files.folder.parent)
    return [Finding(path, "import", entry, wrong[entry]) for path, entry in named if entry in wrong]


def _as_json(one: Finding, texts: Texts) -> dict[str, str]:
    return {
        "file": str(one.file),
        "kind": one.kind,
        "value": one.value,
        "message": texts(f"finding.{one.kind}", value=one.value, more=one.more),
        "advice": texts(f"finding.{one.kind}.do", value=one.value, more=one.more),
    }


def _show(found: Sequence[Finding], paths: Sequence[Path], texts: Texts) -> None:
    console = Console(soft_wrap=True, highlight=False, markup=False)
    for one in found:
        shown = _as_json(one, texts)
        file = one.file.relative_to(Path.cwd()) if one.file.is_relative_to(Path.cwd()) else one.file
        console.print(f"{file}: {shown['message']}\n    {shown['advice']}")
    if found:
        console.print(texts("pack.findings", count=len(found)))
    else:
        console.print(texts("pack.sound", what=", ".join(str(path) for path in paths)))
