"""What would be left out of a pack although its files fit their contracts, and words that nobody would hear."""

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from backbone.ledger.sql_text import faults
from backbone.model.faults import PromptInvalid
from backbone.model.prompts import Prompt, read_prompt
from backbone.packs import MANIFEST, Catalogue, Pack, PackInvalid
from contracts.agents import LoopState
from contracts.cognitive import Route
from contracts.patterns import bounded
from dream.packs.files import AGENT, Files, Finding
from dream.packs.source_positions import line_of

MIGRATION = re.compile(r"\d{4}_\w+\.sql")
LONGEST = 200
"""Characters of a pattern that are shown."""
NEEDS = {Route.FLOW: "flow", Route.ANSWER: "answer"}


def left_out(files: Files, others: Mapping[str, Pack]) -> Iterator[Finding]:
    """Without running code of the pack."""
    yield from _words(files, others)
    yield from _slow(files)
    yield from _intents(files)
    yield from _prompts(files)
    yield from _tables(files)
    yield from _functions(files)


def unled(pack: Pack, others: Mapping[str, Pack]) -> Iterator[Finding]:
    """Flows that cannot be led, as the cognitive service finds out when it starts; imports the code that they name."""
    from services.cognitive.flows import FlowIncomplete, load_flow

    catalogue = Catalogue({**others, pack.name: pack})
    for name, spec in pack.flows.items():
        try:
            load_flow(catalogue, pack, spec)
        except FlowIncomplete as error:
            path = pack.folder / "flows" / f"{name}.yaml"
            yield Finding(path, "flow_unled", name, str(error))


def _words(files: Files, others: Mapping[str, Pack]) -> Iterator[Finding]:
    from understanding.offline.cues import read_cues
    from understanding.offline.details import read_details
    from understanding.offline.pack import checked, read_gazetteer, read_topics
    from understanding.offline.sentences import read_sentences

    for name, read in (("gazetteer", read_gazetteer), ("details", read_details), ("topics", read_topics)):
        path = files.folder / f"{name}.yaml"
        try:
            if path.exists():
                checked(path, read)
        except PackInvalid as error:
            yield Finding(path, "words_odd", path.name, _said(error, path))
    path = files.folder / "cues.yaml"
    known = {one.intent for one in files.intents} | {one.intent for pack in others.values() for one in pack.intents}
    try:
        for cue in checked(path, read_cues):
            if not any(one == cue.intent or one.startswith(f"{cue.intent}.") for one in known):
                yield Finding(path, "cue_unheard", cue.intent)
    except PackInvalid as error:
        yield Finding(path, "words_odd", path.name, _said(error, path))
    path = files.folder / "sentences.jsonl"
    try:
        for intent in dict.fromkeys(one.intent for one in checked(path, read_sentences)):
            if intent not in known:
                yield Finding(path, "sentence_unheard", str(intent))
    except PackInvalid as error:
        yield Finding(path, "words_odd", path.name, _said(error, path))


def _slow(files: Files) -> Iterator[Finding]:
    """Patterns that take a text much more time than it is long: whoever says it would have their turn ended."""
    with suppress(PackInvalid, re.error):  # told as what it is
        for path, patterns in _patterns(files):
            for pattern in patterns:
                if unit := _slow_on(pattern):
                    yield Finding(path, "words_slow", pattern.pattern[:LONGEST], unit)


@cache
def _slow_on(pattern: re.Pattern[str]) -> str | None:
    """Measured once for all packs that are checked."""
    from understanding.offline.redos import slow_on

    return slow_on(pattern)


def _patterns(files: Files) -> Iterator[tuple[Path, Iterator[re.Pattern[str]]]]:
    from understanding.offline.cues import read_cues
    from understanding.offline.details import read_details
    from understanding.offline.pack import checked, read_topics

    cues, details, topics = (files.folder / f"{name}.yaml" for name in ("cues", "details", "topics"))
    yield cues, (one for cue in checked(cues, read_cues) for one in cue.words)
    yield details, (one for detail in checked(details, read_details) for one in (*detail.words, *detail.unless))
    said = (word for topic in checked(topics, read_topics) for words in topic.words.values() for word in words)
    yield topics, map(bounded, said)
    for flow in files.flows.values():
        path = files.folder / "flows" / f"{flow.flow}.yaml"
        yield (
            path,
            (
                bounded(one)
                for words in (flow.confirm, flow.cancel, flow.declines)
                for some in words.values()
                for one in some
            ),
        )


