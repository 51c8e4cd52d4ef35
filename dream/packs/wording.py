"""The texts of a pack: which keys its files use, what each language lacks, and whether placeholders agree."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

from dream.packs.files import Files, Finding

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
