"""What a tool's schema allows is said at once, and exactly as the slow validator, which gives the words, says it."""

import copy
import random
import re
import socket
from collections.abc import Callable, Iterator
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from backbone import packs
from contracts.errors import Code
from services.execution.tools.faults import ToolFault
from services.execution.tools.schemas import Schema, Schemas
from tests.unit.services.catalogues import tool

TOOLS = packs.load().tools
LEAVES = st.none() | st.booleans() | st.integers(-3, 12) | st.floats(-2, 2) | st.text(max_size=4)
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner))


def allowed(schema: Any, within: dict[str, Any], choose: random.Random) -> Any:
    """Something that the schema allows, for the most part."""
    if "$ref" in schema:
        return allowed(within["$defs"][schema["$ref"].rpartition("/")[2]], within, choose)
    if any(word in schema for word in ("anyOf", "oneOf")):
        return allowed(choose.choice(schema.get("anyOf") or schema["oneOf"]), within, choose)
    if any(word in schema for word in ("enum", "const")):
        return choose.choice(schema.get("enum") or [schema["const"]])
    kind = schema.get("type", "null")
    return filled(choose.choice(kind) if isinstance(kind, list) else kind, schema, within, choose)


def filled(kind: str, schema: Any, within: dict[str, Any], choose: random.Random) -> Any:
    properties = schema.get("properties", {})
    makers: dict[str, Callable[[], Any]] = {
        "object": lambda: {
            name: allowed(inner, within, choose)
            for name, inner in properties.items()
            if name in schema.get("required", ()) or choose.random() < 0.5
        },
        "array": lambda: [allowed(schema.get("items", {}), within, choose) for _ in range(choose.randint(0, 2))],
        "integer": lambda: choose.choice([schema.get("minimum", 0), schema.get("maximum", 1), 1.0, -1]),
        "number": lambda: choose.choice([schema.get("minimum", 0.5), schema.get("maximum", 1), 2, -1.5]),
        "string": lambda: choose.choice(["", "x", "2026-10-01", "가나다" * 40]),
        "boolean": lambda: True,
        "null": lambda: None,
    }
    return makers[kind]()


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield value, key
        yield from places(inner)


@pytest.mark.parametrize("key", sorted(TOOLS))
@given(seed=st.integers(0, 2**32), other=VALUES)
def test_both_validators_say_the_same_of_every_tool(key: str, seed: int, other: Any) -> None:
    choose = random.Random(seed)
    for schema in (TOOLS[key].params_schema, TOOLS[key].result_schema):
        value = allowed(schema, schema, choose)
        changed = copy.deepcopy(value)
        if found := list(places(changed)):
            holder, at = choose.choice(found)
            holder[at] = other
        for one in (value, changed, other):
            exact = next(Draft202012Validator(schema).iter_errors(one), None)
            assert jsonschema_rs.Draft202012Validator(schema).is_valid(one) is (exact is None), one


def test_what_is_wrong_is_said_with_its_place() -> None:
    spec = tool("test.echo", params_schema={"type": "object", "properties": {"a": {"items": {"type": "integer"}}}})
    Schemas().check_arguments(spec, {"a": [1, 2]})
    with pytest.raises(ToolFault, match=r"^test\.echo: a/1: 'x' is not of type 'integer'$") as caught:
        Schemas().check_arguments(spec, {"a": [1, "x"]})
    assert caught.value.code is Code.TOOL_ARGUMENTS_INVALID


@pytest.mark.parametrize("odd", ["\ud800", 10**400, float("inf")])
def test_values_that_the_quick_one_does_not_take_are_looked_at_by_the_other(odd: Any) -> None:
    schema = Schema({"type": "object", "properties": {"a": {"type": ["string", "number"]}}})
    assert schema.problem({"a": odd}) == ""
    assert schema.problem({"a": [odd]}).startswith("a: ")


@pytest.mark.parametrize("where", ["params_schema", "result_schema"])
@pytest.mark.parametrize("reference", ["#/nope", "#/$defs/none", "other.json"])
def test_a_schema_that_leads_nowhere_is_a_broken_tool_and_no_fault_of_ours(where: str, reference: str) -> None:
    spec = tool("test.echo", **{where: {"type": "object", "properties": {"a": {"$ref": reference}}}})
    check = Schemas().check_arguments if where == "params_schema" else Schemas().check_result
    with pytest.raises(ToolFault, match=re.escape(reference)) as caught:
        check(spec, {"a": 1})
    assert caught.value.code is Code.TOOL_BROKEN
    assert not caught.value.retryable


def test_nothing_is_fetched_for_a_schema() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        where = f"http://127.0.0.1:{server.getsockname()[1]}/schema"
        schema = Schema({"type": "object", "properties": {"a": {"$ref": where}}})
        with pytest.raises(ToolFault, match="Unresolvable"):
            schema.problem({"a": 1})
        with pytest.raises(BlockingIOError):
            server.accept()
