"""What is a pack's stands in the pack: the platform names no intent, tool, flow, slot or type of any of them.

Names are those of the manifests; looked for are string literals of code. A pack says what it wants of the platform by
attributes in its manifest (docs/writing-packs.md)."""

import ast
from functools import cache
from pathlib import Path

import pytest
from pydantic import BaseModel

from backbone import packs
from contracts import (
    artifacts,
    cognitive,
    decisions,
    errors,
    execution,
    gateway,
    memory,
    planning,
    reading,
    response,
    tools,
)
from contracts import packs as manifests
from tests.architecture.sources import ROOT, files, nodes

PLATFORM = ("backbone", "understanding", "services", "dream")
OF_EVERYBODY = {
    "action": "a slot that manifests speak of: looks, asks, requires_for",
    "date_from": "a parameter that planning fills by its name (docs/writing-tools.md)",
    "date_to": "the same",
    "sources": "the same; and what agents collect",
}
"""Words that belong to packs and platform alike, and where that is said."""
SCHEMA = {"description", "title", "properties", "type", "enum", "const"}
VALUES = {"text", "money", "date", "time", "number", "recurrence", "grain", "month", "until"}
"""Types of values and of what grammars find: contracts.reading.Clause, contracts.packs.SlotSpec."""


def vocabulary() -> set[str]:
    """Names of fields of contracts, which code must say."""
    modules = (
        artifacts, cognitive, decisions, errors, execution, gateway, memory, planning, reading, response, tools, manifests,
    )  # fmt: skip
    models = [one for module in modules for one in vars(module).values() if isinstance(one, type)]
    return {name for one in models if issubclass(one, BaseModel) for name in one.model_fields}


@cache
def names() -> dict[str, str]:
    """A name -> what it is, and whose."""
    found: dict[str, str] = {}
    shared = {artifacts.TABLE, artifacts.DOCUMENT}
    every = packs.load(sorted(packs.known_names()))
    for pack in every.packs.values():
        slots: set[str] = set()
        for spec in pack.intents:
            found |= dict.fromkeys((spec.intent, spec.intent.split(".")[0]), f"intent of {pack.name}")
            found[".".join(spec.intent.split(".")[:2])] = f"intent of {pack.name}"
            found |= dict.fromkeys({*spec.goals, *spec.needs, *spec.reads} - shared, f"type of {pack.name}")
            slots |= {*spec.requires, *spec.private}
        for flow in pack.flows.values():
            slots |= {slot.name for slot in flow.slots}
        for tool in pack.tools:
            found[tool.tool_key] = f"tool of {pack.name}"
            types = {*tool.produces, *(one.type for one in tool.consumes)} - shared
            found |= dict.fromkeys(types, f"type of {pack.name}")
            slots |= set(tool.names) | {one for types in tool.names.values() for one in types}
        found |= dict.fromkeys(slots - vocabulary() - SCHEMA - VALUES - OF_EVERYBODY.keys(), f"slot of {pack.name}")
    return found


@cache
def literals(path: Path) -> list[tuple[int, str]]:
    """Strings in code, without docstrings and what contracts show of themselves."""
    said = {id(node.value) for node in nodes(path) if isinstance(node, ast.Expr)}
    return [
        (node.lineno, node.value)
        for node in nodes(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said
    ]


def found_in(*rooms: str) -> list[str]:
    known = names()
    return [
        f"{path}:{line}: {text!r} is a {known[text]}"
        for path in files(*rooms)
        for line, text in literals(path)
        if text in known
    ]


def test_the_platform_names_nothing_of_a_pack() -> None:
    assert found_in(*PLATFORM) == []


@pytest.mark.parametrize("prefix", ["insight.", "reviews.", "content.", "ops.", "chart.", "media.", "calendar."])
def test_beginnings_of_types_are_said_in_one_place(prefix: str) -> None:
    said = [str(path) for path in files(*PLATFORM) for _, text in literals(path) if text == prefix]
    assert said == []


def test_a_name_that_is_said_is_found() -> None:
    """Packs say their own names; the test would see them in the platform."""
    assert any("TRANSFER" in one for one in found_in("packs")) or names()["TRANSFER"] == "intent of transfer"
    assert {"transfer.send", "target", "insight.trend", "DEVICES.weather"} <= names().keys()
    assert (ROOT / "docs" / "writing-packs.md").exists()
