"""What a server offers, as tools and commands of a pack. What it says of itself is bounded, and believed only as far as
the operator wants. JSON Schemas from outside, made safe to check arguments by: nothing is fetched, nothing takes
forever. Names of a server's tools in our alphabet: tool keys and commands allow lower-case letters, digits and _."""

import json
import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from backbone.mcp.config import ServerSpec
from backbone.packs import Pack
from contracts.asking import MOST_TOOLS, Offer, OfferedTool
from contracts.packs import AgentSpec, CommandSpec, CommandTodo, FlowSpec, IntentSpec, PackManifest, TopicSpec
from contracts.shape import JsonObject, JsonValue
from contracts.tools import Effects, ErrorPolicy, ToolSpec

log = logging.getLogger(__name__)

OUTSIDE_ENTRY = "mcp:"
"""`entry` of a tool of a server: mcp:<tool key>."""
DESCRIPTION, TITLE = 2000, 80
MOST_BYTES = 768 * 1024
"""Of an offer: it goes over the bus in one message."""
AWAY = b"away"
"""What its executor says instead of an offer, when a server was looked for in vain."""
RESULT: JsonObject = {
    "type": "object",
    "properties": {"server": {"type": "string"}, "text": {"type": "string"}, "structured": {"type": "object"}},
    "required": ["server", "text"],
}


def digest(raw: Mapping[str, Any]) -> str:
    """Of a tool as its server lists it: a tool that says something else tomorrow is another tool."""
    return sha256(orjson.dumps(raw, option=orjson.OPT_SORT_KEYS)).hexdigest()


def offer_of(server: str, config: ServerSpec, listed: Iterable[Mapping[str, Any]]) -> Offer:
    """The offer that a listing is; what cannot be taken is left out, and said in the log."""
    tools = {str(raw["name"]): raw for raw in listed if config.takes(str(raw["name"]))}
    for absent in sorted(set(config.tools or ()) - set(tools)):
        log.warning("the server %r has no tool %r, which its configuration names", server, absent)
    # numbered among what is taken: what the server adds beside it changes no name
    names = numbered(tools)
    found: list[OfferedTool] = []
    room = MOST_BYTES
    for name, ours in sorted(names.items()):
        try:
            tool = _offered(server, ours, config, tools[name])
        except SchemaRefused as error:
            log.warning("the tool %r of the server %r is left out: %s", name, server, error)
            continue
        room -= len(tool.model_dump_json())
        if room < 0 or len(found) == MOST_TOOLS:
            log.warning("the server %r has %d tools; only the first %d are taken", server, len(names), len(found))
            break
        found.append(tool)
    return Offer(server=server, tools=tuple(found))


def _offered(server: str, ours: str, config: ServerSpec, raw: Mapping[str, Any]) -> OfferedTool:
    name, key = str(raw["name"]), f"{pack_name(server)}.{ours}"
    hints = raw.get("annotations") or {}
    title = one_line(raw.get("title") or hints.get("title") or name, TITLE)
    reads = config.trust_annotations and hints.get("readOnlyHint") is True
    spec = ToolSpec(
        tool_key=key,
        description=one_line(raw.get("description") or title, DESCRIPTION) or ours,
        executor=config.executor,
        entry=f"{OUTSIDE_ENTRY}{key}",
        confirm_policy=config.confirms(name),
        params_schema=tamed(raw.get("inputSchema")),
        result_schema=RESULT,
        timeout_seconds=config.timeout_seconds,
        effects=Effects.NONE if reads else Effects.EXTERNAL,
        on_error=ErrorPolicy.SKIP,
        isolated=False,
    )
    return OfferedTool(name=name, title=title or ours, spec=spec, digest=digest(raw))


def one_line(text: object, limit: int) -> str:
    """Words from outside on one line, without characters that nobody sees."""
    shown = "".join(one if one.isprintable() else " " for one in str(text))
    return re.sub(r"\s+", " ", shown).strip()[:limit]


@dataclass(frozen=True)
class OutsidePack(Pack):
    """The pack that a server is: tools and commands made from its offer, words from the platform."""

    offer: Offer = field(kw_only=True)
    words: Mapping[str, Mapping[str, str]] = field(kw_only=True)

    @cached_property
    def tools(self) -> tuple[ToolSpec, ...]:
        return tuple(tool.spec for tool in self.offer.tools)

    @cached_property
    def texts(self) -> dict[str, dict[str, str]]:
        # texts are templates: braces of a title are none
        named = {
            f"todo.{tool.spec.tool_key.split('.', 1)[1]}": f"{self.offer.server}: {tool.title}".replace(
                "{", "{{"
            ).replace("}", "}}")
            for tool in self.offer.tools
        }
        return {
            language: {key: text for key, text in said.items() if key.startswith(("mcp.", "error."))} | named
            for language, said in self.words.items()
        }

    @cached_property
    def intents(self) -> tuple[IntentSpec, ...]:
        return ()

    @cached_property
    def topics(self) -> tuple[TopicSpec, ...]:
        return ()

    @cached_property
    def flows(self) -> dict[str, FlowSpec]:
        return {}

    @cached_property
    def agents(self) -> dict[str, AgentSpec]:
        return {}