def _said(error: PackInvalid, path: object) -> str:
    return str(error).removeprefix(f"{path}: ")


def _intents(files: Files) -> Iterator[Finding]:
    path = files.folder / "intents.yaml"
    readers = {flow.flow: flow.reader for flow in files.flows.values()}
    for number, intent in enumerate(files.intents):
        need, place = NEEDS.get(intent.route), (number, "intent")
        if need and not getattr(intent, need):
            yield Finding(path, "intent_without", intent.intent, need, line_of(path, place))
        if intent.flow in readers and not intent.reader:
            yield Finding(path, "intent_unread", intent.intent, readers[intent.flow], line_of(path, place))
        taken = _parameters(files, intent.tool) if intent.tool and not intent.reader else None
        if taken is not None and (odd := [one for one in intent.requires if one not in taken]):
            yield Finding(path, "requires_odd", ", ".join(odd), str(intent.tool), line_of(path, (number, "requires")))


def _parameters(files: Files, key: str) -> Collection[str] | None:
    """Those of a tool of this pack; None for a tool of another, and for one that takes any."""
    tool = next((one for one in files.tools.values() if one.tool_key == key), None)
    if tool is None or tool.params_schema.get("additionalProperties") is not False:
        return None
    named = tool.params_schema.get("properties", {})
    return named if isinstance(named, dict) else None


def _prompts(files: Files) -> Iterator[Finding]:
    found: dict[str, Prompt] = {}
    for path in sorted((files.folder / "prompts").glob("*.yaml")):
        try:
            prompt = read_prompt(files.name, path)
        except PromptInvalid as error:
            yield Finding(path, "prompt_odd", path.name, str(error).removeprefix(f"{path}: "))
        else:
            found[prompt.key] = prompt
    for path, agent in files.agents.items():
        line = line_of(path, ["prompt"])
        if agent.prompt not in found:
            yield Finding(path, "prompt_missing", agent.prompt, ", ".join(found) or "-", line)
            continue
        try:
            found[agent.prompt].check(LoopState)
        except PromptInvalid as error:
            yield Finding(path, "prompt_odd", agent.prompt, str(error), line)


def _tables(files: Files) -> Iterator[Finding]:
    sql = sorted((files.folder / "migrations").glob("*.sql"))
    manifest = files.folder / MANIFEST
    if files.manifest is None:
        return
    if not files.manifest.database:
        if sql:
            yield Finding(manifest, "tables_unsaid", sql[0].name)
        return
    for path in sql:
        if not MIGRATION.fullmatch(path.name):
            yield Finding(path, "migration_name", path.name)
        yield from _sql(path)
    role = f"dream_pack_{files.name}"
    if not any(role in path.read_text(encoding="utf-8", errors="replace") for path in sql):
        yield Finding(sql[0] if sql else manifest, "tables_ungranted", role)


def _sql(path: Path) -> Iterator[Finding]:
    """What is wrong whatever is in the database; the rest is its to say."""
    try:
        sql = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        yield Finding(path, "unreadable", path.name, str(error))
        return
    for fault in faults(sql):
        yield Finding(path, f"sql_{fault.what}", fault.text[:LONGEST], line=fault.line)


def _functions(files: Files) -> Iterator[Finding]:
    """Entries that are `async def` where a worker process calls a plain function, or the other way round."""
    for path, tool in files.tools.items():
        for entry in filter(None, (tool.entry, tool.reconcile)):
            kind = None if entry.startswith(AGENT) else _kind(files, entry)
            if kind is ast.AsyncFunctionDef and tool.isolated:
                yield Finding(path, "tool_plain", entry, tool.tool_key)
            elif kind is ast.FunctionDef and not tool.isolated:
                yield Finding(path, "tool_async", entry, tool.tool_key)


def _kind(files: Files, entry: str) -> type[ast.stmt] | None:
    """Of a function of the pack's own that is written as such; None for anything else."""
    module, _, function = entry.partition(":")
    parts = module.split(".")
    path = files.folder.joinpath(*parts[2:]).with_suffix(".py")
    if parts[:2] != ["packs", files.folder.name] or not path.is_file():
        return None
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError):
        return None  # its import says so
    plain = (one for one in tree.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef))
    return next((type(one) for one in plain if one.name == function and not one.decorator_list), None)
