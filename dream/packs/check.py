"""`dream pack check`: everything that is wrong with a pack, with file, value and what to do. The texts of a pack: which
keys its files use, what each language lacks, and whether placeholders agree. A pack among the others: names that two
of them have, tools that nobody has, sentences that another understands."""

import ast
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import Formatter

from rich.console import Console

from backbone.packs import MANIFEST, Pack
from contracts.tools import ToolSpec
from dream.failures import CommandFailed, Exit
from dream.packs import lookup
from dream.packs.agreement import disagreements
from dream.packs.files import AGENT, Files, Finding, read_files
from dream.packs.import_probe import failures
from dream.packs.imports_rule import product_imports
from dream.packs.lint_rules import left_out, unled
from dream.packs.recognition_probe import understander
from dream.texts import Texts
from understanding.offline.understand import SentenceReader

UNLOADABLE = frozenset(
    [
        "schema",
        "field_odd",
        "field_unknown",
        "field_missing",
        "unreadable",
        "name",
        "file_name",
        "tool_key",
        "import",
        "tool_twice",
        "intent_twice",
        "text_twice",
        "command_twice",
    ]
)


def check(paths: Sequence[Path], texts: Texts, *, as_json: bool) -> int:
    """Prints the findings, and what only a database can judge; exit 1 when there are findings. Raises CommandFailed for
    a path that is no folder of a pack."""
    for path in paths:
        if not (path / MANIFEST).is_file():
            raise CommandFailed(texts("pack.unknown", what=path), Exit.USAGE)
    found = all_findings([path.resolve() for path in paths], texts)
    untried = [str(sql) for path in paths for sql in sorted((path / "migrations").glob("*.sql"))]
    if as_json:
        told = {"findings": [_as_json(one, texts) for one in found], "untried": untried}
        print(json.dumps(told, ensure_ascii=False))
    else:
        _show(found, paths, texts)
        if untried:
            print(texts("pack.untried", what=", ".join(untried)))
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
    found += [*disagreements(files, others), *product_imports(files)]
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


LANGUAGES = ("ko", "en", "ja")
SAYS = frozenset({"text", "SlotRefused"})
"""Calls whose first argument is the key of a text."""


def wording(files: Files) -> Iterator[Finding]:
    """What is wrong with the texts."""
    used = dict(_used(files))
    known = {key for texts in files.texts.values() for key in texts}
    for key in sorted(known | used.keys()):
        missing = [language for language in LANGUAGES if key not in files.texts.get(language, {})]
        file = files.folder / "texts" / f"{missing[0]}.yaml" if missing else files.folder
        if missing:
            used_by = used[key].relative_to(files.folder) if key in used else "-"
            yield Finding(file, "text_missing", key, f"{', '.join(missing)} ({used_by})")
    for key in sorted(known):
        yield from _placeholders(files, key)
    for intent in files.intents:
        for language in LANGUAGES:
            if not intent.examples.get(language):
                yield Finding(files.folder / "intents.yaml", "examples_missing", intent.intent, language)


def _placeholders(files: Files, key: str) -> Iterator[Finding]:
    sets: dict[str, frozenset[str]] = {}
    for language, texts in files.texts.items():
        if key in texts:
            try:
                sets[language] = frozenset(name for _, name, _, _ in Formatter().parse(texts[key]) if name is not None)
            except ValueError as error:
                yield Finding(_file_of(files, language, key), "placeholder_odd", key, str(error))
    if len(set(sets.values())) > 1:
        shown = "; ".join(f"{language}: {', '.join(sorted(names)) or '-'}" for language, names in sorted(sets.items()))
        counts = Counter(sets.values())
        odd = min(sorted(sets), key=lambda language: counts[sets[language]])
        yield Finding(_file_of(files, odd, key), "placeholders", key, shown)


def _file_of(files: Files, language: str, key: str) -> Path:
    found = [path for path in sorted(files.folder.glob(f"texts*/{language}.yaml")) if key in path.read_text("utf-8")]
    return found[0] if found else files.folder / "texts" / f"{language}.yaml"


def _used(files: Files) -> Iterator[tuple[str, Path]]:
    intents = files.folder / "intents.yaml"
    for intent in files.intents:
        yield intent.label, intents
        if intent.answer:
            yield intent.answer, intents
    for one in files.manifest.follow_ups if files.manifest else ():
        yield from ((key, files.folder / "pack.yaml") for key in (one.text, f"{one.text}_text"))
    for path, tool in files.tools.items():
        yield f"todo.{tool.tool_key.partition('.')[2]}", path
    for path, flow in files.flows.items():
        yield from ((slot.question, path) for slot in flow.slots if slot.question)
    for path in sorted(files.folder.rglob("*.py")):
        yield from ((key, path) for key in _said(path))


