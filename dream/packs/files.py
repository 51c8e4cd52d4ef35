"""What the files of a pack say, each by itself: `dream pack check` goes on where one of them is wrong."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, SchemaError
from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from backbone.packs import MANIFEST, PackInvalid, read_yaml
from contracts.packs import AgentSpec, FlowSpec, IntentSpec, PackManifest, TopicSpec
from contracts.shape import JsonObject, JsonValue
from contracts.tools import ToolSpec
from dream.packs.source_positions import fault_of, line_of

AGENT, MODEL = "agent:", "model:"
"""Entries that are no function: a loop of the pack, and the solver role of the model."""
_INTENTS = TypeAdapter(list[IntentSpec])
_TOPICS = TypeAdapter(list[TopicSpec])
_CONTRACTS = (PackManifest, IntentSpec, TopicSpec, ToolSpec, FlowSpec, AgentSpec)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong: its file, the value at fault, and the text `finding.<kind>` with what to do; line 0 is none."""

    file: Path
    kind: str
    value: str
    more: str = ""
    line: int = 0


@dataclass(slots=True)
class Files:
    """A pack, as far as it can be read, and what of it cannot."""

    folder: Path
    manifest: PackManifest | None = None
    intents: list[IntentSpec] = field(default_factory=list)
    tools: dict[Path, ToolSpec] = field(default_factory=dict)
    flows: dict[Path, FlowSpec] = field(default_factory=dict)
    agents: dict[Path, AgentSpec] = field(default_factory=dict)
    topics: list[TopicSpec] = field(default_factory=list)
    texts: dict[str, dict[str, str]] = field(default_factory=dict)
    texts_of: dict[Path, list[tuple[str, str]]] = field(default_factory=dict)
    """File -> (language, key) of each of its texts."""
    findings: list[Finding] = field(default_factory=list)
    unread: set[Path] = field(default_factory=set)

    @property
    def name(self) -> str:
        return self.manifest.name if self.manifest else self.folder.name

    @property
    def entries(self) -> Iterator[tuple[Path, str]]:
        """Everything that is named as module:function, with the file that names it."""
        for path, tool in self.tools.items():
            yield from (
                (path, one) for one in (tool.entry, tool.reconcile) if one and not one.startswith((AGENT, MODEL))
            )
        intents = self.folder / "intents.yaml"
        yield from ((intents, one.reader) for one in self.intents if one.reader)
        for path, flow in self.flows.items():
            named = (flow.reader, flow.resolver, flow.speaker, flow.recall, *(slot.validator for slot in flow.slots))
            yield from ((path, one) for one in named if one)
        yield from ((path, agent.policy) for path, agent in self.agents.items())


def read_files(folder: Path) -> Files:
    """Every file of the pack against its contract."""
    files = Files(folder)
    manifest = folder / MANIFEST
    files.manifest = _checked(files, manifest, PackManifest.model_validate)
    if files.manifest and files.manifest.name != folder.name:
        files.findings.append(Finding(manifest, "name", files.manifest.name, folder.name))
    intents, topics = folder / "intents.yaml", folder / "topics.yaml"
    files.intents = (_checked(files, intents, _INTENTS.validate_python) if intents.exists() else None) or []
    files.topics = (_checked(files, topics, _TOPICS.validate_python) if topics.exists() else None) or []
    files.tools = _all(files, "tools", ToolSpec.model_validate)
    files.flows = _all(files, "flows", FlowSpec.model_validate)
    files.agents = _all(files, "agents", AgentSpec.model_validate)
    for path, tool in files.tools.items():
        files.findings += _of_tool(files.name, path, tool)
    named = [
        *((path, one.flow) for path, one in files.flows.items()),
        *((p, one.agent) for p, one in files.agents.items()),
    ]
    files.findings += [Finding(path, "file_name", name, path.name) for path, name in named if name != path.stem]
    for path in sorted(folder.glob("texts*/*.yaml")):
        texts = _checked(files, path, _texts) or {}
        files.texts.setdefault(path.stem, {}).update(texts)
        files.texts_of[path] = [(path.stem, key) for key in texts]
    return files


def _all(files: Files, folder: str, validate: Callable[[Any], Any]) -> dict[Path, Any]:
    found = {path: _checked(files, path, validate) for path in sorted((files.folder / folder).glob("*.yaml"))}
    return {path: one for path, one in found.items() if one is not None}


def _checked(files: Files, path: Path, validate: Callable[[Any], Any]) -> Any:
    try:
        return validate(read_yaml(path))
    except PackInvalid as error:
        line, why = fault_of(error)
        files.findings.append(Finding(path, "unreadable", path.name, why, line))
    except ValidationError as error:
        files.findings += [_misfit(path, fault) for fault in error.errors(include_url=False)]
    files.unread.add(path)
    return None


def _misfit(path: Path, fault: ErrorDetails) -> Finding:
    place = fault["loc"]
    where, line = ".".join(str(part) for part in place) or path.name, line_of(path, place)
    if fault["type"] == "extra_forbidden":
        near = get_close_matches(str(place[-1]), _fields(), n=1)
        if not near:
            return Finding(path, "field_unknown", where, line=line)
        return Finding(path, "field_odd", where, near[0], line)
    if fault["type"] == "missing":
        return Finding(path, "field_missing", where, line=line)
    return Finding(path, "schema", f"{where}: {fault.get('input')!r:.100}", fault["msg"], line)


@cache
def _fields() -> list[str]:
    """Every field that files of a pack may have."""
    schemas = [contract.model_json_schema() for contract in _CONTRACTS]
    every = [*schemas, *(one for schema in schemas for one in schema.get("$defs", {}).values())]
    return sorted({name for schema in every for name in schema.get("properties", {})})


_TEXTS = TypeAdapter(dict[str, str])


def _texts(data: Any) -> dict[str, str]:
    return _TEXTS.validate_python(data or {}, strict=True)


def _of_tool(pack: str, path: Path, tool: ToolSpec) -> Sequence[Finding]:
    found = []
    if tool.pack != pack:
        found.append(Finding(path, "tool_key", tool.tool_key, pack))
    for name in ("params_schema", "result_schema"):
        try:
            Draft202012Validator.check_schema(getattr(tool, name))
        except SchemaError as error:
            where = "/".join(str(part) for part in (name, *error.absolute_path))
            found.append(Finding(path, "json_schema", where, error.message))
        else:
            found += [Finding(path, "json_schema", name, one) for one in _leads_nowhere(getattr(tool, name))]
    return found


def _leads_nowhere(schema: JsonObject) -> list[str]:
    """What a schema refers to and does not have: nothing is fetched for it when a tool is called."""
    resolver = Registry().with_resource("", DRAFT202012.create_resource(schema)).resolver()
    found = []
    for reference in _references(schema):
        try:
            resolver.lookup(reference)
        except Unresolvable:
            found.append(f"there is no {reference} in it")
    return found


def _references(node: JsonValue) -> Iterator[str]:
    if isinstance(node, dict):
        said = node.get("$ref")
        yield from [said] if isinstance(said, str) else []
        for inner in node.values():
            yield from _references(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from _references(inner)
