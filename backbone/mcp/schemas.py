"""JSON Schemas from outside, made safe to check arguments by: nothing is fetched, nothing takes forever."""

import json
from collections.abc import Iterator

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from contracts.shape import JsonObject, JsonValue

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
