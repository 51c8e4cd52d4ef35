"""Loads packs by name: entry points of the group `dream.packs`, and folders with a pack.yaml where packs/ is looked for
(the package packs says where). A name with a dot is the path of a module; the pack is called what its manifest says.

A pack that does not load is reported and left out; the rest works."""

import importlib
import logging
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError

from contracts.packs import AgentSpec, CommandSpec, FlowSpec, IntentSpec, PackManifest, TopicSpec
from contracts.shape import Contract
from contracts.tools import ToolSpec

log = logging.getLogger(__name__)

C = TypeVar("C", bound=Contract)
_INTENTS = TypeAdapter(tuple[IntentSpec, ...])
_TOPICS = TypeAdapter(tuple[TopicSpec, ...])
FALLBACK_LANGUAGE = "en"
MANIFEST = "pack.yaml"
MOST_VALUES = 250_000
"""In one YAML file, strings and numbers among them."""
PLATFORM = "platform"
"""The pack of the platform's own words; always loaded."""


class PackInvalid(Exception):
    """A pack does not load; the message names the file and what is wrong in it."""


class TextMissing(KeyError):
    """A text key that no language file of the pack has."""


@dataclass(frozen=True)
class Pack:
    """One pack's folder, read on demand: a service loads the files it needs and no others."""

    name: str
    folder: Path
    manifest: PackManifest

    @cached_property
    def tools(self) -> tuple[ToolSpec, ...]:
        found: dict[str, tuple[Path, ToolSpec]] = {}
        for path in sorted((self.folder / "tools").glob("*.yaml")):
            spec = self._tool(path)
            if spec.tool_key in found:
                raise PackInvalid(f"{path}: {found[spec.tool_key][0]} has the tool_key {spec.tool_key!r} as well")
            found[spec.tool_key] = path, spec
        return tuple(spec for _, spec in found.values())

    def _tool(self, path: Path) -> ToolSpec:
        spec: ToolSpec = _validated(ToolSpec.model_validate, path, read_yaml(path))
        if spec.pack != self.name:
            raise PackInvalid(f"{path}: tool_key {spec.tool_key!r} does not begin with {self.name!r}")
        return spec

    @cached_property
    def intents(self) -> tuple[IntentSpec, ...]:
        path = self.folder / "intents.yaml"
        found: tuple[IntentSpec, ...] = (
            _validated(_INTENTS.validate_python, path, read_yaml(path)) if path.exists() else ()
        )
        _once(path, "intent", (spec.intent for spec in found))
        return found

    @cached_property
    def topics(self) -> tuple[TopicSpec, ...]:
        path = self.folder / "topics.yaml"
        return _validated(_TOPICS.validate_python, path, read_yaml(path)) if path.exists() else ()

    @cached_property
    def flows(self) -> dict[str, FlowSpec]:
        """Its slot-filling dialogues by name, flows/<name>.yaml."""
        return {spec.flow: spec for spec in self._specs("flows", FlowSpec, "flow")}

    @cached_property
    def agents(self) -> dict[str, AgentSpec]:
        """Its agent loops by name, agents/<name>.yaml."""
        return {spec.agent: spec for spec in self._specs("agents", AgentSpec, "agent")}

    def _specs(self, folder: str, contract: type[C], name: str) -> list[C]:
        found: list[C] = []
        for path in sorted((self.folder / folder).glob("*.yaml")):
            spec: C = _validated(contract.model_validate, path, read_yaml(path))
            if getattr(spec, name) != path.stem:
                raise PackInvalid(f"{path}: {name} is {getattr(spec, name)!r}, the file says {path.stem!r}")
            found.append(spec)
        return found

    @cached_property
    def texts(self) -> dict[str, dict[str, str]]:
        """language -> key -> text, from texts*/<language>.yaml."""
        texts: dict[str, dict[str, str]] = {}
        first: dict[tuple[str, str], Path] = {}
        for path in sorted(self.folder.glob("texts*/*.yaml")):
            found = read_yaml(path) or {}
            wrong = next((key for key, text in found.items() if not isinstance(text, str)), None)
            if wrong is not None:
                # YAML reads a bare No, Yes or 1 as something else
                raise PackInvalid(f"{path}: {wrong}: {found[wrong]!r} is no text; put it into quotes")
            if twice := next((key for key in found if (path.stem, key) in first), None):
                raise PackInvalid(f"{path}: {first[path.stem, twice]} has the text {twice!r} as well")
            first |= dict.fromkeys(((path.stem, key) for key in found), path)
            texts.setdefault(path.stem, {}).update(found)
        return texts

    def text(self, language: str, key: str, **values: object) -> str:
        """A text in the language, else in English. Raises TextMissing."""
        for candidate in (language, FALLBACK_LANGUAGE):
            template = self.texts.get(candidate, {}).get(key)
            if template is not None:
                return template.format(**values)
        raise TextMissing(f"pack {self.name!r} has no text {key!r} in {language!r} or {FALLBACK_LANGUAGE!r}")