def _said(path: Path) -> Iterator[str]:
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError):
        return  # its import says so
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Constant):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        key = node.args[0].value
        if called in SAYS and isinstance(key, str) and "." in key:
            yield key


def among(files: Files, others: Mapping[str, Pack]) -> Iterator[Finding]:
    """What collides with the other packs, and what is named and not there."""
    tools = {tool.tool_key: tool for pack in others.values() for tool in pack.tools}
    tools |= {tool.tool_key: tool for tool in files.tools.values()}
    yield from _names(files, others)
    yield from _intents(files, tools)
    yield from _agents(files, tools)
    for path, flow in files.flows.items():
        if flow.tool not in tools:
            yield Finding(path, "tool_unknown", flow.tool, flow.flow)
    if files.manifest:
        manifest = files.folder / MANIFEST
        named = [todo.tool for command in files.manifest.commands for todo in command.todos]
        for tool in dict.fromkeys([*named, *filter(None, [files.manifest.synthesis])]):
            if tool not in tools:
                yield Finding(manifest, "tool_unknown", tool, files.name)


def _names(files: Files, others: Mapping[str, Pack]) -> Iterator[Finding]:
    for name, other in others.items():
        # with the same label it is meant to be the other's: the packs teach one intent together
        taken = {intent.intent: intent.label for intent in other.intents}
        for intent in files.intents:
            if intent.intent in taken and intent.label != taken[intent.intent]:
                yield Finding(files.folder / "intents.yaml", "intent_taken", intent.intent, name)
        commands = {command.name for command in other.manifest.commands}
        for command in files.manifest.commands if files.manifest else ():
            if command.name in commands:
                yield Finding(files.folder / MANIFEST, "command_taken", f"/{command.name}", name)
        for path, flow in files.flows.items():
            if flow.flow in other.flows:
                yield Finding(path, "flow_taken", flow.flow, name)


def _intents(files: Files, tools: Mapping[str, ToolSpec]) -> Iterator[Finding]:
    path = files.folder / "intents.yaml"
    flows = {flow.flow for flow in files.flows.values()}
    seen: set[str] = set()
    for intent in files.intents:
        if intent.intent in seen:
            yield Finding(path, "intent_twice", intent.intent)
        seen.add(intent.intent)
        if intent.tool and intent.tool not in tools:
            yield Finding(path, "tool_unknown", intent.tool, intent.intent)
        if intent.flow and intent.flow not in flows:
            yield Finding(path, "flow_unknown", intent.flow, intent.intent)


def _agents(files: Files, tools: Mapping[str, ToolSpec]) -> Iterator[Finding]:
    names = {agent.agent for agent in files.agents.values()}
    for path, tool in files.tools.items():
        wanted = tool.entry.removeprefix(f"{AGENT}{files.name}.")
        if tool.entry.startswith(AGENT) and wanted not in names:
            yield Finding(path, "agent_unknown", tool.entry, tool.tool_key)
    for path, agent in files.agents.items():
        for key in agent.tools:
            if key not in tools:
                yield Finding(path, "tool_unknown", key, agent.agent)
            elif tools[key].groups:
                yield Finding(path, "tool_grouped", key, ", ".join(tools[key].groups))


PLAIN = 0.9
"""Chance of an example's own intent from which on it is not looked at closely."""


def nearer_elsewhere(pack: Pack, others: Mapping[str, Pack], model: SentenceReader) -> Iterator[Finding]:
    """Examples that are understood as an intent of another pack, measured with what the product understands with:
    `model` is built over all of them."""
    from datetime import UTC, datetime

    from contracts.cognitive import CognitiveInput

    owner = {spec.intent: name for name, other in others.items() for spec in other.intents}
    now = datetime.now(UTC)
    for spec in pack.intents:
        mine = ".".join(spec.intent.split(".")[:2])
        for language, examples in spec.examples.items():
            likely = model.intents.read_all(examples)  # all at once, which tells where to look closely
            for example, read in zip(examples, likely, strict=True):
                if read.sure and read.best.name == mine and read.best.confidence >= PLAIN:
                    continue
                found = model.understand(CognitiveInput.model_validate({"text": example, "language": language}), now)
                name = found.tasks[0].intent if found.tasks else found.intent.name
                whose = {owner.get(one) for one in owner if one == name or one.startswith(f"{name}.")}
                if name != mine and not found.ambiguities and whose - {None, pack.name}:
                    value = f"{spec.intent} ({language}): {example}"
                    yield Finding(pack.folder / "intents.yaml", "example_near", value, name)
