"""The check of ADR 0004: each kind of break is seen, and a change that harms no old event passes."""

import json
from copy import deepcopy
from typing import Any

import jsoncompat
import pytest

from tests.contract.compatibility import breaks

OLD: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["text", "kind"],
    "properties": {
        "text": {"type": "string", "minLength": 1, "maxLength": 100},
        "kind": {"$ref": "#/$defs/Kind"},
        "count": {"type": "integer", "minimum": 0, "default": 1},
        "share": {"type": "number", "minimum": 0, "maximum": 1, "default": 0.5},
        "when": {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}], "default": None},
        "code": {"type": "string", "pattern": "^[a-z]+$", "default": "a"},
        "parts": {"type": "array", "items": {"$ref": "#/$defs/Part"}, "default": []},
        "data": {"type": "object", "additionalProperties": True, "default": {}},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}, "default": {}},
        "anything": {"default": None},
    },
    "$defs": {
        "Kind": {"type": "string", "enum": ["clarify", "plan"]},
        "Part": {
            "type": "object",
            "additionalProperties": False,
            "required": ["name"],
            "properties": {
                "name": {"type": "string"},
                "inner": {"anyOf": [{"$ref": "#/$defs/Part"}, {"type": "null"}], "default": None},
            },
        },
    },
}


def _new(path: str, value: Any = None) -> dict[str, Any]:
    """OLD with the value at a /-path replaced, or without it when the value is None."""
    schema = deepcopy(OLD)
    *steps, last = path.split("/")
    place: Any = schema
    for step in steps:
        place = place[int(step) if isinstance(place, list) else step]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return schema


def _required(*names: str) -> list[str]:
    return ["text", "kind", *names]


BREAKS = {
    "a field is removed": (_new("properties/count"), "$.count: removed"),
    "a field of a part is removed": (_new("$defs/Part/properties/inner"), "$.parts[].inner: removed"),
    "an optional field becomes required": (_new("required", _required("count")), "$.count: became required"),
    "a required field is new": (
        {**_new("properties/tone", {"type": "string"}), "required": _required("tone")},
        "$.tone: new and required",
    ),
    "a type changes": (_new("properties/text/type", "integer"), "$.text: type was string, is integer"),
    "a number becomes an integer": (_new("properties/share/type", "integer"), "type was number, is integer"),
    "anything becomes something": (_new("properties/anything/type", "string"), "type was any value, is string"),
    "null is no longer taken": (_new("properties/when", {"type": "string", "default": None}), "no longer takes null"),
    "a branch of a union changes": (_new("properties/when/anyOf/0/format", "date"), "$.when: format is 'date'"),
    "a choice goes": (_new("$defs/Kind/enum", ["clarify"]), '$.kind: no longer takes "plan"'),
    "text becomes a choice": (_new("properties/text", {"type": "string", "enum": ["a"]}), 'now only "a"'),
    "text becomes a constant": (_new("properties/text", {"type": "string", "const": "a"}), 'now only "a"'),
    "a choice becomes a number": (_new("$defs/Kind", {"type": "integer"}), "no longer takes"),
    "a default changes": (_new("properties/count/default", 2), "$.count: default was 1, is 2"),
    "a default goes": (_new("properties/count/default"), "$.count: default was 1, is not stated"),
    "a lower bound rises": (_new("properties/count/minimum", 1), "$.count: minimum is 1, was 0"),
    "an upper bound falls": (_new("properties/share/maximum", 0.9), "maximum is 0.9, was 1"),
    "a bound is new": (_new("properties/count/maximum", 9), "maximum is 9, was not set"),
    "a text gets shorter": (_new("properties/text/maxLength", 50), "maxLength is 50, was 100"),
    "a text gets longer": (_new("properties/text/minLength", 2), "minLength is 2, was 1"),
    "a list needs an item": (_new("properties/parts/minItems", 1), "minItems is 1"),
    "a pattern changes": (_new("properties/code/pattern", "^[a-y]+$"), "pattern is '^[a-y]+$'"),
    "a pattern is new": (_new("properties/text/pattern", "^x"), "$.text: pattern is '^x', was 'not set'"),
    "a format is new": (_new("properties/text/format", "uuid"), "format is 'uuid'"),
    "an open object closes": (_new("properties/data/additionalProperties", False), "$.data.*: no longer takes any"),
    "an open object names a field": (_new("properties/data/properties", {"a": {"type": "integer"}}), "$.data.a"),
    "values of a map change": (_new("properties/labels/additionalProperties", {"type": "integer"}), "$.labels.*"),
    "an unknown keyword comes": (_new("properties/text/not", {"const": "x"}), "'not' changed"),
    "items change": (_new("properties/parts/items", {"type": "string"}), "$.parts[]: type was object"),
}  # fmt: skip

HARMLESS = {
    "nothing changes": deepcopy(OLD),
    "an optional field is new": _new("properties/tone", {"type": "string", "default": ""}),
    "an optional field of a part is new": _new("$defs/Part/properties/tone", {"type": "string", "default": ""}),
    "a required field becomes optional": _new("required", ["kind"]),
    "a choice is new": _new("$defs/Kind/enum", ["budget", "clarify", "plan"]),
    "choices are sorted": _new("$defs/Kind/enum", ["plan", "clarify"]),
    "a choice becomes any text": _new("$defs/Kind", {"type": "string"}),
    "a lower bound falls": _new("properties/count/minimum", -1),
    "a bound goes": _new("properties/text/maxLength"),
    "a pattern goes": _new("properties/code/pattern"),
    "a format goes": _new("properties/when/anyOf/0/format"),
    "an integer becomes a number": _new("properties/count/type", "number"),
    "something becomes anything": _new("properties/text", {}),
    "null is taken too": _new("properties/text", {"anyOf": [deepcopy(OLD["properties"]["text"]), {"type": "null"}]}),
    "a description changes": _new("properties/text/description", "what was said"),
    "a part moves to another name": {
        **_new("properties/parts/items", {"$ref": "#/$defs/Piece"}),
        "$defs": {**OLD["$defs"], "Piece": {**OLD["$defs"]["Part"], "title": "Piece"}},
    },
    "a closed object opens": _new("additionalProperties", True),
}


@pytest.mark.parametrize(("new", "told"), BREAKS.values(), ids=BREAKS)
def test_it_breaks_when(new: dict[str, Any], told: str) -> None:
    found = "\n".join(map(str, breaks(OLD, new)))
    assert told in found


@pytest.mark.parametrize("new", HARMLESS.values(), ids=HARMLESS)
def test_it_does_not_break_when(new: dict[str, Any]) -> None:
    assert breaks(OLD, new) == []


@pytest.mark.parametrize("new", [new for new, _ in BREAKS.values()], ids=BREAKS)
def test_nothing_that_jsoncompat_refuses_is_let_through(new: dict[str, Any]) -> None:
    # a second opinion; alone it does not see patterns, formats and defaults
    if not jsoncompat.check_compat(json.dumps(OLD), json.dumps(new), "deserializer"):
        assert breaks(OLD, new)


def test_a_break_inside_a_recursive_type_is_told_once() -> None:
    new = _new("$defs/Part/properties/name/type", "integer")
    assert [str(one) for one in breaks(OLD, new)] == ["$.parts[].name: type was string, is integer"]