@dataclass(frozen=True)
class Catalogue:
    """Every pack that loaded, and why the others did not."""

    packs: Mapping[str, Pack]
    failures: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def tools(self) -> dict[str, ToolSpec]:
        return {spec.tool_key: spec for pack in self.packs.values() for spec in pack.tools}

    @cached_property
    def commands(self) -> dict[str, tuple[Pack, CommandSpec]]:
        return {command.name: (pack, command) for pack in self.packs.values() for command in pack.manifest.commands}

    @cached_property
    def flows(self) -> dict[str, tuple[Pack, FlowSpec]]:
        return {name: (pack, flow) for pack in self.packs.values() for name, flow in pack.flows.items()}

    def is_away(self, name: str) -> str:
        """Who is not there yet whose tool or command this would be; empty for nobody."""
        return ""

    async def expect(self, name: str) -> None:
        """Waits a while for whoever brings the tool or command of this name, if they are to come."""

    @property
    def executors(self) -> tuple[str, ...]:
        return tuple(sorted({spec.executor for spec in self.tools.values()}))

    def say(self, language: str, key: str, **values: object) -> str:
        """A text of the platform's own pack."""
        return self.packs[PLATFORM].text(language, key, **values)

    def title(self, tool_key: str, language: str) -> str:
        """What a tool's todo is called in a plan; its key when the pack has no text."""
        pack_name, tool = tool_key.split(".", 1)
        try:
            return self.packs[pack_name].text(language, f"todo.{tool}")
        except KeyError:
            return tool_key

    def group(self, tool_key: str, group: str, language: str) -> str:
        """What people call a group of tools that is in use; its key when the pack has no text."""
        try:
            return self.packs[tool_key.split(".", 1)[0]].text(language, f"group.{group}")
        except KeyError:
            return group


def load(names: Iterable[str] = (), but: Iterable[str] = ()) -> Catalogue:
    """Loads the named packs, or all installed ones and those that lie beside them; `but` are left aside."""
    packs, failures = {}, {}
    for name, module in _wanted(names).items():
        if name in set(but):
            continue
        try:
            pack = _load(name, module)
            packs[pack.name] = pack
        except PackInvalid as error:
            failures[name] = str(error)
            log.error("pack left out", extra={"pack": name, "reason": str(error)})  # noqa: TRY400  # the reason says it all
    return Catalogue(packs, failures)


def _wanted(names: Iterable[str]) -> dict[str, str]:
    """Name as it is told -> module."""
    installed = {point.name: point.value for point in entry_points(group="dream.packs")}
    told = dict.fromkeys((PLATFORM, *(tuple(names) or (*installed, *_beside(installed)))))
    return {name: name if "." in name else installed.get(name, f"packs.{name}") for name in told}


def names_without(names: Iterable[str], left_out: Collection[str]) -> tuple[str, ...]:
    """What `load` is told so that it loads what it does of `names`, but for the packs that are called so."""
    told: list[str] = []
    for name, module in _wanted(names).items():
        called = name
        with suppress(PackInvalid):  # it is reported when it is loaded
            called = _load(name, module).name
        if called not in left_out:
            told.append(name)
    return tuple(told)


def tables(names: Iterable[str] = ()) -> dict[str, list[Path]]:
    """Pack -> its migrations, in order; of the named packs, or all installed, that have tables."""
    return {
        pack.name: sorted((pack.folder / "migrations").glob("*.sql"))
        for pack in load(names).packs.values()
        if pack.manifest.database
    }


def folders() -> list[Path]:
    """Where packs are looked for beside the installed ones; a pack <name> in one of them is the module packs.<name>."""
    return [Path(one) for one in importlib.import_module("packs").__path__]


def known_names() -> set[str]:
    """Names that are taken: of packs that are installed or lie where packs are looked for, whether they load or not."""
    beside = {path.parent.name for folder in folders() for path in folder.glob(f"*/{MANIFEST}")}
    return beside | {point.name for point in entry_points(group="dream.packs")}


