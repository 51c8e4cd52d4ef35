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
from dream.pack_left_out import left_out, unled
from dream.pack_probe import failures
from dream.pack_wording import wording
from dream.texts import Texts

UNLOADABLE = frozenset(
    ("schema", "field_odd", "field_unknown", "field_missing", "unreadable", "name", "file_name", "tool_key", "import")
)


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
    kinds = {one.kind for one in found}
    if not UNLOADABLE & kinds:
        pack = pack_folder.whole(folder, texts)
        if not {"tool_unknown", "text_missing"} & kinds:
            found += unled(pack, others)
        if files.intents and "words_odd" not in kinds:
            found += nearer_elsewhere(pack, others)
    return found


def in_files(files: Files, others: Mapping[str, Pack]) -> list[Finding]:
    """What can be said without running anything of the pack."""
    found = [*files.findings, *wording(files), *among(files, others), *left_out(files, others)]
    return [one for one in found if not _follows(one, files)]


def _follows(one: Finding, files: Files) -> bool:
    """Whether it is only because another file cannot be read, which is told."""
    folder = {"tool_unknown": "tools", "flow_unknown": "flows", "agent_unknown": "agents"}.get(one.kind)
    if one.kind == "text_missing":
        return any(path.parent.name.startswith("texts") for path in files.unread)
    return any(path.parent.name == folder and path.stem == one.value.rpartition(".")[2] for path in files.unread)


def _imports(files: Files) -> list[Finding]:
    named = [(files.folder / MANIFEST, f"packs.{files.folder.name}"), *files.entries]
    wrong = failures([entry for _, entry in named], files.folder.parent)
    return [Finding(path, "import", entry, wrong[entry]) for path, entry in named if entry in wrong]


def _as_json(one: Finding, texts: Texts) -> dict[str, str | int]:
    return {
        "file": str(one.file),
        "line": one.line,
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
        place = f"{file}:{one.line}" if one.line else str(file)
        console.print(f"{place}: {shown['message']}\n    {shown['advice']}")
    if found:
        console.print(texts("pack.findings", count=len(found)))
    else:
        console.print(texts("pack.sound", what=", ".join(str(path) for path in paths)))
