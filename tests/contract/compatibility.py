"""Does a new JSON Schema still take every value that the old one took, and mean the same by it? (docs/adr/0004)

Knows the keywords that pydantic writes. Where it cannot prove that a change is harmless it calls it a break."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

Schema = dict[str, Any]
Node = Schema | bool
"""A place in a document; `true` takes any value, `false` none."""

_SILENT = frozenset({"$defs", "$id", "$schema", "title", "description", "examples", "deprecated", "discriminator"})
_LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_UPPER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_EXACT = ("pattern", "format", "multipleOf", "uniqueItems", "propertyNames", "contentEncoding", "contentMediaType")
_SHAPE = ("type", "enum", "const", "anyOf", "oneOf", "$ref", "default")
_OBJECT = ("properties", "required", "additionalProperties", "patternProperties")
_ARRAY = ("items", "prefixItems")
_KNOWN = _SILENT | {*_LOWER, *_UPPER, *_EXACT, *_SHAPE, *_OBJECT, *_ARRAY}

_ABSENT: Any = object()


@dataclass(frozen=True, slots=True)
class Break:
    """One way in which old data would be refused or read differently. `where` is a path from the root, `$`."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


def breaks(old: Schema, new: Schema) -> list[Break]:
    """All breaks from `old` to `new`, in the order of the old schema; empty when old data reads as before."""
    return list(_Comparison(old.get("$defs", {}), new.get("$defs", {})).compare(old, new, "$"))


@dataclass(slots=True)
class _Comparison:
    old_defs: Schema
    new_defs: Schema
    seen: set[tuple[str, str]] = field(default_factory=set)

    def compare(self, old: Node, new: Node, where: str) -> Iterator[Break]:
        """`old` and `new` stand at the same place of the two documents."""
        if isinstance(old, dict) and isinstance(new, dict) and "$ref" in old and "$ref" in new:
            pair = (old["$ref"], new["$ref"])
            if pair in self.seen:  # a recursive type, or one met before
                return
            self.seen.add(pair)
        old, new = _follow(old, self.old_defs), _follow(new, self.new_defs)
        if old is False or new is True:
            return
        if isinstance(new, bool):
            yield Break(where, "no longer takes any value")
            return
        yield from self._compare({} if isinstance(old, bool) else old, new, where)

    def _compare(self, old: Schema, new: Schema, where: str) -> Iterator[Break]:
        if unknown := sorted((old.keys() | new.keys()) - _KNOWN):
            changed = [key for key in unknown if old.get(key, _ABSENT) != new.get(key, _ABSENT)]
            yield from (
                Break(where, f"{key!r} changed, and this check does not know what that means") for key in changed
            )
        if _is_union(old) or _is_union(new):
            yield from _bounds(old, new, where)
            yield from self._union(_branches(old), _branches(new), where)
            return
        yield from self._values(old, new, where)

    def _union(self, old: Sequence[Node], new: Sequence[Node], where: str) -> Iterator[Break]:
        for branch in old:
            found = [self._alone(branch, candidate, where) for candidate in new]
            if not all(found):
                continue
            alike = [one for one, candidate in zip(found, new, strict=True) if _kind(candidate) == _kind(branch)]
            if len(alike) == 1:  # the same branch, changed: say how
                yield from alike[0]
            else:
                yield Break(where, f"no longer takes {_name(branch)}: takes {' | '.join(map(_name, new))}")

    def _alone(self, old: Node, new: Node, where: str) -> list[Break]:
        # a comparison that fails must not leave its pairs behind as "seen"
        trial = _Comparison(self.old_defs, self.new_defs, set(self.seen))
        return list(trial.compare(old, new, where))

    def _values(self, old: Schema, new: Schema, where: str) -> Iterator[Break]:
        allowed = _enumerated(old)
        if allowed is not None:
            yield from _enumeration(allowed, new, where)
            return
        if (wanted := _enumerated(new)) is not None:
            yield Break(where, f"took any {_name(old)}, now only {_list(wanted)}")
            return
        types = _types(new)
        if types is not None:
            lost = sorted((_types(old) or {"any value"}) - types - ({"integer"} if "number" in types else set()))
            if lost:
                yield Break(where, f"type was {_name(old)}, is {_name(new)}")
                return
        yield from _bounds(old, new, where)
        yield from self._items(old, new, where)
        yield from self._object(old, new, where)

    def _items(self, old: Schema, new: Schema, where: str) -> Iterator[Break]:
        if not {*_ARRAY} & (old.keys() | new.keys()):
            return
        old_first, new_first = old.get("prefixItems", []), new.get("prefixItems", [])
        for place in range(max(len(old_first), len(new_first))):
            was = old_first[place] if place < len(old_first) else old.get("items", True)
            now = new_first[place] if place < len(new_first) else new.get("items", True)
            yield from self.compare(was, now, f"{where}[{place}]")
        yield from self.compare(old.get("items", True), new.get("items", True), f"{where}[]")

    def _object(self, old: Schema, new: Schema, where: str) -> Iterator[Break]:
        if not {*_OBJECT} & (old.keys() | new.keys()):
            return
        if old.get("patternProperties") != new.get("patternProperties"):
            yield Break(where, "the rules for names of fields changed")
        yield from self._kept_fields(old, new, where)
        yield from self._new_fields(old, new, where)
        rest = old.get("additionalProperties", True)
        if rest is not False:
            yield from self.compare(rest, new.get("additionalProperties", True), f"{where}.*")

    def _kept_fields(self, old: Schema, new: Schema, where: str) -> Iterator[Break]:
        has, rest = new.get("properties", {}), new.get("additionalProperties", True)
        must_old, must_new = old.get("required", ()), new.get("required", ())
        for name, was in old.get("properties", {}).items():
            path = f"{where}.{name}"
            if name not in has and rest is False:
                yield Break(path, "removed: old data that has it would be refused")
                continue
            yield from self.compare(was, has.get(name, rest), path)
            if name not in must_old and name in must_new:
                yield Break(path, "became required: old data may lack it")
            elif name not in must_old and name in has:
                yield from _default(was, has[name], path)

    def _new_fields(self, old: Schema, new: Schema, where: str) -> Iterator[Break]:
        had, has = old.get("properties", {}), new.get("properties", {})
        rest = old.get("additionalProperties", True)
        for name in sorted(has.keys() - had.keys()):
            if name in new.get("required", ()):
                yield Break(f"{where}.{name}", "new and required: old data lacks it")
            if rest is not False:  # old data may have had anything by this name
                yield from self.compare(rest, has[name], f"{where}.{name}")