def _beside(installed: Iterable[str]) -> list[str]:
    """Folders with a manifest that do not wait to be named; one whose manifest is broken is there to be reported."""
    names = [path.parent.name for folder in folders() for path in sorted(folder.glob(f"*/{MANIFEST}"))]
    return [name for name in dict.fromkeys(names) if name not in installed and _comes_unasked(name)]


def _comes_unasked(name: str) -> bool:
    path = next(one for folder in folders() if (one := folder / name / MANIFEST).exists())
    try:
        manifest = read_yaml(path)
    except PackInvalid:
        return True
    return not isinstance(manifest, dict) or manifest.get("unasked") is not False


def _load(name: str, module: str) -> Pack:
    try:
        loaded = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(
            f"{error.name}."
        ):  # something that it imports is not there
            raise PackInvalid(f"pack {name!r} ({module}) cannot be imported: {error!r}") from error
        places = ", ".join(map(str, folders()))
        raise PackInvalid(f"there is no pack {name!r}: it is neither installed nor in {places}") from None
    except Exception as error:  # what a pack does when it is imported may fail in any way, and is no fault of ours
        raise PackInvalid(f"pack {name!r} ({module}) cannot be imported: {error!r}") from error
    folder = Path(next(iter(getattr(loaded, "__path__", [module]))))
    pack = read(folder)
    if name not in (module, pack.name):
        raise PackInvalid(f"{folder / MANIFEST}: name is {pack.name!r}, the pack is installed as {name!r}")
    # read now, so that a broken file is reported at the start and not at first use
    _ = pack.tools, pack.texts, pack.flows, pack.agents, pack.intents, pack.topics
    return pack


def read(folder: Path) -> Pack:
    """The pack in a folder, without importing its code. Raises PackInvalid."""
    path = folder / MANIFEST
    if not path.exists():
        raise PackInvalid(f"{path} is not there: a pack is a folder with a {MANIFEST}")
    manifest: PackManifest = _validated(PackManifest.model_validate, path, read_yaml(path))
    _once(path, "command", (command.name for command in manifest.commands))
    return Pack(manifest.name, folder, manifest)


def _once(path: Path, what: str, names: Iterable[str]) -> None:
    for name, times in Counter(names).items():
        if times > 1:
            raise PackInvalid(f"{path}: the {what} {name!r} is there {times} times")


_Safe: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Safe):  # type: ignore[misc]  # of the two that are alike, in C where it is there
    """A key that is there twice is a fault: the later one would win, and nobody be told."""

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:  # noqa: FBT001, FBT002  # as it is called
        seen: dict[str, yaml.Node] = {}
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if isinstance(key, yaml.ScalarNode) and key.tag != _MERGE:
                if (first := seen.get(key.value)) and first.tag == key.tag:
                    line = first.start_mark.line + 1
                    raise yaml.constructor.ConstructorError(
                        None, None, f"{key.value!r} is there already, in line {line}", key.start_mark
                    )
                seen[key.value] = key
        return super().construct_mapping(node, deep)


_MERGE = "tag:yaml.org,2002:merge"


def read_yaml(path: Path) -> Any:
    """Parses a YAML file with the safe loader. Raises PackInvalid with the place of a syntax error or of a key that is
    there twice, and for a file that would be without measure when its aliases are written out, as validation does."""
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)  # noqa: S506  # it is a safe loader
        values = _values(data, {})
    except (yaml.YAMLError, OSError, UnicodeDecodeError, RecursionError) as error:
        raise PackInvalid(f"{path}: {error}") from error
    if values > MOST_VALUES:
        raise PackInvalid(f"{path}: its aliases stand for more than {MOST_VALUES:,} values")
    return data


def _values(data: Any, known: dict[int, int]) -> int:
    """How many values there are, what an alias stands for counted each time; in time of those that are written."""
    if not isinstance(data, dict | list):
        return 1
    if id(data) not in known:
        known[id(data)] = MOST_VALUES + 1  # one that holds itself has no end
        known[id(data)] = 1 + sum(_values(one, known) for one in (data.values() if isinstance(data, dict) else data))
    return known[id(data)]


def _validated(validate: Any, path: Path, data: Any) -> Any:
    try:
        return validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise PackInvalid(f"{path}: {where}: {first['msg']} (value {first.get('input')!r:.100})") from None
