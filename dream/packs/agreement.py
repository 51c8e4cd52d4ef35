"""What the files of a pack say of each other, and do not keep: names that are there twice, goals that nobody makes,
flows whose tool is not what they need, cases of intents that are not there."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from backbone.packs import MANIFEST, Pack, PackInvalid, read_yaml
from contracts.tools import ConfirmPolicy, ToolSpec
from dream.packs.files import Files, Finding
from dream.packs.source_positions import line_of

K = TypeVar("K")


def disagreements(files: Files, others: Mapping[str, Pack]) -> Iterator[Finding]:
    """`others`: the packs that it lives among."""
    tools = {tool.tool_key: tool for pack in others.values() for tool in pack.tools}
    tools |= {tool.tool_key: tool for tool in files.tools.values()}
    yield from _twice(files)
    if not any(path.parent.name == "tools" for path in files.unread):
        yield from _unmade(files, {made for tool in tools.values() for made in tool.produces})
    yield from _flows(files, tools)
    if files.folder / "intents.yaml" not in files.unread:
        known = {one.intent for one in files.intents}
        yield from _cases(files, known | {one.intent for pack in others.values() for one in pack.intents})


def _repeated(named: Iterable[tuple[K, Path]]) -> Iterator[tuple[K, Path, Path]]:
    """What has a name for the second time, and who had it first."""
    first: dict[K, Path] = {}
    for name, path in named:
        if name in first:
            yield name, path, first[name]
        first.setdefault(name, path)


def _twice(files: Files) -> Iterator[Finding]:
    for key, path, other in _repeated((tool.tool_key, path) for path, tool in files.tools.items()):
        yield Finding(path, "tool_twice", key, _shown(files, other), line_of(path, ["tool_key"]))
    for text, path, other in _repeated((text, path) for path, texts in files.texts_of.items() for text in texts):
        yield Finding(path, "text_twice", text[1], _shown(files, other), line_of(path, [text[1]]))
    manifest = files.folder / MANIFEST
    seen: set[str] = set()
    for number, command in enumerate(files.manifest.commands if files.manifest else ()):
        if command.name in seen:
            place = ("commands", number, "name")
            yield Finding(manifest, "command_twice", f"/{command.name}", line=line_of(manifest, place))
        seen.add(command.name)


def _shown(files: Files, path: Path) -> str:
    return path.relative_to(files.folder).as_posix()


def _unmade(files: Files, made: Collection[str]) -> Iterator[Finding]:
    intents, topics, manifest = (files.folder / name for name in ("intents.yaml", "topics.yaml", MANIFEST))
    for number, intent in enumerate(files.intents):
        for place, goal in enumerate(intent.goals):
            if goal not in made:
                yield Finding(intents, "goal_unmade", goal, intent.intent, line_of(intents, (number, "goals", place)))
    for number, topic in enumerate(files.topics):
        if topic.goal not in made:
            yield Finding(topics, "goal_unmade", topic.goal, topic.label, line_of(topics, (number, "goal")))
    for number, one in enumerate(files.manifest.follow_ups if files.manifest else ()):
        if one.makes not in made:
            place = line_of(manifest, ("follow_ups", number, "makes"))
            yield Finding(manifest, "goal_unmade", one.makes, one.text, place)


def _flows(files: Files, tools: Mapping[str, ToolSpec]) -> Iterator[Finding]:
    for path, flow in files.flows.items():
        tool = tools.get(flow.tool)
        if tool is None:
            continue  # told as what it is
        if tool.confirm_policy is not ConfirmPolicy.ALWAYS:
            yield Finding(path, "flow_ungated", flow.tool, flow.flow, line_of(path, ["tool"]))
        taken = tool.params_schema.get("properties")
        if tool.params_schema.get("additionalProperties") is not False or not isinstance(taken, dict):
            continue  # it takes what it is given
        for number, slot in enumerate(flow.slots):
            if slot.name not in taken:
                yield Finding(path, "slot_odd", slot.name, flow.tool, line_of(path, ("slots", number, "name")))


def _cases(files: Files, known: Collection[str]) -> Iterator[Finding]:
    path = files.folder / "cases.yaml"
    try:
        cases = read_yaml(path) if path.exists() else []
    except PackInvalid:
        return  # `dream pack eval` says so
    for number, case in enumerate(cases if isinstance(cases, list) else [cases]):
        for place, intent in _expected(case, number):
            if not any(one == intent or one.startswith(f"{intent}.") for one in known):
                yield Finding(path, "case_unheard", intent, line=line_of(path, place))


def _expected(case: object, number: int) -> Iterator[tuple[tuple[int | str, ...], str]]:
    if not isinstance(case, dict):
        return
    if isinstance(intent := case.get("intent"), str):
        yield (number, "intent"), intent
    tasks = case.get("tasks")
    for at, task in enumerate(tasks if isinstance(tasks, list) else ()):
        if isinstance(task, dict) and isinstance(intent := task.get("intent"), str):
            yield (number, "tasks", at, "intent"), intent