def _follow(schema: Node, defs: Schema) -> Node:
    """The schema behind a reference; what stands beside the reference (a default, a description) is kept."""
    while isinstance(schema, dict) and "$ref" in schema:
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**defs[schema["$ref"].removeprefix("#/$defs/")], **beside}
    return schema


def _is_union(schema: Schema) -> bool:
    return "anyOf" in schema or "oneOf" in schema


def _branches(schema: Schema) -> Sequence[Node]:
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return list(schema[key])
    return [schema]


def _types(schema: Schema) -> set[str] | None:
    type_ = schema.get("type")
    return None if type_ is None else {type_} if isinstance(type_, str) else set(type_)


def _kind(schema: Node) -> object:
    return (schema.get("$ref"), schema.get("type")) if isinstance(schema, dict) else schema


def _enumerated(schema: Schema) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    return list(schema["enum"]) if "enum" in schema else None


def _enumeration(old: Sequence[Any], new: Schema, where: str) -> Iterator[Break]:
    wanted = _enumerated(new)
    if wanted is not None:
        if lost := [value for value in old if value not in wanted]:
            yield Break(where, f"no longer takes {_list(lost)}")
        return
    types = _types(new)
    if types is not None and (lost := [value for value in old if not _json_types(value) & types]):
        yield Break(where, f"no longer takes {_list(lost)}: type is {_name(new)}")
    yield from _bounds({}, new, where)


def _json_types(value: object) -> set[str]:
    by_type = {bool: {"boolean"}, int: {"integer", "number"}, float: {"number"}, str: {"string"}, type(None): {"null"}}
    return by_type.get(type(value), {"array", "object"})


def _bounds(old: Schema, new: Schema, where: str) -> Iterator[Break]:
    for keys, tighter in ((_LOWER, 1), (_UPPER, -1)):
        for key in keys:
            was, now = old.get(key), new.get(key)
            if now is not None and (was is None or (now - was) * tighter > 0):
                yield Break(where, f"{key} is {now}, was {'not set' if was is None else was}")
    for key in _EXACT:
        if key in new and new[key] != old.get(key):
            yield Break(where, f"{key} is {new[key]!r}, was {old.get(key, 'not set')!r}")


def _default(old: Node, new: Node, where: str) -> Iterator[Break]:
    # Defaults are left out on the wire: another default gives old events another meaning.
    was = old.get("default", _ABSENT) if isinstance(old, dict) else _ABSENT
    now = new.get("default", _ABSENT) if isinstance(new, dict) else _ABSENT
    if was is not now and was != now:
        yield Break(where, f"default was {_shown(was)}, is {_shown(now)}: old data without it changes its meaning")


def _shown(value: object) -> str:
    return "not stated" if value is _ABSENT else json.dumps(value, ensure_ascii=False)


def _list(values: Sequence[Any]) -> str:
    return ", ".join(_shown(value) for value in values)


def _name(schema: Node) -> str:
    if not isinstance(schema, dict):
        return "any value" if schema is True else "nothing"
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix("#/$defs/")
    types = _types(schema)
    return " | ".join(sorted(types)) if types else "any value"
