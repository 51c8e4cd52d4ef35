"""What a developer adds to the template of a pack: a bakery with two dialogues (source design 002 section 8)."""

from pathlib import Path

import yaml

from tests.e2e.person import Json
from understanding.kit.data import read_data

LANGUAGES = ("ko", "en", "ja")
READING = '''
"""Reads how many."""

from collections.abc import Sequence

from contracts.reading import Checking, Clause, SlotRefused
from contracts.shape import JsonObject, JsonValue


def read(clause: Clause) -> Sequence[JsonObject]:
    found = [one.value for one in clause.entities if one.type == "number"]
    return [{"count": found[0]}] if found else []


def count(value: JsonValue, checking: Checking) -> JsonValue:
    if not isinstance(value, int) or value < 1:
        raise SlotRefused("count.low")
    return value
'''
TOOL = '''
"""Takes an order."""

from contracts.shape import JsonObject
from contracts.tools import ToolContext


async def run(params: JsonObject, context: ToolContext) -> JsonObject:
    return {"summary": [context.text("taken", count=params["count"])]}
'''
WORDS = {"cake": "케이크", "bread": "식빵"}
"""Two services of the bakery, each a flow of its own."""
SAID = {
    "ready": "{what} {{count}}개를 주문할까요?", "ready_again": "{what} {{count}}개를 주문할까요?",
    "ready_first": "먼저 {what} {{count}}개요? ({{index}}/{{total}})", "ready_batch": "{what} {{count}}개요? ({{index}}/{{total}})",
    "ready_next": "다음으로 {what} {{count}}개요? ({{index}}/{{total}})", "executed": "{what} 주문이 끝났어요.",
    "executed_all": "모두 끝났어요.", "executed_some": "{{executed}}건이 끝났어요.", "cancelled": "주문을 취소했어요.",
    "cancelled_next": "다음으로 {what} {{count}}개요?", "failed": "{{reason}}", "failed_next": "{{reason}} 다음으로 {what} {{count}}개요?",
    "failed_unknown": "알 수 없어요.", "unsupported": "주문을 멈췄어요.", "busy": "주문하고 있어요.",
    "nothing": "주문이 없어요.", "button_confirm": "네", "button_cancel": "아니요", "ask": "{what} 몇 개를 드릴까요?",
}  # fmt: skip


def in_all(words: list[str]) -> dict[str, list[str]]:
    return dict.fromkeys(LANGUAGES, words)


def open_bakery(folder: Path) -> None:
    """What a developer adds to the template: intents, flows, the code that reads and judges slots, a tool, texts."""
    intents = read_data(folder / "intents.yaml")
    cues = read_data(folder / "cues.yaml")
    texts = {"count.low": "한 개부터 주문할 수 있어요.", "taken": "{count}개를 준비할게요."}
    (folder / "flows").mkdir()
    for name, what in WORDS.items():
        said = [f"{what} 주문할게", f"{what} 3개 주문", f"{what} 사고 싶어", f"{what} 두 개 주세요", f"{what} 주문해줘"]
        intents.append(
            {
                "intent": f"BAKERY.{name}", "route": "flow", "flow": name, "label": f"intent.{name}",
                "reader": "packs.bakery.reading:read", "examples": in_all(said),
            }
        )  # fmt: skip
        cues.append({"intent": f"BAKERY.{name}", "weight": 4.0, "words": in_all([what])})
        slot = {
            "name": "count",
            "type": "number",
            "validator": "packs.bakery.reading:count",
            "question": f"flow.{name}.ask",
        }
        flow = {
            "flow": name, "tool": f"bakery.{name}", "slots": [slot], "reader": "packs.bakery.reading:read",
            "confirm": in_all(["네"]), "cancel": in_all(["아니요"]),
        }  # fmt: skip
        _write(folder / f"flows/{name}.yaml", flow)
        _write(folder / f"tools/{name}.yaml", _tool(name))
        texts |= {f"intent.{name}": what, f"todo.{name}": f"{what} 주문"}
        texts |= {f"flow.{name}.{key}": text.format(what=what) for key, text in SAID.items()}
    _write(folder / "intents.yaml", intents)
    _write(folder / "cues.yaml", cues)
    for language in LANGUAGES:
        file = folder / f"texts/{language}.yaml"
        _write(file, read_data(file) | texts)
    (folder / "reading.py").write_text(READING, "utf-8")
    (folder / "tools/order.py").write_text(TOOL, "utf-8")


def _tool(name: str) -> Json:
    params = {
        "type": "object",
        "additionalProperties": False,
        "required": ["count"],
        "properties": {"count": {"type": "number"}},
    }
    result = {
        "type": "object",
        "required": ["summary"],
        "properties": {"summary": {"type": "array", "items": {"type": "string"}}},
    }
    return {
        "tool_key": f"bakery.{name}", "description": "Takes an order.", "executor": "ops", "isolated": False,
        "entry": "packs.bakery.tools.order:run", "confirm_policy": "always", "effects": "idempotent",
        "params_schema": params, "result_schema": result,
    }  # fmt: skip


def _write(file: Path, content: object) -> None:
    file.write_text(yaml.safe_dump(content, allow_unicode=True, sort_keys=False), "utf-8")
