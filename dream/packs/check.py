"""`dream pack check`: everything that is wrong with a pack, with file, value and what to do."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console

from backbone.packs import MANIFEST, Pack
from dream.failures import CommandFailed, Exit
from dream.packs import lookup
from dream.packs.cross_pack_checks import among, nearer_elsewhere
from dream.packs.files import Files, Finding, read_files
from dream.packs.import_probe import failures
from dream.packs.lint_rules import left_out, unled
from dream.packs.recognition_probe import understander
from dream.packs.wording import wording
from dream.texts import Texts
from understanding.offline.understand import SentenceReader

UNLOADABLE = frozenset(
    ("schema", "field_odd", "field_unknown", "field_missing", "unreadable", "name", "file_name", "tool_key", "import")
)


def check(paths: Sequence[Path], texts: Texts, *, as_json: bool) -> int:
    """Prints the findings; exit 1 when there are any. Raises CommandFailed for a path that is no folder of a pack."""
    for path in paths:
        if not (path / MANIFEST).is_file():
            raise CommandFailed(texts("pack.unknown", what=path), Exit.USAGE)
    found = all_findings([path.resolve() for path in paths], texts)
    if as_json:
        print(json.dumps({"findings": [_as_json(one, texts) for one in found]}, ensure_ascii=False))
    else:
        _show(found, paths, texts)
    return Exit.BROKEN if found else Exit.DONE


def findings(folder: Path, texts: Texts) -> list[Finding]:
    """All of one pack."""
    return all_findings((folder,), texts)


def all_findings(
    folders: Sequence[Path], texts: Texts, models: dict[frozenset[Path], SentenceReader] | None = None
) -> list[Finding]:
    """All of each pack. How its sentences are understood is only told of a pack that can be loaded. `models`: what was
    built already, by the folders of the packs that it understands; more is built where it is missing."""
    read = [read_files(folder) for folder in folders]
    wrong = _not_importable(read)
    models, known = {} if models is None else models, dict[Path, Pack]()
    beside = {files.folder: lookup.others(files.folder, files.name, known) for files in read}
    return [finding for files in read for finding in _of_pack(files, beside[files.folder], wrong, models, texts)]


def _of_pack(
    files: Files,
    others: Mapping[str, Pack],
    wrong: Mapping[Path, Mapping[str, str]],
    models: dict[frozenset[Path], SentenceReader],
    texts: Texts,
) -> list[Finding]:
    folder = files.folder
    why = wrong[folder.parent]
    found = in_files(files, others)
    found += [Finding(path, "import", entry, why[entry]) for path, entry in _named(files) if entry in why]
    kinds = {one.kind for one in found}
    if not UNLOADABLE & kinds:
        pack = lookup.whole(folder, texts)
        if not {"tool_unknown", "text_missing"} & kinds:
            found += unled(pack, others)
        if files.intents and "words_odd" not in kinds:
            among = {**others, pack.name: pack}
            key = frozenset(one.folder.resolve() for one in among.values())
            models[key] = models.get(key) or understander(among)
            found += nearer_elsewhere(pack, others, models[key])
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


def _named(files: Files) -> list[tuple[Path, str]]:
    return [(files.folder / MANIFEST, f"packs.{files.folder.name}"), *files.entries]


def _not_importable(read: Sequence[Files]) -> dict[Path, Mapping[str, str]]:
    """Folder that packs lie in -> entry -> why it cannot be imported. One process for all that lie side by side."""
    beside: dict[Path, list[str]] = {}
    for files in read:
        beside.setdefault(files.folder.parent, []).extend(entry for _, entry in _named(files))
    return {parent: failures(entries, parent) for parent, entries in beside.items()}


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