def pack_of(offer: Offer, words: Mapping[str, Mapping[str, str]]) -> OutsidePack:
    name = pack_name(offer.server)
    title = dict.fromkeys(words, offer.server)
    commands = tuple(_command(tool.spec) for tool in offer.tools)
    manifest = PackManifest(name=name, version=1, title=title, commands=commands)
    return OutsidePack(name, Path(name), manifest, offer=offer, words=words)


def _command(spec: ToolSpec) -> CommandSpec:
    """/mcp_<server>_<tool>, with the tool's arguments by name, or the required ones in their order."""
    required = spec.params_schema.get("required")
    return CommandSpec(
        name=spec.tool_key.replace(".", "_"),
        args_schema=spec.params_schema,
        positional=tuple(str(one) for one in required) if isinstance(required, list) else (),
        named=True,
        todos=(CommandTodo(tool=spec.tool_key, arguments=True),),
    )


LARGEST, DEEPEST = 32 * 1024, 32
SLOW = frozenset({"pattern", "patternProperties", "uniqueItems"})
"""Left to the server: whoever writes a pattern decides how long it takes."""
NAMED = frozenset({"properties", "$defs", "definitions", "dependentSchemas"})
"""Keywords whose members are names, not keywords."""


class SchemaRefused(Exception):
    """A schema that we do not check arguments by; the message says why."""


def tamed(schema: object) -> JsonObject:
    """The schema of a tool's arguments without what is slow to check. Raises SchemaRefused."""
    if not isinstance(schema, dict) or schema.get("type", "object") != "object":
        raise SchemaRefused("its schema does not describe an object")
    size = len(json.dumps(schema))
    if size > LARGEST:
        raise SchemaRefused(f"its schema has {size:,} bytes, more than {LARGEST:,}")
    plain = _plain({"type": "object", **schema}, 0)
    if not isinstance(plain, dict):  # for the type checker: a dict becomes one
        raise SchemaRefused("its schema is no object")
    for reference in _references(plain):
        _follow(plain, reference)
    try:
        Draft202012Validator.check_schema(plain)
    except SchemaError as error:
        raise SchemaRefused(f"its schema is invalid: {error.message[:200]}") from None
    return plain


def _plain(node: JsonValue, depth: int, *, names: bool = False) -> JsonValue:
    if depth > DEEPEST:
        raise SchemaRefused(f"its schema is deeper than {DEEPEST}")
    if isinstance(node, list):
        return [_plain(one, depth + 1) for one in node]
    if not isinstance(node, dict):
        return node
    dropped = frozenset() if names else SLOW | ({"additionalProperties"} if "patternProperties" in node else set())
    return {
        key: _plain(value, depth + 1, names=not names and key in NAMED)
        for key, value in node.items()
        if key not in dropped
    }


def _references(node: JsonValue) -> Iterator[str]:
    match node:
        case dict():
            for key, value in node.items():
                if key in {"$ref", "$dynamicRef"} and isinstance(value, str):
                    yield value
                else:
                    yield from _references(value)
        case list():
            for one in node:
                yield from _references(one)
        case _:
            pass


def _follow(schema: JsonObject, reference: str) -> None:
    """Raises SchemaRefused for a reference to outside, to nowhere, or in a circle."""
    seen: set[str] = set()
    while True:
        if reference in seen:
            raise SchemaRefused(f"its schema goes in a circle at {reference!r:.100}")
        seen.add(reference)
        node = _target(schema, reference)
        # a reference that is reached through an object's member ends with the value; one beside another does not
        following = node.get("$ref") if isinstance(node, dict) else None
        if not isinstance(following, str):
            return
        reference = following


def _target(schema: JsonObject, reference: str) -> JsonValue:
    if reference != "#" and not reference.startswith("#/"):
        raise SchemaRefused(f"its schema refers to {reference!r:.100}, which is outside")
    node: JsonValue = schema
    for part in reference.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(node, dict) or name not in node:
            raise SchemaRefused(f"its schema refers to {reference!r:.100}, which is not there")
        node = node[name]
    return node


LONGEST = 64


def pack_name(server: str) -> str:
    return f"mcp_{server}"


def server_of(name: str, servers: Iterable[str]) -> str | None:
    """Whose pack, tool key or command it is."""
    return next((one for one in servers if re.match(rf"{pack_name(one)}(?:[._]|$)", name)), None)


def numbered(names: Iterable[str]) -> dict[str, str]:
    """Name of a tool -> its name here. Those that would be the same are numbered, in the order of their own names, so
    that a server that lists them in another order changes nothing."""
    ours: dict[str, str] = {}
    taken: set[str] = set()
    for name in sorted(set(names), key=lambda one: (_mapped(one) != one, one)):
        mapped = free = _mapped(name)
        number = 1
        while free in taken:
            number += 1
            free = f"{mapped}_{number}"
        taken.add(free)
        ours[name] = free
    return ours


def _mapped(name: str) -> str:
    mapped = re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()).strip("_")[:LONGEST]
    return mapped if re.match(r"[a-z]", mapped) else f"tool_{mapped}".rstrip("_")
